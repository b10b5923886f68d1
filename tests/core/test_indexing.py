"""Basic indexing against NumPy: get, set, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError, MixedDevicesError, ReadOnlyError


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_get_and_set_as_numpy(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    a = np.arange(np.prod(shape, dtype=int), dtype='float32').reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=6))
    for device in ('native:0', 'sim:0'):
        x = cx.asarray(a, device=device, copy=True)
        want = a.copy()
        np.testing.assert_array_equal(exchange.as_numpy(x[key].to_device('native:0')), want[key], strict=False)
        assert x[key].shape == want[key].shape
        x[key] = -1
        want[key] = -1
        np.testing.assert_array_equal(exchange.as_numpy(x.to_device('native:0')), want)
        x[key] = cx.asarray(np.full(a[key].shape, 7, 'int16'), device=device)
        want[key] = 7
        np.testing.assert_array_equal(exchange.as_numpy(x.to_device('native:0')), want)


def test_a_view_shares_memory(device: str) -> None:
    x = cx.zeros((3, 4), device=device)
    x[1:, ::2][0, 1] = 5
    assert float(x[1, 2]) == 5


@pytest.mark.parametrize(
    ('key', 'words'),
    [
        (3, ('3', 'axis 0', 'size 3')),
        (-4, ('-4', 'axis 0')),
        ((0, 4), ('4', 'axis 1')),
        ((0, 0, 0), ('3', '2')),
        (2**70, (str(2**70),)),
        ((..., 0, ...), ('ellipsis',)),
    ],
)
def test_out_of_bounds(key, words: tuple[str, ...], device: str) -> None:
    x = cx.zeros((3, 4), device=device)
    for act in (lambda: x[key], lambda: x.__setitem__(key, 0)):
        with pytest.raises(IndexError) as caught:
            act()
        assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize('key', [1.0, 'a', {}, np.float64(1), slice(1.0, 2), slice('a')])
def test_what_is_no_index(key, device: str) -> None:
    with pytest.raises((IndexError, TypeError)):
        cx.zeros(3, device=device)[key]


def test_integers_of_any_library_are_indexes(device: str) -> None:
    x = cx.arange(5, device=device)
    assert [int(x[np.int8(2)]), int(x[np.array(2)]), int(x[cx.asarray(2, device=device)])] == [2, 2, 2]
    assert x[slice(-(2**80), 2**80)].shape == (5,) and x[:: 2**62].shape == (1,) and x[:: -(2**63)].shape == (1,)
    with pytest.raises(ValueError):
        x[::0]


def test_assignment_refuses_what_does_not_fit(device: str) -> None:
    x = cx.zeros((2, 3), dtype='int32', device=device)
    with pytest.raises(DtypeError):
        x[0] = cx.ones(3, device=device)
    with pytest.raises(DtypeError):
        x[0] = 1.5
    with pytest.raises(OverflowError):
        x[0] = 2**40
    with pytest.raises(DimensionError):
        x[0] = cx.ones(4, dtype='int32', device=device)
    with pytest.raises(MixedDevicesError):
        x[0] = cx.ones(3, dtype='int32', device='native:1')
    with pytest.raises(TypeError) as caught:
        x[0] = np.ones(3, 'int32')
    assert 'send' in str(caught.value)
    with pytest.raises(TypeError):
        del x[0]
    with pytest.raises(ReadOnlyError):
        cx.broadcast_to(x[0], (4, 3))[0] = 1
    assert not cx.any(x != 0)


def test_overlapping_assignment(device: str, host) -> None:
    a = np.arange(12.0)
    x = cx.asarray(a, device=device, copy=True)
    x[2:] = x[:-2]
    a[2:] = a[:-2].copy()
    x[::-1] = x
    a[::-1] = a.copy()
    np.testing.assert_array_equal(host(x), a)


def test_iteration_gives_arrays_on_the_same_device_and_moves_nothing(device: str, transfers) -> None:
    rows = list(cx.ones((3, 2), device=device))
    assert len(rows) == 3 and all(type(row) is cx.Array and str(row.device) == device for row in rows)
    assert not transfers
    with pytest.raises(TypeError):
        iter(cx.ones((), device=device))
