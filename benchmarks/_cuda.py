"""The CUDA driver by ctypes, with nothing between: bare copies to compare with, and events to time with."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from crossdock.core import cuda

Address = ctypes.c_uint64
#: Names whose first version nobody uses any more.
SECOND = {'cuMemAlloc', 'cuMemFree', 'cuMemcpyHtoDAsync', 'cuMemcpyDtoHAsync', 'cuMemcpyDtoDAsync', 'cuDeviceTotalMem'}


def absent() -> str:
    """Why there is no GPU; '' if there is one."""
    count, reason = cuda.count_gpus()
    return '' if count else reason


class Driver:
    """GPU 0, its primary context current in this thread; everything is on the legacy default stream."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(cuda.find_library('driver').path)
        self.call('cuInit', 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call('cuDeviceGet', ctypes.byref(device), 0)
        name, nbytes = ctypes.create_string_buffer(256), ctypes.c_size_t()
        self.call('cuDeviceGetName', name, len(name), device)
        self.call('cuDeviceTotalMem', ctypes.byref(nbytes), device)
        self.name, self.memory_nbytes = name.value.decode(), nbytes.value
        self.call('cuDevicePrimaryCtxRetain', ctypes.byref(context), device)
        self.call('cuCtxSetCurrent', context)
        self.events = self.event(), self.event()

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; RuntimeError where it does not answer with success."""
        code = getattr(self.library, f'{name}_v2' if name in SECOND else name)(*arguments)
        if code:
            raise RuntimeError(f'{name}: {code}')

    def event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        self.call('cuEventCreate', ctypes.byref(event), 0)
        return event

    def allocate(self, nbytes: int) -> Address:
        """So many bytes on the GPU."""
        address = Address()
        self.call('cuMemAlloc', ctypes.byref(address), ctypes.c_size_t(nbytes))
        return address

    def free(self, address: Address) -> None:
        self.call('cuMemFree', address)

    def upload(self, target: Address, source: int, nbytes: int) -> None:
        """Queue a copy from host memory."""
        self.call('cuMemcpyHtoDAsync', target, ctypes.c_void_p(source), ctypes.c_size_t(nbytes), None)

    def download(self, target: int, source: Address, nbytes: int) -> None:
        """Queue a copy to host memory."""
        self.call('cuMemcpyDtoHAsync', ctypes.c_void_p(target), source, ctypes.c_size_t(nbytes), None)

    def copy(self, target: Address, source: Address, nbytes: int) -> None:
        """Queue a copy on the GPU."""
        self.call('cuMemcpyDtoDAsync', target, source, ctypes.c_size_t(nbytes), None)

    def wait(self) -> None:
        """Until all is done that was queued on the GPU."""
        self.call('cuCtxSynchronize')

    def seconds(self, work: Callable[[], Any], count: int) -> float:
        """Of the GPU's time for one of so many executions in a row, by events before and after them."""
        begin, end = self.events
        milliseconds = ctypes.c_float()
        self.call('cuEventRecord', begin, None)
        for _ in range(count):
            work()
        self.call('cuEventRecord', end, None)
        self.call('cuEventSynchronize', end)
        self.call('cuEventElapsedTime', ctypes.byref(milliseconds), begin, end)
        return milliseconds.value / 1e3 / count
