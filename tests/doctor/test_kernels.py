"""Compiling all kernels, with a compiler that is made up."""

from __future__ import annotations

import threading

import pytest

from crossdock.core.cuda import Compiled, compile_kernel, find_library, kernel_names
from crossdock.doctor import compile_all, parse_architectures
from crossdock.errors import DeviceError

KERNELS = [('b.cuh', 'f<float>'), ('a.cuh', 'g<int>'), ('a.cuh', 'f<int>')]


def test_architectures():
    assert parse_architectures('sm_75, sm_90a,sm_100,sm_75') == ('sm_75', 'sm_90a', 'sm_100')
    for bad in ('', 'sm_', 'sm_9', 'sm_75,', '75', 'compute_75', 'SM_75', 'sm_75;rm', 'sm_075', 'sm_\u0667\u0665'):
        with pytest.raises(ValueError) as caught:
            parse_architectures(bad)
        assert 'sm_90' in str(caught.value)


def test_what_became_of_each():
    def compile_one(header, expression, architecture):
        assert architecture == 'sm_90'
        if header == 'a.cuh':
            raise DeviceError(f'{expression} is wrong')
        return Compiled(100, expression == 'f<float>')

    ticks = []
    result = compile_all('sm_90', [*KERNELS, ('b.cuh', 'h')], compile_one, lambda: ticks.append(threading.get_ident()))
    assert (result.kernels, result.compiled, result.from_cache, result.nbytes) == (4, 1, 1, 200)
    assert [(f.header, f.expression, f.log) for f in result.failures] == [
        ('a.cuh', 'f<int>', 'f<int> is wrong'),
        ('a.cuh', 'g<int>', 'g<int> is wrong'),
    ]
    assert ticks == [threading.get_ident()] * 4


def test_other_errors_end_it():
    def compile_one(header, expression, architecture):
        raise MemoryError

    with pytest.raises(MemoryError):
        compile_all('sm_90', KERNELS, compile_one)


@pytest.mark.skipif(not find_library('nvrtc').path, reason='NVRTC is not installed')
def test_a_sample_of_the_kernels_compiles():
    kernels = kernel_names()
    result = compile_all('sm_90', kernels[:: max(1, len(kernels) // 40)], compile_kernel)
    assert result.failures == ()
    assert result.compiled + result.from_cache == result.kernels
