"""The doors to host memory, the transfer hook, the default device."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DeviceError, DimensionError, DtypeError, ReadOnlyError

from ..accelerator import FIRST, SECOND


@pytest.mark.parametrize(
    'view',
    [
        np.arange(24.0).reshape(2, 3, 4)[::-1, :, ::-2],
        np.broadcast_to(np.arange(3), (4, 3)),
        np.zeros((0, 4)),
        np.array(3.5),
        np.asfortranarray(np.eye(3)),
        np.frombuffer(b'abcdefgh1', 'u1')[1:].view('f4'),
    ],
)
def test_host_memory_is_seen_not_copied(view: np.ndarray) -> None:
    x = exchange.from_numpy(view)
    assert x.readonly is not view.flags.writeable
    back = exchange.as_numpy(x)
    np.testing.assert_array_equal(back, view)
    assert back.flags.writeable == view.flags.writeable
    # An empty array's strides lead nowhere, and NumPy makes them up.
    assert view.size == 0 or x.strides == back.strides == view.strides
    assert view.size == 0 or np.shares_memory(back, view)


def test_the_owner_lives_as_long_as_a_view() -> None:
    a = np.ones(3)
    before = sys.getrefcount(a)
    x = exchange.from_numpy(a)[1:].reshape(2, 1)
    assert sys.getrefcount(a) == before + 1
    back = exchange.as_numpy(x)
    del x
    gc.collect()
    assert sys.getrefcount(a) == before + 1
    del back
    gc.collect()
    assert sys.getrefcount(a) == before


@pytest.mark.parametrize('bad', ['U3', 'O', 'i4,i4', 'M8[s]', '>f4', 'longdouble', 'V4'])
def test_dtypes_that_are_not_here(bad: str) -> None:
    with pytest.raises(DtypeError):
        exchange.from_numpy(np.zeros(2, bad))


def test_accelerators_cannot_see_host_memory() -> None:
    with pytest.raises(DeviceError):
        exchange.from_numpy(np.ones(2), FIRST)
    with pytest.raises(DeviceError):
        exchange.as_numpy(cx.ones(2, device=FIRST))


SPECS = ['native:0', 'native:1', FIRST, SECOND]


@pytest.mark.parametrize('source', SPECS)
@pytest.mark.parametrize('target', SPECS)
def test_copies_between_any_two_devices(source: str, target: str, rng: np.random.Generator) -> None:
    a = rng.standard_normal((4, 6)).astype('float32')
    src = cx.asarray(a, device=source)[::-1, ::2]
    for dtype in ('float32', 'float64', 'int16'):
        dst = cx.zeros((2, 4, 3), dtype=dtype, device=target)
        exchange.copy_into(dst, src)
        np.testing.assert_array_equal(
            exchange.as_numpy(dst.to_device('native:0')), np.broadcast_to(a[::-1, ::2].astype(dtype), (2, 4, 3))
        )
    whole = cx.zeros((4, 6), device=target)
    exchange.copy_into(whole[:, ::2], src)
    assert exchange.as_numpy(whole.to_device('native:0'))[:, 1::2].sum() == 0


def test_copies_refuse_before_they_begin() -> None:
    dst = cx.zeros((2, 3), device=FIRST)
    with pytest.raises(DimensionError):
        exchange.copy_into(dst, cx.ones((4, 3), device=FIRST))
    with pytest.raises(ReadOnlyError):
        exchange.copy_into(dst._as_readonly(), cx.ones((2, 3), device=FIRST))
    assert float(dst.sum()) == 0


def test_the_hook_is_told_once_and_before(transfers) -> None:
    x = cx.ones((10, 10), dtype='float32', device=FIRST)
    exchange.copy_into(x, exchange.from_numpy(np.zeros((10, 10))), source='@numpy', target='here')
    assert transfers == [('copy', 400, '@numpy', 'here', False, False, 'staged')]  # the narrower dtype travels
    transfers.clear()
    x.to_device(SECOND)
    x.to_device(FIRST)
    cx.ones(3, device='native:0').to_device('native:1')
    assert [row[:4] for row in transfers] == [('to_device', 400, FIRST, SECOND)]


def test_a_hook_can_refuse() -> None:
    class Refused(Exception):
        pass

    def refuse(*_):
        raise Refused

    x, y = cx.ones(3, device=FIRST), cx.zeros(3, device='native:0')
    before = cx.sim.counters(0)
    exchange.set_transfer_hook(refuse)
    try:
        for act in (
            lambda: float(x[0]),
            lambda: exchange.copy_into(y, x),
            lambda: x.to_device('native:0'),
            lambda: x.tolist(),
            lambda: repr(x),
        ):
            with pytest.raises(Refused):
                act()
    finally:
        exchange.set_transfer_hook(None)
    assert cx.sim.counters(0)[:4] == before[:4] and y.tolist() == [0, 0, 0]
    assert float(x[0]) == 1


def test_default_device() -> None:
    before = exchange.set_default_device(lambda: cx.device(SECOND))
    try:
        assert str(cx.zeros(2).device) == SECOND and str(cx.asarray([1]).device) == SECOND
        assert str(cx.zeros(2, device='native:0').device) == 'native:0'
        exchange.set_default_device(lambda: None)
        assert str(cx.zeros(2).device) == 'native:0'
    finally:
        exchange.set_default_device(before)
