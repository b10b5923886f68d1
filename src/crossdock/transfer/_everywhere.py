"""Traces and guards of the whole process, all threads and tasks, for tools that run other people's code."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from crossdock.transfer._driver import watch_driver
from crossdock.transfer._guard import _forbidden, _get_guards
from crossdock.transfer._hook import Event, listen, unlisten
from crossdock.transfer._log import TransferLog, WatchedLog
from crossdock.transfer._row import Transfer
from crossdock.transfer._trace import _logs, _record

__all__ = ['forbid_everywhere', 'trace_everywhere']

#: What shows an array without its values where they are forbidden, and goes on.
_SHOWS = ('repr', 'str', 'format')


class trace_everywhere:
    """Collect every transfer of the process inside a ``with`` block, whatever thread or task makes it.

    Parameters
    ----------
    ground_truth : bool
        As for `trace_transfers`.

    Returns
    -------
    TransferLog
        From the ``with`` statement; it stays readable afterwards.

    Examples
    --------
    >>> import threading
    >>> import numpy as np
    >>> import crossdock as xd
    >>> from crossdock.transfer import trace_everywhere
    >>> with trace_everywhere() as log:
    ...     thread = threading.Thread(target=xd.get_device('sim:0').send, args=[np.ones(3)])
    ...     thread.start()
    ...     thread.join()
    >>> log.nbytes_moved
    24
    """

    def __init__(self, *, ground_truth: bool = False) -> None:
        self._log = TransferLog()
        self._ground_truth = ground_truth

    def __enter__(self) -> TransferLog:
        if self._ground_truth:
            self._log = WatchedLog(watch_driver(), everywhere=True)
        listen(self._hear)
        return self._log

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        unlisten(self._hear)
        if isinstance(self._log, WatchedLog):
            self._log._compare()

    def _hear(self, event: Event) -> None:
        # As if this trace, and no other, were open here.
        token = _logs.set((self._log,))
        try:
            _record(event)
        finally:
            _logs.reset(token)


class forbid_everywhere:
    """Refuse implicit transfers in the whole process, except inside guards that have a level for them of their own.

    Attributes
    ----------
    refused : list of Transfer
        What was refused. That an array was shown without its values is not among them.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> from crossdock.transfer import forbid_everywhere
    >>> x = xd.get_device('sim:0').send(np.ones(()))
    >>> with forbid_everywhere() as forbidden:
    ...     try:
    ...         float(x)
    ...     except xd.errors.TransferForbiddenError:
    ...         pass
    >>> [(row.op, row.nbytes) for row in forbidden.refused]
    [('float', 8)]
    """

    def __init__(self) -> None:
        self.refused: list[Transfer] = []

    def __enter__(self) -> Self:
        listen(self._hear, guard=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        unlisten(self._hear)

    def _hear(self, event: Event) -> None:
        if event.host or not event.implicit:
            return
        if any(guard._open and 'implicit' in guard._levels for guard in _get_guards()):
            return
        error = _forbidden(event, 'implicit')
        if event.op not in _SHOWS:
            self.refused.append(error.transfer)
        raise error
