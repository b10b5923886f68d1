"""One pool for CuPy and the core, over stand-ins for both."""

import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _cuda_pools, cuda
from crossdock.devices.backends import _core

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


class Core:
    """What the compiled core offers where it has a CUDA back-end."""

    def __init__(self):
        self.borrowed = None
        self.lent = {}
        self.calls = []

    def device_counts(self):
        return {'native': 2, 'sim': 2, 'cuda': 2}

    def _cuda_borrow_pool(self, alloc, free):
        assert (alloc is None) == (free is None)
        self.borrowed = (alloc, free) if alloc else None
        self.calls.append('borrow' if alloc else 'give back')

    def _cuda_lend(self, nbytes, device):
        if nbytes > 1 << 20:
            raise xd.errors.OutOfMemoryError(f'no room for {nbytes} bytes', requested=nbytes)
        memory = np.zeros(nbytes, np.uint8)
        self.lent[memory.ctypes.data, device] = memory
        return memory.ctypes.data

    def _cuda_take_back(self, address, device):
        del self.lent[address, device]


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)


@pytest.fixture(autouse=True)
def core(monkeypatch):
    fake = Core()
    monkeypatch.setattr(_cuda_pools, '_core', fake)
    monkeypatch.setattr(_cuda_pools, '_decided', False)
    yield fake
    cuda.share_pool(None)
    assert not fake.lent


def test_the_core_takes_from_cupy(cupy, core):
    assert cuda.share_pool('cupy') is None
    alloc, free = core.borrowed
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True).use()
    before = cupy.get_default_memory_pool().used[1]
    address = alloc(1000, 1)
    assert isinstance(address, int) and cupy.get_default_memory_pool().used[1] == before + 1000
    assert cupy_stand_in._cuda.allocations[-1] == (1, 0), 'on its device, in the order of the default stream'
    assert cupy.cuda.get_current_stream(1) == stream
    free(address, 1000, 1)
    assert cupy.get_default_memory_pool().used[1] == before
    with cupy.cuda.Device(1):
        cupy.cuda.Stream.null.use()
    assert cuda.share_pool('cupy') == 'cupy' and core.calls == ['borrow']
    assert cuda.share_pool(None) == 'cupy' and core.borrowed is None


def test_no_memory_is_a_memory_error(cupy, core):
    cuda.share_pool('cupy')
    cupy_stand_in._cuda.memory_pool.room = 10
    with pytest.raises(MemoryError):
        core.borrowed[0](1000, 1)

    def raw(nbytes):
        raise cupy.cuda.runtime.CUDARuntimeError(2)

    cupy.cuda.set_allocator(raw)
    with pytest.raises(MemoryError, match='1000 bytes on GPU 0'):
        core.borrowed[0](1000, 0)

    def broken(nbytes):
        raise cupy.cuda.runtime.CUDARuntimeError(999)

    cupy.cuda.set_allocator(broken)
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError):
        core.borrowed[0](1000, 0)


def test_cupy_takes_from_the_core(cupy, core):
    before = cupy.cuda.get_allocator()
    cuda.share_pool('core')
    with cupy.cuda.Device(1):
        x = cupy.empty(100)
    assert list(core.lent) == [(x.data.ptr, 1)]
    with pytest.raises(MemoryError):
        cupy.empty(1 << 20)
    y = xd.get_device('@cupy:1').send(np.arange(5.0))
    assert len(core.lent) == 2 and xd.to_numpy(y).tolist() == [0, 1, 2, 3, 4]
    del x, y
    assert not core.lent
    assert cuda.share_pool(None) == 'core'
    assert cupy.cuda.get_allocator() == before


@pytest.mark.parametrize('number', [0, 1])
def test_memory_changes_hands_in_the_order_of_the_streams(cupy, core, number):
    cuda.share_pool('core')
    done = []
    null = cupy.cuda.Stream.null
    with cupy.cuda.Device(number):
        null._queue_here().work.append(lambda: done.append('what the core had queued'))
        stream = cupy.cuda.Stream(non_blocking=True).use()
        x = cupy.empty(100)
        stream.synchronize()
        assert done == ['what the core had queued']
        stream._queue.work.append(lambda: done.append('what CuPy had queued'))
    del x  # while another device is current
    with cupy.cuda.Device(number):
        null.synchronize()
        null.use()
    assert done == ['what the core had queued', 'what CuPy had queued']


def test_one_after_the_other(cupy, core):
    assert cuda.share_pool('cupy') is None
    assert cuda.share_pool('core') == 'cupy'
    assert core.borrowed is None and core.calls == ['borrow', 'give back']
    assert cuda.share_pool('cupy') == 'core'
    assert core.borrowed is not None
    cupy.empty(3)
    assert not core.lent


def test_it_happens_by_itself_once_both_are_in_use(core):
    assert core.borrowed is None
    xd.get_device('@cupy:0').send(np.ones(3))
    assert core.borrowed is not None


def test_it_happens_at_the_first_use_of_the_core(core, monkeypatch):
    monkeypatch.setattr(_core.CoreBackend, 'place', lambda self, suffix: suffix)
    assert _core.CUDA.place('0') == '0'
    assert core.borrowed is not None


def test_not_while_cupy_is_away_or_half_imported(core, monkeypatch):
    with monkeypatch.context() as away:
        away.delitem(sys.modules, 'cupy')
        _cuda_pools.join()
        away.setitem(sys.modules, 'cupy', object())
        _cuda_pools.join()
    assert core.borrowed is None


def test_not_against_what_was_said(core):
    cuda.share_pool(None)
    xd.get_device('@cupy:0').send(np.ones(3))
    assert core.borrowed is None


def test_without_a_cuda_device_of_the_core(core, monkeypatch):
    monkeypatch.setattr(Core, 'device_counts', lambda self: {'cuda': 0})
    with pytest.raises(xd.errors.DeviceUnavailableError, match='the core has no cuda device'):
        cuda.share_pool('cupy')
    assert cuda.share_pool(None) is None
