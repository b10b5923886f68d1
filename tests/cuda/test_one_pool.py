"""CuPy and the core's cuda devices take memory from one pool: the real core on the fake driver, a stand-in for CuPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

START = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
"""
SHARED = """
import ctypes
import gc
import threading
import numpy as np
import crossdock as xd
import cupy_stand_in
from crossdock.devices import cuda
from crossdock.devices.backends import _cupy

cupy = sys.modules['cupy'] = cupy_stand_in.make_module()
_cupy.CupyBackend.unavailable = lambda self: ''
driver = ctypes.CDLL('libcuda.so.1')
host = xd.core.arange(1000, dtype='float32', device='native:0')


class FromDriver(cupy_stand_in._cuda.BaseMemory):
    # The stand-in's own memory is the host's, which the driver does not know.
    live = 0

    def __init__(self, size):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
        self.ptr, self.size, self.device_id = address.value, size, cupy.cuda.runtime.getDevice()
        FromDriver.live += 1

    def __del__(self):
        FromDriver.live -= 1
        assert driver.cuMemFree_v2(ctypes.c_uint64(self.ptr)) == 0


def full(size):
    if size > 1 << 40:
        raise cupy.cuda.memory.OutOfMemoryError(size, 0)
    return cupy.cuda.MemoryPointer(FromDriver(size), 0)


before = xd.core.empty(1000, device='cuda:0')
cupy.cuda.set_allocator(full)
device = xd.get_device('cuda:0')  # both are in use now
first = xd.core.empty(1000, device='cuda:0')
print('by itself', FromDriver.live)
second = device.send(np.arange(1000.0))
assert (xd.to_numpy(second) == np.arange(1000.0)).all()
print('two', FromDriver.live)
del first, before
device.synchronize()
gc.collect()
print('given back', FromDriver.live)
try:
    xd.core.empty(1 << 41, dtype='int8', device='cuda:0')
except MemoryError as error:
    print('no room', type(error).__name__)


def work():
    for size in range(1, 100):
        x = device.send(np.full(size, float(size)))
        assert (xd.to_numpy(x) == size).all()


threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join(60) for thread in threads]
print('threads', any(thread.is_alive() for thread in threads), FromDriver.live)

print('was', cuda.share_pool('core'))
used = device.memory_info().used
x = cupy.empty(1000, 'float32')
print('same figures', xd.get_device('@cupy:0').memory_info() == device.memory_info())
print('lent', device.memory_info().used - used >= 4000, FromDriver.live)
del x
print('back', device.memory_info().used - used)
print('was', cuda.share_pool(None))
third = xd.core.empty(1000, device='cuda:0')
print('each its own', FromDriver.live)
del second, third
gc.collect()
device.synchronize()
print('none', FromDriver.live)
"""


def test_either_way_round(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(START + SHARED).splitlines() == [
        'by itself 1',
        'two 2',
        'given back 1',
        'no room OutOfMemoryError',
        'threads False 1',
        'was cupy',
        'same figures True',
        'lent True 1',
        'back 0',
        'was core',
        'each its own 1',
        'none 0',
    ]
