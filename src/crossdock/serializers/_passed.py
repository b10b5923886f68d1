"""Who hears of the bytes that a read has come past, while it is under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType

from crossdock.transfer import Advance, Track

__all__ = ['following', 'passed']


class _Own(threading.local):
    """One for each thread: what a helper thread reads is counted by the one that it reads for."""

    advance: Advance | None = None


_own = _Own()


class _hearing:
    """Have `advance`, if there is one, told of the bytes that reads inside come past."""

    __slots__ = ('_advance', '_before')

    def __init__(self, advance: Advance | None) -> None:
        self._advance = advance

    def __enter__(self) -> None:
        self._before = _own.advance
        _own.advance = self._advance

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _own.advance = self._before


def following(track: Track | None, nbytes: int) -> AbstractContextManager[None]:
    """Have the reads inside told of, as a part of so many bytes of the work that is tracked, if anybody follows it."""
    return _following(track, nbytes) if track is not None and track.followed else _UNFOLLOWED


_UNFOLLOWED = nullcontext()


@contextmanager
def _following(track: Track, nbytes: int) -> Iterator[None]:
    with track.share(nbytes) as advance, _hearing(advance):
        yield


def passed(nbytes: int) -> None:
    """Say that a read has come past so many bytes more; nothing that hears of it is part of the read."""
    if _own.advance is not None:
        advance = _own.advance
        with _hearing(None):
            advance(nbytes)
