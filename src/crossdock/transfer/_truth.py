"""A trace compared with what the driver says that it copied."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crossdock.transfer._driver import DriverAccount, DriverCopy
from crossdock.transfer._memories import memory_of
from crossdock.transfer._plan import HOST
from crossdock.transfer._reconcile import reconcile
from crossdock.transfer._row import Transfer

__all__ = ['TransferTruth', 'TruthPair', 'compare', 'truth_of']


@dataclass(frozen=True, slots=True)
class TruthPair:
    """What went from one memory to another, as the driver has it and as the trace has it.

    Attributes
    ----------
    source, target : str
        The two memories: 'host', 'cuda:0', ...
    copies, copied_nbytes : int
        The driver's copies and their bytes, those of other threads that no row tells of left out.
    rows, row_nbytes : int
        The trace's rows and their bytes, failed ones left out.
    """

    source: str
    target: str
    copies: int
    copied_nbytes: int
    rows: int
    row_nbytes: int


@dataclass(frozen=True, slots=True)
class TransferTruth:
    """What a driver says that it copied, compared with a trace.

    `pairs` is certain: it is a sum of what was counted on either side. Which copy belongs to which row is not told by
    anybody. It is found by direction, time, thread and bytes, so that of two copies of the same size in the same
    moment the wrong one may be called unseen; their bytes are right.

    Attributes
    ----------
    pairs : tuple of TruthPair
        Sums for each two memories between which something went.
    unseen : tuple of DriverCopy
        Copies by the trace's threads, or by an unknown one, that no row tells of.
    elsewhere : tuple of DriverCopy
        Copies by other threads that no row tells of. Libraries have threads of their own, which may work for the block.
    unmade : tuple of Transfer
        Rows that no copy bears out. They crossed in another way: read by a kernel from page-locked or managed memory.
    problems : tuple of str
        What was in the way, so that copies may be missing or the threads be unknown; empty where nothing was.
    """

    pairs: tuple[TruthPair, ...]
    unseen: tuple[DriverCopy, ...]
    elsewhere: tuple[DriverCopy, ...]
    unmade: tuple[Transfer, ...]
    problems: tuple[str, ...]
    _lines: tuple[tuple[float, str, int], ...] = ()

    def __repr__(self) -> str:
        return (
            f'<TransferTruth: {sum(pair.copies for pair in self.pairs)} copies by the driver, '
            f'{len(self.unseen)} of {self.unseen_nbytes} bytes unseen>'
        )

    @property
    def unseen_nbytes(self) -> int:
        """Bytes of the unseen copies."""
        return sum(copy.nbytes for copy in self.unseen)

    def line_before(self, copy: DriverCopy) -> tuple[str, int]:
        """File name and line number of the last row that began before a copy; ('', 0) if there is none."""
        before = bisect_right(self._lines, copy.at, key=lambda line: line[0])
        return self._lines[before - 1][1:] if before else ('', 0)

    def summary(self) -> str:
        """The sums, the unseen copies and what else is to be said, as text tables."""
        from crossdock.transfer._truth_table import truth_table

        return truth_table(self)

    def to_dict(self) -> dict[str, Any]:
        """All by name, as lists and dicts that JSON has; each unseen copy with `filename` and `lineno` before it."""

        def told(copies: Iterable[DriverCopy]) -> list[dict[str, Any]]:
            lines = ((copy, self.line_before(copy)) for copy in copies)
            return [asdict(copy) | {'filename': line[0], 'lineno': line[1]} for copy, line in lines]

        return {
            'pairs': [asdict(pair) for pair in self.pairs],
            'unseen': told(self.unseen),
            'unseen_nbytes': self.unseen_nbytes,
            'elsewhere': told(self.elsewhere),
            'unmade': [row.to_dict() for row in self.unmade],
            'problems': list(self.problems),
        }


def truth_of(found: dict[str, Any]) -> TransferTruth:
    """The object that `TransferTruth.to_dict` was called on."""
    lines: list[tuple[float, str, int]] = []

    def copies(name: str) -> tuple[DriverCopy, ...]:
        made = []
        for facts in found[name]:
            facts = dict(facts)
            filename, lineno = facts.pop('filename'), facts.pop('lineno')
            made.append(DriverCopy(**facts))
            lines.append((made[-1].at, filename, lineno))
        return tuple(made)

    return TransferTruth(
        pairs=tuple(TruthPair(**pair) for pair in found['pairs']),
        unseen=copies('unseen'),
        elsewhere=copies('elsewhere'),
        unmade=tuple(Transfer(**row) for row in found['unmade']),
        problems=tuple(found['problems']),
        _lines=tuple(sorted(lines)),
    )


def compare(
    rows: Sequence[Transfer],
    threads: Sequence[int | None],
    account: DriverAccount,
    start: float,
    own: frozenset[int] | None = None,
) -> TransferTruth:
    """Compare the rows of a trace with the copies of a driver.

    Parameters
    ----------
    rows : sequence of Transfer
        All rows.
    threads : sequence of int or None
        For each the thread that made it.
    account : DriverAccount
        What the driver says.
    start : float
        When the trace began, by `time.perf_counter`.
    own : frozenset of int or None
        The threads that the trace belongs to; None for all.
    """
    sides: defaultdict[tuple[str, str], _Side] = defaultdict(_Side)
    for copy in account.copies:
        sides[copy.source, copy.target].copies.append(copy.since(start))
    for row, thread in zip(rows, threads):
        source, target = memory_of(row.source), memory_of(row.target)
        # What goes on in host memory, or in a device that is not the driver's, is not for it to tell.
        if source != target and not row.host and all(_is_drivers(memory) for memory in (source, target)):
            side = sides[source, target]
            side.rows.append(row)
            side.threads.append(thread)
    pairs: list[TruthPair] = []
    unseen: list[DriverCopy] = []
    elsewhere: list[DriverCopy] = []
    unmade: list[Transfer] = []
    for (source, target), side in sides.items():
        found = reconcile(side.rows, side.threads, side.copies)
        others = [copy for copy in found.unseen if _is_of_another(copy, own)]
        unseen += [copy for copy in found.unseen if not _is_of_another(copy, own)]
        elsewhere += others
        unmade += [side.rows[position] for position in found.unmade]
        made = [row.nbytes for row in side.rows if not row.failed]
        nbytes = sum(copy.nbytes for copy in side.copies) - sum(copy.nbytes for copy in others)
        pairs.append(TruthPair(source, target, len(side.copies) - len(others), nbytes, len(made), sum(made)))
    return TransferTruth(
        pairs=tuple(sorted(pairs, key=lambda pair: (pair.source, pair.target))),
        unseen=tuple(sorted(unseen, key=lambda copy: copy.at)),
        elsewhere=tuple(sorted(elsewhere, key=lambda copy: copy.at)),
        unmade=tuple(sorted(unmade, key=lambda row: row.began)),
        problems=account.problems,
        _lines=tuple(sorted((row.began, row.filename, row.lineno) for row in rows)),
    )


def _is_of_another(copy: DriverCopy, own: frozenset[int] | None) -> bool:
    return own is not None and copy.thread is not None and copy.thread not in own


def _is_drivers(memory: str) -> bool:
    return memory == HOST or memory.startswith('cuda:')


class _Side:
    """Both accounts of one direction."""

    def __init__(self) -> None:
        self.copies: list[DriverCopy] = []
        self.rows: list[Transfer] = []
        self.threads: list[int | None] = []
