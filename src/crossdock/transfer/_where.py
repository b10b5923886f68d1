"""Where in the user's data and in the user's code a transfer happens."""

from __future__ import annotations

import itertools
import os
import sys
import sysconfig
from contextvars import ContextVar
from types import FrameType

from crossdock.transfer._hook import Event, listening

__all__ = ['at_path', 'batch', 'current_path', 'hide_frames', 'located', 'no_batch', 'user_frame', 'user_line']

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_STDLIB = tuple({os.path.join(sysconfig.get_path(name), '') for name in ('stdlib', 'platstdlib')})
_INSTALLED = (os.sep + 'site-packages' + os.sep, os.sep + 'dist-packages' + os.sep)
_numbers = itertools.count(1)
_path: ContextVar[str] = ContextVar('crossdock_tree_path', default='')
#: The number, and the line if it was looked for.
_batch: ContextVar[tuple[int, tuple[str, int] | None] | None] = ContextVar('crossdock_batch', default=None)

current_path = _path.get


class at_path:
    """Say which leaf of a tree the transfers inside belong to."""

    __slots__ = ('_path', '_token')

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._token = _path.set(self._path)

    def __exit__(self, *error: object) -> None:
        _path.reset(self._token)


class batch:
    """Say that the transfers inside belong together, as those of one `send` do.

    Those that were asked for inside are the work of the line that enters it, which is found once and not for each.
    """

    __slots__ = ('_token',)

    def __enter__(self) -> None:
        line = user_line(1) if listening() else None
        self._token = _batch.set((next(_numbers), line))

    def __exit__(self, *error: object) -> None:
        _batch.reset(self._token)


class no_batch:
    """Say that the transfers inside belong to no batch and no leaf, as those of a function that a user has called."""

    __slots__ = ('_path_token', '_token')

    def __enter__(self) -> None:
        self._token = _batch.set(None)
        self._path_token = _path.set('')

    def __exit__(self, *error: object) -> None:
        _path.reset(self._path_token)
        _batch.reset(self._token)


def hide_frames(*modules: str) -> None:
    """Say that code of these top-level modules is an array library's, and no user's."""
    _hidden_modules.update(modules)
    _hidden.clear()


def located(event: Event) -> Event:
    """Note where an event happens, which is here and now."""
    together = _batch.get()
    event.path = _path.get()
    event.batch, line = together or (None, None)
    event.filename, event.lineno = user_line(2) if line is None or event.implicit else line
    return event


def user_line(depth: int = 1) -> tuple[str, int]:
    """File name and line number of the user's innermost frame; ('', 0) if there is none.

    The first `depth` callers are known not to be the user's.
    """
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        name = frame.f_code.co_filename
        if not _hidden[name]:
            return name, frame.f_lineno
        frame = frame.f_back
    frame = user_frame()
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ('', 0)


def user_frame() -> FrameType | None:
    """The innermost frame outside this package, the array libraries and Python's own; None if there is none.

    Where all is Python's own, as in a thread that does nothing else, its innermost frame.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not _hidden[frame.f_code.co_filename]:
            return frame
        frame = frame.f_back
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def _folders(name: str) -> list[str]:
    module = sys.modules.get(name)
    if module is None:
        return []
    if hasattr(module, '__path__'):
        return [os.path.join(folder, '') for folder in module.__path__]
    file = getattr(module, '__file__', None)
    return [file] if file else []


class _Hidden(dict[str, bool]):
    """Whether the code of a file is no user's, by its name."""

    def __missing__(self, name: str) -> bool:
        libraries = [folder for module in _hidden_modules for folder in _folders(module)]
        hidden = name.startswith((_PACKAGE, '<frozen ', *libraries))
        if name.startswith(_STDLIB) and not any(part in name for part in _INSTALLED):
            hidden = True
        self[name] = hidden
        return hidden


_hidden_modules = {'numpy'}
_hidden = _Hidden()
