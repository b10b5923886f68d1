"""Who hears of the bytes that a read has come past, while it is under way."""

from __future__ import annotations

import threading
from types import TracebackType

from crossdock.transfer import Advance

__all__ = ['hearing', 'passed']


class _Own(threading.local):
    """One for each thread: what a helper thread reads is counted by the one that it reads for."""

    advance: Advance | None = None


_own = _Own()


class hearing:
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


def passed(nbytes: int) -> None:
    """Say that a read has come past so many bytes more; nothing that hears of it is part of the read."""
    if _own.advance is not None:
        advance = _own.advance
        with hearing(None):
            advance(nbytes)
