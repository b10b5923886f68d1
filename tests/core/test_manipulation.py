"""Manipulation functions against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import CopyRequiredError, DimensionError, DtypeError


def same(got: cx.Array, want: np.ndarray) -> None:
    values = exchange.as_numpy(got.to_device('native:0'))
    want = np.asarray(want)
    assert values.dtype == want.dtype and values.shape == want.shape
    np.testing.assert_array_equal(values, want)


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_reshape_as_numpy(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    a = np.arange(np.prod(shape)).reshape(shape)[data.draw(hnp.basic_indices(shape, allow_ellipsis=False))]
    a = np.asarray(a).transpose(data.draw(st.permutations(range(np.ndim(a)))))
    sizes = [1]
    rest = a.size
    for factor in (2, 3):
        while rest and rest % factor == 0:
            rest //= factor
            sizes.append(factor)
    target = (*data.draw(st.permutations(sizes)), rest)
    same(cx.reshape(cx.asarray(a), target), a.reshape(target))
    view = cx.reshape(cx.asarray(a), target)
    assert (view.data_ptr == a.ctypes.data) == np.shares_memory(a.reshape(target), a) or a.size == 0


def test_manipulation(device: str) -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    x = cx.asarray(a, device=device)
    same(x.reshape(4, -1), a.reshape(4, -1))
    same(x.reshape((6, 4)), a.reshape(6, 4))
    same(cx.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1))
    same(cx.moveaxis(x, 0, -1), np.moveaxis(a, 0, -1))
    same(cx.moveaxis(x, (0, 1), (2, 0)), np.moveaxis(a, (0, 1), (2, 0)))
    same(cx.matrix_transpose(x), a.swapaxes(1, 2))
    same(cx.expand_dims(x, axis=(0, -1)), np.expand_dims(a, (0, -1)))
    same(cx.squeeze(cx.expand_dims(x, axis=1), 1), a)
    same(cx.flip(x), np.flip(a))
    same(cx.flip(x, axis=-1), np.flip(a, -1))
    same(cx.broadcast_to(x[:, :1], (2, 3, 4)), np.broadcast_to(a[:, :1], (2, 3, 4)))
    same(cx.broadcast_arrays(x[0], x[:, :1])[1], np.broadcast_arrays(a[0], a[:, :1])[1])
    same(cx.concat([x, x[:, :1]], axis=1), np.concatenate([a, a[:, :1]], axis=1))
    same(cx.concat([x, x], axis=None), np.concatenate([a, a], axis=None))
    same(cx.concat([x.astype('float32'), x]), np.concatenate([a.astype('float32'), a]))
    same(cx.stack([x, x], axis=-1), np.stack([a, a], axis=-1))
    same(cx.astype(x, 'int8'), a.astype('int8'))
    assert x.astype('float64', copy=False).data_ptr == x.data_ptr and x.astype('float64').data_ptr != x.data_ptr


@pytest.mark.parametrize(
    'bad',
    [
        lambda x: x.reshape(5, 5),
        lambda x: x.reshape(-1, -1),
        lambda x: x.reshape(-1, 0),
        lambda x: cx.permute_dims(x, (0, 0)),
        lambda x: cx.permute_dims(x, (0,)),
        lambda x: cx.squeeze(x, 0),
        lambda x: cx.expand_dims(x, axis=(0, 0)),
        lambda x: cx.broadcast_to(x, (2, 4)),
        lambda x: cx.concat([x, x.T]),
        lambda x: cx.stack([x, x.T]),
        lambda x: cx.concat([]),
        lambda x: x @ x,
        lambda x: cx.matmul(x, cx.ones((), device=x.device)),
    ],
)
def test_bad_manipulation(bad, device: str) -> None:
    with pytest.raises(ValueError):
        bad(cx.ones((2, 3), device=device))


def test_astype_drops_no_imaginary_parts(device: str) -> None:
    x = cx.ones(3, dtype='complex64', device=device)
    for act in (lambda: x.astype('float32'), lambda: cx.astype(x, 'int8'), lambda: cx.astype(x, 'bool')):
        with pytest.raises(DtypeError) as caught:
            act()
        assert 'real' in str(caught.value)
    assert x.astype('complex128').dtype == 'complex128' and cx.real(x).astype('int8').tolist() == [1, 1, 1]


def test_reshape_copy_flag(device: str) -> None:
    x = cx.ones((3, 4), device=device)
    assert cx.reshape(x, (12,), copy=True).data_ptr != x.data_ptr
    with pytest.raises(CopyRequiredError):
        cx.reshape(x.T, (12,), copy=False)


def layouts(draw: Any, a: np.ndarray) -> np.ndarray:
    """Transposed, stepped and turned around."""
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    return a[(..., *(slice(None, None, draw(st.sampled_from([1, -1, 2]))) for _ in range(a.ndim)))]


def drawn(data: st.DataObject, min_dims: int = 0, max_dims: int = 4) -> np.ndarray:
    shape = data.draw(hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=4))
    dtype = data.draw(st.sampled_from(['bool', 'int8', 'uint16', 'int32', 'float16', 'float64', 'complex128']))
    return layouts(data.draw, np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype))


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_tile_as_numpy(data: st.DataObject) -> None:
    a = drawn(data)
    times = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    same(cx.tile(cx.asarray(a), times), np.tile(a, times))


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_roll_as_numpy(data: st.DataObject) -> None:
    a = drawn(data)
    shifts = st.integers(-9, 9) | st.sampled_from([2**63 - 1, -(2**63)])
    axis = data.draw(st.none() | st.lists(st.integers(-a.ndim, a.ndim - 1), max_size=4).map(tuple)) if a.ndim else None
    shift = data.draw(shifts)
    if axis is not None and data.draw(st.booleans()):
        shift = tuple(data.draw(shifts) for _ in axis)
        exact = [s % a.shape[i] if a.shape[i] else 0 for s, i in zip(shift, axis, strict=True)]
    else:
        exact = [shift % a.shape[i] if a.shape[i] else 0 for i in axis or ()]
    want = np.roll(a, exact, axis) if axis is not None else np.roll(a, shift % max(a.size, 1))
    same(cx.roll(cx.asarray(a), shift, axis=axis), want)


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_unstack_as_numpy(data: st.DataObject) -> None:
    a = drawn(data, min_dims=1)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    x = cx.asarray(a)
    parts = cx.unstack(x, axis=axis)
    assert isinstance(parts, tuple) and len(parts) == a.shape[axis]
    for part, want in zip(parts, np.moveaxis(a, axis, 0), strict=True):
        same(part, want)
    if a.size:
        parts[0][...] = cx.zeros((), dtype=x.dtype)
        assert not np.any(np.moveaxis(exchange.as_numpy(x), axis, 0)[0])


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_meshgrid_as_numpy(data: st.DataObject) -> None:
    arrays = [drawn(data, max_dims=1) for _ in range(data.draw(st.integers(0, 4)))]
    for indexing in ('xy', 'ij'):
        got = cx.meshgrid(*map(cx.asarray, arrays), indexing=indexing)
        want = np.meshgrid(*arrays, indexing=indexing)
        assert isinstance(got, list) and len(got) == len(want)
        for x, a in zip(got, want, strict=True):
            same(x, a)
            assert not x.readonly and (x.size == 0 or x.strides == np.ascontiguousarray(a).strides)


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_triangles_as_numpy(data: st.DataObject) -> None:
    a = drawn(data, min_dims=2)
    k = data.draw(st.integers(-6, 6) | st.sampled_from([2**63 - 1, -(2**63), 2**70, -(2**70)]))
    near = max(-9, min(9, k))
    same(cx.tril(cx.asarray(a), k=k), np.tril(a, near))
    same(cx.triu(cx.asarray(a), k=k), np.triu(a, near))


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_joins_as_numpy(data: st.DataObject) -> None:
    a = drawn(data, min_dims=1)
    axis = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1))
    b = a[..., ::-1]
    if axis is not None and a.size:
        b = a.take(range(data.draw(st.integers(0, 5))), axis, mode='wrap')
    dtype = data.draw(st.sampled_from([a.dtype.name, *({'int8': ['int16', 'uint8']}.get(a.dtype.name, []))]))
    parts = [a, b.astype(dtype), a]
    same(cx.concat([cx.asarray(part) for part in parts], axis=axis), np.concatenate(parts, axis=axis))
    place = data.draw(st.integers(-a.ndim - 1, a.ndim))
    same(cx.stack([cx.asarray(a), cx.asarray(a.astype(dtype))], axis=place), np.stack([a, a.astype(dtype)], axis=place))


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_views_as_numpy(data: st.DataObject) -> None:
    a = drawn(data)
    x = cx.asarray(a)
    axes = data.draw(st.lists(st.integers(-a.ndim - 2, a.ndim + 1), max_size=3).map(tuple))
    moves = data.draw(st.lists(st.integers(-a.ndim - 1, a.ndim), max_size=3).map(tuple))
    targets = data.draw(st.permutations(moves).map(tuple))
    for ours, theirs in (
        (lambda: cx.expand_dims(x, axis=axes), lambda: np.expand_dims(a, axes)),
        (lambda: cx.squeeze(x, axes), lambda: np.squeeze(a, axes)),
        (lambda: cx.flip(x, axis=axes), lambda: np.flip(a, axes)),
        (lambda: cx.moveaxis(x, moves, targets), lambda: np.moveaxis(a, moves, targets)),
        (lambda: cx.permute_dims(x, axes), lambda: np.transpose(a, axes)),
    ):
        try:
            want = theirs()
        except ValueError:
            with pytest.raises((DimensionError, IndexError)):
                ours()
        else:
            same(ours(), want)


@pytest.mark.parametrize('dtype', ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'])
def test_all_dtypes_are_moved(dtype: str, device: str) -> None:
    x = cx.asarray([[1, 2, 3], [4, 5, 6]], device=device).astype(dtype)
    assert cx.tile(x, 2).astype('int32').tolist() == [[1, 2, 3] * 2, [4, 5, 6] * 2]
    assert cx.roll(x, 1).astype('int32').tolist() == [[6, 1, 2], [3, 4, 5]]
    assert cx.tril(x).astype('int32').tolist() == [[1, 0, 0], [4, 5, 0]]
    assert cx.triu(x, k=1).astype('int32').tolist() == [[0, 2, 3], [0, 0, 6]]
    assert cx.meshgrid(x[0], x[1])[0].astype('int32').tolist() == [[1, 2, 3]] * 3
    assert cx.unstack(x)[1].astype('int32').tolist() == [4, 5, 6]
    assert cx.concat([x, x]).dtype == dtype == cx.stack([x, x]).dtype


def test_rearrangements_are_fresh(device: str) -> None:
    x = cx.ones((2, 3), device=device)
    for y in (cx.tile(x, 1), cx.tile(x, ()), cx.roll(x, 0), cx.roll(x, 0, axis=0), cx.tril(x, k=5), cx.concat([x])):
        assert y.data_ptr != x.data_ptr and y.shape == x.shape and str(y.device) == device
    v = x[0]
    assert cx.meshgrid(v)[0].data_ptr != v.data_ptr


@pytest.mark.parametrize(
    ('bad', 'kind', 'word'),
    [
        (lambda x: cx.tile(x, (2, -1)), ValueError, '-1'),
        (lambda x: cx.tile(x, (2**62, 2**62)), DimensionError, str(2**62)),
        (lambda x: cx.tile(x, 1.5), TypeError, 'float'),
        (lambda x: cx.roll(x, (1, 2)), DimensionError, '(1, 2)'),
        (lambda x: cx.roll(x, (1, 2), axis=0), DimensionError, '(1, 2)'),
        (lambda x: cx.roll(x, 1, axis=2), IndexError, '2'),
        (lambda x: cx.roll(x, 1.5), TypeError, 'float'),
        (lambda x: cx.unstack(x, axis=-3), IndexError, '-3'),
        (lambda x: cx.unstack(x[0, 0]), IndexError, '0'),
        (lambda x: cx.meshgrid(x), DimensionError, '(2, 3)'),
        (lambda x: cx.meshgrid(x[0], indexing='yx'), ValueError, 'yx'),
        (lambda x: cx.meshgrid(x[0], indexing=None), ValueError, 'None'),
        (lambda x: cx.meshgrid(x[0], x[0].to_device('native:1')), RuntimeError, 'native:1'),
        (lambda x: cx.tril(x[0]), DimensionError, '(3,)'),
        (lambda x: cx.triu(x[0]), DimensionError, '(3,)'),
        (lambda x: cx.concat([x, x.to_device('native:1')]), RuntimeError, 'native:1'),
        (lambda x: cx.concat([x, x > 0]), DtypeError, 'bool'),
        (lambda x: cx.concat([x, x[0]]), DimensionError, '(3,)'),
        (lambda x: cx.concat([x], axis=2), IndexError, '2'),
        (lambda x: cx.stack([x], axis=3), IndexError, '3'),
        (lambda x: cx.concat([x, 1]), TypeError, 'int'),
        (lambda x: cx.concat(x), TypeError, 'Array'),
        (lambda x: cx.expand_dims(x, axis=3), IndexError, '3'),
        (lambda x: cx.expand_dims(x, axis=-4), IndexError, '-4'),
    ],
)
def test_bad_rearrangement(bad, kind: type[Exception], word: str, device: str) -> None:
    with pytest.raises(kind) as caught:
        bad(cx.ones((2, 3), device=device))
    assert word in str(caught.value)
