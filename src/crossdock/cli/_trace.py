"""``crossdock trace``: run a script, list what it moved and which line did it."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from errno import EISDIR, ENOENT
from pathlib import Path

import click

from crossdock.cli._complaint import Complaint, printable
from crossdock.cli._traced import Traced, run_traced
from crossdock.transfer import Columns, Kind, chrome_trace, summary

__all__ = ['trace']

#: The exit code of --fail-on, where the script's own is 0.
MOVED = 3
FAILED = 1
#: A file of that name.
STDOUT = Path('-')


def _file(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """Complain now, not after an hour of the script, and do not mind that it changes folder."""
    if value is None:
        return None
    if value == '-':
        return STDOUT
    path = Path(value).absolute()
    if path.is_dir():
        raise Complaint(f'{parameter.opts[0]} {value}: {os.strerror(EISDIR)}')
    if not path.parent.is_dir():
        raise Complaint(f'{parameter.opts[0]} {value}: {os.strerror(ENOENT)}')
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Complaint(f'{parameter.opts[0]} {value}: no permission to write there')
    return path


@click.command(context_settings={'allow_interspersed_args': False})
@click.option('--ground-truth', is_flag=True, help='Compare with what the NVIDIA driver copied; takes CUPTI.')
@click.option(
    '--json', 'json_file', metavar='FILE', callback=_file, help='Write rows for programs, one for each place.'
)
@click.option('--chrome', 'chrome_file', metavar='FILE', callback=_file, help='Write a timeline for ui.perfetto.dev.')
@click.option('--html', 'html_file', metavar='FILE', callback=_file, help='Write a report for people.')
@click.option(
    '--fail-on',
    type=click.Choice(['implicit', 'explicit', 'unseen']),
    multiple=True,
    help=f'Exit with code {MOVED} if something moved that way and the script did not fail. May be repeated. '
    'unseen: that only the driver saw.',
)
@click.option('-m', 'as_module', is_flag=True, help='SCRIPT is the name of a module, as for python -m.')
@click.argument('script')
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED, metavar='[ARGS]...')
def trace(
    ground_truth: bool,
    json_file: Path | None,
    chrome_file: Path | None,
    html_file: Path | None,
    fail_on: tuple[str, ...],
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> int:
    """Run a Python script and list, on stderr, what it moved from one memory to another, by line.

    Options go before SCRIPT; all that follows belongs to the script, which runs as without us. Its exit code is ours.
    """
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise Complaint("trace: Python's options -E, -I and -S keep it out of the script; run it without them")
    if 'unseen' in fail_on and not ground_truth:
        raise Complaint('trace: --fail-on unseen needs --ground-truth')
    if [json_file, chrome_file, html_file].count(STDOUT) > 1:
        raise Complaint('trace: only one of --json, --chrome and --html can go to stdout')
    command = [*(['-m'] if as_module else []), script, *arguments]
    done = run_traced(command, ground_truth=ground_truth)
    rows = done.rows
    click.echo(told(done), err=True)
    if rows is None:  # a report would say that nothing moved
        files = [path for path in (json_file, chrome_file, html_file) if path is not None]
        if files:
            click.echo(f'crossdock: not written: {", ".join(map(str, files))}', err=True)
        if done.code < 0:
            end_by(-done.code)
        return done.code or verdict(done, fail_on) or (FAILED if files else 0)
    if ground_truth and len(rows) and done.truth is None:
        click.echo('crossdock: what the driver copied is not known, as the comparison was cut short', err=True)
    writers: list[tuple[Path | None, Callable[[], Iterable[str]]]] = [
        (json_file, lambda: [json_of(rows, done)]),
        (chrome_file, lambda: chrome_trace(rows)),
        (html_file, lambda: [report_of(command, rows, done)]),
    ]
    written = [write(path, text) for path, text in writers if path is not None]
    if done.code < 0:
        end_by(-done.code)
    return done.code or (0 if all(written) else FAILED) or verdict(done, fail_on)


def json_of(columns: Columns, done: Traced) -> str:
    """The rows, and beside them what the driver says if it was asked."""
    rows = [asdict(group) for group in columns.groups()]
    found = rows if done.truth is None else {'rows': rows, 'ground_truth': done.truth.to_dict()}
    return json.dumps(found, indent=1) + '\n'


def told(done: Traced) -> str:
    """The tables, and a line that adds them up."""
    if done.rows is None:
        return 'crossdock: the script left without a list of its transfers, as os._exit, exec and signals make it'
    parts = [summary(done.rows)] if len(done.rows) else []
    line = in_one_line(done.rows)
    line += '; processes that it started are not traced' if done.others else ''
    if done.truth is not None:
        parts.append(done.truth.summary())
        line += f'; {_bytes(done.truth.unseen_nbytes)} that only the driver saw' if done.truth.unseen else ''
    return '\n'.join([*(printable(text) for part in parts for text in part.splitlines()), line])


def in_one_line(rows: Columns) -> str:
    """The rows added up."""
    counts = rows.counts()
    reads = sum(count for kind, count in counts if kind.host)
    crossing = len(rows) - reads
    hidden = sum(count for kind, count in counts if is_move(kind) and kind.implicit)
    line = 'crossdock: nothing moved'
    if crossing:
        line = f'crossdock: {_count(crossing)}, {_bytes(sum(rows.pairs().values()))}'
        line += f'; {_count(hidden)} that nobody asked for' if hidden else '; all asked for'
        failed = sum(count for kind, count in counts if kind.failed)
        line += f'; {failed:,} of them failed' if failed else ''
    if reads:
        line += f'; {reads:,} {"value" if reads == 1 else "values"} read from host memory'
    return line


def _count(number: int) -> str:
    return '1 transfer' if number == 1 else f'{number:,} transfers'


def _bytes(number: int) -> str:
    return '1 byte' if number == 1 else f'{number:,} bytes'


def is_move(kind: Kind) -> bool:
    """Whether something left its memory: no read of a scalar on the host, nothing that was refused."""
    return not kind.host and not kind.failed


def verdict(done: Traced, fail_on: tuple[str, ...]) -> int:
    """The exit code of a script that did not fail. What is not known is no success."""
    if done.rows is None or ('unseen' in fail_on and done.truth is None):
        return MOVED if fail_on else 0
    kinds = {'implicit' if kind.implicit else 'explicit' for kind, _ in done.rows.counts() if is_move(kind)}
    if done.truth is not None and done.truth.unseen:
        kinds.add('unseen')
    return MOVED if kinds & set(fail_on) else 0


def report_of(command: list[str], rows: Columns, done: Traced) -> str:
    """The HTML report."""
    from crossdock.cli._report import report

    return report(rows, shlex.join(['python', *command]), done.seconds, done.code, done.truth)


def write(path: Path, text: Callable[[], Iterable[str]]) -> bool:
    """Write a file, or to stdout; say if that was not possible."""
    try:
        # Names of files may hold what is no text.
        if path == STDOUT:
            sys.stdout.buffer.writelines(piece.encode('utf-8', 'backslashreplace') for piece in text())
            sys.stdout.buffer.flush()
        else:
            with path.open('w', encoding='utf-8', errors='backslashreplace') as opened:
                opened.writelines(text())
    except OSError as error:
        click.echo(f'crossdock: {"stdout" if path == STDOUT else path}: {error.strerror}', err=True)
        return False
    return True


def end_by(number: int) -> None:
    """End by the signal that ended the script."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the script's own core is the one to read
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
