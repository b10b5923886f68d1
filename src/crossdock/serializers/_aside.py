"""A call in a thread of its own. One thread for each, and no pool: a pool's threads are lost in a forked child."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any, Generic, TypeVar

__all__ = ['Aside', 'ahead']

T = TypeVar('T')


class Aside(Generic[T]):
    """Calls `call` with `arguments` beside the caller's own work."""

    def __init__(self, call: Callable[..., T], *arguments: Any) -> None:
        self._call, self._arguments = call, arguments
        self._value: T
        self._error: BaseException | None = None
        self._thread: Thread | None = Thread(target=self._run, name='crossdock-aside', daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no more threads, or the interpreter is going
            self._thread = None
            self._run()

    def wait(self) -> None:
        """Return when the call has ended, in whatever way."""
        if self._thread is not None:
            self._thread.join()

    def result(self) -> T:
        """What the call returned; what it raised is raised."""
        self.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        try:
            self._value = self._call(*self._arguments)
        except BaseException as error:
            self._error = error


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The items of an iterator that has none that is None, each made while the one before it is used."""
    job: Aside[T | None] = Aside(next, items, None)
    try:
        while (item := job.result()) is not None:
            job = Aside(next, items, None)
            yield item
    finally:
        job.wait()
