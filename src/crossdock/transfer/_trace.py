"""See every transfer: `trace_transfers` collects one row for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType

from crossdock.transfer._hook import Event, listen, unlisten
from crossdock.transfer._where import current_batch, current_path, user_frame

__all__ = ['Transfer', 'TransferLog', 'trace_transfers']


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
        The innermost line outside crossdock; '' and 0 where there is none.
    path : str
        The leaf of the tree that was sent, such as ``['layer1'].bias``; '' for a lone array.
    batch : int or None
        Rows with the same number belong to one call.
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


class TransferLog:
    """The rows of one trace, in the order in which the transfers began. Iterate over it, index it, take its length."""

    def __init__(self) -> None:
        self._rows: list[Transfer] = []
        self._open = True

    def __iter__(self) -> Iterator[Transfer]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Transfer:
        return self._rows[index]

    def __repr__(self) -> str:
        return f'<TransferLog: {len(self._rows)} transfers, {self.nbytes_moved} bytes>'

    @property
    def nbytes_moved(self) -> int:
        """Bytes that crossed from one memory to another, all rows together."""
        return sum(row.nbytes for row in self._rows)

    def summary(self) -> str:
        """The rows as a text table, those of the same line, kind and direction added up."""
        from crossdock.transfer._summary import summary

        return summary(self._rows)

    def _add(self, row: Transfer) -> None:
        # A task that was started inside outlives the trace with a copy of its context.
        if self._open:
            self._rows.append(row)


_logs: ContextVar[tuple[TransferLog, ...]] = ContextVar('crossdock_trace', default=())
_get_logs = _logs.get


def _record(event: Event) -> None:
    logs = _get_logs()
    if not logs:
        return
    filename, lineno = user_frame()
    row = Transfer(
        nbytes=event.nbytes,
        source=event.source,
        target=event.target,
        op=event.op,
        implicit=event.implicit,
        host=event.host,
        filename=filename,
        lineno=lineno,
        path=current_path(),
        batch=current_batch(),
    )
    for log in logs:
        log._add(row)


class trace_transfers:
    """Collect every transfer that happens inside a ``with`` block.

    The trace belongs to the context: to this thread, and to the async tasks that are started inside. Traces nest, and
    each sees what happens inside it. Aliases are no transfers. When no trace is open anywhere, nothing is recorded
    and nothing is paid.

    Returns
    -------
    TransferLog
        From the ``with`` statement; it stays readable afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> with xd.trace_transfers() as log:
    ...     y = xd.get_device('sim:0').send(np.zeros(3, 'float32'))
    >>> [(row.nbytes, row.source, row.target) for row in log]
    [(12, '@numpy', 'sim:0')]
    >>> log.nbytes_moved
    12
    """

    def __init__(self) -> None:
        self._log: TransferLog | None = None

    def __enter__(self) -> TransferLog:
        if self._log is not None:
            raise RuntimeError('this trace was entered before; make a new one for each block')
        listen(_record)
        self._log = TransferLog()
        _logs.set((*_logs.get(), self._log))
        return self._log

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._log is not None
        self._log._open = False
        # Not ContextVar.reset: a generator may be closed in another context than it was started in.
        _logs.set(tuple(log for log in _logs.get() if log is not self._log))
        unlisten(_record)
