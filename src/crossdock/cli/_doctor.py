"""``crossdock doctor``: what is installed, found and missing, what clashes, what to install."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from crossdock import doctor as judge
from crossdock.cli._compile import compile_kernels
from crossdock.cli._complaint import Complaint, one_line
from crossdock.doctor import Finding

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ['doctor']

TITLES = {
    'package': 'Python packages',
    'library': 'Below Python',
    'device': 'Devices',
    'check': 'What does not go together',
}
MARKS = {'ok': ('✓', 'green'), 'missing': ('-', 'dim'), 'warning': ('!', 'yellow'), 'problem': ('✗', 'bold red')}


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print rows for programs.')
@click.option(
    '--compile-kernels',
    'architectures',
    metavar='LIST',
    help="Only compile all of the core's CUDA kernels, for architectures such as sm_75,sm_90; no GPU is needed.",
)
def doctor(as_json: bool, architectures: str | None) -> int:
    """Say what is installed and found, what clashes, and what to install.

    The exit code is 1 if something clashes or is broken. What is optional and missing is no error.
    """
    if architectures is not None:
        try:
            names = judge.parse_architectures(architectures)
        except ValueError as error:
            raise Complaint(f'--compile-kernels: {error}') from error
        return compile_kernels(names, as_json=as_json)
    findings = judge.examine(judge.gather())
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    elif sys.stdout.isatty():
        show(findings)
    else:
        click.echo('\n'.join(lines(findings)))
    return int(any(finding.state == 'problem' for finding in findings))


def show(findings: Sequence[Finding]) -> None:
    """Print a table for each group, then the verdict."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    rows = folded(findings)
    width = max(len(finding.name) for finding in rows)
    for group, title in TITLES.items():
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, min_width=width)
        table.add_column(overflow='fold')
        for finding in rows:
            if finding.group == group:
                mark, style = MARKS[finding.state]
                table.add_row(Text(mark, style), Text(finding.name), _cell(finding))
        if table.row_count:
            console.print(Text(title, 'bold'))
            console.print(table)
            console.print()
    console.print(Text(verdict(findings), 'bold'))


def _cell(finding: Finding) -> Text:
    from rich.text import Text

    style = 'dim' if finding.state == 'missing' else ''
    cell = Text(finding.detail, style)
    # A reason that already says what to install need not be followed by the same.
    if finding.advice and finding.advice not in finding.detail:
        cell.append(f'\n→ {finding.advice}', 'cyan')
    return cell


def lines(findings: Sequence[Finding]) -> list[str]:
    """One line for each finding, however long, for files and for programs that search them."""
    cells = [(f.state, f.group, f.name, _told(f)) for f in findings]
    widths = [max(map(len, column)) for column in zip(*cells)]
    table = ['  '.join(map(str.ljust, line, widths)).rstrip() for line in cells]
    return [*table, verdict(findings)]


def _told(finding: Finding) -> str:
    return one_line(f'{finding.detail} -> {finding.advice}' if finding.advice else finding.detail)


def folded(findings: Sequence[Finding]) -> list[Finding]:
    """NVIDIA's wheels, which may be many, in one row."""
    wheels = [f for f in findings if f.group == 'package' and f.state == 'ok' and f.name.startswith('nvidia-')]
    if not wheels:
        return list(findings)
    detail = ', '.join(f'{f.name.removeprefix("nvidia-")} {f.detail}' for f in wheels)
    place = findings.index(wheels[0])
    rest = [finding for finding in findings if finding not in wheels]
    return [*rest[:place], Finding('package', 'nvidia-*', 'ok', detail), *rest[place:]]


def verdict(findings: Sequence[Finding]) -> str:
    """The last line: how many problems and warnings."""
    counts = {state: sum(finding.state == state for finding in findings) for state in ('problem', 'warning')}
    told = [f'{count} {state}{"s" if count > 1 else ""}' for state, count in counts.items() if count]
    return ' and '.join(told) if told else 'nothing is wrong with what is installed'
