"""The fake cuBLAS: products of matrices column after column, in the handle's stream."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .driver import Driver

# CUDA's number of the type, the number of what it is computed in, and the type of the factors.
TYPES = {'f4': (0, 68, 'f4'), 'f8': (1, 70, 'f8'), 'f2': (2, 68, 'f4'), 'c8': (4, 68, 'c8'), 'c16': (5, 70, 'c16')}


@pytest.fixture
def cublas(cuda: Driver, sample_library: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(sample_library.parent / 'libcublas.so.13'))


@pytest.fixture
def handle(cublas: ctypes.CDLL) -> Iterator[ctypes.c_void_p]:
    made = ctypes.c_void_p()
    assert cublas.cublasCreate_v2(ctypes.byref(made)) == 0
    yield made
    assert cublas.cublasDestroy_v2(made) == 0


def gemm(cublas: ctypes.CDLL, handle: Any, ops: tuple[int, int], sizes: Any, matrices: Any, dtype: str, c: Any) -> int:
    """op(a) op(b) for a batch; each matrix is an address, its leading dimension and the step to the next one."""
    number, compute, scale = TYPES[dtype]
    one, zero = np.ones(1, scale), np.zeros(1, scale)
    m, n, k, batch = sizes
    (a, lda, a_step), (b, ldb, b_step) = matrices
    c, ldc, c_step = c
    wide = ctypes.c_longlong
    arguments = [handle, *ops, m, n, k, one.ctypes.data_as(ctypes.c_void_p)]
    arguments += [ctypes.c_void_p(a), number, lda, wide(a_step), ctypes.c_void_p(b), number, ldb, wide(b_step)]
    arguments += [zero.ctypes.data_as(ctypes.c_void_p), ctypes.c_void_p(c), number, ldc, wide(c_step), batch]
    return cublas.cublasGemmStridedBatchedEx(*arguments, compute, -1)


@pytest.mark.parametrize('dtype', list(TYPES))
@pytest.mark.parametrize('ops', [(0, 0), (1, 0), (0, 1), (2, 2)])
def test_products(cuda: Driver, cublas: ctypes.CDLL, handle: Any, dtype: str, ops: tuple[int, int]) -> None:
    rng, (m, n, k, batch) = np.random.default_rng(0), (5, 7, 4, 3)

    def some(*shape: int) -> np.ndarray:
        values = rng.integers(-4, 5, shape).astype(dtype)
        return values + 1j * rng.integers(-4, 5, shape).astype(dtype) if dtype[0] == 'c' else values

    def applied(x: np.ndarray, op: int) -> np.ndarray:
        turned = x.swapaxes(1, 2) if op else x
        return turned.conj() if op == 2 else turned

    a = some(batch, k, m) if ops[0] else some(batch, m, k)
    b = some(batch, n, k) if ops[1] else some(batch, k, n)
    out = np.empty((batch, n, m), dtype)
    matrices = [(cuda.upload(x.swapaxes(1, 2).astype(dtype)), x.shape[1], x.shape[1] * x.shape[2]) for x in (a, b)]
    c = cuda.alloc(out.nbytes)
    assert gemm(cublas, handle, ops, (m, n, k, batch), matrices, dtype, (c, m, m * n)) == 0
    np.testing.assert_array_equal(cuda.download(c, out).swapaxes(1, 2), applied(a, ops[0]) @ applied(b, ops[1]))


def test_in_the_order_of_its_stream(cuda: Driver, cublas: ctypes.CDLL, handle: Any) -> None:
    stream, a, c = cuda.stream(), cuda.alloc(4), cuda.alloc(4)
    assert cublas.cublasSetStream_v2(handle, ctypes.c_void_p(stream)) == 0
    with cuda.held():
        cuda.cuMemsetD32Async(a, 0x40400000, 1, stream)  # 3.0
        assert gemm(cublas, handle, (0, 0), (1, 1, 1, 1), [(a, 1, 0), (a, 1, 0)], 'f4', (c, 1, 0)) == 0
        assert cuda.result('cuStreamQuery', stream) == 600
    cuda.cuStreamSynchronize(stream)
    assert cuda.download(c, np.empty(1, 'f4')).tolist() == [9]


def test_refusals(cuda: Driver, cublas: ctypes.CDLL, handle: Any) -> None:
    a = cuda.upload(np.ones((4, 4), 'f4'))
    good: Any = (cublas, handle, (0, 0), (4, 4, 4, 1), [(a, 4, 0), (a, 4, 0)], 'f4', (a, 4, 0))
    assert gemm(cublas, None, *good[2:]) == 1
    assert gemm(*good[:4], [(a, 3, 0), (a, 4, 0)], *good[5:]) == 7
    cuda.fail('cublas:gemm', 13)
    assert [gemm(*good), gemm(*good)] == [13, 0]
    version = ctypes.c_int()
    assert cublas.cublasGetVersion_v2(handle, ctypes.byref(version)) == 0 and version.value == 130000
    cuda.cuCtxSynchronize()
