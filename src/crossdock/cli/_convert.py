"""``crossdock convert``: a file of arrays in another format."""

from __future__ import annotations

import click

from crossdock.cli._complaint import printable
from crossdock.cli._inspect import DAMAGED, complaining_of
from crossdock.errors import CorruptFileError, FormatError

__all__ = ['convert']

REFUSED = 2


@click.command()
@click.argument('source', type=click.Path())
@click.argument('target', type=click.Path())
@click.option('--from', 'from_format', metavar='NAME', help="The source's format, where its suffix does not tell it.")
@click.option('--to', 'to_format', metavar='NAME', help="The target's format, where its suffix does not tell it.")
@click.option('--compression', metavar='NAME', help='As deflate; each format has its own.  [default: none]')
def convert(source: str, target: str, from_format: str | None, to_format: str | None, compression: str | None) -> int:
    """Write what SOURCE holds to TARGET, in the format of its suffix."""
    from crossdock import serializers
    from crossdock.serializers._report import size_of_file

    try:
        with complaining_of(source):
            serializers.convert(
                source, target, from_format=from_format, to_format=to_format, compression=compression, progress=True
            )
    except CorruptFileError as error:
        click.echo(f'crossdock: {printable(str(error))}', err=True)
        return DAMAGED
    except FormatError as error:
        for i, line in enumerate(str(error).splitlines()):
            click.echo(('' if i else 'crossdock: ') + printable(line), err=True)
        return REFUSED
    click.echo(f'{printable(target)}: {size_of_file(target):,} bytes')
    return 0
