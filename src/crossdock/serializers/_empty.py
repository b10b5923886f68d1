"""Containers that hold nothing: no leaf says that they were there."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ._path import groups_of

__all__ = ['empty_among', 'contradiction']


def empty_among(groups: Iterable[str], leaves: Collection[str]) -> list[str]:
    """The containers in which there is neither a leaf nor another container.

    Examples
    --------
    >>> empty_among(['a', 'b', 'b/c'], ['a/W'])
    ['b/c']
    """
    groups = dict.fromkeys(groups)
    full = groups_of((*groups, *leaves))
    return [path for path in groups if path and path not in full and path not in leaves]


def contradiction(empty: Collection[str], leaves: Collection[str]) -> tuple[str, str] | None:
    """A key that is said to be an empty container, and cannot be one, with the reason."""
    full = groups_of((*empty, *leaves)) if empty else set()
    for path in empty:
        if path in leaves:
            return path, 'is an empty container, and a value as well'
        if path in full:
            return path, 'is said to be an empty container, and holds something'
        if any(above in leaves for above in groups_of([path])):
            return path, 'is an empty container inside of a value'
    return None
