"""``crossdock demo``: train on a device, see what moved, save there, load elsewhere."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path

import click

import crossdock as xd
from crossdock.cli import _digits
from crossdock.cli._complaint import Complaint
from crossdock.errors import CrossdockError

__all__ = ['demo']

VARIABLE = 'CROSSDOCK_DEVICE'


@click.command()
@click.option(
    '--device',
    'spec',
    metavar='SPEC',
    help=f'Where to train, as sim:0, or auto: on the best device here.  [default: what {VARIABLE} names, else auto]',
)
@click.option('--save', 'name', metavar='FILE', help='Keep the trained model in this file (.npz).')
def demo(spec: str | None, name: str | None) -> None:
    """Train a small network on a device and print what moved.

    The network learns scikit-learn's 1,797 handwritten digits. The model is saved from the device and loaded into
    host memory; the last line is the loaded model's accuracy on digits that it has not seen.
    """
    device, reason = chosen(spec)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, 'digits.npz') if name is None else checked(name)
        click.echo(f'device: {device} ({reason})')
        run(device, file, kept=name is not None)


def chosen(spec: str | None) -> tuple[xd.Device, str]:
    """The device to train on, and why it is that one."""
    if spec == 'auto':
        return xd.choose_device()
    if spec is not None:
        return xd.get_device(spec), 'as asked'
    spec = os.environ.get(VARIABLE)
    if not spec:
        return xd.choose_device()
    try:
        return xd.get_device(spec), f'as {VARIABLE} says'
    except CrossdockError as error:
        raise Complaint(f'{VARIABLE}={spec}: {error}') from error


def run(device: xd.Device, file: Path, *, kept: bool) -> None:
    """Train, save, load and report; `kept` says whether the file outlives the command."""
    digits = read_digits()
    began = time.perf_counter()
    with xd.trace_transfers() as log:
        there = device.send(digits)
        parameters = device.send(_digits.initial_parameters())
        with progress(_digits.EPOCHS) as on_epoch:
            parameters = _digits.train(there, parameters, on_epoch)
        write(file, parameters)
    n = len(digits.train_labels)
    click.echo(f'trained on {n:,} digits, {_digits.EPOCHS} times each, in {time.perf_counter() - began:.2f} s')
    show(log)
    size = f'{file.stat().st_size:,} bytes'
    click.echo(f'model saved from {device} {f"to {file} " if kept else ""}({size}) and loaded on @numpy')
    loaded = xd.load(file, device='@numpy')
    click.echo(f'test accuracy: {_digits.accuracy(loaded, digits.test_images, digits.test_labels):.2%}')


def read_digits() -> _digits.Digits:
    """The data set, or a complaint that names what to install."""
    try:
        return _digits.read_digits()
    except ModuleNotFoundError as error:
        advice = "pip install 'crossdock[demo]'"
        raise Complaint(f'the demo needs scikit-learn ({error}); install it with {advice}') from error


def checked(name: str) -> Path:
    """The path, if an npz file can be written there; asked before the training, not after."""
    if not name:
        raise Complaint("--save '' names no file; write one such as digits.npz")
    path = Path(name)
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, 'it is a folder')
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise unwritable(path, error) from error
    if path.suffix.lower() != '.npz':
        raise Complaint(f'cannot write {path}: the demo saves npz files, whose names end in .npz')
    return path


def write(file: Path, parameters: _digits.Parameters) -> None:
    """Save from the device that holds the parameters."""
    try:
        xd.save_npz(file, parameters)
    except OSError as error:
        raise unwritable(file, error) from error


def unwritable(path: Path, error: OSError) -> Complaint:
    """The complaint about a file that cannot be written."""
    return Complaint(f'cannot write {path}: {error.strerror or error}')


@contextmanager
def progress(total: int) -> Iterator[Callable[[int, float], None]]:
    """A bar on stderr, with the loss; silent where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    loss_column = TextColumn('loss {task.fields[loss]:.4f}')
    columns = ('training', BarColumn(), MofNCompleteColumn(), loss_column)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task('training', total=total, loss=float('nan'))
        yield lambda epoch, loss: bar.update(task, completed=epoch, loss=loss)


def show(log: xd.TransferLog) -> None:
    """Print what moved, grouped by direction and by whether the code asked for it."""
    from rich import box
    from rich.console import Console
    from rich.filesize import decimal
    from rich.table import Table

    count: Counter[tuple[str, str, str]] = Counter()
    nbytes: Counter[tuple[str, str, str]] = Counter()
    for row in log:
        if row.host:  # a number read from memory that the host shares: nothing crosses
            continue
        way = row.source, row.target, 'implicit' if row.implicit else 'explicit'
        count[way] += 1
        nbytes[way] += row.nbytes
    if not count:
        click.echo('nothing moved: the device works in the memory that the arrays are in')
        return
    table = Table('from', 'to', 'asked for', box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column('count', justify='right')
    table.add_column('bytes', justify='right')
    for way, times in count.items():
        table.add_row(*way, f'{times:,}', decimal(nbytes[way]))
    Console().print(table)
