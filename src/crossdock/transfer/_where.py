"""Where in the user's data and in the user's code a transfer happens."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ['at_path', 'batch', 'current_batch', 'current_path', 'user_frame']

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_numbers = itertools.count(1)
_path: ContextVar[str] = ContextVar('crossdock_tree_path', default='')
_batch: ContextVar[int | None] = ContextVar('crossdock_batch', default=None)

current_path = _path.get
current_batch = _batch.get


class at_path:
    """Say which leaf of a tree the transfers inside belong to."""

    __slots__ = ('_path', '_token')

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._token = _path.set(self._path)

    def __exit__(self, *error: object) -> None:
        _path.reset(self._token)


@contextmanager
def batch() -> Iterator[int]:
    """Say that the transfers inside belong together, as those of one `send` do."""
    number = next(_numbers)
    token = _batch.set(number)
    try:
        yield number
    finally:
        _batch.reset(token)


def user_frame() -> tuple[str, int]:
    """File name and line number of the innermost frame outside this package; ('', 0) if there is none."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back  # type: ignore[assignment]
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ('', 0)
