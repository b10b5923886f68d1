"""The pool of pinned memory, copies that go through it, and small arrays that cross together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DeviceError, DimensionError, DtypeError, OutOfMemoryError

from .process import run

MIB = 2**20


@pytest.fixture
def pool() -> Iterator[cx.PinnedMemoryPool]:
    pool = cx.pinned_memory_pool('sim:0')
    limit = pool.statistics().limit
    yield pool
    pool.set_limit(limit)


def test_one_pool_for_each_kind(pool: cx.PinnedMemoryPool) -> None:
    assert cx.pinned_memory_pool('sim:1') is pool
    assert cx.pinned_memory_pool(cx.device('native:0')) is not pool
    assert pool.statistics().limit == 256 * MIB


def test_arrays_in_pinned_memory(pool: cx.PinnedMemoryPool) -> None:
    x = pool.empty((3, 5), dtype='int16')
    assert (x.shape, x.dtype, str(x.device), x.readonly) == ((3, 5), cx.int16, 'native:0', False)
    x[...] = 7
    assert x.to_device('sim:0').tolist() == [[7] * 5] * 3
    assert pool.statistics().used == 4096
    view = x[1]
    del x
    assert pool.statistics().used == 4096
    assert exchange.is_pinned(exchange.as_numpy(view), cx.device('sim:1'))
    assert not exchange.is_pinned(exchange.as_numpy(view)[::2], cx.device('sim:1'))
    assert not exchange.is_pinned(np.zeros(3), cx.device('sim:1'))
    assert not exchange.is_pinned(exchange.as_numpy(view), cx.device('native:1'))
    del view
    assert pool.statistics().used == 0
    assert pool.empty((), dtype=cx.bool).shape == () and pool.empty(0, dtype='float32').size == 0


def test_arrays_are_bounded(pool: cx.PinnedMemoryPool) -> None:
    pool.set_limit(12 * MIB)
    x = pool.empty(4 * MIB, dtype='uint8')
    with pytest.raises(OutOfMemoryError, match='out of pinned host memory: 1 bytes requested'):
        pool.empty(1, dtype='uint8')
    with pytest.raises(DimensionError):
        pool.empty(-1, dtype='uint8')
    with pytest.raises(DtypeError):
        pool.empty(1, dtype='no')
    # Copies have room all the same.
    big = np.arange(3.0 * MIB)
    there = cx.empty(3 * MIB, dtype='float32', device='sim:0')
    exchange.copy_into(there, exchange.from_numpy(big))
    np.testing.assert_array_equal(exchange.as_numpy(there.to_device('native:0')), big.astype('f4'))
    assert pool.statistics().high_water <= 256 * MIB and pool.statistics().used == 4 * MIB
    del x
    pool.free_all_blocks()
    assert pool.statistics()[:2] == (0, 0)
    for limit in (8 * MIB - 1, 0, -1):
        with pytest.raises(ValueError, match='at least 8388608 bytes'):
            pool.set_limit(limit)


def test_packs_are_views_of_one_allocation() -> None:
    sources = [np.arange(12.0).reshape(3, 4).T, np.array(True), np.arange(5)[::-1], np.zeros((0, 2), 'f4')]
    dtypes = [cx.float32, cx.bool, cx.int64, cx.float32]
    block = [(exchange.from_numpy(x), dtype) for x, dtype in zip(sources, dtypes)]
    before = cx.sim.counters(0)
    there = exchange.pack([block, block[:1]], cx.device('sim:0'))
    after = cx.sim.counters(0)
    assert (after.copies - before.copies, after.host_to_device_nbytes - before.host_to_device_nbytes) == (
        2,
        48 + 1 + 40 + 48,
    )
    back = [np.empty(x.shape, 'f8') for x in (*sources, sources[0])]
    exchange.unpack([list(zip(map(exchange.from_numpy, back), there))], cx.device('sim:0'))
    assert cx.sim.counters(0).copies == after.copies + 1
    for x, y, z in zip((*sources, sources[0]), there, back):
        np.testing.assert_array_equal(z, x)
        assert (y.shape, y.device) == (x.shape, cx.device('sim:0'))
    assert [y.dtype for y in there] == [*dtypes, cx.float32]


def test_packs_refuse() -> None:
    device = cx.device('sim:0')
    assert exchange.pack([], device) == [] and exchange.pack([[]], device) == []
    large = exchange.from_numpy(np.zeros(4 * MIB, 'u1'))
    with pytest.raises(ValueError, match='a block of more than 4194304 bytes'):
        exchange.pack([[(large, cx.uint8), (large[:1], cx.uint8)]], device)
    far = cx.zeros(3, device='sim:1')
    with pytest.raises(DeviceError):
        exchange.pack([[(far, far.dtype)]], device)
    with pytest.raises(DeviceError):
        exchange.unpack([[(exchange.from_numpy(np.zeros(3)), far)]], device)
    with pytest.raises(DimensionError):
        exchange.unpack([[(exchange.from_numpy(np.zeros(4)), cx.zeros(3, device=device))]], device)


def test_a_fork_in_the_middle_of_many_copies() -> None:
    code = """
import os, threading
import numpy as np
import crossdock.core as cx
from crossdock.core import exchange
x = exchange.from_numpy(np.arange(3e6))
def send():
    y = cx.empty(3_000_000, dtype='float32', device='sim:0')
    exchange.copy_into(y, x)
    assert float(y[-1]) == 2999999
stop = False
def loop():
    while not stop:
        send()
thread = threading.Thread(target=loop)
thread.start()
for _ in range(5):
    child = os.fork()
    if not child:
        send()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop = True
thread.join()
print('sane')
"""
    assert run(code).endswith('sane\n')


def test_conversion_and_link_overlap() -> None:
    code = """
import time
import numpy as np
import crossdock as xd
d = xd.get_device('sim:0')
x = np.random.rand(2**22)
t = time.perf_counter()
y = d.send(x, dtype='float32')
returned = time.perf_counter() - t
d.synchronize()
print(returned, time.perf_counter() - t)
"""
    returned, arrived = map(float, run(code, CROSSDOCK_SIM_H2D_GBPS='0.03').split())  # 16 MiB in 0.56 s
    assert arrived > 0.55 and returned < arrived - 0.03, 'back when the source has been read, before all has arrived'
