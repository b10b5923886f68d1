"""Index expressions of every kind against NumPy: values, shapes, and which of them are IndexErrors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import AsyncDeviceError

from ..accelerator import FIRST

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']


@st.composite
def views(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """An array with any strides, and different values."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    dtype = draw(st.sampled_from(['uint8', 'int16', 'float32', 'float64', 'complex128']))
    a = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    return np.asarray(a[tuple(slice(None, None, draw(st.sampled_from([1, 1, 2, -1]))) for _ in range(a.ndim))])


def integers(draw: st.DrawFn, extent: int, shape: tuple[int, ...], wrong: bool) -> np.ndarray[Any, Any]:
    low, high = (-extent - 1, extent) if wrong else (-extent, extent - 1)
    dtype = np.dtype(draw(st.sampled_from(INTEGERS)))
    if dtype.kind == 'u':
        low = 0
    elements = st.integers(min(low, high), high) if low <= high else st.just(0)
    return draw(hnp.arrays(dtype, shape, elements=elements))


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """One part after the other until the axes are used up; now and then something is wrong."""
    common = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=3))
    wrong = draw(st.integers(0, 9)) == 0
    key: list[Any] = []
    axis = 0
    while axis < len(shape) and draw(st.integers(0, 4)):
        kind = draw(st.sampled_from(['integer', 'slice', 'array', 'array', 'mask', 'none', 'ellipsis', 'bool']))
        extent = shape[axis]
        if kind == 'integer' and (extent or wrong):
            key.append(draw(st.integers(-extent - wrong, extent - 1 + wrong)))
            axis += 1
        elif kind == 'slice':
            key.append(draw(st.slices(extent)))
            axis += 1
        elif kind == 'array':
            own = tuple(draw(st.sampled_from([n, 1])) for n in common)[draw(st.integers(0, len(common) - 1)) :]
            if extent == 0 and not wrong:
                own = (0,)
            key.append(integers(draw, extent, own, wrong))
            axis += 1
        elif kind == 'mask':
            count = draw(st.integers(1, min(2, len(shape) - axis)))
            extents = tuple(n + wrong for n in shape[axis : axis + count])
            key.append(draw(hnp.arrays(np.bool_, extents)))
            axis += count
        elif kind == 'none':
            key.append(None)
        elif kind == 'ellipsis' and Ellipsis not in [part if part is ... else None for part in key]:
            key.append(...)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == 'bool':
            key.append(draw(st.booleans()))
    return tuple(key)


def as_lists(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(part.tolist() if isinstance(part, np.ndarray) else part for part in key)


def on_device(key: tuple[Any, ...], device: str) -> tuple[Any, ...]:
    return tuple(cx.asarray(part, device=device) if isinstance(part, np.ndarray) else part for part in key)


def outcome(act: Callable[[], Any]) -> Any:
    """The result, or IndexError; an accelerator says it at the next wait."""
    try:
        result = act()
        cx.device(FIRST).synchronize()
    except IndexError:
        return IndexError
    except AsyncDeviceError as error:
        return IndexError if 'out of bounds' in str(error) else error
    return result


@given(a=views(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_get_as_numpy(a: np.ndarray[Any, Any], data: st.DataObject) -> None:
    key = data.draw(keys(a.shape))
    device = data.draw(st.sampled_from(['native:0', FIRST]))
    x = cx.asarray(a, device=device)
    for form, same in ((key, key), (on_device(key, device), key), (as_lists(key), as_lists(key))):
        note(repr(form))
        want = outcome(lambda same=same: np.asarray(a[same]))
        got = outcome(lambda form=form: x[form])
        if want is IndexError:
            assert got is IndexError
        else:
            assert got.shape == want.shape and str(got.dtype) == str(a.dtype) and str(got.device) == device
            np.testing.assert_array_equal(exchange.as_numpy(got.to_device('native:0')), want)


@given(a=views(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_set_as_numpy(a: np.ndarray[Any, Any], data: st.DataObject) -> None:
    key = data.draw(keys(a.shape))
    device = data.draw(st.sampled_from(['native:0', FIRST]))
    shape = outcome(lambda: a[key].shape)
    if shape is IndexError:
        x = cx.asarray(a, device=device, copy=True)
        assert outcome(lambda: x.__setitem__(key, 0)) is IndexError
        np.testing.assert_array_equal(exchange.as_numpy(x.to_device('native:0')), a)
        return
    own = tuple(n if data.draw(st.booleans()) else 1 for n in shape)[data.draw(st.integers(0, len(shape))) :]
    value = (100 + np.arange(np.prod(own, dtype=int))).astype(a.dtype).reshape(own)
    want = np.array(a)
    try:
        want[key] = value
    except ValueError:  # NumPy is stricter with masks than with the arrays they stand for
        places = np.arange(a.size).reshape(a.shape)[key]
        want.reshape(-1)[places.ravel()] = np.broadcast_to(value, places.shape).ravel()
    for form in (key, on_device(key, device)):
        note(repr(form))
        x = cx.asarray(np.array(a), device=device, copy=True)
        x[form] = cx.asarray(value, device=device)
        np.testing.assert_array_equal(exchange.as_numpy(x.to_device('native:0')), want)
    x[key] = 7
    want[key] = 7
    np.testing.assert_array_equal(exchange.as_numpy(x.to_device('native:0')), want)


@given(a=views(), data=st.data())
@settings(max_examples=100, deadline=None)
def test_set_from_itself(a: np.ndarray[Any, Any], data: st.DataObject) -> None:
    key = data.draw(keys(a.shape))
    places = outcome(lambda: np.arange(a.size).reshape(a.shape)[key])
    if places is IndexError or np.size(places) > a.size:
        return
    places = np.asarray(places)
    want = np.array(a, order='C').reshape(-1)
    x = cx.asarray(np.array(a, order='C'), device='native:0', copy=True)
    want[places.ravel()] = want[::-1][: places.size].copy()
    x[key] = cx.reshape(cx.reshape(x, (-1,))[::-1][: places.size], places.shape)
    np.testing.assert_array_equal(exchange.as_numpy(x), want.reshape(a.shape))
