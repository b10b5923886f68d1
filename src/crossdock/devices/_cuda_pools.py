"""One pool of GPU memory for CuPy and for the core's ``cuda`` devices, either way round."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from crossdock.core import _core
from crossdock.errors import DeviceUnavailableError

__all__ = ['join', 'owner', 'share']

_OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation

_lock = threading.RLock()
_owner: str | None = None
_decided = False
_before: Any = None


def join() -> None:
    """Called wherever one of the two is used: once both are, the core takes its memory from CuPy.

    Not if `share` has been told otherwise.
    """
    global _decided
    if _settled():
        return
    cupy = sys.modules.get('cupy')
    if not hasattr(cupy, 'get_default_memory_pool'):  # nor is it there while CuPy is being imported
        return
    with _lock:
        if not _settled():
            if _has_cuda():
                share('cupy', lambda: cupy)
            _decided = True


def owner() -> str | None:
    """Whose pool both take from; None: each has its own."""
    return _owner


def _settled() -> bool:
    return _decided


def share(owner: str | None, get_cupy: Callable[[], Any]) -> str | None:
    """See `crossdock.devices.cuda.share_pool`."""
    global _owner, _decided, _before
    with _lock:
        if owner and not _has_cuda():
            raise DeviceUnavailableError(
                'the core has no cuda device here to share memory with; crossdock.describe_devices() says why',
                reason='the core has no cuda device here',
            )
        before, _decided = _owner, True
        if owner == before:
            return before
        cupy = get_cupy()
        if before == 'cupy':
            _core._cuda_borrow_pool(None, None)
        elif before == 'core':
            cupy.cuda.set_allocator(_before)
            _before = None
        _owner = None
        if owner == 'cupy':
            lender = _CupyPool(cupy)
            _core._cuda_borrow_pool(lender.alloc, lender.free)
        elif owner == 'core':
            _before = cupy.cuda.get_allocator()
            pool = _CorePool(cupy)
            cupy.cuda.set_allocator(cupy.cuda.PythonFunctionAllocator(pool.malloc, pool.free).malloc)
        _owner = owner
        return before


def _has_cuda() -> bool:
    return bool(_core.device_counts().get('cuda', 0))


class _CupyPool:
    """CuPy's allocator, as the core asks for memory.

    Memory is taken and given in the order of the legacy default stream, which is the core's, whatever CuPy's current
    stream is: blocks of another stream's are other blocks.
    """

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._lent: dict[tuple[int, int], Any] = {}

    def alloc(self, nbytes: int, device: int) -> int:
        """So many bytes on a device, by address. MemoryError if there are none."""
        cuda = self._cupy.cuda
        with cuda.Device(device):
            before = cuda.get_current_stream()
            cuda.Stream.null.use()
            try:
                memory = cuda.alloc(nbytes)
            except cuda.runtime.CUDARuntimeError as error:
                if error.status != _OUT_OF_MEMORY:
                    raise
                raise MemoryError(f'CuPy has no {nbytes} bytes on GPU {device}') from error
            finally:
                before.use()
        self._lent[device, memory.ptr] = memory
        return int(memory.ptr)

    def free(self, address: int, nbytes: int, device: int) -> None:
        """Give them back."""
        del self._lent[device, address]


class _CorePool:
    """The core's allocator, as CuPy asks for memory. It is in the order of the legacy default stream."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy

    def malloc(self, nbytes: int, device: int) -> int:
        """So many bytes on a device, by address, for work on CuPy's current stream."""
        address = int(_core._cuda_lend(nbytes, device))
        # What the core still does with it comes first.
        self._order(device, given=False)
        return address

    def free(self, address: int, device: int) -> None:
        """Give them back, for use once the work on CuPy's current stream is done."""
        if sys.is_finalizing():
            return
        self._order(device, given=True)
        _core._cuda_take_back(address, device)

    def _order(self, device: int, *, given: bool) -> None:
        """Have the default stream wait for CuPy's current one where that is another, or the other way round."""
        cuda = self._cupy.cuda
        null, stream = cuda.Stream.null, cuda.get_current_stream(device)
        if stream == null:
            return
        first, second = (stream, null) if given else (null, stream)
        with cuda.Device(device):
            event = cuda.Event(disable_timing=True)
            event.record(first)
            second.wait_event(event)
