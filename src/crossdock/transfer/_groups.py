"""The rows of a trace, added up by what they have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crossdock.transfer._row import Transfer

__all__ = ['TransferGroup', 'grouped']


@dataclass(frozen=True, slots=True)
class TransferGroup:
    """Transfers of one line, operation and direction.

    Attributes
    ----------
    filename, lineno, source, target, op, implicit, host
        What they have in common; see `Transfer`.
    count : int
        How many there were, failed ones included.
    nbytes : int
        Bytes of those that did not fail.
    seconds : float
        Time of all that is known.
    """

    filename: str
    lineno: int
    source: str
    target: str
    op: str
    implicit: bool
    host: bool
    count: int
    nbytes: int
    seconds: float


def grouped(rows: Iterable[Transfer]) -> list[TransferGroup]:
    """The groups, most bytes first, and of the same bytes the most rows."""
    found: dict[tuple[str, int, str, str, str, bool, bool], list[Transfer]] = {}
    for row in rows:
        key = (row.filename, row.lineno, row.source, row.target, row.op, row.implicit, row.host)
        found.setdefault(key, []).append(row)
    groups = [
        TransferGroup(*key, len(members), sum(r.nbytes_moved for r in members), sum(r.seconds or 0.0 for r in members))
        for key, members in found.items()
    ]
    return sorted(groups, key=lambda group: (-group.nbytes, -group.count))
