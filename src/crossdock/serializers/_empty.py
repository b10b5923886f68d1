"""Containers that hold nothing: no leaf says that they were there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

__all__ = ['empty_among', 'contradiction', 'groups_of']


def groups_of(paths: Iterable[str]) -> set[str]:
    """The groups that paths lie in, the root excepted.

    Examples
    --------
    >>> sorted(groups_of(['a/b/W', 'a/c', 'd']))
    ['a', 'a/b']
    """
    return {above for path in paths for above in _above(path)}


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
        if any(above in leaves for above in _above(path)):
            return path, 'is an empty container inside of a value'
    return None


def _above(path: str) -> Iterator[str]:
    at = path.find('/')
    while at >= 0:
        yield path[:at]
        at = path.find('/', at + 1)
