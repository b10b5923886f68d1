"""The rows of a trace in columns, so that a million of them can be added up, drawn and handed over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdock.transfer._groups import TransferGroup
from crossdock.transfer._hook import Event
from crossdock.transfer._row import Transfer

__all__ = ['Columns', 'Kind', 'Span', 'columns_of', 'read_columns']


class Kind(NamedTuple):
    """What many rows have in common; see `Transfer`."""

    filename: str
    lineno: int
    source: str
    target: str
    op: str
    implicit: bool
    host: bool
    path: str
    route: str
    failed: bool

    @property
    def way(self) -> str:
        """'explicit', 'implicit' or 'failed', by which pictures tell bars apart."""
        return 'failed' if self.failed else 'implicit' if self.implicit else 'explicit'


@dataclass(frozen=True, slots=True)
class Span:
    """Rows that are drawn as one bar.

    Attributes
    ----------
    began, ended : float
        When the first began and when the last ended, in seconds.
    count, nbytes : int
        How many they are, and the bytes of all, failed ones included.
    kinds : list of Kind
        What they are, each once.
    """

    began: float
    ended: float
    count: int
    nbytes: int
    kinds: list[Kind]


_NO_BATCH = -1
_TYPES = {'kind': np.int64, 'nbytes': np.int64, 'batch': np.int64, 'began': np.float64, 'seconds': np.float64}


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows of a trace: what they have in common once, and the rest in arrays.

    Attributes
    ----------
    kinds : list of Kind
        In the order in which they were first seen.
    kind, nbytes, batch, began, seconds : ndarray
        For each row the position of its kind; bytes; -1 for no batch; NaN for no known duration.
    """

    kinds: list[Kind]
    kind: npt.NDArray[np.int64]
    nbytes: npt.NDArray[np.int64]
    batch: npt.NDArray[np.int64]
    began: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def known_seconds(self) -> npt.NDArray[np.float64]:
        """`seconds`, 0 where it is not known."""
        return np.nan_to_num(self.seconds, nan=0.0)

    def groups(self) -> list[TransferGroup]:
        """The rows of one line, operation and direction added up: most bytes first, then the most rows."""
        seconds = np.bincount(self.kind, self.known_seconds, len(self.kinds)).tolist()
        found: dict[tuple[Any, ...], list[Any]] = {}
        for (kind, count), nbytes, time in zip(self.counts(), self._moved(), seconds, strict=True):
            sums = found.setdefault(kind[: -len(_APART)], [0, 0, 0.0])
            sums[0] += count
            sums[1] += nbytes
            sums[2] += time
        groups = [TransferGroup(*common, *sums) for common, sums in found.items()]
        return sorted(groups, key=lambda group: (-group.nbytes, -group.count))

    def counts(self) -> list[tuple[Kind, int]]:
        """How many rows there are of each kind."""
        return list(zip(self.kinds, np.bincount(self.kind, minlength=len(self.kinds)).tolist(), strict=True))

    def pairs(self) -> dict[tuple[str, str], int]:
        """Bytes that moved from one device to another, in the order of the first transfers."""
        moved: dict[tuple[str, str], int] = {}
        for kind, nbytes in zip(self.kinds, self._moved(), strict=True):
            if not kind.host:
                pair = kind.source, kind.target
                moved[pair] = moved.get(pair, 0) + nbytes
        return moved

    def _moved(self) -> list[int]:
        """The bytes of all rows of each kind, 0 for failed ones."""
        sums = np.zeros(len(self.kinds), np.int64)
        np.add.at(sums, self.kind, self.nbytes)
        return [0 if kind.failed else nbytes for kind, nbytes in zip(self.kinds, sums.tolist(), strict=True)]

    def chosen(self, kinds: Sequence[bool]) -> Columns:
        """The rows of those kinds for which there is True."""
        rows = np.array(kinds, bool)[self.kind] if self.kinds else np.zeros(0, bool)
        return Columns(self.kinds, *(getattr(self, name)[rows] for name in _TYPES))

    def crossing(self) -> Columns:
        """The rows that are not of values read in host memory."""
        return self.chosen([not kind.host for kind in self.kinds])

    def extent(self) -> tuple[float, float]:
        """When the first row began and when the last one ended; at zero if there is none."""
        if not len(self):
            return 0.0, 0.0
        return float(self.began.min()), float((self.began + self.known_seconds).max())

    def spans(self, gap: float, thinnest: float) -> list[Span]:
        """Bars for the rows: no two closer than `gap`, each drawn for `thinnest` at least, both in seconds."""
        if not len(self):
            return []
        order = np.argsort(self.began, kind='stable')
        began, kind, nbytes = self.began[order], self.kind[order], self.nbytes[order]
        ended = np.maximum.accumulate(began + self.known_seconds[order])
        drawn = np.maximum.accumulate(np.maximum(ended, began + thinnest))
        begins = np.concatenate([[True], began[1:] > drawn[:-1] + gap])
        firsts = np.flatnonzero(begins)
        counts = np.diff([*firsts, len(began)])
        members: list[list[Kind]] = [[] for _ in firsts]
        _, once = np.unique((np.cumsum(begins) - 1) * len(self.kinds) + kind, return_index=True)
        for row in np.sort(once):
            members[int(np.searchsorted(firsts, row, 'right')) - 1].append(self.kinds[kind[row]])
        sums = np.add.reduceat(nbytes, firsts)
        told = zip(began[firsts], ended[firsts + counts - 1], counts, sums, members, strict=True)
        return [Span(float(start), float(stop), int(n), int(size), kinds) for start, stop, n, size, kinds in told]

    def write(self, file: BinaryIO) -> None:
        """Write the arrays, without the kinds."""
        for name in _TYPES:
            file.write(np.ascontiguousarray(getattr(self, name)).tobytes())


#: What rows of one group may differ in.
_APART = ('path', 'route', 'failed')
_kind_of = attrgetter(*Kind._fields)


class _Numbers(dict[tuple[Any, ...], int]):
    """Numbers what it is asked for, in that order."""

    def __missing__(self, key: tuple[Any, ...]) -> int:
        number = self[key] = len(self)
        return number


def columns_of(rows: Iterable[Transfer] | Iterable[Event] | Columns, start: float = 0.0) -> Columns:
    """The rows in columns, or events whose places are known, of a trace that began at `start`."""
    if isinstance(rows, Columns):
        return rows
    listed: list[Any] = list(rows)
    numbers = _Numbers()
    kind = np.fromiter(map(numbers.__getitem__, map(_kind_of, listed)), np.int64, len(listed))
    batches = (_NO_BATCH if batch is None else batch for batch in map(attrgetter('batch'), listed))
    return Columns(
        kinds=list(map(Kind._make, numbers)),
        kind=kind,
        nbytes=np.fromiter(map(attrgetter('nbytes'), listed), np.int64, len(listed)),
        batch=np.fromiter(batches, np.int64, len(listed)),
        began=np.fromiter(map(attrgetter('began'), listed), np.float64, len(listed)) - start,
        seconds=np.array(list(map(attrgetter('seconds'), listed)), np.float64),  # None becomes NaN
    )


def read_columns(kinds: Iterable[Sequence[Any]], file: BinaryIO, count: int) -> Columns:
    """What `Columns.write` has written, of `count` rows."""
    arrays: list[Any] = [np.frombuffer(file.read(8 * count), dtype) for dtype in _TYPES.values()]
    return Columns(list(map(Kind._make, kinds)), *arrays)
