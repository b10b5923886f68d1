"""Functions of an array library that are replaced while somebody listens to its transfers, and only then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from types import TracebackType
from typing import Any

from crossdock.transfer import Event, quiet

__all__ = ['Facts', 'Hook', 'Replaced', 'called', 'calling', 'told']

Hook = Callable[..., Event | None]
#: What the hook is called with: op, nbytes, source, target, implicit, host.
Facts = tuple[str, int, str, str, bool, bool]


class Replaced:
    """What has been replaced, to be put back as it was."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._before: list[tuple[Any, str, Any, Any]] = []

    def replace(self, place: Any, functions: dict[str, Any]) -> None:
        """Have `functions` as attributes of a class or module until `put_back`."""
        with self._lock:
            for name, function in functions.items():
                self._before.append((place, name, vars(place).get(name), function))
                setattr(place, name, function)

    def put_back(self) -> None:
        """Have all as it was. What somebody else has replaced meanwhile is left alone."""
        with self._lock:
            while self._before:
                place, name, before, ours = self._before.pop()
                if vars(place).get(name) is not ours:
                    continue
                if before is None:  # a method that the class inherits
                    delattr(place, name)
                else:
                    setattr(place, name, before)


class _Names(threading.local):
    op = ''


_names = _Names()


class calling:
    """Have the transfers inside carry the name of the outermost such block, which is what the user has called."""

    __slots__ = ('_before', '_op')

    def __init__(self, op: str) -> None:
        self._op = op

    def __enter__(self) -> None:
        self._before = _names.op
        _names.op = self._before or self._op

    def __exit__(self, *error: object) -> None:
        _names.op = self._before


def called(op: str) -> str:
    """The name of a transfer that is `op` to the library."""
    return _names.op or op


class told:
    """Tell the hook of the transfers that a block makes, and of its end; what is called inside is not told again."""

    __slots__ = ('_events', '_facts', '_hook', '_quiet')

    def __init__(self, hook: Hook, *facts: Facts) -> None:
        self._hook, self._facts, self._quiet = hook, facts, quiet()

    def __enter__(self) -> None:
        self._events: list[Event] = []
        for facts in self._facts:
            event = self._hook(*facts)
            if event is not None:
                event.failed = True  # as long as it has not moved; a guard may refuse the next one
                self._events.append(event)
        self._quiet.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._quiet.__exit__()
        for event in self._events:
            event.seconds = (perf_counter() - event.began) / len(self._events)
            event.failed = kind is not None
