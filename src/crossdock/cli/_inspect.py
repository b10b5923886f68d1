"""``crossdock inspect``: what is in a file of arrays, without reading them; with ``--check``, whether it is whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from crossdock.cli._complaint import Complaint, printable
from crossdock.errors import CorruptFileError, FormatError, UnsupportedFileError

if TYPE_CHECKING:
    from crossdock.serializers._report import Report, Row

__all__ = ['inspect', 'complain', 'complaining_of']

DAMAGED, REFUSED = 1, 2
HEADINGS = ('key', 'dtype', 'shape', 'bytes')


@click.command()
@click.argument('file', type=click.Path())
@click.option('--format', 'format_name', metavar='NAME', help='The format, where the suffix does not tell it.')
@click.option('--check', is_flag=True, help='Read everything and compare checksums; exit code 1 if it is damaged.')
@click.option('--json', 'as_json', is_flag=True, help='Print one object for programs.')
def inspect(file: str, format_name: str | None, check: bool, as_json: bool) -> int:
    """List the arrays of a file, with its metadata, without reading their data."""
    from crossdock.serializers._open import format_at, open_file
    from crossdock.serializers._report import damage, report

    try:
        with complaining_of(file):
            format = format_at(file, format_name)
            with open_file(format, file) as reader:
                found = report(reader, file, format.name)
                broken = damage(reader, progress=True) if check else None
    except (CorruptFileError, Complaint) as error:
        if as_json:
            click.echo(json.dumps(as_failure(file, error), indent=2))
        if isinstance(error, Complaint):
            raise
        return complain(error)
    if as_json:
        click.echo(json.dumps(as_object(found, broken), indent=2))
    else:
        show(found)
        say_unreadable(found)
        if broken is not None:
            say(found, broken)
    return DAMAGED if broken or any(row.unreadable for row in found.rows) else 0


@contextmanager
def complaining_of(file: str) -> Iterator[None]:
    """Turn what is wrong with a request about `file` into a complaint; what is in it is not the request's fault."""
    try:
        yield
    except (CorruptFileError, FormatError):
        raise
    except OSError as error:
        name = error.filename if isinstance(error.filename, str) else file
        raise Complaint(f'{printable(name)}: {error.strerror or error}') from error
    except (ImportError, ValueError) as error:
        raise Complaint(printable(str(error))) from error


def complain(error: CorruptFileError | FormatError) -> int:
    """Say why a file cannot be used, a line for each key, and give the exit code."""
    for i, line in enumerate(str(error).splitlines()):
        click.echo(('' if i else 'crossdock: ') + printable(line), err=True)
    return REFUSED if isinstance(error, UnsupportedFileError | FormatError) else DAMAGED


def as_object(found: Report, broken: Sequence[CorruptFileError] | None) -> dict[str, object]:
    """The report for programs; `damaged` is null where nothing was checked."""
    names = {
        'path': found.path,
        'format': found.format,
        'file_nbytes': found.file_nbytes,
        'compression': found.compression,
        'checksum': found.checksum,
        'metadata': found.metadata,
        'nbytes': found.nbytes,
    }
    damaged = None if broken is None else [{'key': error.key, 'reason': error.reason} for error in broken]
    return {
        **names,
        'arrays': [asdict(row) for row in found.rows],
        'empty': list(found.empty),
        'damaged': damaged,
        'error': None,
    }


def as_failure(file: str, error: CorruptFileError | Complaint) -> dict[str, object]:
    """Why there is no report, for programs."""
    cause = (error.__cause__ or error) if isinstance(error, Complaint) else error
    facts = {'key': getattr(cause, 'key', None), 'reason': getattr(cause, 'reason', '') or str(error)}
    return {'path': file, 'error': {'type': type(cause).__name__, **facts}}


def show(found: Report) -> None:
    """Print a header, the arrays and their total; a table on a terminal, else one line for each."""
    from rich.filesize import decimal

    for line in heading(found):
        click.echo(line)
    if sys.stdout.isatty():
        show_table(found.rows)
    else:
        click.echo(lines(found.rows))
    count = len(found.rows)
    click.echo(f'{count:,} {"key" if count == 1 else "keys"}, {found.nbytes:,} bytes ({decimal(found.nbytes)})')
    if found.empty:
        names = cut(printable(', '.join(found.empty)))
        click.echo(f'{len(found.empty):,} empty {"container" if len(found.empty) == 1 else "containers"}: {names}')


def heading(found: Report) -> list[str]:
    """What the file says about itself."""
    facts = [found.format, f'{found.file_nbytes:,} bytes', found.compression or 'not compressed']
    facts.append(f'checksum {found.checksum}' if found.checksum else 'no checksum')
    out = [f'{printable(found.path)}: {", ".join(facts)}']
    for key, value in found.metadata.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        out.append(f'{printable(key)}: {cut(printable(text))}')
    return out


def cut(text: str, length: int = 300) -> str:
    """The beginning of a text that is too long to look at; ``--json`` has all of it."""
    return text if len(text) <= length else f'{text[:length]}... ({len(text):,} characters)'


def cells(row: Row) -> tuple[str, ...]:
    """A row in words."""
    dtype = row.dtype or ('None' if row.unreadable is None else '?')
    return printable(row.key), dtype, '' if row.shape is None else str(row.shape), f'{row.nbytes:,}'


def show_table(rows: Sequence[Row]) -> None:
    """A table that fits the terminal: long keys are folded."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(HEADINGS[0], overflow='fold')
    table.add_column(HEADINGS[1], no_wrap=True)
    table.add_column(HEADINGS[2], overflow='fold')
    table.add_column(HEADINGS[3], justify='right', no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, cells(row)))  # keys may hold what markup is made of
    Console().print(table)


def lines(rows: Sequence[Row]) -> str:
    """One line for each array, however long, for files and for programs that search them."""
    table = [HEADINGS, *map(cells, rows)]
    *widths, _ = [max(map(len, column)) for column in zip(*table)]
    return '\n'.join('  '.join([*map(str.ljust, line, widths), line[-1]]).rstrip() for line in table)


def say_unreadable(found: Report) -> None:
    """What cannot be read, as the structure of the file tells."""
    rows = [row for row in found.rows if row.unreadable is not None]
    if rows:
        click.echo(f'{len(rows):,} of {len(found.rows):,} keys cannot be read:')
    for row in rows:
        click.echo(f'  {printable(row.key)}: {printable(str(row.unreadable))}')


def say(found: Report, broken: Sequence[CorruptFileError]) -> None:
    """What the check has found."""
    if not broken:
        click.echo(
            f'all {"other " if any(row.unreadable for row in found.rows) else ""}data read; '
            + ('nothing is damaged' if found.checksum else 'the file has no checksums to compare')
        )
        return
    verb = 'is' if len(broken) == 1 else 'are'
    click.echo(f'{len(broken):,} of {len(found.rows):,} keys {verb} damaged:')
    for error in broken:
        click.echo(f'  {printable(str(error.key))}: {printable(error.reason or str(error))}')
