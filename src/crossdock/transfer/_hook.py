"""Who is told when bytes cross from one memory to another.

A listener is a callable ``(Event) -> None`` that is called before the copy; if it raises, nothing is copied. The core's
hook and the observers of other libraries are installed while there is a listener, and only then.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from types import TracebackType

__all__ = [
    'Event',
    'afresh',
    'announce',
    'announce_foreign',
    'listen',
    'listening',
    'quiet',
    'register_observer',
    'share_time',
    'telling',
    'together',
    'unlisten',
]


class Event:
    """One transfer as its library tells it.

    Attributes
    ----------
    op : str
        What moved it.
    nbytes : int
        How many bytes.
    source, target : str
        Specs of the two devices.
    implicit, host : bool
        Whether nobody asked for it by name; whether it pulled a scalar from host memory, where nothing crosses.
    route : str
        The way it went; '' where its library does not say.
    began : float
        When it was told, by `time.perf_counter`.
    seconds : float or None
        How long the host was busy with it, set by whoever told of it; None before that.
    failed : bool
        Whether it raised.
    filename, lineno, path, batch
        See `Transfer`. Whoever wants to know has `_where.located` find them, while it is called.
    """

    __slots__ = (
        *('op', 'nbytes', 'source', 'target', 'implicit', 'host', 'route', 'began', 'seconds', 'failed'),
        *('filename', 'lineno', 'path', 'batch'),
    )

    seconds: float | None
    filename: str
    lineno: int
    path: str
    batch: int | None

    def __init__(
        self,
        op: str,
        nbytes: int,
        source: str,
        target: str,
        implicit: bool = False,
        host: bool = False,
        route: str = '',
    ) -> None:
        self.op = op
        self.nbytes = nbytes
        self.source = source
        self.target = target
        self.implicit = implicit
        self.host = host
        self.route = route
        self.began = 0.0
        self.seconds = None
        self.failed = False


Listener = Callable[[Event], None]
#: What a back-end's `observe` is: takes `announce_foreign` when somebody listens, and None when nobody does any more.
Observe = Callable[[Callable[..., Event | None] | None], None]

_lock = threading.RLock()  # an observer may load a back-end, which registers another
_counts: dict[Listener, int] = {}
_guards: set[Listener] = set()
_listeners: tuple[Listener, ...] = ()
_observers: list[Observe] = []
_wholes = 0  # how many `together` are open in all threads: to ask a thread for its own costs a tenth of a row


def listening() -> bool:
    """Whether anybody wants to be told."""
    return bool(_listeners)


def announce(
    op: str, nbytes: int, source: str, target: str, implicit: bool = False, host: bool = False, route: str = ''
) -> Event | None:
    """Tell every listener about a transfer that is about to happen.

    Returns
    -------
    Event or None
        To set `seconds` on when it is over, and `failed`; None when nobody listens.
    """
    listeners = _listeners
    if not listeners:
        return None
    if _wholes and _own.whole is not None:
        return _own.whole.announce(op, source, target, implicit, host, route)
    event = Event(op, nbytes, source, target, implicit, host, route)
    event.began = perf_counter()
    for listener in listeners:
        listener(event)
    return event


class _Own(threading.local):
    """How many transfers that have been told of are under way in this thread, and of what they are pieces."""

    depth = 0
    whole: together | None = None


_own = _Own()


class quiet:
    """Have libraries tell nothing of what the block makes of them, because it has been told."""

    __slots__ = ()

    def __enter__(self) -> None:
        _own.depth += 1

    def __exit__(self, *error: object) -> None:
        _own.depth -= 1


def announce_foreign(
    op: str, nbytes: int, source: str, target: str, implicit: bool = False, host: bool = False, route: str = ''
) -> Event | None:
    """What libraries tell by; as `announce`, but not within a transfer that has been told of."""
    return None if _own.depth else announce(op, nbytes, source, target, implicit, host, route)


class together:
    """Tell of the pieces in which a block moves one array as the one transfer that they are, of `nbytes` bytes."""

    __slots__ = ('_before', '_events', '_nbytes')

    def __init__(self, nbytes: int) -> None:
        self._nbytes = nbytes
        self._events: dict[tuple[str, str], Event | None] = {}

    def __enter__(self) -> None:
        _count_whole(1)
        self._before = _own.whole
        _own.whole = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _own.whole = self._before
        _count_whole(-1)
        for event in self._events.values():
            if event is not None:
                event.seconds = perf_counter() - event.began
                event.failed = kind is not None

    def announce(self, op: str, source: str, target: str, implicit: bool, host: bool, route: str) -> Event | None:
        """Announce the first piece from one place to another as all of them."""
        if (source, target) in self._events:
            return None
        _own.whole = None
        try:
            event = announce(op, self._nbytes, source, target, implicit, host, route)
        finally:
            _own.whole = self
        self._events[source, target] = event
        return event


class afresh:
    """Have the transfers of a block told of as if none were under way around it."""

    __slots__ = ('_before',)

    def __enter__(self) -> None:
        self._before = _own.depth, _own.whole
        _own.depth, _own.whole = 0, None

    def __exit__(self, *error: object) -> None:
        _own.depth, _own.whole = self._before


class telling:
    """Announce the transfer that a block makes, and its end. The arguments are those of `announce`."""

    __slots__ = ('_event', '_facts')

    def __init__(self, *facts: str | int, route: str = '') -> None:
        self._facts = (*facts, False, False, route)

    def __enter__(self) -> None:
        self._event = announce(*self._facts)  # type: ignore[arg-type]
        _own.depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _own.depth -= 1
        if self._event is not None:
            self._event.seconds = perf_counter() - self._event.began
            self._event.failed = kind is not None


def share_time(events: Sequence[Event], began: float) -> None:
    """Divide the time since `began`, in which the events happened as one transfer, among them by their bytes."""
    total = sum(event.nbytes for event in events)
    rate = (perf_counter() - began) / max(total, 1)
    for event in events:
        event.began, event.seconds, event.failed = began, rate * event.nbytes, False
        began += event.seconds


def listen(listener: Listener, *, guard: bool = False) -> None:
    """Add a listener. It is called once for each event, however often it has been added; guards before all others."""
    with _lock:
        if not _counts:
            _observe_all(announce)
        _counts[listener] = _counts.get(listener, 0) + 1
        if guard:
            _guards.add(listener)
        _set_listeners()


def unlisten(listener: Listener) -> None:
    """Undo one `listen`; the last one takes the hooks with it."""
    with _lock:
        _counts[listener] -= 1
        if not _counts[listener]:
            del _counts[listener]
            _guards.discard(listener)
        _set_listeners()
        if not _counts:
            _observe_all(None)


def register_observer(observe: Observe) -> None:
    """Have `observe` called when listening begins and ends; at once, if somebody listens already."""
    with _lock:
        _observers.append(observe)
        if _listeners:
            observe(announce_foreign)


def _count_whole(more: int) -> None:
    global _wholes
    with _lock:
        _wholes += more


def _set_listeners() -> None:
    global _listeners
    _listeners = tuple(sorted(_counts, key=lambda listener: listener not in _guards))


def _observe_all(hook: Callable[..., Event | None] | None) -> None:
    # A generator that has not ended is closed when Python is half gone; then nothing is left to be put back.
    if sys.is_finalizing():
        return
    from crossdock.core import exchange

    exchange.set_transfer_hook(hook)
    for observe in _observers:  # also those that are added by the others
        observe(hook and announce_foreign)
