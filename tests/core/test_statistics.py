"""Cumulative sums and products, variance, differences against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
FLOATS = ['float16', 'float32', 'float64']
COMPLEX = ['complex64', 'complex128']
SIGNED, UNSIGNED = ('bool', 'int8', 'int16', 'int32'), ('uint8', 'uint16', 'uint32')
WIDE = dict.fromkeys(SIGNED, 'int64') | dict.fromkeys(UNSIGNED, 'uint64')


def to_host(x: cx.Array) -> np.ndarray:
    return exchange.as_numpy(x.to_device('native:0'))


def same(got: cx.Array, want: Any) -> None:
    values, want = to_host(got), np.asarray(want)
    assert values.dtype == want.dtype and values.shape == want.shape
    np.testing.assert_array_equal(values, want)


def layouts(draw: Any, a: np.ndarray) -> np.ndarray:
    """Transposed, stepped and turned around."""
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    return a[tuple(slice(None, None, draw(st.sampled_from([1, -1, 2]))) for _ in range(a.ndim))]


@given(data=st.data())
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize('op', ['cumulative_sum', 'cumulative_prod'])
def test_scans_as_numpy(op: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(['bool', *INTEGERS, *FLOATS, *COMPLEX]))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    # Small whole numbers: exact in every order and width of accumulator.
    values = data.draw(hnp.arrays('int8', shape, elements=st.integers(-2 * (dtype not in WIDE), 2)))
    a = layouts(data.draw, values.astype(dtype))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    initial = data.draw(st.booleans())
    if a.ndim == 1 and data.draw(st.booleans()):
        axis = None
    got = getattr(cx, op)(cx.asarray(a), axis=axis, include_initial=initial)
    same(got, getattr(np, op)(a, axis=axis, include_initial=initial, dtype=WIDE.get(dtype, dtype)))


@pytest.mark.parametrize('dtype', ['int32', 'float32', 'float64', 'complex64', 'float16', 'bfloat16'])
@pytest.mark.parametrize('shape', [(5000,), (3, 700), (700, 3), (300, 400), (2, 70, 300)], ids=str)
def test_scans_of_long_axes(dtype: str, shape: tuple[int, ...], device: str, rng: np.random.Generator) -> None:
    a = rng.uniform(-1, 1, shape).astype('float32')
    x = cx.asarray(a * 100 if dtype == 'int32' else a, device=device).astype(dtype)
    exact = to_host(x).astype('complex128' if 'complex' in dtype else 'float64')
    for axis in range(len(shape)):
        got = to_host(cx.cumulative_sum(x, axis=axis)).astype(exact.dtype)
        rtol = {'float16': 1e-3, 'bfloat16': 1e-2, 'float64': 1e-13}.get(dtype, 1e-6)
        np.testing.assert_allclose(got, exact.cumsum(axis), rtol=rtol, atol=rtol)
        product = to_host(cx.cumulative_prod(x, axis=axis))
        if dtype != 'int32':
            np.testing.assert_allclose(product.astype(exact.dtype), exact.cumprod(axis), rtol=rtol, atol=1e-7)


def test_scans_wrap_and_convert(device: str) -> None:
    x = cx.full(5, 100, dtype='int8', device=device)
    same(cx.cumulative_sum(x, dtype='int8'), np.full(5, 100, 'int8').cumsum(dtype='int8'))
    same(cx.cumulative_prod(x, dtype='uint16'), np.full(5, 100, 'uint16').cumprod(dtype='uint16'))
    same(cx.cumulative_sum(x, dtype='float32'), np.full(5, 100.0).cumsum().astype('float32'))
    same(cx.cumulative_sum(cx.full(3, 0.5, device=device), dtype='complex64'), np.array([0.5, 1, 1.5], 'complex64'))
    same(cx.cumulative_sum(x > 0), np.arange(1, 6))
    same(cx.cumulative_sum(cx.asarray([1, np.inf, -np.inf, 2], device=device)), [1, np.inf, np.nan, np.nan])


def test_scans_of_float16_keep_their_digits(device: str) -> None:
    x = cx.full(4000, 0.1, dtype='float16', device=device)
    assert float(cx.cumulative_sum(x)[-1]) == pytest.approx(4000 * float(np.float16(0.1)), rel=1e-3)


@pytest.mark.parametrize('op', ['cumulative_sum', 'cumulative_prod'])
def test_scans_refuse(op: str, device: str) -> None:
    scan = getattr(cx, op)
    for x in (cx.ones((), device=device), cx.ones((2, 2), device=device)):
        with pytest.raises(DimensionError) as caught:
            scan(x)
        assert op in str(caught.value) and str(x.shape) in str(caught.value)
    with pytest.raises(IndexError):
        scan(cx.ones(3, device=device), axis=1)
    for dtype, wanted in (('int4', None), ('float8_e5m2', None), ('float32', 'bool'), ('complex64', 'float32')):
        with pytest.raises(DtypeError) as caught:
            scan(cx.ones(3, dtype=dtype, device=device), dtype=wanted)
        assert op in str(caught.value)
    with pytest.raises(DtypeError):
        cx.sum(cx.ones(3, dtype='complex64', device=device), dtype='float32')
    with pytest.raises(TypeError):
        scan(np.ones(3))


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_spread_as_numpy(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATS))
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, max_side=5))
    numbers = st.floats(-100, 100, width=16)
    a = layouts(data.draw, data.draw(hnp.arrays(dtype, shape, elements=numbers)))
    axis = data.draw(st.none() | hnp.valid_tuple_axes(a.ndim))
    correction = data.draw(st.sampled_from([0, 1, 0.5]))
    keepdims = data.draw(st.booleans())
    n = a.size if axis is None else np.prod([a.shape[i] for i in axis], initial=1)
    wide = a.astype('float64')
    options = {'axis': axis, 'ddof': correction, 'keepdims': keepdims}
    tolerance = {'float16': 2e-3, 'float32': 1e-5, 'float64': 1e-12}[dtype]
    for op in ('var', 'std'):
        got = to_host(getattr(cx, op)(cx.asarray(a), axis=axis, correction=correction, keepdims=keepdims))
        want = np.full_like(wide.sum(axis, keepdims=keepdims), np.nan)
        if n - correction > 0:
            want = getattr(wide, op)(**options)
        want = np.asarray(want).astype(dtype)
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_spread_is_sound(device: str) -> None:
    far = np.float32(2**24) + 2 * np.arange(5, dtype='float32')  # the mean rounds; the deviations are of its size
    assert float(cx.var(cx.asarray(far[:4], device=device))) == 5
    assert float(cx.var(cx.full(1000, 0.1, device=device))) == 0
    assert float(cx.std(cx.full(1000, 0.1, dtype='float32', device=device))) == 0
    half = cx.full(100, 3e4, dtype='float16', device=device)
    assert float(cx.std(half)) == 0
    half[::2] = -3e4
    assert float(cx.std(half)) == pytest.approx(3e4, rel=1e-3)
    assert float(cx.var(half.astype('bfloat16'))) == pytest.approx(9e8, rel=1e-2)


def test_spread_is_nan_without_a_divisor(device: str) -> None:
    x = cx.ones((3, 2), device=device)
    for correction in (3, 4.5, np.inf, np.nan):
        assert np.isnan(to_host(cx.var(x, axis=0, correction=correction))).all()
    assert cx.std(x, axis=0, correction=3, keepdims=True).shape == (1, 2)
    assert cx.var(cx.ones((0, 2), device=device), axis=1).shape == (0,)
    assert np.isnan(to_host(cx.var(cx.ones((0, 2), device=device), axis=0))).tolist() == [True, True]
    for bad in (np.nan, np.inf):
        assert np.isnan(float(cx.std(cx.asarray([1, bad, 2], device=device))))
    for dtype in ('int32', 'bool', 'complex64', 'float8_e5m2'):
        with pytest.raises(DtypeError):
            cx.var(cx.ones(3, dtype=dtype, device=device))
    with pytest.raises(DimensionError):
        cx.var(x, axis=(0, 0))
    with pytest.raises(IndexError):
        cx.std(x, axis=2)


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_diff_as_numpy(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([*INTEGERS, *FLOATS, *COMPLEX]))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    values = hnp.arrays('uint8', shape, elements=st.integers(0, 9))
    a = layouts(data.draw, data.draw(values).astype(dtype))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    n = data.draw(st.integers(0, 6))
    parts = {word: a.take([0] * data.draw(st.integers(0, 2)), axis) for word in ('prepend', 'append')}
    parts = {word: part for word, part in parts.items() if data.draw(st.booleans())}
    got = cx.diff(cx.asarray(a), axis=axis, n=n, **{word: cx.asarray(part) for word, part in parts.items()})
    joined = np.concatenate([p for p in (parts.get('prepend'), a, parts.get('append')) if p is not None], axis)
    same(got, np.diff(joined, n, axis))


def test_diff_refuses_and_copies(device: str) -> None:
    x = cx.ones((2, 3), device=device)
    assert cx.diff(x, n=0).data_ptr != x.data_ptr and cx.diff(x, n=9).shape == (2, 0)
    assert cx.diff(cx.ones((2, 0), device=device)).shape == (2, 0)
    same(cx.diff(x.astype('float32'), prepend=cx.zeros((2, 1), device=device)), [[1.0, 0, 0]] * 2)
    for bad, kind in (
        (lambda: cx.diff(x, n=-1), ValueError),
        (lambda: cx.diff(x, axis=2), IndexError),
        (lambda: cx.diff(x, axis=0, prepend=cx.ones((1, 2), device=device)), DimensionError),
        (lambda: cx.diff(x, append=cx.ones(3, device=device)), DimensionError),
        (lambda: cx.diff(x > 0), DtypeError),
        (lambda: cx.diff(x, append=x.astype('int8')), DtypeError),
    ):
        with pytest.raises(kind) as caught:
            bad()
        assert 'diff' in str(caught.value)
