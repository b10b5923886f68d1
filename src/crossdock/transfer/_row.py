"""`Transfer`: one transfer, as traces and guards show it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from crossdock.transfer._hook import Event

__all__ = ['Transfer', 'bytes_of', 'row_of']


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer.

    Attributes
    ----------
    nbytes : int
        Bytes that crossed from one memory to another.
    source, target : str
        Specs of the two devices.
    op : str
        What moved it: 'copy', or the operation that pulled a value to the host.
    implicit : bool
        Whether it happened without being asked for, as in ``float(x)``.
    host : bool
        Whether it was a scalar pull on host memory, where nothing crosses (and `nbytes` is 0).
    filename, lineno : str, int
        The innermost line that is neither crossdock's, nor an array library's, nor Python's own; '' and 0 where there
        is none.
    path : str
        The leaf of the tree that was sent, such as ``['layer1'].bias``; '' for a lone array.
    batch : int or None
        Rows with the same number belong to one call.
    route : str
        'direct' (from or to pinned memory), 'copy' (in one piece), 'staged' (through pinned host memory), 'peer copy'
        (between accelerators) or 'packed' (with others in one piece); '' where a library does not say how it goes.
    began : float
        Seconds from the beginning of the trace.
    seconds : float or None
        How long the call was busy with it. A copy that is not waited for may take longer on the device. Those that were
        packed share their time by their bytes. None where a library does not say when it is over.
    failed : bool
        Whether it raised an error. It counts no bytes in sums.
    """

    nbytes: int
    source: str
    target: str
    op: str
    implicit: bool
    host: bool
    filename: str
    lineno: int
    path: str
    batch: int | None
    route: str = ''
    began: float = 0.0
    seconds: float | None = None
    failed: bool = False

    @property
    def nbytes_moved(self) -> int:
        """`nbytes`, or 0 if it failed."""
        return 0 if self.failed else self.nbytes

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name."""
        return asdict(self)


def row_of(event: Event, start: float) -> Transfer:
    """The row of an event whose place is known, in a trace that began at `start`."""
    return Transfer(
        nbytes=event.nbytes,
        source=event.source,
        target=event.target,
        op=event.op,
        implicit=event.implicit,
        host=event.host,
        filename=event.filename,
        lineno=event.lineno,
        path=event.path,
        batch=event.batch,
        route=event.route,
        began=event.began - start,
        seconds=event.seconds,
        failed=event.failed,
    )


def bytes_of(number: int) -> str:
    """A number of bytes in words."""
    return '1 byte' if number == 1 else f'{number} bytes'
