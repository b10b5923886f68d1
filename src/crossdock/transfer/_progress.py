"""Tell how far something long has come, in bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crossdock.transfer._where import no_batch

__all__ = ['Progress', 'tracking']

Progress = bool | Callable[[int, int], object]


@contextmanager
def tracking(progress: Progress, total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Give a function that is called with the bytes just done.

    Parameters
    ----------
    progress : bool or callable
        True shows a bar on standard error when that is a terminal; a callable gets ``(done, total)`` in bytes.
    total : int
        Bytes in all.
    what : str
        Label of the bar.
    """
    if callable(progress):
        done = 0

        def report(nbytes: int) -> None:
            nonlocal done
            done += nbytes
            with no_batch():
                progress(done, total)

        yield report
    elif progress and sys.stderr.isatty():
        with _bar(total, what) as advance:
            yield advance
    else:
        yield _nothing


def _nothing(nbytes: int) -> None:
    pass


@contextmanager
def _bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = TextColumn('{task.description}'), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda nbytes: bar.advance(task, nbytes)
