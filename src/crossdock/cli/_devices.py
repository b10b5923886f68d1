"""``crossdock devices``: what works on this machine, and why the rest does not."""

from __future__ import annotations

import json
import sys

import click

import crossdock as xd
from crossdock.cli._complaint import one_line
from crossdock.devices import DeviceRow

__all__ = ['devices']

HEADINGS = ('device', 'kind', 'works', 'memory', 'why not')


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print rows for programs.')
def devices(as_json: bool) -> None:
    """List what works on this machine, and why the rest does not."""
    rows = xd.describe_devices()
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif sys.stdout.isatty():
        show(rows)
    else:
        click.echo(lines(rows))


def show(rows: list[DeviceRow]) -> None:
    """Print a table that fits the terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    *names, last = HEADINGS
    for name in names:
        table.add_column(name, no_wrap=True)
    table.add_column(last, overflow='fold')
    for row in rows:
        works = '[green]yes[/]' if row['available'] else '[red]no[/]'
        # Reasons may hold brackets, as in 'pip install package[extra]'.
        table.add_row(row['spec'], row['kind'], works, row['physical'], escape(row['reason']))
    Console().print(table)


def lines(rows: list[DeviceRow]) -> str:
    """One line for each device, however long, for files and for programs that search them."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return '\n'.join('  '.join(map(str.ljust, line, widths)).rstrip() for line in cells)


def _cells(row: DeviceRow) -> tuple[str, ...]:
    works = 'yes' if row['available'] else 'no'
    return row['spec'], row['kind'], works, row['physical'], one_line(row['reason'])
