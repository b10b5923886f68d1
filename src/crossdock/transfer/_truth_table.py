"""A `TransferTruth` as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from crossdock.transfer._driver import DriverCopy
from crossdock.transfer._summary import _cells, _padded

if TYPE_CHECKING:
    from crossdock.transfer._truth import TransferTruth

__all__ = ['truth_table']

_MOST = 20  # lines of a table
_GAP = '   '

#: Source, target, bytes of each, file name and line number of the row before; and how many.
_Group = tuple[tuple[str, str, int, str, int], int]


def _groups(truth: TransferTruth, copies: Iterable[DriverCopy]) -> list[_Group]:
    """Copies of one size and direction after the same line added up, most bytes first."""
    counts = Counter((copy.source, copy.target, copy.nbytes, *truth.line_before(copy)) for copy in copies)
    return sorted(counts.items(), key=lambda item: (-item[0][2] * item[1], -item[1], item[0]))


def truth_table(truth: TransferTruth) -> str:
    """The text of `TransferTruth.summary`."""
    lines = [
        (pair.source, pair.target, f'{pair.copies:,}', f'{pair.copied_nbytes:,}', f'{pair.rows:,}')
        + (f'{pair.row_nbytes:,}', f'{pair.copied_nbytes - pair.row_nbytes:+,}')
        for pair in truth.pairs
    ]
    numbers = ('driver', 'bytes', 'trace', 'bytes', 'more')
    nothing = 'neither the driver nor the trace has a copy to or from a GPU'
    parts = [_table(('from', 'to'), numbers, lines) if lines else nothing]
    if truth.unseen:
        parts += [f'unseen: {_sum(truth.unseen)} that no row of the trace tells of', _listed(truth, truth.unseen)]
    else:
        parts.append('unseen: none')
    if truth.elsewhere:
        parts += [f'other threads: {_sum(truth.elsewhere)} that no row tells of', _listed(truth, truth.elsewhere)]
    if truth.unmade:
        nbytes = sum(row.nbytes for row in truth.unmade)
        parts.append(
            f'rows without a copy: {len(truth.unmade):,}, {nbytes:,} bytes; a kernel read or wrote them, '
            'or the memory is managed'
        )
    parts += [f'note: {problem}' for problem in truth.problems]
    return '\n'.join(parts)


def _sum(copies: tuple[DriverCopy, ...]) -> str:
    count = '1 copy' if len(copies) == 1 else f'{len(copies):,} copies'
    return f'{count}, {sum(copy.nbytes for copy in copies):,} bytes'


def _listed(truth: TransferTruth, copies: Iterable[DriverCopy]) -> str:
    groups = _groups(truth, copies)
    lines = [
        (f'{Path(filename).name}:{lineno}' if filename else '', source, target, f'{count:,}', f'{nbytes:,}')
        for (source, target, nbytes, filename, lineno), count in groups[:_MOST]
    ]
    text = _table(('after', 'from', 'to'), ('copies', 'bytes each'), lines)
    return f'{text}\nand {len(groups) - _MOST:,} lines more' if len(groups) > _MOST else text


def _table(words: Sequence[str], numbers: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Columns of words, then columns of numbers."""
    table = [(*words, *numbers), *lines]
    widths = [max(map(_cells, texts)) for texts in zip(*table)]
    told = []
    for line in table:
        left = map(_padded, line[: len(words)], widths)
        right = map(str.rjust, line[len(words) :], widths[len(words) :])
        told.append(_GAP.join([*left, *right]))
    return '\n'.join([told[0], '─' * _cells(told[0]), *told[1:]])
