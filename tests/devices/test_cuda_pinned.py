"""The bounded pool of page-locked memory, over the stand-in for CuPy."""

import gc
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.core.exchange import CHUNK_NBYTES
from crossdock.devices import cuda

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)


@pytest.fixture
def pool():
    return cuda.PinnedMemoryPool(1 << 20)


def test_blocks_are_reused(pool):
    first = pool.malloc(1000)
    address = first.ptr
    assert first.size() >= 1000
    assert pool.statistics() == (1024, 0, 1024, 1 << 20)
    del first
    assert pool.statistics() == (0, 1024, 1024, 1 << 20)
    assert (pool.used_bytes(), pool.free_bytes(), pool.total_bytes(), pool.n_free_blocks()) == (0, 1024, 1024, 1)
    again = pool.malloc(600)
    assert again.ptr == address
    other = pool.malloc(600)
    assert other.ptr != address
    del again, other
    pool.free_all_blocks()
    assert pool.statistics() == (0, 0, 2048, 1 << 20)


def test_sizes(pool):
    assert pool.malloc(0).size() == 0
    assert pool.malloc(1).size() == 512
    with pytest.raises(ValueError, match='-1 bytes'):
        pool.malloc(-1)
    pool.set_limit(1 << 30)
    assert pool.malloc(CHUNK_NBYTES + 1).size() == 2 * CHUNK_NBYTES


def test_it_is_bounded(pool):
    held = pool.malloc(1 << 19)
    spare = pool.malloc(1 << 18)
    del spare
    more = pool.malloc(1 << 19)  # what is kept gives way
    assert pool.statistics() == (1 << 20, 0, 1 << 20, 1 << 20)
    with pytest.raises(xd.errors.OutOfMemoryError, match='set_limit') as caught:
        pool.malloc(1)
    assert (caught.value.requested, caught.value.free, caught.value.pooled) == (512, 0, 0)
    pool.set_limit(1000)
    assert pool.get_limit() == 1000
    del held, more
    assert pool.statistics().pooled <= 1000
    with pytest.raises(ValueError, match='-1 bytes'):
        pool.set_limit(-1)


def test_the_system_may_have_none(cupy, pool):
    spare = pool.malloc(2000)
    del spare
    cupy.cuda.runtime.refuse_host_alloc = 1
    held = pool.malloc(600)  # once what was kept is given back
    assert held.size() == 1024 and pool.statistics().pooled == 0
    cupy.cuda.runtime.refuse_host_alloc = 2
    with pytest.raises(xd.errors.OutOfMemoryError, match='the system gives no more'):
        pool.malloc(600)
    assert pool.statistics().used == 1024


def test_arrays(pool):
    x = pool.empty((3, 4), 'int16')
    assert x.shape == (3, 4) and x.dtype == np.int16 and x.flags.c_contiguous and x.flags.writeable
    x[...] = 5
    row = x[1]
    del x
    gc.collect()
    assert row.tolist() == [5] * 4 and pool.statistics().used == 512
    del row
    assert pool.statistics().used == 0
    assert pool.empty(0).size == 0 and pool.empty((2, 0)).shape == (2, 0)
    with pytest.raises(TypeError, match='Python objects'):
        pool.empty(3, object)


def test_busy_blocks_are_waited_for_only_at_the_limit(cupy, pool):
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True)
        event = stream.record()
    pool.set_limit(1024)
    first = pool.malloc(512)
    first.mem.hold_until(event)
    address = first.ptr
    del first
    second = pool.malloc(512)
    assert second.ptr != address and not event.done
    third = pool.malloc(512)
    assert third.ptr == address and event.done


def test_cupy_takes_its_own_from_it(cupy, pool):
    pointer = pool.malloc(100)
    assert isinstance(pointer, cupy.cuda.PinnedMemoryPointer)
    assert cupy.cuda.pinned_memory.is_memory_pinned(pointer.ptr + 99)


def test_many_threads(pool):
    failures = []

    def work(number):
        try:
            for size in range(1, 200):
                x = pool.empty(size, 'uint8')
                x[:] = number
                assert (x == number).all()
        except BaseException as error:  # told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and pool.statistics().used == 0
