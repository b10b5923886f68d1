"""Masks and integer arrays as indexes: what moves, what waits, what is refused, what stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.errors import AsyncDeviceError, DimensionError, DtypeError, MixedDevicesError, ReadOnlyError

from ..accelerator import FIRST


def test_bounds_of_host_indexes_are_checked_before_anything_moves(
    device: str, transfers: list[tuple[Any, ...]]
) -> None:
    x = cx.zeros((3, 4), device=device)
    transfers.clear()
    for key in ([0, 3], np.array([-4]), (0, [4]), (slice(None), np.array([[0, 5]], 'uint8')), ([0], [9])):
        for act in (lambda key=key: x[key], lambda key=key: x.__setitem__(key, 1.0)):
            with pytest.raises(IndexError, match=r'index -?\d is out of bounds for axis [01] with size [34]'):
                act()
    assert not transfers and not cx.any(x)


def test_bounds_of_device_indexes_are_told_by_the_next_wait() -> None:
    x = cx.zeros(3, device=FIRST)
    x[cx.asarray([0, 3], device=FIRST)] = 1
    with pytest.raises(AsyncDeviceError, match='index 3 is out of bounds for axis 0 with size 3'):
        x.tolist()
    assert x.tolist() == [0, 0, 0]


def test_host_indexes_move_once_as_offsets(transfers: list[tuple[Any, ...]]) -> None:
    x = cx.zeros((4, 4), device=FIRST)
    transfers.clear()
    x[[0, 1, 2], np.array([1, 2, 3], 'uint8')] = 1
    assert [row[:6] for row in transfers] == [('index', 24, '@numpy', FIRST, True, False)]
    transfers.clear()
    x[np.eye(4, dtype=bool)]
    assert [row[:6] for row in transfers if not row[5]] == [('index', 32, '@numpy', FIRST, True, False)]


def test_nothing_moves_on_the_host(transfers: list[tuple[Any, ...]]) -> None:
    x = cx.zeros((4, 4), device='native:1')
    x[[0, 1]] = x[np.array([2, 3])]
    assert not transfers


def test_a_mask_is_counted_but_not_for_one_value(device: str, transfers: list[tuple[Any, ...]]) -> None:
    x = cx.arange(6, device=device)
    mask = x > 2
    row = cx.asarray(7, device=device)
    transfers.clear()
    x[mask] = 0
    x[mask] = row
    cx.reshape(x, (3, 2))[cx.reshape(mask, (3, 2))[:, 0]] = cx.reshape(x, (3, 2))[0]
    assert not transfers
    assert x[mask].shape == (3,)
    assert [entry[0] for entry in transfers] == ['nonzero']
    assert x.tolist() == [0, 1, 2, 7, 0, 1]


def test_masks_with_values(device: str) -> None:
    a = np.arange(12.0).reshape(3, 4)
    x = cx.asarray(a, device=device, copy=True)
    mask = a % 5 > 2
    x[cx.asarray(mask, device=device)] = cx.asarray(-a[mask], device=device)
    a[mask] = -a[mask]
    assert x.tolist() == a.tolist()
    x[x < 0] = x[0, 1]  # a value from under the mask itself
    a[a < 0] = a[0, 1]
    assert x.tolist() == a.tolist()
    flags = cx.asarray([True, False, True], device=device)
    flags[flags[::-1]] = False
    assert flags.tolist() == [False, False, False]
    x[False] = 5.0
    assert x.tolist() == a.tolist()
    x[True] = 5.0
    assert float(cx.max(x)) == float(cx.min(x)) == 5


def test_masks_that_do_not_fit(device: str) -> None:
    x = cx.zeros((3, 2), device=device)
    for shape in ((2,), (3, 3), (4, 2)):
        for mask in (np.ones(shape, bool), cx.ones(shape, dtype='bool', device=device)):
            with pytest.raises(IndexError) as caught:
                x[mask]
            assert str(shape) in str(caught.value) and 'axis' in str(caught.value)
            with pytest.raises(IndexError):
                x[mask] = 1
    with pytest.raises(IndexError, match='too many'):
        x[np.ones((3, 2, 1), bool)]
    with pytest.raises(IndexError, match=r'\(2,\) and \(3,\)'):
        x[[0, 1], [0, 1, 0]]
    # The standard lets an empty mask stand for one that is false everywhere.
    assert x[cx.zeros((0,), dtype='bool', device=device)].shape == (0, 2)
    x[cx.zeros((0, 2), dtype='bool', device=device)] = 1
    assert not cx.any(x)


def test_the_last_of_repeated_places_stays(device: str, request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(3)
    places = rng.integers(0, 1000, 1_000_000)
    values = np.arange(1_000_000, dtype='float32')
    last = np.zeros(1000, 'int64')
    np.maximum.at(last, places, np.arange(1_000_000))
    threads = cx.get_num_threads()
    cx.set_num_threads(4)
    request.addfinalizer(lambda: cx.set_num_threads(threads))
    x = cx.zeros(1000, dtype='float32', device=device)
    x[cx.asarray(places, device=device)] = cx.asarray(values, device=device)
    assert x.tolist() == values[last].tolist()
    rows = cx.zeros((10, 1000), dtype='float32', device=device)
    which = places[:1000] % 10
    rows[cx.asarray(which, device=device)] = cx.asarray(values.reshape(1000, 1000), device=device)
    last = np.array([np.flatnonzero(which == row)[-1] for row in range(10)])
    assert rows.tolist() == values.reshape(1000, 1000)[last].tolist()


def test_assignment_refuses_what_does_not_fit(device: str) -> None:
    x = cx.zeros((2, 3), dtype='int32', device=device)
    i = cx.asarray([0, 1], device=device)
    for key in ([0, 1], i, np.array([True, True])):
        with pytest.raises(DtypeError):
            x[key] = cx.ones(3, device=device)
        with pytest.raises(DtypeError):
            x[key] = 1.5
        with pytest.raises(DimensionError):
            x[key] = cx.ones(4, dtype='int32', device=device)
        with pytest.raises(MixedDevicesError):
            x[key] = cx.ones(3, dtype='int32', device='native:1')
        with pytest.raises(ReadOnlyError):
            x._as_readonly()[key] = 1
    assert not cx.any(x)
    x[i] = cx.asarray(True, device=device)
    assert cx.all(x == 1)


def test_indexes_live_on_the_same_device() -> None:
    i = cx.asarray([0, 1], device='native:0')
    for device in (FIRST, 'native:1'):
        x = cx.zeros(3, device=device)
        with pytest.raises(MixedDevicesError):
            x[i]
        with pytest.raises(MixedDevicesError):
            x[i] = 0
        with pytest.raises(MixedDevicesError):
            cx.zeros((3, 3), device=device)[x > 0, i]


def test_what_is_no_index_array(device: str) -> None:
    x = cx.zeros((3, 4), device=device)
    cyclic: list[Any] = []
    cyclic += [cyclic, cyclic]
    deep: Any = 0
    for _ in range(5000):
        deep = [deep]
    wrong = [
        np.array([0.5]), [0.5], ['a'], [None], [[0], [0, 1]], np.array(['a']), np.array([None]), np.zeros(2, 'M8[s]'),
        np.zeros(2, 'i4,i4'), cyclic, [cyclic], deep, [2**70], [2**64 - 1], b'a', {0}, {0: 1}, object(), 1j, [1j],
        np.float32(1), np.array(1.0), cx.ones(2, device=device), cx.ones((), device=device), [slice(0, 1)], [...],
        np.array([], float), (None,) * 1000, ([0],) * 1000, iter([0]), lambda: 0,
    ]  # fmt: skip
    for key in wrong:
        for act in (lambda key=key: x[key], lambda key=key: x.__setitem__(key, 0)):
            with pytest.raises((IndexError, TypeError)) as caught:
                act()
            assert str(caught.value)
    with pytest.raises(TypeError, match='stack'):
        x[[cx.asarray(0, device=device), cx.asarray(1, device=device)]]
    with pytest.raises(DimensionError):
        x[np.zeros((1,) * 64, int)]


class Strange:
    """Raises from whatever is asked of it."""

    def __init__(self, name: str) -> None:
        def fail(*_: Any) -> Any:
            raise RuntimeError(name)

        self.__class__ = type('Strange', (), {name: fail})


@pytest.mark.parametrize(
    'name', ['__index__', '__len__', '__getitem__', '__iter__', '__array__', '__repr__', '__bool__']
)
def test_strange_objects(name: str, device: str) -> None:
    x = cx.zeros((3, 4), device=device)
    for key in (Strange(name), [Strange(name)], (0, Strange(name)), slice(Strange(name))):
        with pytest.raises((IndexError, TypeError, RuntimeError)):
            x[key]


def test_every_integer_dtype_and_byte_order(device: str) -> None:
    x = cx.arange(5, device=device)
    for dtype in ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', '>i4', '>u2', 'q', 'Q', 'l'):
        assert x[np.array([4, 0], dtype)].tolist() == [4, 0]
    assert x[[]].shape == (0,) and x[[[]]].shape == (1, 0) and x[[True, False] * 2 + [True]].tolist() == [0, 2, 4]
    assert x[(1, 2),].tolist() == [1, 2] and x[np.array(True)].shape == (1, 5) and x[np.False_].shape == (0, 5)
    with pytest.raises(IndexError, match='18446744073709551615'):
        x[np.array([2**64 - 1], 'uint64')]


def test_a_fresh_array_comes_back(device: str) -> None:
    x = cx.zeros(4, device=device)
    y = x[[0, 1]]
    y[0] = 5
    assert not cx.any(x) and not y.readonly
    assert not cx.broadcast_to(x, (2, 4))[[0]].readonly


@pytest.mark.parametrize('dtype', ['int4', 'uint4', 'float8_e5m2', 'float8_e4m3fn', 'bfloat16'])
def test_storage_dtypes(dtype: str, device: str) -> None:
    x = cx.astype(cx.arange(5, device=device), dtype)
    x[[0, 1]] = x[[4, 3]]
    x[cx.asarray([False, False, True, False, False], device=device)] = 1
    assert [float(n) for n in cx.astype(x, 'float32').tolist()] == [4, 3, 1, 3, 4]


def test_indexes_may_lie_in_what_is_written(device: str, host: Any, rng: np.random.Generator) -> None:
    before, values = rng.permutation(5000), rng.permutation(5000)
    for key in (slice(None), slice(None, None, -1), slice(100, None)):
        x, want = cx.asarray(before.copy(), device=device), before.copy()
        want[want[key].copy()] = values[key]
        x[x[key]] = cx.asarray(values[key].copy(), device=device)
        np.testing.assert_array_equal(host(x), want)
    x[cx.asarray(before, device=device)] = cx.asarray(before, device=device)  # each where its number says
    x[x] = -1  # and all of them gone
    assert cx.all(x == -1)


def test_host_indexes_may_lie_in_what_is_written(rng: np.random.Generator) -> None:
    before = rng.permutation(5000)
    seen = before.copy()
    cx.asarray(seen, device='native:0')[seen] = 10**15  # one memory
    assert (seen == 10**15).all()
