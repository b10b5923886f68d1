"""What a GPU's driver says that it copied, as whoever can ask it tells. Knows no driver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from crossdock.errors import DeviceUnavailableError

__all__ = ['DriverCopy', 'DriverAccount', 'Watch', 'watch_driver', 'watch_driver_by']


@dataclass(frozen=True, slots=True)
class DriverCopy:
    """One copy that a driver made between two memories.

    Attributes
    ----------
    nbytes : int
        How many bytes.
    source, target : str
        The two memories: 'host', 'cuda:0', ...
    called : float or None
        When the program called the driver for it, in seconds from the beginning of the trace. None where that is not
        known, as for a copy of a CUDA graph.
    began : float or None
        When the device began with it, likewise.
    seconds : float or None
        How long the device was busy with it.
    thread : int or None
        The operating system's number of the thread that called.
    stream : int
        The driver's number of the stream.
    host_memory : str
        'pageable' or 'pinned'; '' where the driver does not say, and between devices.
    asynchronous : bool
        Whether it was asked for without a wait.
    """

    nbytes: int
    source: str
    target: str
    called: float | None = None
    began: float | None = None
    seconds: float | None = None
    thread: int | None = None
    stream: int = 0
    host_memory: str = ''
    asynchronous: bool = False

    @property
    def at(self) -> float:
        """When it happened, as well as that is known: at infinity if not at all."""
        return next((time for time in (self.called, self.began) if time is not None), float('inf'))

    def since(self, start: float) -> DriverCopy:
        """The same with times in seconds from `start`."""
        called = None if self.called is None else self.called - start
        began = None if self.began is None else self.began - start
        return replace(self, called=called, began=began)


class DriverAccount(NamedTuple):
    """All copies of a watch, times by `time.perf_counter`; and what was in the way of telling them."""

    copies: list[DriverCopy]
    problems: tuple[str, ...]


class Watch(Protocol):
    """One look at the driver, from when it was made."""

    def end(self) -> DriverAccount:
        """Wait until all copies are made, and tell of them."""


_watch: Callable[[], Watch] | None = None


def watch_driver_by(watch: Callable[[], Watch]) -> None:
    """Have `watch` begin to look at the driver; it raises `DeviceUnavailableError` where it cannot."""
    global _watch
    _watch = watch


def watch_driver() -> Watch:
    """Begin to note what the driver copies, in the whole process."""
    if _watch is None:
        reason = 'nobody has said how to ask it; import crossdock, not crossdock.transfer alone'
        raise DeviceUnavailableError(f'ground_truth=True asks a driver, and {reason}', reason=reason)
    return _watch()
