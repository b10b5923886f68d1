"""The rows of a trace as a text table that fits a terminal."""

from __future__ import annotations

import operator
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from crossdock.transfer._columns import Columns, columns_of
from crossdock.transfer._groups import TransferGroup
from crossdock.transfer._row import Transfer

__all__ = ['summary']

_WORDS = ('from', 'to', 'op', '', 'line')
_NUMBERS = ('transfers', 'bytes', 'ms')
_WIDTH = 80  # where there is no terminal
_SHORTEST = 12  # of a line's place, in a table of one line for each row


class _Row(NamedTuple):
    words: tuple[str, ...]
    numbers: tuple[str, ...]


def summary(rows: Iterable[Transfer] | Columns, width: int | None = None) -> str:
    """Add up the rows that share direction, operation and line, and print them, most bytes first.

    What was read in host memory is listed, and is no part of the total.

    Parameters
    ----------
    rows : iterable of Transfer, or Columns
    width : int, optional
        Columns to fit. A table in which the numbers alone take more is wider.
    """
    width = _columns() if width is None else operator.index(width)
    groups = columns_of(rows).groups()
    places = _places(groups)
    table = [_Row((*_directed(group), place), _figures([group])) for group, place in zip(groups, places, strict=True)]
    total = _Row(('total', '', '', '', ''), _figures([group for group in groups if not group.host]))
    for gap in (3, 2):
        if lines := _wide(table, total, width, gap):
            return '\n'.join(lines)
    return '\n'.join(_narrow(table, total, width))


def _wide(table: Sequence[_Row], total: _Row, width: int, gap: int) -> list[str]:
    """One line for each row; none if that does not fit."""
    lines = [*table, *([total] if table else [])]
    columns = [max(map(_cells, texts)) for texts in zip(_WORDS, *(row.words for row in lines), strict=True)]
    figures = [max(map(len, texts)) for texts in zip(_NUMBERS, *(row.numbers for row in lines), strict=True)]
    beyond = sum(columns) + sum(figures) + gap * (len(columns) + len(figures) - 1) - width
    if beyond > max(columns[-1] - _SHORTEST, 0):
        return []
    columns[-1] -= max(beyond, 0)

    def line(row: _Row) -> str:
        *directed, place = row.words
        words = map(_padded, [*directed, _cut(place, columns[-1])], columns)
        return (' ' * gap).join([*words, *map(str.rjust, row.numbers, figures)])

    heading = line(_Row(_WORDS, _NUMBERS))
    return [heading, '─' * _cells(heading), *map(line, lines)]


def _narrow(table: Sequence[_Row], total: _Row, width: int) -> Iterator[str]:
    """What moved and the numbers in one line, each line's place below."""
    figures = [max(map(len, texts)) for texts in zip(_NUMBERS, *(row.numbers for row in [*table, total]), strict=True)]
    told = ['{} →\N{NO-BREAK SPACE}{} {} {}'.format(*row.words) for row in table]
    longest = max((_cells(word) for text in told for word in text.split(' ')), default=0)
    room = min(max(width - sum(figures) - 2 * len(figures), longest, len('total')), max(map(_cells, [*told, 'total'])))

    def line(word: str, numbers: Iterable[str]) -> str:
        return '  '.join([_padded(word, room), *map(str.rjust, numbers, figures)])

    yield line('what', _NUMBERS)
    yield '─' * _cells(line('', _NUMBERS))
    for row, text in zip(table, told, strict=True):
        first, *rest = _wrapped(text, room)
        yield line(first, row.numbers)
        yield from (f'  {words}' for words in rest)
        if place := row.words[-1]:
            yield f'  {_cut(place, max(width - 2, _SHORTEST))}'
    if table:
        yield line('total', total.numbers)


def _directed(group: TransferGroup) -> tuple[str, ...]:
    asked = 'host' if group.host else 'implicit' if group.implicit else 'explicit'
    return group.source, group.target, group.op, asked


def _figures(groups: Sequence[TransferGroup]) -> tuple[str, ...]:
    count, nbytes = sum(group.count for group in groups), sum(group.nbytes for group in groups)
    return f'{count:,}', f'{nbytes:,}', f'{sum(group.seconds for group in groups) * 1e3:,.3f}'


def _places(groups: Sequence[TransferGroup]) -> list[str]:
    """File and line of each group, with as much of the path as tells the files apart."""
    files = {group.filename for group in groups if group.filename}
    ends, shown = _ends(files), {}
    for file in files:
        parts = PurePath(file).parts
        tails = ['/'.join(parts[-n:]) for n in range(1, len(parts))]
        shown[file] = next((tail for tail in tails if ends[tail] == 1), file)
    return [f'{shown[group.filename]}:{group.lineno}' if group.filename else '' for group in groups]


def _ends(files: Iterable[str]) -> Counter[str]:
    """How many files end in each sequence of names."""
    paths = [PurePath(file).parts for file in files]
    return Counter('/'.join(parts[-n:]) for parts in paths for n in range(1, len(parts)))


def _columns() -> int:
    """What the terminal has that the text may go to; COLUMNS goes before, as everywhere."""
    named = os.environ.get('COLUMNS', '')
    if named.isdecimal() and int(named):
        return int(named)
    for stream in (sys.__stderr__, sys.__stdout__):
        try:
            if stream is not None and stream.isatty() and (found := os.get_terminal_size(stream.fileno()).columns):
                return found
        except (OSError, ValueError):  # closed
            continue
    return _WIDTH


def _cells(text: str) -> int:
    """Columns that a terminal takes for it."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, room: int) -> str:
    return text + ' ' * (room - _cells(text))


def _cut(text: str, room: int) -> str:
    """The end of a path that is too long, which names the file and the line."""
    if _cells(text) <= room:
        return text
    while _cells(text) > room - 1 and text:
        text = text[1:]
    return f'…{text}'


def _wrapped(text: str, room: int) -> list[str]:
    """Words in lines; none is broken."""
    import textwrap

    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    return [line.replace('\N{NO-BREAK SPACE}', ' ') for line in lines]
