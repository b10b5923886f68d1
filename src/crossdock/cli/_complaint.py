"""What the command says when it cannot do what was asked: one line, never a traceback."""

from __future__ import annotations

import click

__all__ = ['Complaint', 'one_line']


class Complaint(click.ClickException):
    """A request that cannot be served, in words for the person who typed it."""

    exit_code = 2


def one_line(message: str) -> str:
    """Fold a message into the single line that scripts and log files can keep together."""
    return ' '.join(message.split())
