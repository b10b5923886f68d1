"""``crossdock convert``: a file of arrays in another format."""

from __future__ import annotations

import click

from crossdock.cli._complaint import printable
from crossdock.cli._inspect import complain, complaining_of
from crossdock.errors import CorruptFileError, FormatError

__all__ = ['convert']


@click.command()
@click.argument('source', type=click.Path())
@click.argument('target', type=click.Path())
@click.option('--from', 'from_format', metavar='NAME', help="The source's format, where its suffix does not tell it.")
@click.option('--to', 'to_format', metavar='NAME', help="The target's format, where its suffix does not tell it.")
@click.option('--compression', metavar='NAME', help='As deflate; each format has its own.  [default: not compressed]')
def convert(source: str, target: str, from_format: str | None, to_format: str | None, compression: str | None) -> int:
    """Write what SOURCE holds to TARGET, in the format of its suffix."""
    from crossdock import serializers
    from crossdock.serializers._report import size_of_file

    try:
        with complaining_of(source):
            serializers.convert(
                source, target, from_format=from_format, to_format=to_format, compression=compression, progress=True
            )
    except (CorruptFileError, FormatError) as error:
        return complain(error)
    click.echo(f'{printable(target)}: {size_of_file(target):,} bytes')
    return 0
