"""Tell how far a long transfer has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from crossdock.transfer import Plan

__all__ = ['Progress', 'reporter']

Progress = Callable[[int], object]

#: About what one second moves.
SECOND_NBYTES = 2 * 1024**3


@contextmanager
def reporter(progress: bool | Callable[[int, int], object], plans: Sequence[Plan]) -> Iterator[Progress]:
    """A function to be called with the bytes of each leaf that has arrived."""
    if not progress:
        yield _silent
        return
    total = sum(made.nbytes_moved for made in plans)
    if callable(progress):
        yield _calling(progress, total)
    elif total < SECOND_NBYTES or not sys.stderr.isatty():
        yield _silent
    else:
        with _bar(total) as advance:
            yield advance


def _silent(nbytes: int) -> None:
    pass


def _calling(progress: Callable[[int, int], object], total: int) -> Progress:
    done = 0

    def report(nbytes: int) -> None:
        nonlocal done
        done += nbytes
        progress(done, total)

    return report


@contextmanager
def _bar(total: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = TextColumn('sending'), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task('', total=total)
        yield lambda nbytes: bar.advance(task, nbytes)
