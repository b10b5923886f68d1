"""What the NVIDIA driver copies, by CUPTI's activity records.

CUPTI serves one client in a process. All watches share one session: the first begins it, the last one ends it. Its
callbacks come from any thread, some from within calls of CUDA; they append to lists and take no lock.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import itertools
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter, perf_counter_ns
from typing import Any, NamedTuple

from crossdock.devices._driver import refuse
from crossdock.devices.backends._cuda_wait import wait_for_gpus
from crossdock.transfer import DriverAccount, DriverCopy

__all__ = ['begin']

_BUFFER_NBYTES = 8 << 20
_HOST = 'host'
_TRIES = 7  # of reading two clocks at the same moment
_UNKNOWN = 'CUPTI does not say which thread asked for a copy, and when'


class _Record(NamedTuple):
    """A record of a copy, taken out of the buffer that goes when the callback returns."""

    copy_kind: int
    nbytes: int
    start: int
    end: int
    device: int
    source_device: int | None
    target_device: int | None
    source_kind: int
    target_kind: int
    stream: int
    correlations: tuple[int, ...]
    flags: int


class _Clock:
    """CUPTI's time as that of `time.perf_counter`. Two readings make up for a drift between the two clocks."""

    def __init__(self, cupti: Any) -> None:
        self._cupti = cupti
        self._first = self._last = self._read()

    def _read(self) -> tuple[int, int]:
        """CUPTI's time in nanoseconds, and by how much it is ahead."""
        best: tuple[int, int, int] | None = None
        for _ in range(_TRIES):
            before = perf_counter_ns()
            theirs = self._cupti.get_timestamp()
            after = perf_counter_ns()
            if best is None or after - before < best[0]:
                best = after - before, theirs, theirs - (before + after) // 2
        assert best is not None
        return best[1:]

    def read_again(self) -> None:
        self._last = self._read()

    def seconds(self, theirs: int) -> float | None:
        """None for 0, by which CUPTI says that it does not know."""
        if not theirs:
            return None
        (since, ahead), (until, ahead_then) = self._first, self._last
        part = (theirs - since) / (until - since) if until > since else 0.0
        return (theirs - ahead - round((ahead_then - ahead) * part)) * 1e-9


class _Session:
    """CUPTI at work for us, until `end`."""

    def __init__(self, cupti: Any) -> None:
        self.cupti = cupti
        self.pid = os.getpid()
        self.watches = 0
        self.records: list[_Record] = []
        self.calls: dict[int, tuple[int, int]] = {}  # of a correlation, the thread and the time
        self.failures: list[str] = []
        self.has_threads = False
        self.flushing = threading.Lock()
        self._undo: list[Callable[[], object]] = []
        kind = cupti.ActivityKind
        self._copies = kind.MEMCPY, kind.MEMCPY2
        self._api = kind.DRIVER, kind.RUNTIME

    def begin(self) -> None:
        cupti = self.cupti
        # Nobody calls this back. Whoever subscribes keeps others out, whose buffers would be taken from them.
        subscriber = cupti.subscribe(_nothing, None)
        self._undo.append(partial(cupti.unsubscribe, subscriber))
        self.has_threads = self._number_threads()
        cupti.activity_register_callbacks(_requested, _completed)
        # No buffer stays with CUPTI, which would hand it over when Python is no more.
        self._undo.append(partial(cupti.activity_flush_all, cupti.ActivityFlag.FLUSH_FORCED))
        for kind in self._copies:
            cupti.activity_enable(kind)
            self._undo.append(partial(cupti.activity_disable, kind))
        if self.has_threads:
            self._note_calls()
        self.clock = _Clock(cupti)

    def _number_threads(self) -> bool:
        """Have threads numbered as `threading.get_native_id` does."""
        cupti, system = self.cupti, self.cupti.ActivityThreadIdType.SYSTEM
        try:
            before = cupti.get_thread_id_type()
            if before != system:
                cupti.set_thread_id_type(system)
                self._undo.append(partial(cupti.set_thread_id_type, before))
        except cupti.cuptiError as error:
            self.failures.append(f'{_UNKNOWN}: {error}')
            return False
        return True

    def _note_calls(self) -> None:
        """Have calls that copy recorded, and no other calls: they say which thread copied, and when it asked for it."""
        cupti = self.cupti
        for enable, calls in (
            (cupti.activity_enable_driver_api, cupti.driver_api_trace_cbid),
            (cupti.activity_enable_runtime_api, cupti.runtime_api_trace_cbid),
        ):
            noted, refused = 0, ''
            for number in _copying(calls):
                try:
                    enable(number, 1)
                except cupti.cuptiError as error:  # one that this version does not have, or no longer
                    refused = str(error)
                    continue
                noted += 1
                self._undo.append(partial(enable, number, 0))
            if not noted:
                self.failures.append(f'{_UNKNOWN}: {refused}')

    def flush(self) -> Iterator[str]:
        """Wait for the GPUs, and for CUPTI's records; what was in the way."""
        cupti = self.cupti
        if failure := wait_for_gpus():
            yield failure
        try:
            cupti.activity_flush_all(cupti.ActivityFlag.FLUSH_FORCED)
            dropped = ctypes.c_size_t()
            cupti.activity_get_num_dropped_records(0, 0, ctypes.addressof(dropped))
            self.clock.read_again()
        except Exception as error:  # a failed GPU takes CUPTI with it; what there is is told
            yield f'CUPTI: {error}'
        else:
            if dropped.value:
                yield f'CUPTI had no room for {dropped.value:,} records'

    def end(self) -> list[str]:
        """Undo all, as far as it goes."""
        failures = []
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:
                failures.append(f'CUPTI: {error}')
        return failures

    def keep(self, activities: list[Any]) -> None:
        """Take over records; called by CUPTI."""
        for one in activities:
            kind = one.kind
            if kind in self._copies:
                self.records.append(_record(one, kind == self._copies[1]))
            elif kind in self._api:
                self.calls[one.correlation_id] = one.thread_id, one.start


_lock = threading.Lock()
_session: _Session | None = None


def begin() -> _CuptiWatch:
    """Begin to note copies; `DeviceUnavailableError` if CUPTI does not work here."""
    global _session
    cupti = _module()
    with _lock:
        session = _session
        if session is None or session.pid != os.getpid():
            session = _Session(cupti)
            _session = session  # before the first record can come
            try:
                session.begin()
            except BaseException as error:
                session.end()
                _session = None
                if isinstance(error, Exception):
                    refuse(_explain(cupti, error), error)
                raise
        session.watches += 1
        return _CuptiWatch(session)


class _CuptiWatch:
    """A `Watch`."""

    def __init__(self, session: _Session) -> None:
        self._session = session
        self._first = len(session.records)
        self._since = perf_counter()

    def end(self) -> DriverAccount:
        global _session
        session, until = self._session, perf_counter()
        if session.pid != os.getpid():
            return DriverAccount([], ('this process was forked inside the trace, and CUPTI stays with the other',))
        problems = list(session.failures)
        try:
            # One at a time: what one has asked for may still be under way to it when another asks.
            with session.flushing:
                problems += session.flush()
        finally:
            with _lock:
                session.watches -= 1
                if not session.watches:
                    problems += session.end()
                    _session = None
        copies: list[DriverCopy] = []
        unknown: list[int] = []
        for record in itertools.islice(session.records, self._first, None):
            copy = _copy(session, record)
            if copy is None:
                if record.copy_kind == session.cupti.ActivityMemcpyKind.UNKNOWN:
                    unknown.append(record.nbytes)
            elif copy.at >= self._since and (copy.called is None or copy.called <= until):
                copies.append(copy)
        if unknown:
            told = f'of {len(unknown):,} copies, {sum(unknown):,} bytes'
            problems.append(f'{told}, the driver does not say where they went')
        return DriverAccount(copies, tuple(dict.fromkeys(problems)))


def _close() -> None:
    """End what is still open when Python ends, as in a thread that goes on."""
    session = _session
    if session is not None and session.pid == os.getpid():
        session.end()


atexit.register(_close)


def _module() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DeprecationWarning)  # cupti-python 12 imports what is old
            cupti = importlib.import_module('cupti.cupti')
    except Exception as error:  # a library that it needs is missing, or it was built for another NumPy
        refuse(f'CUPTI cannot be imported: {type(error).__name__}: {error}', error)
    if not hasattr(cupti, 'activity_register_callbacks'):
        refuse("the module cupti here is not that of the package cupti-python; pip install 'crossdock[cupti]'")
    return cupti


def _explain(cupti: Any, error: Exception) -> str:
    status = getattr(error, 'status', None)
    results = cupti.Result
    if status == results.ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return (
            'another tool uses CUPTI, which serves one at a time: torch.profiler, Nsight Systems, Nsight Compute, '
            'cuda-gdb, or another trace by CUPTI; end it, or run without it'
        )
    if status in (results.ERROR_NOT_INITIALIZED, results.ERROR_NOT_COMPATIBLE):
        return f"CUPTI does not fit the driver: {error}; it must not be newer, as by pip install 'cupti-python<13'"
    return f'CUPTI does not start: {error}'


def _nothing(userdata: Any, domain: int, callback_id: int, callback_data: Any) -> None:
    pass


def _requested() -> tuple[int, int]:
    """How large a buffer is to be, and how many records it may take: any number."""
    return _BUFFER_NBYTES, 0


def _completed(activities: list[Any]) -> None:
    session = _session
    if session is None:
        return
    try:
        session.keep(activities)
    except Exception as error:  # nobody could catch it: it is CUPTI that called
        session.failures.append(f'records of CUPTI cannot be read: {type(error).__name__}: {error}')


def _record(one: Any, peer: bool) -> _Record:
    # Each copy has the number of the driver's call, or of the runtime's that made it.
    correlations = (one.correlation_id,) if peer else (one.correlation_id, one.runtime_correlation_id)
    return _Record(
        copy_kind=one.copy_kind,
        nbytes=one.bytes,
        start=one.start,
        end=one.end,
        device=one.device_id,
        source_device=one.src_device_id if peer else None,
        target_device=one.dst_device_id if peer else None,
        source_kind=one.src_kind,
        target_kind=one.dst_kind,
        stream=one.stream_id,
        correlations=correlations,
        flags=one.flags_,
    )


def _copy(session: _Session, record: _Record) -> DriverCopy | None:
    """The copy; None if it stayed in one memory, or if nobody knows where it went."""
    cupti = session.cupti
    kinds = cupti.ActivityMemcpyKind
    memory = ''
    if record.source_device is not None:
        source, target = f'cuda:{record.source_device}', f'cuda:{record.target_device}'
    elif record.copy_kind in (kinds.HTOD, kinds.HTOA):
        source, target, memory = _HOST, f'cuda:{record.device}', _host_memory(cupti, record.source_kind)
    elif record.copy_kind in (kinds.DTOH, kinds.ATOH):
        source, target, memory = f'cuda:{record.device}', _HOST, _host_memory(cupti, record.target_kind)
    else:
        return None
    if source == target:
        return None
    call = next((session.calls[number] for number in record.correlations if number in session.calls), None)
    clock = session.clock
    return DriverCopy(
        nbytes=record.nbytes,
        source=source,
        target=target,
        called=None if call is None else clock.seconds(call[1]),
        began=clock.seconds(record.start),
        seconds=(record.end - record.start) * 1e-9 if record.start and record.end else None,
        thread=None if call is None else call[0],
        stream=record.stream,
        host_memory=memory,
        asynchronous=bool(record.flags & cupti.ActivityFlag.MEMCPY_ASYNC),
    )


def _host_memory(cupti: Any, kind: int) -> str:
    kinds = cupti.ActivityMemoryKind
    return {kinds.PAGEABLE: 'pageable', kinds.PINNED: 'pinned'}.get(kind, '')


def _copying(calls: Any) -> Iterator[int]:
    """The numbers of the calls that copy, which are all of that name but those that only make a node of a graph."""
    for call in calls:
        if 'Memcpy' in call.name and 'Node' not in call.name:
            yield call.value
