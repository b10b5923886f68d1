"""Say in an error which leaf of a tree it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crossdock.errors import CrossdockError

__all__ = ['located']


@contextmanager
def located(path: str) -> Iterator[None]:
    """Put `path` before the message of an error that is raised inside, and into its `path` if it has one."""
    try:
        yield
    except (CrossdockError, OverflowError) as error:
        if path:
            error.args = (f'at {path}: {error}',)
            if hasattr(type(error), 'path'):
                error.path = path  # type: ignore[union-attr]
        raise
