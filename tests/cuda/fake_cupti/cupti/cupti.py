"""CUPTI for the fake driver: it tells of the copies that the driver made, and is as strict as its documentation.

Names, parameters and numbers are those of cupti-python, which a test compares where that is installed. Records can be
read in the callback that gets them, and no longer. ``FAKE_CUPTI`` orders what goes wrong, words with commas between:

- 'taken': another tool has subscribed; 'old': the driver is too old for this CUPTI,
- 'no calls': records of calls cannot be had; 'no threads': threads cannot be numbered otherwise,
- 'drops': some records are lost; 'ahead': its clock is wrong by an hour, and by 300 parts in a million more.
"""

from __future__ import annotations

import ctypes
import enum
import functools
import os
import sys
import time
import traceback
from typing import Any

_orders = set(filter(None, os.environ.get('FAKE_CUPTI', '').split(',')))


class ActivityKind(enum.IntEnum):
    MEMCPY = 1
    DRIVER = 4
    RUNTIME = 5
    MEMCPY2 = 22


class ActivityFlag(enum.IntEnum):
    FLUSH_FORCED = 1
    MEMCPY_ASYNC = 1


class ActivityMemcpyKind(enum.IntEnum):
    UNKNOWN = 0
    HTOD = 1
    DTOH = 2
    HTOA = 3
    ATOH = 4
    DTOD = 8
    HTOH = 9
    PTOP = 10


class ActivityMemoryKind(enum.IntEnum):
    PAGEABLE = 1
    PINNED = 2
    DEVICE = 3


class ActivityThreadIdType(enum.IntEnum):
    DEFAULT = 0
    SYSTEM = 1


class Result(enum.IntEnum):
    ERROR_INVALID_OPERATION = 7
    ERROR_NOT_COMPATIBLE = 14
    ERROR_NOT_INITIALIZED = 15
    ERROR_NOT_SUPPORTED = 27
    ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39


class driver_api_trace_cbid(enum.IntEnum):
    cu64MemcpyHtoD = 44
    cuMemcpyHtoDAsync_v2 = 277
    cuMemcpyDtoHAsync_v2 = 279
    cuGraphAddMemcpyNode = 504


class runtime_api_trace_cbid(enum.IntEnum):
    cudaMemcpy_v3020 = 31


class cuptiError(Exception):
    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f'{Result(status).name} ({status})')


class _Copy(ctypes.Structure):
    """As copies.h has it."""

    _fields_ = [('nbytes', ctypes.c_int64)]
    _fields_ += [(name, ctypes.c_int) for name in ('device', 'source_device', 'target_device', 'source', 'target')]
    _fields_ += [('stream', ctypes.c_uint64), ('thread', ctypes.c_uint32), ('correlation', ctypes.c_uint32)]
    _fields_ += [('is_async', ctypes.c_int)]
    _fields_ += [(name, ctypes.c_int64) for name in ('called_ns', 'returned_ns', 'start_ns', 'end_ns')]


class _Records:
    """Attributes of a record, which lies in a buffer that goes."""

    def __init__(self, **facts: int) -> None:
        self._facts: dict[str, int] | None = facts

    def __getattr__(self, name: str) -> int:
        if name.startswith('__'):
            raise AttributeError(name)
        if self._facts is None:
            raise RuntimeError('the buffer of this record is gone')
        try:
            return self._facts[name]
        except KeyError:
            raise AttributeError(name) from None


class ActivityMemcpy6(_Records):
    """A copy; that of cupti-python 12.8, which later ones have added to."""


class ActivityMemcpyPtoP4(_Records):
    """A copy between devices."""


class ActivityAPI(_Records):
    """A call."""


_callbacks: tuple[Any, Any] | None = None
_enabled: set[int] = set()
_calls: set[int] = set()
_subscribers = 0
_thread_id_type = ActivityThreadIdType.DEFAULT


@functools.cache
def _driver() -> Any:
    return ctypes.CDLL('libcuda.so.1')


def _check() -> None:
    if 'old' in _orders:
        raise cuptiError(Result.ERROR_NOT_INITIALIZED)


def _theirs(wall_ns: int) -> int:
    return wall_ns + 3600 * 10**9 + (wall_ns % 10**13) * 3 // 10_000 if 'ahead' in _orders and wall_ns else wall_ns


def get_timestamp() -> int:
    _check()
    return _theirs(time.time_ns())


def subscribe(callback: Any, userdata: Any) -> int:
    global _subscribers
    _check()
    if _subscribers or 'taken' in _orders:
        raise cuptiError(Result.ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    _subscribers = 1
    return 1


def unsubscribe(subscriber: int) -> None:
    global _subscribers
    assert subscriber == _subscribers == 1
    assert not _enabled and not _calls, 'what was enabled stays so'
    left = _driver().fake_cuda_next_copy(ctypes.byref(_Copy()), 1)
    assert not left, 'a buffer would be handed over when Python is gone'
    _subscribers = 0


def get_thread_id_type() -> int:
    _check()
    return int(_thread_id_type)


def set_thread_id_type(type: int) -> None:
    global _thread_id_type
    if 'no threads' in _orders:
        raise cuptiError(Result.ERROR_NOT_SUPPORTED)
    assert not _enabled and not _calls, 'it must not change during a session'
    _thread_id_type = ActivityThreadIdType(type)


def activity_register_callbacks(func_buffer_requested: Any, func_buffer_completed: Any) -> None:
    global _callbacks
    _check()
    assert _subscribers, "another tool's callbacks would be replaced"
    _callbacks = func_buffer_requested, func_buffer_completed


def activity_enable(kind: int) -> None:
    _check()
    _enabled.add(ActivityKind(kind))
    _driver().fake_cuda_watch_copies(1)


def activity_disable(kind: int) -> None:
    _enabled.remove(ActivityKind(kind))
    if not _enabled:
        _driver().fake_cuda_watch_copies(0)


def activity_enable_driver_api(cbid: int, enable: int) -> None:
    if 'no calls' in _orders or cbid == driver_api_trace_cbid.cu64MemcpyHtoD:
        raise cuptiError(Result.ERROR_NOT_SUPPORTED)
    (_calls.add if enable else _calls.remove)(driver_api_trace_cbid(cbid))


def activity_enable_runtime_api(cbid: int, enable: int) -> None:
    (_calls.add if enable else _calls.remove)(runtime_api_trace_cbid(cbid))


def activity_get_num_dropped_records(context: int, stream_id: int, dropped: int) -> None:
    ctypes.c_size_t.from_address(dropped).value = 3 if 'drops' in _orders else 0


def activity_flush_all(flag: int) -> None:
    if _callbacks is None:
        raise cuptiError(Result.ERROR_INVALID_OPERATION)
    requested, completed = _callbacks
    records: list[_Records] = []
    copy = _Copy()
    while _driver().fake_cuda_next_copy(ctypes.byref(copy), flag & ActivityFlag.FLUSH_FORCED):
        records += _records(copy)
    if not records:
        return
    try:
        nbytes, most = requested()
        assert nbytes >= 1 << 20 and most == 0
        # A buffer of its own for the first.
        for part in (records[:1], records[1:]):
            completed(part)
    except BaseException:
        # It would leave a callback that C has called.
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(70)
    for record in records:
        record._facts = None


def _records(copy: _Copy) -> list[_Records]:
    found: list[_Records] = []
    if _calls:
        found.append(
            ActivityAPI(
                kind=ActivityKind.DRIVER.value,
                cbid=driver_api_trace_cbid.cuMemcpyHtoDAsync_v2.value,
                correlation_id=copy.correlation,
                thread_id=copy.thread if _thread_id_type else 0xDEAD,
                start=_theirs(copy.called_ns),
                end=_theirs(copy.returned_ns),
            )
        )
    facts = {
        'bytes': copy.nbytes,
        'start': _theirs(copy.start_ns),
        'end': _theirs(copy.end_ns),
        'device_id': copy.device,
        'stream_id': copy.stream % 2**32,
        'correlation_id': copy.correlation,
        'src_kind': copy.source,
        'dst_kind': copy.target,
        'flags_': copy.is_async,
    }
    sides = copy.source_device, copy.target_device
    if min(sides) >= 0 and sides[0] != sides[1]:
        facts |= {'kind': ActivityKind.MEMCPY2.value, 'copy_kind': ActivityMemcpyKind.PTOP.value}
        found.append(ActivityMemcpyPtoP4(**facts, src_device_id=sides[0], dst_device_id=sides[1]))
        return found
    names = {(-1, -1): 'HTOH', (-1, 0): 'HTOD', (0, -1): 'DTOH', (0, 0): 'DTOD'}
    name = names[min(sides[0], 0), min(sides[1], 0)]
    facts |= {
        'kind': ActivityKind.MEMCPY.value,
        'copy_kind': ActivityMemcpyKind[name].value,
        'runtime_correlation_id': 0,
    }
    found.append(ActivityMemcpy6(**facts))
    return found
