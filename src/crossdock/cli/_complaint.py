"""What the command says when it cannot do what was asked: one line, never a traceback."""

from __future__ import annotations

import click

__all__ = ['Complaint', 'one_line', 'printable']


class Complaint(click.ClickException):
    """A request that cannot be served, in words for the person who typed it."""

    exit_code = 2


def one_line(message: str) -> str:
    """Fold a message into the single line that scripts and log files can keep together."""
    return ' '.join(message.split())


def printable(text: str) -> str:
    r"""A name from a file with what would steer a terminal, or end the line, written as an escape.

    Examples
    --------
    >>> print(printable('enc/\x1b[2JW'))
    enc/\x1b[2JW
    """
    return ''.join(c if c.isprintable() else c.encode('unicode_escape').decode('ascii') for c in text)
