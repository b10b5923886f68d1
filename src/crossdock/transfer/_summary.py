"""The rows of a trace as a text table."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crossdock.transfer._trace import Transfer

__all__ = ['summary']

_WIDTH = 100


def summary(rows: Iterable[Transfer]) -> str:
    """Add up the rows that share direction, operation and line, and print them, most bytes first."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    groups: dict[tuple[str, str, str, str, str], list[int]] = {}
    for row in rows:
        line = f'{Path(row.filename).name}:{row.lineno}' if row.filename else ''
        key = (row.source, row.target, row.op, 'implicit' if row.implicit else 'explicit', line)
        groups.setdefault(key, []).append(row.nbytes)
    table = Table(box=box.SIMPLE_HEAD, show_footer=bool(groups), pad_edge=False)
    total = sum(sum(sizes) for sizes in groups.values())
    count = sum(len(sizes) for sizes in groups.values())
    for name, footer in (('from', 'total'), ('to', ''), ('op', ''), ('', ''), ('line', '')):
        table.add_column(name, footer, overflow='fold')
    table.add_column('transfers', str(count), justify='right')
    table.add_column('bytes', f'{total:,}', justify='right')
    for key, sizes in sorted(groups.items(), key=lambda group: -sum(group[1])):
        table.add_row(*key, str(len(sizes)), f'{sum(sizes):,}')
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, markup=False, highlight=False)
    console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return textwrap.dedent('\n'.join(line for line in lines if line))
