"""Which rows of a trace tell of which copies of a driver.

Rows and copies have no number in common. They are brought together by direction first; then by time, where it is known
when the driver was called and by which thread; what is left, by bytes. Several rows may be one copy (packed), and one
row several copies (staged).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from crossdock.transfer._driver import DriverCopy
from crossdock.transfer._pack import block_nbytes
from crossdock.transfer._plan import PACKED
from crossdock.transfer._row import Transfer

__all__ = ['Reconciled', 'reconcile']

#: Clocks of the host and of the driver agree no better.
SLACK_S = 20e-6
#: So many copies are looked at for a row that was made of several, at another time than it says.
_NEAR = 2000
_FEW = 100


class Reconciled(NamedTuple):
    """Copies that no row tells of, and positions of rows that no copy bears out."""

    unseen: list[DriverCopy]
    unmade: list[int]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Rows that cross together, mostly one."""

    positions: tuple[int, ...]
    least: int  # bytes that the copies have to have
    most: int
    began: float
    ended: float
    thread: int | None


def reconcile(rows: Sequence[Transfer], threads: Sequence[int | None], copies: Sequence[DriverCopy]) -> Reconciled:
    """Bring together the rows and the copies of one direction between two memories.

    Parameters
    ----------
    rows : sequence of Transfer
        In the order in which they began.
    threads : sequence of int or None
        For each row the thread that made it.
    copies : sequence of DriverCopy
        In any order.
    """
    units = _units(rows, threads)
    lines = _by_thread(copies)
    left = [unit for unit in units if not _take_by_time(unit, lines)]
    rest = _Rest(copy for line in lines.values() for copy in line.left())
    unmade = [unit for unit in left if unit.least and not rest.take(unit)]
    return Reconciled(rest.left(), sorted(position for unit in unmade for position in unit.positions))


def _units(rows: Sequence[Transfer], threads: Sequence[int | None]) -> list[_Unit]:
    found: list[_Unit] = []
    packed: dict[tuple[int | None, int | None], list[int]] = {}
    for position, (row, thread) in enumerate(zip(rows, threads)):
        if row.route == PACKED and row.batch is not None and not row.failed:
            packed.setdefault((row.batch, thread), []).append(position)
        else:
            found.append(_unit(rows, (position,), thread))
    found += [_unit(rows, tuple(positions), thread) for (_, thread), positions in packed.items()]
    return sorted(found, key=lambda unit: unit.began)


def _unit(rows: Sequence[Transfer], positions: tuple[int, ...], thread: int | None) -> _Unit:
    members = [rows[position] for position in positions]
    known = [row.seconds for row in members if row.seconds is not None]
    last = members[-1]
    if len(known) == len(members):
        ended = max(row.began + (row.seconds or 0.0) for row in members)
    else:
        # Nobody said when it was over: before the same thread began with the next.
        after = (rows[i].began for i in range(positions[-1] + 1, len(rows)) if rows[i].began > last.began)
        ended = next(after, float('inf'))
    nbytes = sum(row.nbytes for row in members)
    # A block has gaps. A copy that failed may have got anywhere.
    most = block_nbytes(row.nbytes for row in members) if len(members) > 1 else nbytes
    return _Unit(positions, 0 if last.failed else nbytes, most, min(row.began for row in members), ended, thread)


class _Line:
    """Copies that were called for, in the order of the calls, and which of them are taken."""

    def __init__(self, copies: Iterable[DriverCopy]) -> None:
        self.copies = sorted(copies, key=lambda copy: copy.at)
        self.times = [copy.at for copy in self.copies]
        self.taken = [False] * len(self.copies)

    def left(self) -> list[DriverCopy]:
        return [copy for copy, taken in zip(self.copies, self.taken) if not taken]

    def take(self, unit: _Unit, first: int, last: int) -> bool:
        """Take those between two positions that the unit may be made of."""
        free = [i for i in range(first, last) if not self.taken[i]]
        run = _run([self.copies[i].nbytes for i in free], unit.least, unit.most)
        for i in free[run]:
            self.taken[i] = True
        return bool(run.stop)


def _by_thread(copies: Sequence[DriverCopy]) -> dict[int | None, _Line]:
    found: defaultdict[int | None, list[DriverCopy]] = defaultdict(list)
    for copy in copies:
        found[copy.thread if copy.called is not None else None].append(copy)
    return {thread: _Line(members) for thread, members in found.items()}


def _take_by_time(unit: _Unit, lines: dict[int | None, _Line]) -> bool:
    """Take what the unit's thread called for while it was busy with the unit, if the bytes are right."""
    line = lines.get(unit.thread)
    if line is None or unit.thread is None:
        return False
    for slack in (0.0, SLACK_S):
        first = bisect_left(line.times, unit.began - slack)
        last = bisect_right(line.times, unit.ended + slack)
        if line.take(unit, first, last):
            return True
    return False


class _Rest:
    """Copies that time did not bring to a row: by bytes, in their order."""

    def __init__(self, copies: Iterable[DriverCopy]) -> None:
        self._line = _Line(copies)
        self._by_nbytes: defaultdict[int, deque[int]] = defaultdict(deque)
        for i, copy in enumerate(self._line.copies):
            self._by_nbytes[copy.nbytes].append(i)

    def left(self) -> list[DriverCopy]:
        return self._line.left()

    def take(self, unit: _Unit) -> bool:
        """Whether there are copies, no earlier than the unit, of which it may be made."""
        line = self._line
        first = bisect_left(line.times, unit.began - SLACK_S)
        for nbytes in {unit.least, unit.most}:
            of_that_size = self._by_nbytes[nbytes]
            # Units come in the order of time: what is too early or taken is so for all that follow.
            while of_that_size and (line.taken[of_that_size[0]] or of_that_size[0] < first):
                of_that_size.popleft()
            if of_that_size:
                line.taken[of_that_size.popleft()] = True
                return True
        return line.take(unit, first, min(first + _NEAR, len(line.copies)))


def _run(sizes: list[int], least: int, most: int) -> slice:
    """A run of sizes whose sum is between the two: all, one, or the first that is; an empty slice if there is none."""
    nothing = slice(0, 0)
    if not sizes:
        return nothing
    sums = [0, *accumulate(sizes)]
    if least <= sums[-1] <= most:
        return slice(0, len(sizes))
    for i, size in enumerate(sizes):
        if least <= size <= most:
            return slice(i, i + 1)
    return _run_of_many(sums, least, most) if len(sizes) > _FEW else _run_of_few(sums, least, most)


def _run_of_few(sums: list[int], least: int, most: int) -> slice:
    for begin, before in enumerate(sums[:-1]):
        end = bisect_left(sums, before + max(least, 1), begin + 1)
        if end < len(sums) and sums[end] <= before + most:
            return slice(begin, end)
    return slice(0, 0)


def _run_of_many(sums: list[int], least: int, most: int) -> slice:
    """The same, where looking at each in turn takes long."""
    ends = np.array(sums)
    starts = ends[:-1]
    end = np.maximum(np.searchsorted(ends, starts + max(least, 1)), np.arange(1, len(sums)))
    fits = end < len(sums)
    fits[fits] = ends[end[fits]] <= starts[fits] + most
    begin = int(fits.argmax())
    return slice(begin, int(end[begin])) if fits[begin] else slice(0, 0)
