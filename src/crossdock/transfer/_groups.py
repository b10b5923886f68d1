"""`TransferGroup`: rows of a trace, added up by what they have in common."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ['TransferGroup']


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
