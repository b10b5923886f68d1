"""`TransferLog`: the rows of a trace, and the forms in which they can be had."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, SupportsIndex, overload

from crossdock.transfer._columns import Columns, columns_of
from crossdock.transfer._driver import Watch
from crossdock.transfer._groups import TransferGroup
from crossdock.transfer._hook import Event
from crossdock.transfer._row import Transfer, row_of
from crossdock.transfer._truth import TransferTruth, compare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ['TransferLog', 'WatchedLog']


class TransferLog:
    """The rows of one trace, in the order in which the transfers began. Iterate over it, index it, take its length.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> with xd.trace_transfers() as log:
    ...     x = xd.get_device('sim:0').send(np.ones(1000))
    ...     for i in range(3):
    ...         total = float(x.sum())
    >>> log
    <TransferLog: 4 transfers, 8024 bytes>
    >>> [(group.count, group.nbytes, group.op) for group in log.by_line()]
    [(1, 8000, 'copy'), (3, 24, 'float')]

    Attributes
    ----------
    ground_truth : TransferTruth or None
        What the GPUs' driver says that it copied, compared with the rows, once the block has ended; None if it was not
        asked for with ``ground_truth=True``.
    """

    ground_truth: TransferTruth | None = None

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._start = perf_counter()
        self._open = True

    def __iter__(self) -> Iterator[Transfer]:
        return (row_of(event, self._start) for event in list(self._events))

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Transfer: ...
    @overload
    def __getitem__(self, index: slice) -> list[Transfer]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Transfer | list[Transfer]:
        if isinstance(index, slice):
            return [row_of(event, self._start) for event in self._events[index]]
        return row_of(self._events[index], self._start)

    def __repr__(self) -> str:
        reads = self._reads()
        count = len(self) - reads
        said = f'{count} {"transfer" if count == 1 else "transfers"}, {self.nbytes_moved} bytes'
        return f'<TransferLog: {said}, {_said_of_reads(reads)}>' if reads else f'<TransferLog: {said}>'

    @property
    def nbytes_moved(self) -> int:
        """Bytes that crossed from one memory to another, all rows together but those that failed."""
        return sum(event.nbytes for event in list(self._events) if not event.failed)

    def by_line(self) -> list[TransferGroup]:
        """The rows of the same line, operation and direction added up, most bytes first."""
        return self._columns().groups()

    def summary(self, width: int | None = None) -> str:
        """The rows as a text table, those of the same line, operation and direction added up.

        Parameters
        ----------
        width : int, optional
            Columns to fit: paths lose their beginning, or a row takes several lines; numbers are never cut. The
            terminal's when omitted, or 80 where there is none; the environment variable ``COLUMNS`` goes before both.

        Returns
        -------
        str
            Most bytes first, with a total; times in milliseconds. Values that were read in host memory are listed as
            'host' and are no part of the total; a line says how many there were. A last line says if the driver copied
            what no row tells of.
        """
        from crossdock.transfer._summary import summary

        text, truth = summary(self._columns(), width), self.ground_truth
        if reads := self._reads():
            text = f'{text}\nand {_said_of_reads(reads)}'
        if truth is None or not truth.unseen:
            return text
        unseen = '1 copy' if len(truth.unseen) == 1 else f'{len(truth.unseen):,} copies'
        return f'{text}\nunseen: {unseen} by the driver, {truth.unseen_nbytes:,} bytes; see ground_truth.summary()'

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The rows as a JSON list of objects with the attributes of `Transfer`; a file gets it too, if one is named."""
        text = json.dumps([row.to_dict() for row in self], indent=1)
        if path is not None:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        return text

    def to_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Write the rows as a timeline in Chrome's trace event format, with a track for each pair of devices.

        Parameters
        ----------
        path : path-like
            The file, to be opened on https://ui.perfetto.dev or in ``chrome://tracing``.
        """
        from crossdock.transfer._chrome import chrome_trace

        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(chrome_trace(self._columns()))

    def plot(self) -> Figure:
        """Draw the rows: a timeline with a line for each pair of devices, and a matrix of bytes from one to another.

        Needs Matplotlib (``pip install 'crossdock[plot]'``), whose current style it follows.

        Returns
        -------
        matplotlib.figure.Figure
            Made by pyplot: show it with ``plt.show()``, keep it with its ``savefig``.
        """
        from crossdock.transfer._plot import plot

        return plot(self._columns())

    def _columns(self) -> Columns:
        return columns_of(list(self._events), self._start)

    def _reads(self) -> int:
        return sum(event.host for event in list(self._events))

    def _add(self, event: Event) -> None:
        # A task that was started inside outlives the trace with a copy of its context.
        if self._open:
            self._events.append(event)


def _said_of_reads(count: int) -> str:
    return f'{count:,} {"value" if count == 1 else "values"} read from host memory'


class WatchedLog(TransferLog):
    """A log that is compared with what the driver says.

    Parameters
    ----------
    watch : Watch
        A look at the driver that has begun.
    everywhere : bool
        Whether the log has the rows of all threads.
    """

    def __init__(self, watch: Watch, *, everywhere: bool = False) -> None:
        super().__init__()
        self._watch = watch
        self._threads: list[int | None] = []
        self._opener = None if everywhere else threading.get_native_id()

    def _add(self, event: Event) -> None:
        if self._open:
            # In this order: whoever reads the rows meanwhile has a thread for each.
            self._threads.append(threading.get_native_id())
            self._events.append(event)

    def _compare(self) -> None:
        """Wait for the driver, and compare."""
        self._open = False
        account = self._watch.end()
        rows = list(self)
        own = None
        if self._opener is not None:
            own = frozenset({self._opener, *(thread for thread in self._threads if thread is not None)})
        self.ground_truth = compare(rows, self._threads[: len(rows)], account, self._start, own)
