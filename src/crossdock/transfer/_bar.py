"""A bar on the terminal for each piece of work that takes long enough to be seen."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ['bar']

#: Work that is over sooner shows nothing: it would only flicker.
DELAY_S = 0.1
#: What surely takes longer has its bar from the beginning.
LONG_NBYTES = 2 * 1024**3
#: How often a bar is drawn at most.
PERIOD_S = 0.1
#: Columns of a terminal from which on it has room for the rate, and for the time.
_RATE_WIDTH, _TIME_WIDTH = 56, 44


def is_terminal(stream: TextIO | None) -> bool:
    """Whether standard output or error is a terminal that a bar can be drawn on."""
    if stream is None or os.environ.get('TERM', '').lower() in ('dumb', 'unknown'):  # None: there is no console
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # something that can be written to, and no more; closed
        return False


@contextmanager
def bar(total: int, what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that draws how far the work has come: ``show(done, total)``.

    A bar that ends without having been shown all stays as it is. No error in drawing is one of the work.
    """
    if not is_terminal(sys.stderr):
        yield _show_nothing
        return
    line = _Line(total, what)
    try:
        if total >= LONG_NBYTES:
            line.begin()
        yield line.show
    finally:
        line.end()


def _show_nothing(done: int, total: int) -> None:
    pass


class _Line:
    """One bar."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._began = self._drawn = perf_counter()
        self._board: _Board | None = None
        self._task: TaskID | None = None

    def begin(self) -> None:
        with suppress(OSError, ValueError):
            board = _board()
            self._task = board.add(self._what, self._done, self._total, self._began)
            self._board = board

    def show(self, done: int, total: int) -> None:
        self._done = done
        now = perf_counter()
        if self._board is None:
            if now - self._began < DELAY_S:
                return
            self.begin()
        elif now - self._drawn < PERIOD_S and done < total:
            return
        self._drawn = now
        if self._board is not None and self._task is not None:
            with suppress(OSError, ValueError):
                self._board.draw(self._task, done)

    def end(self) -> None:
        if self._board is not None and self._task is not None:
            with suppress(OSError, ValueError):
                self._board.remove(self._task, self._done)


class _Board:
    """All bars of the process, one below the other: rich draws one thing at a time, and threads share the terminal."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.RLock()
        self._open: set[TaskID] = set()
        self._drawing: Progress | None = None

    def add(self, what: str, done: int, total: int, began: float) -> TaskID:
        with self._lock:
            try:
                if self._drawing is None:
                    self._drawing = _drawing()
                    self._drawing.start()
                task = self._drawing.add_task(what, total=total, completed=done, since=began)
                self._open.add(task)
            except BaseException:  # Ctrl-C
                self._stop_if_idle()
                raise
            return task

    def draw(self, task: TaskID, done: int) -> None:
        with self._lock:
            if self._drawing is not None and task in self._open:
                self._drawing.update(task, completed=done, refresh=True)

    def remove(self, task: TaskID, done: int) -> None:
        """Leave a bar on the screen as it is in the end."""
        with self._lock:
            drawing = self._drawing
            if drawing is None or task not in self._open:
                return
            self._open.discard(task)
            try:
                drawing.update(task, completed=done)
                drawing.stop_task(task)
                if self._open:  # above the others
                    ended = [row for row in drawing.tasks if row.id == task]
                    drawing.remove_task(task)
                    drawing.refresh()
                    drawing.console.print(drawing.make_tasks_table(ended))
            finally:
                self._stop_if_idle()

    def _stop_if_idle(self) -> None:
        """Give the terminal its cursor back, and the process its standard output, where there is no bar any more."""
        drawing = self._drawing
        if drawing is not None and not self._open:
            self._drawing = None
            drawing.stop()


_boards: list[_Board] = []


def _board() -> _Board:
    # The one of a parent process is not ours to draw on.
    if not _boards or _boards[0].process != os.getpid():
        _boards[:] = [_Board()]
    return _boards[0]


def _drawing() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Rate(ProgressColumn):
        """Bytes per second: of late, and in the end of the whole."""

        def render(self, task: Task) -> Text:
            from rich.filesize import decimal

            seconds = perf_counter() - task.fields['since']
            if task.finished:
                rate = (task.total or 0) / max(task.fields.setdefault('seconds', seconds), 1e-9)
            else:
                rate = task.speed or task.completed / max(seconds, 1e-9)
            return Text(f'{decimal(int(rate))}/s', style='progress.data.speed')

    console = Console(stderr=True, force_terminal=True, force_jupyter=False)
    whole = Column(no_wrap=True)  # where there is no room, it is the bar that gets shorter
    columns: list[ProgressColumn] = [TextColumn('{task.description}', markup=False, table_column=whole), BarColumn()]
    columns.append(DownloadColumn(table_column=whole.copy()))
    if console.width >= _RATE_WIDTH:
        columns.append(Rate(table_column=whole.copy()))
    if console.width >= _TIME_WIDTH:
        columns.append(TimeRemainingColumn(elapsed_when_finished=True, table_column=whole.copy()))
    return Progress(
        *columns,
        console=console,
        auto_refresh=False,  # no thread of its own: the work says often enough how far it is
        redirect_stdout=is_terminal(sys.stdout),  # into the terminal, above the bar
    )
