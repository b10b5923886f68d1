"""The ``crossdock`` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

import crossdock
from crossdock.cli._complaint import one_line
from crossdock.cli._convert import convert
from crossdock.cli._demo import demo
from crossdock.cli._devices import devices
from crossdock.cli._doctor import doctor
from crossdock.cli._inspect import inspect
from crossdock.cli._trace import trace
from crossdock.errors import CrossdockError

__all__ = ['main']

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130  # the last as shells count it: 128 + signal


@click.group(invoke_without_command=True)
@click.version_option(crossdock.__version__, prog_name='crossdock')
@click.pass_context
def command(context: click.Context) -> None:
    """Name devices, move arrays between them, see every transfer."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


command.add_command(convert)
command.add_command(devices)
command.add_command(demo)
command.add_command(doctor)
command.add_command(inspect)
command.add_command(trace)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; bad input is one line on stderr and code 2.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the command's name; the process's own arguments when absent.
    """
    try:
        code = command.main(args=arguments, prog_name='crossdock', standalone_mode=False)
    except click.ClickException as error:
        complain(error.format_message())
        return BAD_INPUT
    except CrossdockError as error:
        complain(str(error))
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        complain('interrupted')
        return INTERRUPTED
    except OSError as error:
        return failed_output(error)
    return code if isinstance(code, int) else 0


def failed_output(error: OSError) -> int:
    """Give up where stdout takes no more, as on a full disk; click deals with a reader that has gone."""
    # Python writes what is left when it exits, which would fail again.
    sys.stdout = open(os.devnull, 'w')  # noqa: SIM115 -- open as long as the process
    complain(error.strerror or str(error))
    return FAILED


def complain(message: str) -> None:
    """Write one line to stderr."""
    click.echo(f'crossdock: {one_line(message)}', err=True)
