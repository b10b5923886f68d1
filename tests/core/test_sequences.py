"""asarray of nested lists and tuples, with core arrays among the numbers."""

from __future__ import annotations

import pytest

import crossdock.core as cx
from crossdock.errors import CopyRequiredError, DimensionError, DtypeError, MixedDevicesError


def test_arrays_are_stacked_where_they_are(device):
    x = cx.arange(3, dtype='float32', device=device)
    y = cx.asarray([[x[0], x[1]], (5, x[2])])
    assert y.device is x.device
    assert y.dtype == 'float32'
    assert y.tolist() == [[0, 1], [5, 2]]
    assert cx.asarray([x, x]).shape == (2, 3)


def test_nothing_moves_unless_a_device_is_named(device, transfers):
    x = cx.arange(3, device=device)
    before = len(transfers)
    cx.asarray([x, x])
    assert len(transfers) == before
    moved = cx.asarray([x, x], dtype='float32', device='native:0')
    assert moved.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert len(transfers) - before == (device != 'native:0')


def test_dtypes_promote(device):
    x = cx.ones((), dtype='float32', device=device)
    assert cx.asarray([x, cx.ones((), dtype='float64', device=device)]).dtype == 'float64'
    assert cx.asarray([x, 1, 2.5]).dtype == 'float32'


def test_copy(device):
    x = cx.ones(2, device=device)
    with pytest.raises(CopyRequiredError):
        cx.asarray([x, x], copy=False)
    y = cx.asarray([x], copy=True)
    y[0, 0] = 7
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ('others', 'error'),
    [(['a'], DtypeError), ([1], DimensionError), ([[]], DimensionError), ([[1, 2]], DimensionError)],
    ids=str,
)
def test_what_does_not_fit(device, others, error):
    with pytest.raises(error):
        cx.asarray([cx.ones(3, device=device), *others])


def test_a_kind_that_does_not_go_along(device):
    with pytest.raises(DtypeError):
        cx.asarray([cx.ones((), dtype='int32', device=device), 1.5])


def test_two_devices():
    with pytest.raises(MixedDevicesError):
        cx.asarray([cx.ones(1, device='native:0'), cx.ones(1, device='sim:0')])


def test_integers_beyond_63_bits_are_not_rounded(device):
    numbers = [2**63 + 1, 0, 5, 2**64 - 1]
    for x in (cx.asarray(numbers, device=device), cx.asarray([numbers], dtype='uint64', device=device)[0]):
        assert x.dtype == 'uint64'
        assert x.tolist() == numbers
    with pytest.raises(DtypeError):
        cx.asarray([2**63, -1], device=device)
    assert cx.asarray([2**63, 1.0], device=device).dtype == 'float64'


def test_sequences_without_end():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(DimensionError, match='itself'):
        cx.asarray(endless)
    doubled: object = [1, 1]
    for _ in range(60):
        doubled = [doubled, doubled]
    with pytest.raises(DimensionError, match='numbers'):
        cx.asarray(doubled)
    deep: object = 1
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(DimensionError, match='deep'):
        cx.asarray(deep)
