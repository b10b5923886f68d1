"""Who is told when bytes cross from one memory to another.

A listener is a callable ``(Event) -> None`` that is called before the copy; if it raises, nothing is copied. The core's
hook and the observers of other libraries are installed while there is a listener, and only then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

__all__ = ['Event', 'announce', 'listen', 'listening', 'register_observer', 'unlisten']


class Event(NamedTuple):
    """One transfer as its library tells it: what moved it, how many bytes, between which device specs."""

    op: str
    nbytes: int
    source: str
    target: str
    implicit: bool
    host: bool


Listener = Callable[[Event], None]
#: What a back-end's `observe` is: takes `announce` when somebody listens, and None when nobody does any more.
Observe = Callable[[Callable[..., None] | None], None]

_lock = threading.Lock()
_counts: dict[Listener, int] = {}
_listeners: tuple[Listener, ...] = ()
_observers: list[Observe] = []


def listening() -> bool:
    """Whether anybody wants to be told."""
    return bool(_listeners)


def announce(op: str, nbytes: int, source: str, target: str, implicit: bool = False, host: bool = False) -> None:
    """Tell every listener about a transfer that is about to happen."""
    listeners = _listeners
    if listeners:
        event = Event(op, nbytes, source, target, implicit, host)
        for listener in listeners:
            listener(event)


def listen(listener: Listener) -> None:
    """Add a listener. It is called once for each event, however often it has been added."""
    global _listeners
    with _lock:
        if not _counts:
            _observe_all(announce)
        _counts[listener] = _counts.get(listener, 0) + 1
        _listeners = tuple(_counts)


def unlisten(listener: Listener) -> None:
    """Undo one `listen`; the last one takes the hooks with it."""
    global _listeners
    with _lock:
        _counts[listener] -= 1
        if not _counts[listener]:
            del _counts[listener]
        _listeners = tuple(_counts)
        if not _counts:
            _observe_all(None)


def register_observer(observe: Observe) -> None:
    """Have `observe` called when listening begins and ends; at once, if somebody listens already."""
    with _lock:
        _observers.append(observe)
        if _listeners:
            observe(announce)


def _observe_all(hook: Callable[..., None] | None) -> None:
    from crossdock.core import exchange

    exchange.set_transfer_hook(hook)
    for observe in _observers:
        observe(hook)
