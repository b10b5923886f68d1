"""take, take_along_axis, nonzero, count_nonzero, repeat against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import AsyncDeviceError, DimensionError, DtypeError, MixedDevicesError

from ..accelerator import FIRST

DTYPES = ['bool', 'int8', 'uint16', 'int64', 'float16', 'float32', 'float64', 'complex64', 'complex128']


def same(got: cx.Array, want: np.ndarray[Any, Any]) -> None:
    assert got.shape == want.shape and str(got.dtype) == str(want.dtype) and got.c_contiguous
    np.testing.assert_array_equal(exchange.as_numpy(got.to_device('native:0')), want)


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('index_dtype', ['int8', 'uint8', 'int32', 'int64', 'uint64'])
def test_take(dtype: str, index_dtype: str, device: str) -> None:
    a = np.arange(24).reshape(2, 4, 3).astype(dtype)
    i = np.array([3, 0, 0, 1], index_dtype)
    x = cx.asarray(a, device=device)
    same(cx.take(x, cx.asarray(i, device=device), axis=1), np.take(a, i, axis=1))
    same(cx.take(x[..., ::-1], cx.asarray(i[:1], device=device), axis=-2), np.take(a[..., ::-1], i[:1], axis=1))
    same(cx.take(x[0, :, 1], cx.asarray(i, device=device)), a[0, :, 1][i])
    same(cx.take(x, cx.asarray(i.reshape(2, 2), device=device), axis=1), np.take(a, i.reshape(2, 2), axis=1))


def test_take_refuses(device: str) -> None:
    x = cx.zeros((2, 3), device=device)
    i = cx.zeros(2, dtype='int64', device=device)
    with pytest.raises(DimensionError, match='axis'):
        cx.take(x, i)
    with pytest.raises(DimensionError):
        cx.take(x[0, 0], i, axis=0)
    with pytest.raises(IndexError):
        cx.take(x, i, axis=2)
    for function in (cx.take, cx.take_along_axis):
        with pytest.raises(DtypeError, match='integer'):
            function(x, cx.zeros((2, 3), device=device), axis=0)
        with pytest.raises(DtypeError):
            function(x, cx.zeros((2, 3), dtype='bool', device=device), axis=0)
        with pytest.raises(MixedDevicesError):
            function(x, cx.zeros((2, 3), dtype='int64', device='native:1'), axis=0)
        with pytest.raises(TypeError, match='send'):
            function(x, np.zeros((2, 3), int), axis=0)
        places = cx.full((1, 1), 3, dtype='int64', device=device)
        with pytest.raises((IndexError, AsyncDeviceError), match='index 3 is out of bounds for axis 1 with size 3'):
            function(x, places, axis=1).tolist()


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_take_along_axis(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    own = list(shape)
    own[axis] = data.draw(st.integers(0, 5))
    own = [1 if n != axis % len(shape) and data.draw(st.booleans()) else extent for n, extent in enumerate(own)]
    a = np.arange(np.prod(shape)).reshape(shape)
    i = data.draw(hnp.arrays('int64', tuple(own), elements=st.integers(-shape[axis], shape[axis] - 1)))
    for device in ('native:0', FIRST):
        got = cx.take_along_axis(cx.asarray(a, device=device), cx.asarray(i, device=device), axis=axis)
        same(got, np.take_along_axis(a, i, axis=axis))


def test_take_along_axis_broadcasts_x_and_checks_shapes(device: str) -> None:
    x = cx.asarray(np.arange(3).reshape(1, 3), device=device)
    i = cx.asarray([[2, 0], [1, -1]], device=device)
    assert cx.take_along_axis(x, i).tolist() == [[2, 0], [1, 2]]
    with pytest.raises(DimensionError):
        cx.take_along_axis(x, i[0])
    with pytest.raises(DimensionError):
        cx.take_along_axis(cx.zeros((3, 3), device=device), i)


@pytest.mark.parametrize('dtype', DTYPES)
def test_nonzero_and_count(dtype: str, device: str, rng: np.random.Generator) -> None:
    a = (rng.random((7, 5, 6)) < 0.3).astype(dtype)
    for view in (a, a[::-1, :, 1::2], a.T, a[:0], a[0, 0]):
        x = cx.asarray(view, device=device)
        got = cx.nonzero(x)
        assert type(got) is tuple
        for ours, numpys in zip(got, np.nonzero(view), strict=True):
            same(ours, numpys)
        same(cx.count_nonzero(x), np.asarray(np.count_nonzero(view)))
        same(cx.count_nonzero(x, axis=-1, keepdims=True), np.count_nonzero(view, axis=-1, keepdims=True))


def test_nan_and_imaginary_parts_are_not_zero(device: str) -> None:
    assert cx.nonzero(cx.asarray([0.0, -0.0, np.nan, 1e-300], device=device))[0].tolist() == [2, 3]
    assert int(cx.count_nonzero(cx.asarray([0j, 1j, complex(0, np.nan)], device=device))) == 2
    with pytest.raises(DimensionError):
        cx.nonzero(cx.ones((), device=device))
    with pytest.raises(DtypeError):
        cx.nonzero(cx.ones(2, dtype='int4', device=device))


def test_how_many_there_are_is_an_implicit_transfer(transfers: list[tuple[Any, ...]]) -> None:
    x = cx.asarray([1, 0, 2], device=FIRST)
    transfers.clear()
    cx.nonzero(x)
    assert [row[:6] for row in transfers] == [('nonzero', 8, FIRST, '@numpy', True, False)]


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_repeat(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1) | st.none()) if shape else None
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    count = a.size if axis is None else shape[axis]
    one = data.draw(st.integers(0, 4))
    each = data.draw(
        hnp.arrays(data.draw(st.sampled_from(['int8', 'uint32', 'int64'])), count, elements=st.integers(0, 4))
    )
    for device in ('native:0', FIRST):
        x = cx.asarray(a, device=device)
        same(cx.repeat(x, one, axis=axis), np.repeat(a, one, axis=axis))
        same(cx.repeat(x, cx.asarray([one], device=device), axis=axis), np.repeat(a, [one], axis=axis))
        same(cx.repeat(x, cx.asarray(each, device=device), axis=axis), np.repeat(a, each.astype(int), axis=axis))


def test_repeat_refuses(device: str) -> None:
    x = cx.arange(3, device=device)
    for wrong in (-1, cx.asarray([1, -2, 3], device=device), cx.asarray([-1], device=device)):
        with pytest.raises(ValueError, match='negative'):
            cx.repeat(x, wrong)
    with pytest.raises(DimensionError):
        cx.repeat(x, cx.asarray([1, 2], device=device))
    with pytest.raises(DimensionError):
        cx.repeat(x, cx.ones((3, 1), dtype='int64', device=device))
    large = np.array([1, 2**63, 1], 'uint64')
    for wrong in (cx.asarray([2**62] * 3, device=device), 2**62, cx.asarray(large, device=device)):
        with pytest.raises((DimensionError, MemoryError)):
            cx.repeat(x, wrong)
    with pytest.raises(DtypeError):
        cx.repeat(x, cx.ones(3, device=device))
    for wrong in (1.5, [1, 2, 3], np.ones(3, int), None, True):
        with pytest.raises(TypeError):
            cx.repeat(x, wrong)
    with pytest.raises(IndexError):
        cx.repeat(x, 2, axis=1)
    with pytest.raises(DimensionError):
        cx.repeat(x, 2**70)
