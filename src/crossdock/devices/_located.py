"""Say in an error which leaf of a tree it is about."""

from __future__ import annotations

from types import TracebackType

from crossdock.errors import AsyncDeviceError, CrossdockError

__all__ = ['located']


class located:
    """Put `path` before the message of an error that is raised inside, and into its `path` if it has one."""

    __slots__ = ('_path',)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._path and isinstance(error, CrossdockError | OverflowError):
            word = 'found at' if isinstance(error, AsyncDeviceError) else 'at'  # the array there may be innocent
            error.args = (f'{word} {self._path}: {error}',)
            if hasattr(type(error), 'path'):
                error.path = self._path  # type: ignore[union-attr]
