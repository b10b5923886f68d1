"""Reductions against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError


def same(got: cx.Array, want: np.ndarray) -> None:
    values = exchange.as_numpy(got.to_device('native:0'))
    want = np.asarray(want)
    assert values.dtype == want.dtype and values.shape == want.shape
    np.testing.assert_array_equal(values, want)


AXES = [None, 0, 1, -1, (0, 2), (), (0, 1, 2)]


@pytest.mark.parametrize('axis', AXES, ids=str)
@pytest.mark.parametrize('keepdims', [False, True])
def test_reductions(axis, keepdims: bool, device: str, rng: np.random.Generator) -> None:
    a = rng.integers(-5, 5, (3, 4, 5))
    for dtype in ('int16', 'uint8', 'float32', 'float64', 'complex64'):
        b = a.astype(dtype).transpose(2, 0, 1)
        x = cx.asarray(b, device=device)
        wide = {'int16': 'int64', 'uint8': 'uint64'}.get(dtype, dtype)
        same(cx.sum(x, axis=axis, keepdims=keepdims), b.sum(axis=axis, keepdims=keepdims, dtype=wide))
        small = (b != 0).astype(dtype) + np.asarray(1, dtype)
        same(
            cx.prod(cx.asarray(small, device=device), axis=axis, keepdims=keepdims),
            small.prod(axis=axis, keepdims=keepdims, dtype=wide),
        )
        same(cx.any(x, axis=axis, keepdims=keepdims), np.any(b, axis=axis, keepdims=keepdims))
        same(cx.all(x, axis=axis, keepdims=keepdims), np.all(b, axis=axis, keepdims=keepdims))
        if dtype != 'complex64':
            same(x.max(axis=axis, keepdims=keepdims), b.max(axis=axis, keepdims=keepdims))
            same(x.min(axis=axis, keepdims=keepdims), b.min(axis=axis, keepdims=keepdims))
        if dtype.startswith('float'):
            got = exchange.as_numpy(cx.mean(x, axis=axis, keepdims=keepdims).to_device('native:0'))
            np.testing.assert_allclose(got, b.mean(axis=axis, keepdims=keepdims), rtol=1e-6)
        if (axis is None or isinstance(axis, int)) and dtype != 'complex64':
            same(cx.argmax(x, axis=axis, keepdims=keepdims), b.argmax(axis=axis, keepdims=keepdims))
            same(cx.argmin(x, axis=axis, keepdims=keepdims), b.argmin(axis=axis, keepdims=keepdims))


def test_reductions_of_nothing(device: str) -> None:
    x = cx.zeros((0, 3), device=device)
    same(x.sum(), np.array(0.0))
    same(x.prod(axis=0), np.ones(3))
    same(cx.all(x, axis=0), np.ones(3, bool))
    same(x.max(axis=1), np.zeros(0))
    assert np.isnan(float(x.mean()))
    for bad in (lambda: x.max(), lambda: x.min(axis=0), lambda: cx.argmax(x)):
        with pytest.raises(ValueError):
            bad()


def test_reductions_refuse(device: str) -> None:
    x = cx.ones((2, 3), device=device)
    for bad in (lambda: x.sum(axis=5), lambda: x.sum(axis=-3)):
        with pytest.raises(IndexError) as caught:
            bad()
        assert '2' in str(caught.value)
    with pytest.raises(DimensionError):
        x.sum(axis=(0, 0))
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='int32', device=device).mean()
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='complex64', device=device).max()
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='bool', device=device).mean()


def test_true_ones_are_counted(device: str) -> None:
    x = cx.arange(10, device=device) > 3
    assert int(x.sum()) == 6 and x.sum().dtype == 'int64' and int(cx.sum(cx.reshape(x, (2, 5)), 1)[1]) == 5
    assert int(cx.prod(x)) == 0


def test_nan_wins(device: str) -> None:
    x = cx.asarray(np.array([1, np.nan, 3, np.nan]), device=device)
    assert np.isnan(float(x.max())) and np.isnan(float(x.min())) and int(cx.argmax(x)) == 1 and int(cx.argmin(x)) == 1


@pytest.mark.parametrize(('dtype', 'rel'), [('float32', 1e-6), ('float64', 1e-14), ('float16', 1e-3)])
def test_long_sums_stay_exact(dtype: str, rel: float, device: str) -> None:
    n = 10**7 if dtype != 'float16' else 10**5
    x = cx.full(n, 0.1, dtype=dtype, device=device)
    exact = float(np.asarray(0.1, dtype)) * n
    assert float(x.sum()) == pytest.approx(exact, rel=rel)
    assert float(x.reshape(100, -1).sum(axis=0).sum()) == pytest.approx(exact, rel=rel)


def test_means_beyond_the_largest_sum(device: str) -> None:
    assert float(cx.mean(cx.full(1000, 3e38, dtype='float32', device=device))) == float(np.float32(3e38))
    assert float(cx.mean(cx.full((9, 1000), 6e4, dtype='float16', device=device), axis=1)[3]) == float(np.float16(6e4))
    assert cx.mean(cx.ones(3, dtype='bfloat16', device=device)).dtype == 'bfloat16'


EVERY = ['bool', 'int8', 'uint16', 'int32', 'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128']


@pytest.mark.parametrize('dtype', EVERY)
def test_one_element_settles_any_and_all(dtype: str, device: str) -> None:
    for n in (1, 63, 4097, 20_011, 300_000):
        for place in {0, n // 2, n - 1}:
            for base, one in ((np.zeros(n, dtype), 1), (np.ones(n, dtype), 0)):
                for step in (1, -2):
                    x = cx.asarray(np.repeat(base, abs(step)), device=device)[::step]
                    assert bool(cx.any(x)) == (one == 0) and bool(cx.all(x)) == (one == 0)
                    x[place] = cx.asarray(one, dtype=dtype, device=device)
                    assert bool(cx.any(x)) == (n > 1 or one == 1) and bool(cx.all(x)) == (n == 1 and one == 1)


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16', 'float32', 'float64', 'complex64', 'complex128'])
def test_what_is_true_among_floating_point_numbers(dtype: str, device: str) -> None:
    small = {'float16': 6e-8, 'bfloat16': 1e-38, 'float64': 5e-324, 'complex128': 5e-324}.get(dtype, 1e-44)
    values = [-0.0, 0.0, np.nan, np.inf, -1.0, small]
    if 'complex' in dtype:
        values += [complex(-0.0, -0.0), complex(0.0, 2.0), complex(-0.0, np.nan)]
    truth = [bool(v) for v in values]
    x = cx.asarray(np.asarray(values), device=device)
    x = cx.astype(x, getattr(cx, dtype))
    for axis in (0, 1):
        both = cx.stack([x] * 40, axis=axis)
        assert cx.any(both, axis=axis).tolist() == truth and cx.all(both, axis=axis).tolist() == truth


@pytest.mark.parametrize('shape', [(3, 70_000), (70_000, 3), (257, 129)])
def test_any_and_all_of_rows_and_columns(shape: tuple[int, int], device: str, rng: np.random.Generator) -> None:
    for dtype in ('bool', 'int16', 'float64'):
        for share in (1e-5, 1 - 1e-5):
            a = (rng.random(shape) < share).astype(dtype)
            x = cx.asarray(a, device=device)
            for axis in (None, 0, 1):
                same(cx.any(x, axis=axis), np.any(a, axis=axis))
                same(cx.all(x, axis=axis), np.all(a, axis=axis))
                same(cx.any(x[:, ::2], axis=axis), np.any(a[:, ::2], axis=axis))


@pytest.mark.parametrize('dtype', ['int8', 'int64', 'float32', 'float64'])
def test_the_extreme_is_found_at_every_place(dtype: str, device: str) -> None:
    for n in (1, 3, 8, 15, 16, 17, 33, 63, 64, 65, 130, 300):
        for place in {0, 1 % n, n // 2, n - 2 if n > 1 else 0, n - 1}:
            a = np.zeros(n, dtype)
            a[place] = 7
            x = cx.asarray(a, device=device)
            assert int(cx.argmax(x)) == place and float(x.max()) == 7, (n, place)
            assert int(cx.argmin(-x)) == place and float((-x).min()) == -7, (n, place)
            if dtype.startswith('float'):
                a[place] = np.nan
                x = cx.asarray(a, device=device)
                assert int(cx.argmax(x)) == int(cx.argmin(x)) == place and np.isnan(float(x.max())), (n, place)
