"""The error for a file that is not what it claims to be."""

from __future__ import annotations

from crossdock.errors import CorruptFileError

from .._path import shown

__all__ = ['corrupt']


def corrupt(path: str, reason: str, key: str | None = None) -> CorruptFileError:
    """The error for something wrong in the file at `path`."""
    place = f'{path}: {shown(key)}: ' if key is not None else f'{path}: '
    return CorruptFileError(place + reason, path=path, key=key, reason=reason)
