"""Random matrices, layouts and stacks: what factorizations promise, and NumPy's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange, linalg
from crossdock.errors import AsyncDeviceError, LinAlgError

FLOATS = ('float32', 'float64', 'complex64', 'complex128')

moderate = settings(max_examples=60, deadline=None)
devices = st.sampled_from(['native:0', 'sim:0'])


def host(x: cx.Array) -> np.ndarray[Any, Any]:
    return exchange.as_numpy(x.to_device('native:0'))


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...], dtypes: tuple[str, ...] = FLOATS) -> np.ndarray:
    """Whole numbers, often singular, now and then with NaN or an infinity."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    seed, kind = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from(['few', 'many', 'zero', 'normal', 'odd']))
    rng = np.random.default_rng(seed)
    most = {'few': 2, 'many': 9, 'zero': 1}.get(kind, 3)
    a = rng.integers(1 - most, most, shape) if kind != 'normal' else rng.standard_normal(shape)
    if dtype.kind == 'c':
        a = a + 1j * rng.integers(1 - most, most, shape)
    a = np.asarray(a).astype(dtype)
    if kind == 'odd' and a.size and dtype.kind in 'fc':
        a.flat[rng.integers(a.size)] = rng.choice([np.nan, np.inf, -np.inf])
    return a


@st.composite
def stacks(draw: st.DrawFn, square: bool = False) -> np.ndarray:
    batch = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    m = draw(st.integers(0, 6))
    return draw(arrays((*batch, m, m if square else draw(st.integers(0, 6)))))


@st.composite
def layouts(draw: st.DrawFn, a: np.ndarray, device: str) -> cx.Array:
    """The same values under other strides."""
    x = cx.asarray(a.copy(), device=device)
    how = draw(st.sampled_from(['plain', 'turned', 'flipped', 'apart']))
    if how == 'turned':
        return cx.matrix_transpose(cx.asarray(a.mT.copy(), device=device))
    if how == 'flipped':
        return cx.flip(cx.asarray(np.flip(a, (-1, -2)).copy(), device=device), axis=(-1, -2))
    if how == 'apart':
        wide = np.zeros((*a.shape[:-2], 2 * a.shape[-2], 3 * a.shape[-1]), a.dtype)
        wide[..., ::2, ::3] = a
        return cx.asarray(wide, device=device)[..., ::2, ::3]
    return x


def outcome(call: Any) -> Any:
    """What a call gives, or that it fails."""
    try:
        with np.errstate(all='ignore'):
            result = call()
        parts = result if isinstance(result, tuple) else (result,)
        return [host(p) if isinstance(p, cx.Array) else np.asarray(p) for p in parts]
    except (LinAlgError, AsyncDeviceError, np.linalg.LinAlgError):
        return 'fails'


def near(got: np.ndarray, want: np.ndarray, factor: float) -> None:
    assert got.shape == want.shape and got.dtype == want.dtype
    if want.size and np.isfinite(want).all():
        largest = max(1.0, float(np.abs(want).max()))
        np.testing.assert_allclose(got, want, rtol=0, atol=factor * largest * np.finfo(want.dtype).eps)


@moderate
@given(st.data(), devices)
def test_factors_multiply_to_the_matrix(data: st.DataObject, device: str) -> None:
    a = data.draw(stacks())
    x, finite = data.draw(layouts(a, device)), bool(np.isfinite(a).all())
    for mode in ('reduced', 'complete'):
        got = outcome(lambda mode=mode: linalg.qr(x, mode=mode))
        assert [p.shape for p in got] == [p.shape for p in np.linalg.qr(a, mode=mode)]
        if finite:
            near(got[0] @ got[1], a, 200)
            assert (np.tril(got[1], -1) == 0).all()
    for full in (True, False):
        got = outcome(lambda full=full: linalg.svd(x, full_matrices=full))
        if np.isnan(a).any():
            assert isinstance(got, str)
        elif finite:
            u, s, vh = got
            k = s.shape[-1]
            near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, 200)
            near(s, np.linalg.svdvals(a), 200)
            assert (s[..., :-1] >= s[..., 1:]).all() and (s >= 0).all()
        else:
            assert all(np.isnan(p).any() or p.size == 0 for p in got)


@moderate
@given(st.data(), devices)
def test_hermitian(data: st.DataObject, device: str) -> None:
    a = data.draw(stacks(square=True))
    with np.errstate(all='ignore'):
        a = a + np.conj(a.mT)
    x = data.draw(layouts(a, device))
    got = outcome(lambda: linalg.eigh(x))
    if np.isnan(np.tril(a)).any():
        assert isinstance(got, str)
    elif np.isfinite(a).all():
        values, vectors = got
        near(values, np.linalg.eigvalsh(a), 300)
        near(vectors * values[..., None, :] @ np.conj(vectors.mT), a, 300)
        near(outcome(lambda: linalg.eigvalsh(x))[0], np.linalg.eigvalsh(a), 300)
    if np.isfinite(a).all():
        ours, theirs = outcome(lambda: linalg.cholesky(x)), outcome(lambda: np.linalg.cholesky(a))
        assert isinstance(ours, str) == isinstance(theirs, str)
        if not isinstance(ours, str):
            near(ours[0] @ np.conj(ours[0].mT), a, 300)
            near(np.conj(outcome(lambda: linalg.cholesky(x, upper=True))[0].mT), ours[0], 3000)


def condition_of(a: np.ndarray) -> float:
    """Of the worst matrix; 1 where there is none to speak of."""
    if a.size == 0 or not np.isfinite(a).all():
        return 1
    with np.errstate(all='ignore'):
        return float(np.max(np.nan_to_num(np.linalg.cond(a), nan=np.inf)))


@moderate
@given(st.data(), devices)
def test_equations(data: st.DataObject, device: str) -> None:
    a = data.draw(stacks(square=True))
    x, n = data.draw(layouts(a, device)), a.shape[-1]
    shape = data.draw(st.sampled_from([(n,), (n, 2), (*a.shape[:-1], 3), (2, *(1,) * (a.ndim - 2), n, 0)]))
    b = data.draw(arrays(shape))
    condition = condition_of(a)
    calls = [(linalg.inv, np.linalg.inv)]
    calls += [(lambda x, m=m: m.matrix_power(x, -2) for m in (linalg, np.linalg))]
    calls += [(lambda x: linalg.solve(x, cx.asarray(b, device=device)), lambda a: np.linalg.solve(a, b))]
    for mine, numpys in calls:
        ours, theirs = outcome(lambda mine=mine: mine(x)), outcome(lambda numpys=numpys: numpys(a))
        if condition < 1e4 and b.size:  # without right-hand sides nothing is solved
            assert isinstance(ours, str) == isinstance(theirs, str)
        if not isinstance(ours, str) and not isinstance(theirs, str):
            assert ours[0].shape == theirs[0].shape and ours[0].dtype == theirs[0].dtype
            if condition < 1e4 and np.isfinite(a).all():
                near(ours[0], theirs[0], 100 * condition**2)
    sign, logabsdet = outcome(lambda: linalg.slogdet(x))
    with np.errstate(all='ignore'):
        want, det = np.linalg.slogdet(a), np.linalg.det(a)
    if np.isfinite(a).all() and condition < 1e4:
        near(sign, np.asarray(want.sign), 100 * condition)
        near(logabsdet, np.asarray(want.logabsdet), 100 * condition)
        near(host(linalg.det(x)), np.asarray(det), 1000 * condition)


@moderate
@given(st.data(), devices)
def test_tensordot(data: st.DataObject, device: str) -> None:
    a = data.draw(
        arrays(data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)), ('int16', 'float64'))
    )
    count = data.draw(st.integers(0, a.ndim))
    a_axes = data.draw(st.permutations(range(a.ndim)))[:count]
    rest = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    places = data.draw(st.permutations(range(count + len(rest))))
    b_axes = places[:count]
    shape = [0] * (count + len(rest))
    for place, extent in zip(places, [*(a.shape[i] for i in a_axes), *rest], strict=True):
        shape[place] = extent
    b = np.round(np.random.default_rng(1).standard_normal(shape) * 3).astype(a.dtype)
    a = np.round(np.nan_to_num(a, posinf=1, neginf=1))
    signed = [i - a.ndim if data.draw(st.booleans()) else i for i in a_axes]
    got = host(cx.tensordot(cx.asarray(a, device=device), cx.asarray(b, device=device), axes=(signed, b_axes)))
    want = np.tensordot(a, b, (a_axes, b_axes))
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@moderate
@given(st.data(), devices, st.sampled_from([0, 1, 2, 4, -1, -2, 0.5, np.inf, -np.inf]))
def test_vector_norm(data: st.DataObject, device: str, ord: float) -> None:
    a = data.draw(arrays(data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))))
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    keepdims = data.draw(st.booleans())
    x = cx.asarray(a, device=device)
    try:
        with np.errstate(all='ignore'):
            want = np.asarray(np.linalg.vector_norm(a, axis=axis, keepdims=keepdims, ord=ord))
    except ValueError:
        with pytest.raises(ValueError, match='vector_norm'):
            linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
        return
    got = host(linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))
    assert got.dtype == np.finfo(a.dtype).dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=100 * np.finfo(a.dtype).eps)
