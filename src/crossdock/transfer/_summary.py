"""The rows of a trace as a text table."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable
from pathlib import Path

from crossdock.transfer._groups import grouped
from crossdock.transfer._row import Transfer

__all__ = ['summary']

_WIDTH = 100


def summary(rows: Iterable[Transfer]) -> str:
    """Add up the rows that share direction, operation and line, and print them, most bytes first."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    groups = grouped(rows)
    table = Table(box=box.SIMPLE_HEAD, show_footer=bool(groups), pad_edge=False)
    for name, footer in (('from', 'total'), ('to', ''), ('op', ''), ('', ''), ('line', '')):
        table.add_column(name, footer, overflow='fold')
    for name, total in (
        ('transfers', str(sum(group.count for group in groups))),
        ('bytes', f'{sum(group.nbytes for group in groups):,}'),
        ('ms', _milliseconds(sum(group.seconds for group in groups))),
    ):
        table.add_column(name, total, justify='right')
    for group in groups:
        asked = 'implicit' if group.implicit else 'explicit'
        line = f'{Path(group.filename).name}:{group.lineno}' if group.filename else ''
        table.add_row(
            *(group.source, group.target, group.op, asked, line),
            *(str(group.count), f'{group.nbytes:,}', _milliseconds(group.seconds)),
        )
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, markup=False, highlight=False)
    console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return textwrap.dedent('\n'.join(line for line in lines if line))


def _milliseconds(seconds: float) -> str:
    return f'{seconds * 1e3:,.3f}'
