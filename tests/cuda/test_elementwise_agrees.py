"""The elementwise kernels, copies and packing on the fake GPU, against the host's kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = (Path(__file__).parent / 'elementwise_agrees.py').read_text()
#: Functions that are tried together in one process, and how many results they are compared in at least.
PARTS = {
    'unary': ('negative abs sign square sqrt reciprocal floor ceil trunc round conj real imag bitwise_invert', 1500),
    'exponentials': ('exp expm1 log log1p log2 log10 sinh cosh tanh asinh acosh atanh', 700),
    'circular': ('sin cos tan asin acos atan atan2 hypot', 500),
    'questions': ('isnan isinf isfinite signbit logical_not equal not_equal', 900),
    'order': ('less less_equal greater greater_equal', 600),
    'arithmetic': ('add subtract multiply divide maximum minimum copysign nextafter', 1200),
    'whole': ('floor_divide remainder pow logaddexp', 600),
    'bits': ('logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor', 400),
    'shifts': ('bitwise_left_shift bitwise_right_shift', 200),
    'casts': ('casts', 4000),
    'moves': ('moves where', 450),
}


@pytest.mark.parametrize('part', PARTS)
def test_kernels_agree_with_the_hosts(on_fake_gpu: Callable[..., str], part: str) -> None:
    names, least = PARTS[part]
    printed = on_fake_gpu(f'import sys\nsys.argv[1:] = {names.split()}\n{after_future(SCRIPT)}')
    assert int(printed.split()[0]) >= least


def after_future(script: str) -> str:
    """The script without what must come first in a file."""
    return script.replace('from __future__ import annotations\n', '')


PACKED = """
import numpy as np
import crossdock as xd

rng = np.random.default_rng(3)
tree = {str(i): rng.integers(0, 255, n, dtype='u1') for i, n in enumerate([*range(200), 5000, 33_000, 70_001])}
tree['halves'], tree['wide'] = np.arange(77, dtype='f2'), np.arange(301, dtype='f8')
there = xd.get_device('cuda:0').send(tree)
again = xd.get_device('cuda:0').send({name: value[1:] for name, value in there.items()})
for trees, first in ((there, 0), (again, 1)):
    for name, value in xd.get_device('native:0').send(trees).items():
        assert (np.asarray(value) == tree[name][first:]).all(), name
print('same')
"""


def test_many_arrays_are_packed(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(PACKED).split() == ['same']


UNALIGNED = f"""
import ctypes, sys
import numpy as np
import crossdock.core as cx
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import producers

data = np.frombuffer(np.random.default_rng(5).bytes(4000), 'u1')
device = cx.asarray(data, device='cuda:0')
capsule = device.__dlpack__(max_version=(1, 0))
pointer = ctypes.PyDLL(None).PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
at = pointer(capsule, producers.VERSIONED)
address = ctypes.cast(at, ctypes.POINTER(producers.Versioned)).contents.tensor.data

producers_alive = []

def both(off, dtype, code, shape, strides):
    size = np.dtype(dtype).itemsize
    there = producers.Producer(
        ctypes.c_void_p(address + off), shape, strides=strides, dtype=(code, 8 * size, 1), device=(2, 0)
    )
    producers_alive.append(there)
    here = np.lib.stride_tricks.as_strided(data[off:].view('u1')[: 3000 // size * size].view(dtype), shape,
                                           [size * one for one in strides])
    return cx.from_dlpack(there), here

def same(got, want):
    got = np.asarray(got.to_device('native:0'))
    assert got.dtype == want.dtype and got.shape == want.shape and ((got == want) | (want != want)).all()

for off in (0, 1, 2, 3, 4):
    for dtype, code in (('i2', 0), ('i4', 0), ('i8', 0), ('u4', 1), ('f4', 2), ('f8', 2), ('c8', 5), ('c16', 5)):
        for shape, strides in (((50,), (1,)), ((6, 7), (9, 1)), ((6, 7), (1, 6)), ((5,), (3,))):
            x, y = both(off, dtype, code, shape, strides)
            same(cx.asarray(x, copy=True), y)
            same(cx.equal(x, x), y == y)
            same(cx.where(cx.equal(x, x), x, cx.zeros_like(x)), np.where(y == y, y, 0).astype(dtype))
            same(cx.astype(x, 'complex128'), y.astype('c16'))
            if code == 0:
                same(x + x, y + y)
                target, _ = both(off, dtype, code, shape, strides)
                old = cx.asarray(target, copy=True)
                target[...] = old + 1
                same(target, y + 1)
                target[...] = cx.astype(old, 'int8')
                same(target, y.astype('i1').astype(dtype))
                target[...] = 7
                same(target, np.full(shape, 7, dtype))
                target[...] = old
print('same')
"""


def test_arrays_off_their_alignment(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(UNALIGNED).split() == ['same']
