"""Tell how far something long has come, in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from crossdock.errors import ProgressError
from crossdock.transfer._hook import afresh
from crossdock.transfer._where import no_batch

__all__ = ['Advance', 'Progress', 'Track', 'check_progress', 'tracking']

Progress = bool | Callable[[int, int], object]
#: Told of the bytes just done.
Advance = Callable[[int], None]


class Track:
    """How far one piece of work has come.

    Parameters
    ----------
    total : int
        Bytes in all.
    show : callable
        Called as ``show(done, total)`` with more each time, in the thread that does the work. The last call, with
        ``done == total``, is that of `finish`.

    Attributes
    ----------
    followed : bool
        Whether anybody hears of it.
    """

    followed = True

    __slots__ = ('_done', '_finished', '_show', '_total')

    def __init__(self, total: int, show: Callable[[int, int], object]) -> None:
        self._total = total
        self._show = show
        self._done = 0
        self._finished = False

    def advance(self, nbytes: int) -> None:
        """Say that so many bytes more are done."""
        done = min(self._done + nbytes, self._total)
        if done > self._done:
            self._done = done
            if done < self._total:  # the work is not over before it says so
                self._show(done, self._total)

    def share(self, nbytes: int) -> AbstractContextManager[Advance | None]:
        """Give a function to advance by, for a part of so many bytes; it counts as just that when the block is over."""
        return self._share(nbytes)

    def finish(self) -> None:
        """Say that all is done. It is said once."""
        if not self._finished:
            self._finished = True
            self._done = self._total
            self._show(self._total, self._total)

    @contextmanager
    def _share(self, nbytes: int) -> Iterator[Advance]:
        end = self._done + nbytes
        yield lambda more: self.advance(min(more, end - self._done))
        self.advance(end - self._done)


class _Untracked(Track):
    """Work that nobody follows."""

    followed = False

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, _show_nothing)

    def advance(self, nbytes: int) -> None:
        pass

    def share(self, nbytes: int) -> AbstractContextManager[None]:
        return _NOTHING

    def finish(self) -> None:
        pass


def _show_nothing(done: int, total: int) -> None:
    pass


_NOTHING = nullcontext()
_UNTRACKED = nullcontext(_Untracked())


def check_progress(progress: object) -> None:
    """Refuse what nobody can be told by.

    Raises
    ------
    ProgressError
        It is neither True nor False, nor can it be called.
    """
    if not isinstance(progress, bool | np.bool_) and not callable(progress):
        raise ProgressError(
            f'progress={progress!r:.60}: True shows a bar on a terminal, False nothing, and a function is called as '
            'function(done, total) with numbers of bytes; nothing else is allowed',
            progress=progress,
        )


def tracking(progress: Progress, total: int, what: str) -> AbstractContextManager[Track]:
    """Follow a piece of work. When the block ends without an error, the work is done.

    Parameters
    ----------
    progress : bool or callable
        True shows a bar on standard error when that is a terminal; a callable gets ``(done, total)`` in bytes.
    total : int
        Bytes in all.
    what : str
        Label of the bar.

    Raises
    ------
    ProgressError
        See `check_progress`.
    """
    if progress is False:
        return _UNTRACKED
    check_progress(progress)
    if callable(progress):
        return _tracking(Track(total, _outside(progress)))
    return _showing(total, what) if progress else _UNTRACKED


@contextmanager
def _tracking(track: Track) -> Iterator[Track]:
    try:
        yield track
        track.finish()
    except _Stopped as stopped:
        error = stopped.error
        before = error.__context__
        try:
            raise error
        except BaseException:
            error.__context__ = before  # how it got here is nobody's business
            raise
        finally:
            del error, before, stopped  # its traceback holds this frame


@contextmanager
def _showing(total: int, what: str) -> Iterator[Track]:
    from crossdock.transfer._bar import bar

    with bar(total, what) as show, _tracking(Track(total, show)) as track:
        yield track


class _Stopped(BaseException):
    """Carries what a user's function has raised past all that would take it for an error of the work."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


def _outside(progress: Callable[[int, int], object]) -> Callable[[int, int], object]:
    """A function of the user's, so that what it moves is its own, and no part of the work that it is told of."""

    def show(done: int, total: int) -> None:
        try:
            with no_batch(), afresh():
                progress(done, total)
        except BaseException as error:
            raise _Stopped(error) from None

    return show
