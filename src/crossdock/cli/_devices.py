"""``crossdock devices``: what works on this machine, and why the rest does not."""

from __future__ import annotations

import json

import click

import crossdock as xd

__all__ = ['devices']


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print rows for programs.')
def devices(as_json: bool) -> None:
    """List what works on this machine, and why the rest does not."""
    rows = xd.describe_devices()
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ('device', 'kind', 'works', 'memory'):
        table.add_column(name, no_wrap=True)
    table.add_column('why not', overflow='fold')
    for row in rows:
        works = '[green]yes[/]' if row['available'] else '[red]no[/]'
        # Reasons may hold brackets, as in 'pip install package[extra]'.
        table.add_row(row['spec'], row['kind'], works, row['physical'], escape(row['reason']))
    Console().print(table)
