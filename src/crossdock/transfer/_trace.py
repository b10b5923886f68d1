"""See every transfer: `trace_transfers` collects one row for each."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from types import TracebackType

from crossdock.transfer._driver import watch_driver
from crossdock.transfer._hook import Event, listen, unlisten
from crossdock.transfer._log import TransferLog, WatchedLog
from crossdock.transfer._where import located

__all__ = ['trace_transfers']

_logs: ContextVar[tuple[TransferLog, ...]] = ContextVar('crossdock_trace', default=())
_get_logs = _logs.get


def _record(event: Event) -> None:
    logs = _get_logs()
    if logs:
        located(event)
        for log in logs:
            log._add(event)


class trace_transfers:
    """Collect every transfer that happens inside a ``with`` block.

    The trace belongs to the context: to this thread, and to the async tasks that are started inside. Traces nest, and
    each sees what happens inside it. Aliases are no transfers. When no trace is open anywhere, nothing is recorded
    and nothing is paid.

    Parameters
    ----------
    ground_truth : bool
        Have the rows compared, at the end of the block, with what the NVIDIA driver says that it copied:
        `TransferLog.ground_truth`. The end of the block waits for all GPUs that the process uses. It takes CUPTI
        (``pip install 'crossdock[cupti]'``) and a GPU.

    Returns
    -------
    TransferLog
        From the ``with`` statement; it stays readable afterwards.

    Raises
    ------
    TypeError
        `ground_truth` is no bool.
    DeviceUnavailableError
        With ``ground_truth=True``, before the block: CUPTI is not installed, there is no GPU or no driver that answers,
        or another profiler is at work. The error says which.

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

    def __init__(self, *, ground_truth: bool = False) -> None:
        if not isinstance(ground_truth, bool):
            raise TypeError(f'trace_transfers: ground_truth is True or False, not {ground_truth!r}')
        self._ground_truth = ground_truth
        self._log: TransferLog | None = None

    def __enter__(self) -> TransferLog:
        if self._log is not None:
            raise RuntimeError('this trace was entered before; make a new one for each block')
        self._log = WatchedLog(watch_driver()) if self._ground_truth else TransferLog()
        listen(_record)
        _logs.set((*_logs.get(), self._log))
        return self._log

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._log is None:
            raise RuntimeError('this trace was not entered; write: with trace_transfers() as log')
        self._log._open = False
        # Not ContextVar.reset: a generator may be closed in another context than it was started in.
        _logs.set(tuple(log for log in _logs.get() if log is not self._log))
        unlisten(_record)
        if isinstance(self._log, WatchedLog) and not sys.is_finalizing():
            self._log._compare()
