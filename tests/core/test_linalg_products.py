"""Products, diagonals and norms against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import linalg
from crossdock.errors import DimensionError, DtypeError, MixedDevicesError

Host = Callable[[cx.Array], np.ndarray[Any, Any]]

NUMBERS = ('int8', 'uint8', 'int64', 'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128')
FLOATS = ('float16', 'float32', 'float64', 'complex64', 'complex128')
ORDERS = (0, 1, 2, 3, 2.5, 0.5, -1, -2, np.inf, -np.inf)


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Small whole numbers, so that sums are exact in every dtype."""
    values = rng.integers(0 if dtype.startswith('u') else -3, 4, shape)
    if np.dtype(dtype).kind == 'c':
        return np.asarray(values + 1j * rng.integers(-3, 4, shape), dtype)
    return np.asarray(values, dtype)


def same(got: np.ndarray, want: Any) -> None:
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape and got.flags.c_contiguous
    np.testing.assert_array_equal(got, want)


def test_the_namespace() -> None:
    assert cx.linalg is linalg and linalg.matmul is cx.matmul and linalg.matrix_transpose is cx.matrix_transpose
    assert linalg.tensordot is cx.tensordot and linalg.vecdot is cx.vecdot
    assert all(callable(getattr(linalg, name)) for name in linalg.__all__) and len(linalg.__all__) == 23


@pytest.mark.parametrize('dtype', NUMBERS)
def test_tensordot(device: str, host: Host, rng: np.random.Generator, dtype: str) -> None:
    a, b = whole(rng, (2, 3, 4), dtype), whole(rng, (3, 4, 2), dtype)
    x, y = cx.asarray(a, device=device), cx.asarray(b, device=device)
    same(host(cx.tensordot(x, y)), np.tensordot(a, b))
    for axes in (0, 2, ((1, 2), (0, 1)), ([2], [-2]), ((0, 1, 2), (2, 0, 1)), ((), ()), (1, 0), ([-1, 0], [1, 2])):
        same(host(cx.tensordot(x, y, axes=axes)), np.tensordot(a, b, axes))
    same(host(cx.tensordot(x.mT, y[::-1], axes=([1], [1]))), np.tensordot(a.mT, b[::-1], ([1], [1])))
    same(host(cx.tensordot(x[:0], y, axes=0)), np.tensordot(a[:0], b, 0))
    same(host(cx.tensordot(x[..., :0], y[:, :0], axes=([2], [1]))), np.zeros((2, 3, 3, 2), dtype))
    same(host(cx.tensordot(cx.asarray(a[0, 0, 0], device=device), y, axes=0)), np.asarray(a[0, 0, 0] * b))


@pytest.mark.parametrize('dtype', NUMBERS)
@pytest.mark.parametrize('size', [0, 1, 3, 64, 200])
def test_vecdot(device: str, host: Host, rng: np.random.Generator, dtype: str, size: int) -> None:
    a, b = whole(rng, (5, 1, size), dtype), whole(rng, (4, size), dtype)
    x, y = cx.asarray(a, device=device), cx.asarray(b, device=device)
    want = np.sum(np.conj(a) * b, axis=-1, dtype=dtype)
    same(host(cx.vecdot(x, y)), want)
    same(host(cx.vecdot(x, y, axis=-1)), want)
    same(host(cx.vecdot(x[0, 0], y[0])), want[0, 0])
    same(host(cx.vecdot(cx.permute_dims(x, (0, 2, 1)), y.mT, axis=-2)), want)
    same(host(cx.vecdot(y.mT, y.mT, axis=0)), np.sum(np.conj(b) * b, axis=-1, dtype=dtype))


@pytest.mark.parametrize('dtype', NUMBERS)
def test_cross_and_outer(device: str, host: Host, rng: np.random.Generator, dtype: str) -> None:
    a, b = whole(rng, (5, 1, 3), dtype), whole(rng, (4, 3), dtype)
    x, y = cx.asarray(a, device=device), cx.asarray(b, device=device)
    with np.errstate(over='ignore'):
        want = np.linalg.cross(a, b)
    same(host(linalg.cross(x, y)), want)
    same(host(linalg.cross(x[::-1], y[::-1])), want[::-1, ::-1])
    same(host(linalg.cross(x[0, 0], y[0])), want[0, 0])
    same(host(linalg.cross(cx.permute_dims(x, (0, 2, 1)), y.mT, axis=-2)), want.mT)
    same(host(linalg.cross(y.mT, y.mT, axis=0)), np.zeros((3, 4), dtype))
    same(host(linalg.cross(x[:0], y)), want[:0])
    same(host(linalg.outer(x[0, 0], y[0])), np.outer(a[0, 0], b[0]))
    same(host(linalg.outer(x[0, 0, :0], y[0, ::-1])), np.zeros((0, 3), dtype))


@pytest.mark.parametrize('offset', [-9, -3, -2, -1, 0, 1, 2, 4, 5, 2**40, -(2**40)])
def test_diagonals(device: str, host: Host, offset: int) -> None:
    for shape in ((4, 5), (2, 3, 5), (2, 5, 3), (0, 4), (4, 0), (0, 3, 3)):
        a = np.arange(np.prod(shape), dtype='int16').reshape(shape)
        x = cx.asarray(a, device=device)
        want = np.diagonal(a, max(-10, min(offset, 10)), -2, -1)
        np.testing.assert_array_equal(host(linalg.diagonal(x, offset=offset)), want)
        np.testing.assert_array_equal(host(linalg.diagonal(x.mT, offset=-offset)), want)
        same(host(linalg.trace(x, offset=offset)), want.sum(-1, dtype='int64'))
        same(host(linalg.trace(x, offset=offset, dtype=cx.float32)), want.sum(-1, dtype='float32'))


def test_diagonal_is_a_view(device: str) -> None:
    x = cx.zeros((3, 3), device=device)
    linalg.diagonal(x)[:] = 1
    assert x.tolist() == np.eye(3).tolist()
    assert linalg.diagonal(cx.broadcast_to(x, (2, 3, 3))).readonly
    assert linalg.diagonal(cx.zeros((2, 2), dtype='float8_e5m2', device=device)).shape == (2,)
    assert linalg.trace(cx.ones((2, 2), dtype='uint8', device=device)).dtype == 'uint64'
    assert linalg.trace(cx.ones((2, 2), dtype='float16', device=device)).dtype == 'float16'


def norms(a: np.ndarray, **options: Any) -> np.ndarray:
    """NumPy's, in a wider dtype, brought back."""
    wide = a.astype('complex128' if a.dtype.kind == 'c' else 'float64')
    with np.errstate(divide='ignore'):
        return np.asarray(np.linalg.vector_norm(wide, **options)).astype(np.finfo(a.dtype).dtype)


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('ord', ORDERS)
def test_vector_norm(device: str, host: Host, rng: np.random.Generator, dtype: str, ord: float) -> None:
    a = whole(rng, (3, 4, 5), dtype)
    x = cx.asarray(a, device=device)
    for axis in (None, 0, -1, (0, 2), (2, 1, 0), [1]):
        for keepdims in (False, True):
            where = tuple(axis) if isinstance(axis, list) else axis
            got = host(linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))
            if isinstance(where, tuple):  # NumPy takes more than two axes only when it flattens them
                rest = [i for i in range(3) if i not in [j % 3 for j in where]]
                flat = a.transpose(*where, *rest).reshape(-1, *(a.shape[i] for i in rest))
                want = norms(flat, axis=0, ord=ord)
                want = want.reshape([1 if i not in rest else a.shape[i] for i in range(3)]) if keepdims else want
            else:
                want = norms(a, axis=where, keepdims=keepdims, ord=ord)
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=20 * np.finfo(dtype).eps)


def test_vector_norm_edges(device: str, host: Host) -> None:
    nothing = cx.zeros((0, 2), device=device)
    for ord in (0, 1, 2, 3, np.inf):
        assert host(linalg.vector_norm(nothing, axis=0, ord=ord)).tolist() == [0, 0]
    with pytest.raises(ValueError, match='vector_norm: shape'):
        linalg.vector_norm(nothing, axis=0, ord=-np.inf)
    assert host(linalg.vector_norm(nothing, axis=1, ord=-np.inf)).shape == (0,)
    assert host(linalg.vector_norm(cx.asarray(-3.0, device=device))) == 3
    assert np.isnan(host(linalg.vector_norm(cx.asarray([np.nan, 1], device=device), ord=np.inf)))
    half = cx.full((300,), 250.0, dtype='float16', device=device)  # the sum of squares is beyond float16
    assert host(linalg.vector_norm(half)) == np.float16(250 * np.sqrt(300))
    brain = cx.ones(9, dtype='bfloat16', device=device)
    assert linalg.vector_norm(brain).dtype == 'bfloat16' and host(linalg.vector_norm(brain)) == ml_dtypes.bfloat16(3)


@pytest.mark.parametrize('dtype', FLOATS)
@pytest.mark.parametrize('ord', ['fro', 'nuc', 1, -1, 2, -2, np.inf, -np.inf, None, np.float32(1), np.int64(2)])
def test_matrix_norm(device: str, host: Host, rng: np.random.Generator, dtype: str, ord: Any) -> None:
    a = whole(rng, (3, 4, 5), dtype)
    x = cx.asarray(a, device=device)
    if dtype == 'float16' and ord in ('nuc', 2, -2):
        with pytest.raises(DtypeError, match='astype'):
            linalg.matrix_norm(x, ord=ord)
        return
    for keepdims in (False, True):
        for matrix, theirs in ((x, a), (x[0].mT, a[0].mT)):
            got = host(linalg.matrix_norm(matrix, keepdims=keepdims, ord=ord))
            wide = theirs.astype('complex128' if a.dtype.kind == 'c' else 'float64')
            want = np.asarray(np.linalg.matrix_norm(wide, keepdims=keepdims, ord=ord)).astype(np.finfo(dtype).dtype)
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=50 * np.finfo(dtype).eps, atol=50 * np.finfo(dtype).eps)


@pytest.mark.parametrize('shape', [(0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 3)])
def test_norms_of_empty_matrices(device: str, host: Host, shape: tuple[int, ...]) -> None:
    x = cx.zeros(shape, device=device)
    for ord in ('fro', 'nuc', 1, -1, 2, -2, np.inf, -np.inf):
        try:
            want = np.linalg.matrix_norm(np.zeros(shape), ord=ord)
        except ValueError:
            with pytest.raises(ValueError, match='matrix_norm'):
                linalg.matrix_norm(x, ord=ord)
        else:
            same(host(linalg.matrix_norm(x, ord=ord)), want)


def ones(device: str, shape: int | tuple[int, ...], dtype: str = 'float64') -> cx.Array:
    return cx.ones(shape, dtype=dtype, device=device)


@pytest.mark.parametrize(
    ('call', 'kind', 'word'),
    [
        (lambda d: linalg.matrix_norm(ones(d, (2, 2)), ord=3), ValueError, '3'),
        (lambda d: linalg.matrix_norm(ones(d, (2, 2)), ord='fra'), ValueError, 'fra'),
        (lambda d: linalg.matrix_norm(ones(d, (2, 2)), ord=True), TypeError, 'True'),
        (lambda d: linalg.matrix_norm(ones(d, 2)), DimensionError, '(2,)'),
        (lambda d: linalg.matrix_norm(ones(d, (2, 2), dtype='int8')), DtypeError, 'int8'),
        (lambda d: linalg.vector_norm(ones(d, 2, dtype='int8')), DtypeError, 'int8'),
        (lambda d: linalg.vector_norm(ones(d, 2), ord='fro'), TypeError, 'fro'),
        (lambda d: linalg.vector_norm(ones(d, 2), ord=np.nan), ValueError, 'nan'),
        (lambda d: linalg.vector_norm(ones(d, 2), axis=1), IndexError, 'axis 1'),
        (lambda d: linalg.vector_norm(ones(d, (2, 2)), axis=(0, 0)), DimensionError, 'twice'),
        (lambda d: linalg.trace(ones(d, 2)), DimensionError, 'trace'),
        (lambda d: linalg.diagonal(ones(d, 2)), DimensionError, 'diagonal'),
        (lambda d: linalg.diagonal(ones(d, (2, 2)), offset=1.5), TypeError, 'offset'),
        (lambda d: linalg.outer(ones(d, (2, 2)), ones(d, 2)), DimensionError, 'outer'),
        (
            lambda d: linalg.outer(*[ones(d, 2, 'bool')] * 2),
            DtypeError,
            '',
        ),
        (lambda d: linalg.cross(ones(d, 2), ones(d, 2)), DimensionError, '3 elements'),
        (lambda d: linalg.cross(ones(d, 3), ones(d, 1)), DimensionError, 'cross'),
        (lambda d: linalg.cross(ones(d, (2, 3)), ones(d, (4, 3))), DimensionError, 'cross'),
        (lambda d: linalg.cross(ones(d, (2, 3)), ones(d, 3), axis=1), IndexError, 'from the end'),
        (lambda d: linalg.cross(ones(d, 3), ones('native:1', 3)), MixedDevicesError, 'cross'),
        (lambda d: cx.vecdot(ones(d, 3), ones(d, 1)), DimensionError, 'vecdot'),
        (lambda d: cx.vecdot(ones(d, (2, 99)), ones(d, (3, 99))), DimensionError, 'vecdot'),
        (lambda d: cx.vecdot(ones(d, (2, 3)), ones(d, (3, 3))), DimensionError, ''),
        (lambda d: cx.vecdot(ones(d, (2, 3)), ones(d, 3), axis=-2), IndexError, 'axis -2'),
        (lambda d: cx.vecdot(ones(d, ()), ones(d, ())), IndexError, 'vecdot'),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 2), axes=2), DimensionError, 'tensordot'),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 2), axes=-1), DimensionError, '-1'),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 3), axes=1), DimensionError, 'elements'),
        (
            lambda d: cx.tensordot(ones(d, (2, 2)), ones(d, (2, 2)), axes=([0, 0], [0, 1])),
            DimensionError,
            'twice',
        ),
        (
            lambda d: cx.tensordot(ones(d, (2, 2)), ones(d, (2, 2)), axes=([0, 1], [0])),
            DimensionError,
            'as many',
        ),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 2), axes=([1], [0])), IndexError, 'axis 1'),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 2), axes=([0], [0], [0])), TypeError, 'axes'),
        (lambda d: cx.tensordot(ones(d, 2), ones(d, 2), axes=None), TypeError, 'axes'),
        (lambda d: cx.tensordot(ones(d, 2), np.ones(2), axes=1), TypeError, 'NumPy'),
    ],
)
def test_refusals(device: str, call: Callable[[str], Any], kind: type[Exception], word: str) -> None:
    with pytest.raises(kind) as caught:
        call(device)
    assert word in str(caught.value)
