"""`cupy.cuda`: devices, streams whose work is put off, memory, pools."""

from __future__ import annotations

import ctypes
import threading
import types
from collections import deque

import numpy as np

__all__ = [
    'Device',
    'Event',
    'ExternalStream',
    'MemoryPointer',
    'PinnedMemory',
    'PinnedMemoryPointer',
    'PythonFunctionAllocator',
    'Stream',
    'UnownedMemory',
    'alloc',
    'alloc_pinned_memory',
    'device',
    'get_allocator',
    'get_current_stream',
    'get_device_id',
    'memory',
    'pinned_memory',
    'runtime',
    'set_allocator',
]

_local = threading.local()


class CUDARuntimeError(RuntimeError):
    def __init__(self, status):
        super().__init__(f'status {status}')
        self.status = status


class Runtime(types.SimpleNamespace):
    """`cupy.cuda.runtime`. `refuse_host_alloc` is how many allocations of page-locked memory fail from now on."""

    CUDARuntimeError = CUDARuntimeError
    hostAllocPortable = 1
    streamLegacy = 1
    refuse_host_alloc = 0

    @staticmethod
    def getDevice():
        return getattr(_local, 'device', 0)

    @staticmethod
    def setDevice(device):
        if device not in (0, 1):
            raise CUDARuntimeError(101)
        _local.device = device

    @staticmethod
    def getDeviceCount():
        return 2


runtime = Runtime()


class Device:
    mem_info = (3 << 30, 4 << 30)

    def __init__(self, device=None):
        self.id = runtime.getDevice() if device is None else int(device)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    __hash__ = None  # as of CuPy's

    def __enter__(self):
        self._stack().append(runtime.getDevice())
        runtime.setDevice(self.id)
        return self

    def __exit__(self, *exception):
        runtime.setDevice(self._stack().pop())

    @staticmethod
    def _stack():
        if not hasattr(_local, 'stack'):
            _local.stack = []
        return _local.stack

    def use(self):
        runtime.setDevice(self.id)
        return self

    def synchronize(self):
        for stream in list(_streams[self.id]):
            stream._drain()


def get_device_id():
    return runtime.getDevice()


class Queue:
    """The work of one stream on one device, in order."""

    def __init__(self, blocking=True):
        self.blocking = blocking
        self.work = deque()
        self.busy = False

    def _drain(self, until=None):
        while self.work and not self.busy:
            self.busy = True  # what waits for a stream that waits for it is done already
            try:
                job = self.work.popleft()
                job()
            finally:
                self.busy = False
            if until is not None and until.reached:
                break


_streams = ({}, {})
_null = (Queue(), Queue())


class Stream:
    null = None
    ptds = None

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.device_id = -1 if null else runtime.getDevice()
        self.ptr = 0 if null else id(self)
        if not null:
            self._queue = Queue(not non_blocking)
            _streams[self.device_id][self._queue] = None

    def __eq__(self, other):
        return isinstance(other, Stream | ExternalStream) and self.ptr == other.ptr

    def __hash__(self):
        return self.ptr

    def _find(self):
        number = runtime.getDevice()
        if self.device_id not in (-1, number):
            raise RuntimeError(f'the stream is of device {self.device_id}, and the current device is {number}')
        return _null[number] if self.ptr == 0 else self._queue

    def use(self):
        _current()[runtime.getDevice()] = self
        self._find()
        return self

    def __enter__(self):
        number = runtime.getDevice()
        self._before = getattr(self, '_before', [])
        self._before.append((number, get_current_stream()))
        return self.use()

    def __exit__(self, *exception):
        number, before = self._before.pop()
        _current()[number] = before

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        self._queue_here().work.append(event.reach)

    def _queue_here(self):
        return _null[runtime.getDevice()] if self.ptr == 0 else self._queue

    def synchronize(self):
        _drain(self._queue_here(), self.device_id if self.device_id >= 0 else runtime.getDevice())


class ExternalStream(Stream):
    def __init__(self, ptr, device_id=-1):
        self.ptr, self.device_id = ptr, device_id
        self._queue = Queue()


Stream.null = Stream(null=True)
for _number in (0, 1):
    _streams[_number][_null[_number]] = None


def _drain(queue, number):
    """A blocking stream and the default one wait for each other."""
    if queue is _null[number]:
        for other in list(_streams[number]):
            if other.blocking and other is not queue:
                other._drain()
    elif queue.blocking:
        _null[number]._drain()
    queue._drain()


def _current():
    if not hasattr(_local, 'streams'):
        _local.streams = [Stream.null, Stream.null]
    return _local.streams


def get_current_stream(device_id=-1):
    return _current()[runtime.getDevice() if device_id == -1 else device_id]


def catch_up():
    """Have all that comes before on the current stream done, as whatever runs there next finds it."""
    _drain(get_current_stream()._find(), runtime.getDevice())


class Event:
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.reached = True
        self._queue = None

    @property
    def done(self):
        return self.reached

    def record(self, stream=None):
        queue = (stream or get_current_stream())._find()
        self.reached, self._queue, self._number = False, queue, runtime.getDevice()
        queue.work.append(self._reach_here)

    def _reach_here(self):
        self.reached = True

    def reach(self):
        if not self.reached:
            if self._queue.blocking and self._queue is not _null[self._number]:
                _null[self._number]._drain()
            self._queue._drain(until=self)

    def synchronize(self):
        self.reach()


class BaseMemory:
    ptr = 0
    size = 0
    device_id = 0

    @property
    def device(self):
        return Device(self.device_id)


class Memory(BaseMemory):
    """What the default allocator gives; its bytes are nonsense at first."""

    def __init__(self, size):
        if size > memory_pool.room:
            raise OutOfMemoryError(size, memory_pool.room)
        self.size, self.device_id = size, runtime.getDevice()
        self.values = np.full(size + 512, 0xA5, np.uint8)
        self.ptr = self.values.ctypes.data + (-self.values.ctypes.data % 256) if size else 0
        memory_pool.used[self.device_id] += size

    def __del__(self):
        memory_pool.used[self.device_id] -= self.size if hasattr(self, 'values') else 0


class UnownedMemory(BaseMemory):
    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self.values = ptr, size, owner
        self.device_id = from_pointer(ptr).id if device_id < 0 else device_id


class PythonFunctionAllocatorMemory(BaseMemory):
    def __init__(self, size, malloc_func, free_func, device_id):
        self.size, self.device_id, self._free = size, device_id, free_func
        self.ptr = malloc_func(size, device_id) if size else 0

    def __del__(self):
        if self.ptr:
            self._free(self.ptr, self.device_id)


class PythonFunctionAllocator:
    def __init__(self, malloc_func, free_func):
        self._functions = malloc_func, free_func

    def malloc(self, size):
        return MemoryPointer(PythonFunctionAllocatorMemory(size, *self._functions, runtime.getDevice()), 0)


class OutOfMemoryError(MemoryError):
    def __init__(self, size, total, limit=0):
        super().__init__(f'Out of memory allocating {size} bytes (allocated so far: {total} bytes).')


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id

    @property
    def device(self):
        return Device(self.device_id)

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def _copy(self, dst, src, size, host, held, stream):
        queue = (stream or get_current_stream())._find()
        queue.work.append(lambda held=held: ctypes.memmove(dst, src, size))
        if host is not None and not pinned_memory.is_memory_pinned(host):
            catch_up()

    def copy_from_host_async(self, mem, size, stream=None):
        assert self.device_id == runtime.getDevice()
        self._copy(self.ptr, mem, size, mem, (self.mem, pinned.get(mem)), stream)

    def copy_to_host_async(self, mem, size, stream=None):
        assert self.device_id == runtime.getDevice()
        self._copy(mem, self.ptr, size, mem, (self.mem, pinned.get(mem)), stream)

    def copy_from_device_async(self, src, size, stream=None):
        assert self.device_id == runtime.getDevice()
        self._copy(self.ptr, src.ptr, size, None, (self.mem, src.mem), stream)


class Pinned(dict):
    """Page-locked memory by address."""

    def get(self, address):
        return next((values for begin, values in self.items() if begin <= address < begin + values.nbytes), None)


pinned = Pinned()


class PinnedMemory:
    def __init__(self, size, flags=0):
        if runtime.refuse_host_alloc:
            runtime.refuse_host_alloc -= 1
            raise CUDARuntimeError(2)
        self.size, self.ptr = size, 0
        if size:
            values = np.full(size, 0xA5, np.uint8)
            self.ptr = values.ctypes.data
            pinned[self.ptr] = values

    def __del__(self):
        # CUDA waits for the copies that are under way before it gives page-locked memory back.
        if getattr(self, 'ptr', 0) and pinned is not None:
            for number in (0, 1):
                for queue in list(_streams[number]):
                    queue._drain()
            del pinned[self.ptr]


class PinnedMemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, mem.ptr + offset

    def size(self):
        return self.mem.size - (self.ptr - self.mem.ptr)


def alloc_pinned_memory(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def from_pointer(ptr):
    return Device(unowned.get(ptr, 0))


#: Where memory lies that an unknown library shows, by its address.
unowned = {}

pinned_memory = types.SimpleNamespace(is_memory_pinned=lambda data: pinned.get(data) is not None)
device = types.SimpleNamespace(from_pointer=from_pointer)
memory = types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError)


class MemoryPool:
    def __init__(self):
        self.room = 1 << 40
        self.used = [0, 0]

    def malloc(self, size):
        return MemoryPointer(Memory(size), 0)

    def used_bytes(self):
        return self.used[runtime.getDevice()]

    def free_bytes(self):
        return 7

    def free_all_blocks(self, stream=None):
        pass


memory_pool = MemoryPool()
_allocator = [memory_pool.malloc]
#: The current device and stream at each allocation.
allocations = []


def alloc(size):
    allocations.append((runtime.getDevice(), get_current_stream().ptr))
    return _allocator[0](size)


def set_allocator(allocator=None):
    _allocator[0] = allocator or MemoryPool().malloc


def get_allocator():
    return _allocator[0]


def get_default_memory_pool():
    return memory_pool


def get_default_pinned_memory_pool():
    raise AssertionError('it knows no bound, and is not ours')


def reset():
    for number in (0, 1):
        for queue in list(_streams[number]):
            queue._drain()
    runtime.setDevice(0)
    runtime.refuse_host_alloc = 0
    _local.streams = [Stream.null, Stream.null]
    _allocator[0] = memory_pool.malloc
    memory_pool.room = 1 << 40
    allocations.clear()
    unowned.clear()
