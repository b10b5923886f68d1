"""Kernels on the fake driver: threads, barriers, warps, limits, and what happens to a kernel that is wrong."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from . import driver as d
from .driver import Add, Driver, Histogram, Lanes, fails
from .nvrtc import compile_cubin, need_nvrtc

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(('dtype', 'name'), [('f4', 'float'), ('f8', 'double'), ('i8', 'long')])
@pytest.mark.parametrize('n', [1, 1000, 5000])
def test_a_kernel_of_threads_that_do_not_meet(cuda: Driver, dtype: str, name: str, n: int) -> None:
    a, b = np.arange(n).astype(dtype), np.arange(n)[::-1].astype(dtype) * 3
    out = cuda.alloc(a.nbytes)
    cuda.launch(cuda.function(f'add<{name}>'), 3, (64, 2), Add(cuda.upload(a), cuda.upload(b), out, n))
    cuda.launch(cuda.function(f'add<{name}>'), 3, 128, Add(cuda.upload(a), cuda.upload(b), out, n))
    np.testing.assert_array_equal(cuda.download(out, a), a + b)
    assert cuda.counter('launches') == 2


@pytest.mark.parametrize('reverse', [0, 1])
@pytest.mark.parametrize(('dtype', 'name'), [('f4', 'float'), ('f8', 'double'), ('i8', 'long')])
@pytest.mark.parametrize('block', [32, 256, 1024])
def test_a_reduction(cuda: Driver, dtype: str, name: str, block: int, reverse: int) -> None:
    a = np.random.default_rng(0).integers(-50, 50, 10_000).astype(dtype)
    out = cuda.alloc(3 * a.itemsize)
    cuda.library.fake_cuda_reverse(reverse)
    try:
        cuda.launch(cuda.function(f'sum<{name}>'), 3, block, Add(cuda.upload(a), 0, out, a.size))
        assert cuda.download(out, a[:3]).sum() == a.sum()
    finally:
        cuda.library.fake_cuda_reverse(0)


def test_shared_memory_that_the_launch_sizes(cuda: Driver) -> None:
    a = np.arange(4 * 96, dtype='i4')
    out = cuda.alloc(a.nbytes)
    cuda.launch(cuda.function('reverse<int>'), 4, 96, Add(cuda.upload(a), 0, out, a.size), shared=96 * 4)
    np.testing.assert_array_equal(cuda.download(out, a), a.reshape(4, 96)[:, ::-1].ravel())


def test_atomics(cuda: Driver) -> None:
    a = np.random.default_rng(1).integers(0, 10_000, 5000).astype('i4')
    bins, largest = cuda.upload(np.zeros(7, 'u4')), cuda.upload(np.zeros(1, 'i4'))
    cuda.launch(cuda.function('count_bins'), 20, 256, Histogram(cuda.upload(a), bins, largest, a.size, 7))
    np.testing.assert_array_equal(cuda.download(bins, np.empty(7, 'u4')), np.bincount(a % 7, minlength=7))
    assert cuda.download(largest, a[:1])[0] == a.max()


def test_lanes(cuda: Driver) -> None:
    out = cuda.alloc(64 * 8 * 4)
    cuda.launch(cuda.function('lanes'), 1, 64, Lanes(out))
    got = cuda.download(out, np.empty((64, 8), 'i4'))
    i = np.arange(64)
    ballots = [sum(1 << lane for lane in range(32) if (warp + lane) % 3 == 0) for warp in (0, 32)]
    np.testing.assert_array_equal(got[:, 0].view('u4'), np.repeat(np.array(ballots, 'u4'), 32))
    np.testing.assert_array_equal(got[:, 1], i // 32 * 32 + 5)
    np.testing.assert_array_equal(got[:, 2], np.where(i % 16 < 2, i, i - 2))
    np.testing.assert_array_equal(got[:, 3], i ^ 1)
    np.testing.assert_array_equal(got[:, 4], 32)
    np.testing.assert_array_equal(got[:, 5], np.where(i < 32, 1, 2))
    low = np.where(i % 16 == 15, i, i + 1)
    np.testing.assert_array_equal(got[:, 6], np.where(i % 32 < 16, low, i // 32 * 32 + 31))
    np.testing.assert_array_equal(got[:, 7], [bin(x).count('1') + 100 * (32 - x.bit_length()) for x in range(64)])


@pytest.mark.parametrize(
    ('how', 'code', 'words'),
    [
        (0, d.LAUNCH_FAILED, '63 threads wait for ever at __syncthreads'),
        (1, d.LAUNCH_FAILED, '16 in an exchange of their warp'),
        (2, d.ILLEGAL_ADDRESS, 'an illegal address was touched'),
        (3, d.LAUNCH_FAILED, '__trap() in block (0, 0, 0) of misbehave'),
        (4, d.LAUNCH_FAILED, 'an integer division'),
        (6, d.ILLEGAL_ADDRESS, 'an illegal address was touched'),
        (8, d.MISALIGNED_ADDRESS, 'off its type'),
        (9, d.MISALIGNED_ADDRESS, 'an index outside an array'),
    ],
)
def test_a_kernel_that_goes_wrong_spoils_the_context(cuda: Driver, how: int, code: int, words: str) -> None:
    function, out = cuda.function('misbehave'), cuda.alloc(400)
    cuda.launch(function, 1, 64, Lanes(out, how), shared=256)
    fails(code, cuda.cuCtxSynchronize)
    assert words in cuda.message()
    fails(code, cuda.alloc, 8)
    fails(code, cuda.cuStreamSynchronize, 0)
    cuda.library.fake_cuda_heal()
    cuda.launch(cuda.function('lanes'), 1, 64, Lanes(cuda.alloc(64 * 32)))
    cuda.cuCtxSynchronize()


def test_stacks_are_aligned(cuda: Driver) -> None:
    """As a function's caller leaves them: locals of 16 bytes lie where the compiler thinks."""
    out = cuda.alloc(64 * 4)
    cuda.launch(cuda.function('misbehave'), 1, 64, Lanes(out, 10))
    assert not cuda.download(out, np.empty(64, 'i4')).any()


def test_a_missing_barrier_shows(cuda: Driver) -> None:
    function, expected = cuda.function('misbehave'), 63 - np.arange(64)
    out = cuda.alloc(64 * 4)
    cuda.launch(function, 1, 64, Lanes(out, 5))
    assert (cuda.download(out, np.empty(64, 'i4')) != expected).any()


def test_threads_that_wait_for_a_lock_do_not_hang(cuda: Driver) -> None:
    out = cuda.upload(np.zeros(2, 'i4'))
    cuda.launch(cuda.function('misbehave'), 3, 64, Lanes(out, 7))
    assert cuda.download(out, np.empty(2, 'i4')).tolist() == [0, 192]


@pytest.mark.parametrize(
    ('grid', 'block', 'shared'),
    [
        (0, 1, 0),
        (1, 0, 0),
        (1, 1025, 0),
        (1, (32, 33), 0),
        (1, (1, 1, 65), 0),
        ((1, 65536), 1, 0),
        (1, 1, (48 << 10) + 1),
    ],
)
def test_limits_of_launches(cuda: Driver, grid: object, block: object, shared: int) -> None:
    function = cuda.function('misbehave')
    fails(d.INVALID_VALUE, cuda.launch, function, grid, block, Lanes(0, 99), 0, shared)


def test_more_shared_memory_on_request(cuda: Driver) -> None:
    function = cuda.function('misbehave')
    fails(d.INVALID_VALUE, cuda.cuFuncSetAttribute, function, 8, 228 << 10)
    cuda.cuFuncSetAttribute(function, 8, 100 << 10)
    cuda.launch(function, 1, 32, Lanes(0, 99), shared=100 << 10)
    cuda.cuCtxSynchronize()
    blocks = cuda.get('cuOccupancyMaxActiveBlocksPerMultiprocessor', function, 256, 0, type_=ctypes.c_int)
    assert blocks == 8


def test_names_are_those_of_nvrtc(cuda: Driver) -> None:
    """The samples as code for a real GPU: each kernel of the table is found under the name that NVRTC gives it."""
    need_nvrtc()
    table = {
        cuda.library.fake_cuda_expression(i).decode(): cuda.library.fake_cuda_lowered_name(i)
        for i in range(cuda.library.fake_cuda_kernel_count())
    }
    folders = [str(ROOT / folder) for folder in ('core/backends/cuda', 'core/include', 'tests/cuda/fake')]
    names = [f'crossdock::cuda::{expression}' for expression in table]
    lowered, cubin = compile_cubin('#include "samples.cuh"\n', names, 'sm_90', folders)
    assert lowered == list(table.values())
    module = cuda.get('cuModuleLoadData', cubin)
    for name in lowered:
        assert cuda.get('cuModuleGetFunction', module, name)
    fills = 'namespace crossdock::cuda { template <class T> __global__ void add(T) {} }'
    (_,), other = compile_cubin(fills, ['crossdock::cuda::add<int>'], 'sm_90', [])
    module = cuda.get('cuModuleLoadData', other)
    fails(d.NOT_FOUND, cuda.get, 'cuModuleGetFunction', module, lowered[0])  # it is not in this code
