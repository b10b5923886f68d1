"""Factorizations, and what is computed from them, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import _core, linalg
from crossdock.core._blas import find_blas
from crossdock.errors import (
    AsyncDeviceError,
    CrossdockError,
    DimensionError,
    DtypeError,
    LinAlgError,
    MixedDevicesError,
)

Host = Callable[[cx.Array], np.ndarray[Any, Any]]

DTYPES = ('float32', 'float64', 'complex64', 'complex128')
SHAPES = ((1, 1), (4, 4), (5, 3), (3, 5), (7, 2, 2), (2, 3, 6, 4), (2, 1, 4, 6), (1, 40, 40), (0, 3, 3))


def some(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == 'c':
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values, dtype)


def positive(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    a = some(rng, shape, dtype)
    return a @ np.conj(a.mT) + np.eye(shape[-1], dtype=dtype)


def close(got: np.ndarray, want: np.ndarray, scale: float = 1.0) -> None:
    """Equal in shape and dtype, and in value up to some units in the last place of the largest element."""
    want = np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert got.flags.c_contiguous
    if want.dtype.kind == 'i':
        np.testing.assert_array_equal(got, want)
    elif want.size:
        tolerance = 300 * scale * np.finfo(want.dtype).eps * max(1.0, float(np.nanmax(np.abs(want))))
        np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)


def real(dtype: str) -> np.dtype:
    return np.finfo(dtype).dtype


squares = pytest.mark.parametrize('shape', [s for s in SHAPES if s[-1] == s[-2]])
shapes = pytest.mark.parametrize('shape', SHAPES)
dtypes = pytest.mark.parametrize('dtype', DTYPES)


@squares
@dtypes
def test_cholesky(device: str, host: Host, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = positive(rng, shape, dtype)
    x = cx.asarray(a, device=device)
    close(host(linalg.cholesky(x)), np.linalg.cholesky(a), shape[-1])
    close(host(linalg.cholesky(x, upper=True)), np.conj(np.linalg.cholesky(a).mT), shape[-1])
    junk = np.full_like(a, np.nan)
    close(host(linalg.cholesky(cx.asarray(np.tril(a) + np.triu(junk, 1), device=device))), np.linalg.cholesky(a), 40)
    upper = linalg.cholesky(cx.asarray(np.triu(a) + np.tril(junk, -1), device=device), upper=True)
    close(host(upper), np.conj(np.linalg.cholesky(a).mT), 40)


@squares
@dtypes
def test_equations(device: str, host: Host, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = some(rng, shape, dtype) + 3 * np.eye(shape[-1], dtype=dtype)
    x = cx.asarray(a, device=device)
    scale = float(np.max(np.linalg.cond(a), initial=1)) * shape[-1]
    close(host(linalg.inv(x)), np.linalg.inv(a), scale)
    n = shape[-1]
    for sides in ((n,), (n, 2), (*shape[:-1], 3), (3, *(1 for _ in shape[:-2]), n, 1)):
        b = some(rng, sides, dtype)
        close(host(linalg.solve(x, cx.asarray(b, device=device))), np.linalg.solve(a, b), scale)
    sign, logabsdet = linalg.slogdet(x)
    want = np.linalg.slogdet(a)
    close(host(sign), want.sign, scale)
    close(host(logabsdet), want.logabsdet, scale)
    assert logabsdet.dtype == real(dtype)
    close(host(linalg.det(x)), np.linalg.det(a), scale)
    for power in (-3, -1, 0, 1, 2, 7):
        close(host(linalg.matrix_power(x, power)), np.linalg.matrix_power(a, power), scale**2)


@shapes
@dtypes
def test_qr(device: str, host: Host, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = some(rng, shape, dtype)
    for mode in ('reduced', 'complete'):
        got = linalg.qr(cx.asarray(a, device=device), mode=mode)
        want = np.linalg.qr(a, mode=mode)
        assert got.Q is got[0] and got.R is got[1]
        close(host(got.Q), want.Q, 10)
        close(host(got.R), want.R, 10)
        assert (np.diagonal(host(got.R), axis1=-2, axis2=-1).imag == 0).all()


@squares
@dtypes
def test_eigh(device: str, host: Host, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = some(rng, shape, dtype)
    a = a + np.conj(a.mT)
    got = linalg.eigh(cx.asarray(np.tril(a) + np.triu(np.full_like(a, np.nan), 1), device=device))
    assert got.eigenvalues is got[0] and got.eigenvectors is got[1]
    values, vectors = host(got.eigenvalues), host(got.eigenvectors)
    close(values, np.linalg.eigvalsh(a), 10)
    close(vectors * values[..., None, :] @ np.conj(vectors.mT), a, 10)
    assert vectors.dtype == dtype
    close(np.conj(vectors.mT) @ vectors, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape).copy(), 10)
    close(host(linalg.eigvalsh(cx.asarray(a, device=device))), np.linalg.eigvalsh(a), 10)


@shapes
@dtypes
def test_svd(device: str, host: Host, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = some(rng, shape, dtype)
    x, k = cx.asarray(a, device=device), min(shape[-2:])
    for full in (True, False):
        got = linalg.svd(x, full_matrices=full)
        want = np.linalg.svd(a, full_matrices=full)
        u, s, vh = map(host, got)
        assert got.U is got[0] and got.S is got[1] and got.Vh is got[2]
        assert u.shape == want.U.shape and vh.shape == want.Vh.shape and u.dtype == vh.dtype == dtype
        close(s, want.S, 10)
        close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, 10)
        for unitary in (np.conj(u.mT) @ u, vh @ np.conj(vh.mT)):
            close(unitary, np.broadcast_to(np.eye(unitary.shape[-1], dtype=dtype), unitary.shape).copy(), 10)
    close(host(linalg.svdvals(x)), np.linalg.svdvals(a), 10)
    close(host(linalg.pinv(x)), np.linalg.pinv(a), 10 * float(np.max(np.linalg.cond(a), initial=1)))


@dtypes
def test_rank_and_tolerance(device: str, host: Host, rng: np.random.Generator, dtype: str) -> None:
    a = np.stack([some(rng, (5, k), dtype) @ some(rng, (k, 4), dtype) for k in range(5)])
    x = cx.asarray(a, device=device)
    rank = linalg.matrix_rank(x)
    assert rank.dtype == 'int64' and host(rank).tolist() == list(range(5))
    diagonal = cx.asarray(np.diag([1, 0.1, 0.01]).astype(dtype), device=device)
    assert host(linalg.matrix_rank(diagonal, rtol=0.05)).tolist() == 2
    assert host(linalg.matrix_rank(diagonal, rtol=1)).tolist() == 0
    tolerances = cx.asarray(np.array([0.5, 0.05, 0.001], real(dtype)), device=device)
    stack = cx.broadcast_to(diagonal, (3, 3, 3))
    assert host(linalg.matrix_rank(stack, rtol=tolerances)).tolist() == [1, 2, 3]
    got = host(linalg.pinv(stack, rtol=tolerances))
    for i, n in enumerate((1, 2, 3)):
        np.testing.assert_allclose(got[i], np.diag([1, 10, 100] * np.array([j < n for j in range(3)])), rtol=1e-5)
    assert got.dtype == dtype
    with pytest.raises(DtypeError, match='rtol'):
        linalg.matrix_rank(stack, rtol=cx.asarray([1, 2, 3], device=device))
    with pytest.raises(TypeError, match='rtol'):
        linalg.pinv(stack, rtol='much')


@pytest.mark.parametrize('shape', [(0, 0), (0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (2, 0, 0), (0, 2, 2)])
def test_empty(device: str, host: Host, shape: tuple[int, ...]) -> None:
    a = np.zeros(shape)
    x = cx.asarray(a, device=device)
    calls: list[tuple[Any, Any]] = [(linalg.qr, np.linalg.qr), (linalg.svd, np.linalg.svd)]
    calls += [(linalg.svdvals, np.linalg.svdvals), (linalg.pinv, np.linalg.pinv)]
    calls += [(linalg.matrix_rank, np.linalg.matrix_rank)]
    calls += [(lambda x, m=m: m.qr(x, mode='complete') for m in (linalg, np.linalg))]
    calls += [(lambda x, m=m: m.svd(x, full_matrices=False) for m in (linalg, np.linalg))]
    if shape[-1] == shape[-2]:
        calls += [(getattr(linalg, f), getattr(np.linalg, f)) for f in ('cholesky', 'inv', 'det', 'slogdet', 'eigh')]
        calls += [
            (linalg.eigvalsh, np.linalg.eigvalsh),
            (lambda x: linalg.solve(x, x), lambda a: np.linalg.solve(a, a)),
        ]
        calls += [(lambda x, m=m: m.matrix_power(x, -2) for m in (linalg, np.linalg))]
    for ours, theirs in calls:
        got, want = ours(x), theirs(a)
        pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
        for one, other in pairs:
            close(host(one), other)


@pytest.mark.parametrize('layout', ['transposed', 'flipped', 'strided', 'broadcast', 'fortran', 'readonly'])
def test_layouts(device: str, host: Host, rng: np.random.Generator, layout: str) -> None:
    base = some(rng, (4, 8, 8), 'float64') + 5 * np.eye(8)
    make: dict[str, Callable[[Any], Any]] = {
        'transposed': lambda m: m.mT,
        'flipped': lambda m: m[::-1, ::-1, ::-1],
        'strided': lambda m: m[::2, ::2, 1::2],
        'broadcast': lambda m: m[1:2],
        'fortran': lambda m: m[:, 2:6, 2:6].mT,
        'readonly': lambda m: m,
    }
    a, x = make[layout](base), make[layout](cx.asarray(base.copy(), device=device))
    if layout == 'broadcast':
        a, x = np.broadcast_to(a, (5, 8, 8)), cx.broadcast_to(x, (5, 8, 8))
    scale = 10 * float(np.max(np.linalg.cond(a)))
    close(host(linalg.inv(x)), np.linalg.inv(a), scale)
    close(host(linalg.solve(x, x[0, :, ::-1])), np.linalg.solve(a, a[0, :, ::-1]), scale)
    close(host(linalg.qr(x).R), np.linalg.qr(a).R, 10)
    close(host(linalg.svdvals(x)), np.linalg.svdvals(a), 10)
    close(host(linalg.eigvalsh(x)), np.linalg.eigvalsh(a), 10)
    u, s, vh = map(host, linalg.svd(x))
    close(u * s[..., None, :] @ vh, np.ascontiguousarray(a), 10)


def test_vector_right_side_and_promotion(device: str, host: Host) -> None:
    a = cx.asarray(np.eye(2, dtype='float32') * 2, device=device)
    b = cx.asarray(np.array([2.0, 4.0]), device=device)
    assert linalg.solve(a, b).dtype == 'float64' and host(linalg.solve(a, b)).tolist() == [1, 2]
    assert linalg.solve(a, cx.astype(b, 'complex64')).dtype == 'complex64'
    assert linalg.solve(cx.zeros((0, 2, 2), device=device), b).shape == (0, 2)
    assert linalg.solve(a, cx.zeros((2, 0), device=device)).shape == (2, 0)


def test_many_right_sides(device: str, host: Host, rng: np.random.Generator) -> None:
    a, b = positive(rng, (30, 30), 'float64'), some(rng, (30, 5000), 'float64')
    close(host(linalg.solve(cx.asarray(a, device=device), cx.asarray(b, device=device))), np.linalg.solve(a, b), 100)


@pytest.mark.parametrize(
    ('call', 'words'),
    [
        (linalg.inv, 'inv: matrix (1,) of the stack is singular'),
        (lambda x: linalg.solve(x, x), 'solve: matrix (1,) of the stack is singular'),
        (lambda x: linalg.matrix_power(x, -2), 'inv: matrix (1,) of the stack is singular'),
        (linalg.cholesky, 'cholesky: matrix (1,) of the stack is not positive definite (the minor of its first 1 '),
        (lambda x: linalg.svd(x * cx.nan), 'svd: matrix (0,) of the stack: the singular values do not converge'),
        (lambda x: linalg.svdvals(x * cx.nan), 'svdvals: matrix (0,) of the stack'),
        (lambda x: linalg.eigh(x * cx.nan), 'eigh: matrix (0,) of the stack: the eigenvalues do not converge'),
        (lambda x: linalg.eigvalsh(x * cx.nan), 'eigvalsh: matrix (0,) of the stack'),
    ],
)
def test_failures(device: str, call: Callable[[cx.Array], Any], words: str) -> None:
    a = np.stack([np.eye(3), np.zeros((3, 3)), np.eye(3), np.zeros((3, 3))])
    x = cx.asarray(a, device=device)
    if device == 'native:0':
        with pytest.raises(LinAlgError) as caught:
            call(x)
        assert isinstance(caught.value, np.linalg.LinAlgError) and isinstance(caught.value, CrossdockError)
    else:
        call(x)
        with pytest.raises(AsyncDeviceError) as caught:
            x.device.synchronize()
    assert words in str(caught.value)


def test_one_matrix_is_no_stack() -> None:
    with pytest.raises(LinAlgError, match=r'^inv: the matrix is singular$'):
        linalg.inv(cx.zeros((2, 2), device='native:0'))


@dtypes
def test_numbers_that_are_not_finite(device: str, host: Host, dtype: str) -> None:
    nan = cx.asarray(np.full((3, 3), np.nan, dtype), device=device)
    for result in (linalg.inv(nan), linalg.solve(nan, nan), linalg.det(nan), linalg.slogdet(nan).logabsdet):
        assert np.isnan(host(result)).all()
    assert np.isnan(np.diagonal(host(linalg.cholesky(nan)))).any()
    assert np.isnan(host(linalg.qr(nan).R)[0, 0])
    infinite = cx.asarray(np.array([[np.inf, 1], [1, 2]], dtype), device=device)
    for result in (*linalg.svd(infinite), linalg.svdvals(infinite), *linalg.eigh(infinite), linalg.eigvalsh(infinite)):
        assert np.isnan(host(result)).all()
    for call in (linalg.inv, linalg.det, linalg.cholesky, linalg.qr):
        call(infinite)
    lone = np.eye(70, dtype=dtype)
    lone[69, 68] = np.nan
    for call in (linalg.inv, linalg.det, linalg.cholesky, linalg.qr):
        call(cx.asarray(lone, device=device))
    nan.device.synchronize()


def test_determinants(device: str, host: Host) -> None:
    singular = cx.asarray(np.arange(9.0).reshape(3, 3) * 0, device=device)
    sign, logabsdet = linalg.slogdet(singular)
    assert (host(sign), host(logabsdet), host(linalg.det(singular))) == (0, -np.inf, 0)
    odd = cx.asarray(np.eye(4)[[1, 0, 2, 3]], device=device)
    assert host(linalg.det(odd)) == -1 == host(linalg.slogdet(odd).sign)
    huge = cx.asarray(np.eye(4) * 1e200, device=device)
    assert host(linalg.det(huge)) == np.inf
    assert host(linalg.slogdet(huge).logabsdet) == pytest.approx(4 * np.log(1e200))


@pytest.mark.parametrize(
    ('call', 'kind', 'word'),
    [
        (lambda d: linalg.inv(cx.zeros((2, 3), device=d)), DimensionError, '(2, 3)'),
        (lambda d: linalg.inv(cx.zeros(2, device=d)), DimensionError, '(2,)'),
        (lambda d: linalg.det(cx.zeros((2, 3), device=d)), DimensionError, 'det'),
        (lambda d: linalg.slogdet(cx.zeros((2, 3), device=d)), DimensionError, 'slogdet'),
        (lambda d: linalg.cholesky(cx.zeros((2, 3), device=d)), DimensionError, 'cholesky'),
        (lambda d: linalg.eigh(cx.zeros((2, 3), device=d)), DimensionError, 'eigh'),
        (lambda d: linalg.eigvalsh(cx.zeros((2, 3), device=d)), DimensionError, 'eigvalsh'),
        (lambda d: linalg.matrix_power(cx.zeros((2, 3), device=d), 2), DimensionError, 'matrix_power'),
        (lambda d: linalg.svd(cx.zeros((), device=d)), DimensionError, 'svd'),
        (lambda d: linalg.matrix_rank(cx.zeros(3, device=d)), DimensionError, 'matrix_rank'),
        (lambda d: linalg.pinv(cx.zeros(3, device=d)), DimensionError, 'pinv'),
        (lambda d: linalg.qr(cx.zeros(3, device=d)), DimensionError, 'qr'),
        (lambda d: linalg.qr(cx.zeros((3, 3), device=d), mode='raw'), ValueError, 'raw'),
        (lambda d: linalg.solve(cx.eye(2, device=d), cx.zeros(3, device=d)), DimensionError, '(3,)'),
        (lambda d: linalg.solve(cx.eye(2, device=d), cx.zeros((), device=d)), DimensionError, 'x2'),
        (lambda d: linalg.solve(cx.zeros((2, 2, 2), device=d), cx.zeros((3, 2, 2), device=d)), DimensionError, 'lead'),
        (lambda d: linalg.inv(cx.zeros((2, 2), dtype='float16', device=d)), DtypeError, 'astype'),
        (lambda d: linalg.svd(cx.zeros((2, 2), dtype='bfloat16', device=d)), DtypeError, 'astype'),
        (lambda d: linalg.qr(cx.zeros((2, 2), dtype='int64', device=d)), DtypeError, 'int64'),
        (lambda d: linalg.matrix_power(cx.zeros((2, 2), dtype='int64', device=d), -1), DtypeError, 'matrix_power'),
        (lambda d: linalg.matrix_power(cx.zeros((2, 2), dtype='bool', device=d), 2), DtypeError, 'bool'),
        (lambda d: linalg.matrix_power(cx.zeros((2, 2), device=d), 1.5), TypeError, '1.5'),
        (lambda d: linalg.inv(np.eye(2)), TypeError, 'NumPy'),
        (lambda d: linalg.solve(cx.eye(2, device=d), np.eye(2)), TypeError, 'NumPy'),
        (lambda d: linalg.solve(cx.eye(2, device=d), cx.eye(2, device='native:1')), MixedDevicesError, 'solve'),
    ],
)
def test_refusals(device: str, call: Callable[[str], Any], kind: type[Exception], word: str) -> None:
    with pytest.raises(kind) as caught:
        call(device)
    assert word in str(caught.value)


def test_without_lapack(device: str) -> None:
    if device.startswith('cuda'):
        pytest.skip('cuda factorizes by kernels of its own')
    x = cx.eye(2, device=device)
    _core._set_blas_path('')
    try:
        for call in (linalg.cholesky, linalg.qr, linalg.eigh, linalg.svd, linalg.inv, linalg.det, linalg.pinv):
            with pytest.raises(NotImplementedError, match='pip install scipy-openblas32'):
                call(x)
        assert linalg.inv(x[:0, :0]).shape == (0, 0)
        assert linalg.matrix_power(x, 2).tolist() == [[1, 0], [0, 1]]
    finally:
        find_blas()
    assert linalg.inv(x).tolist() == [[1, 0], [0, 1]]


def test_integer_powers(device: str, host: Host) -> None:
    a = np.array([[1, 1], [1, 0]], 'int32')
    got = host(linalg.matrix_power(cx.asarray(a, device=device), 20))
    assert got.dtype == 'int32' and (got == np.linalg.matrix_power(a, 20)).all()
