"""What is in a target more than once, where a file has a value for each place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import zip_longest
from typing import Any

from ._format import Reader
from ._path import below

__all__ = ['pairs_apart', 'places_apart']


def pairs_apart(reader: Reader, arrays: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Keys of arrays that are one object in the target, and differ in the file: the first of them, and another.

    Parameters
    ----------
    arrays : iterable of (str, array)
        Keys, which the file has, and what the target has there.
    """
    first: dict[int, str] = {}
    for key, array in arrays:
        other = first.setdefault(id(array), key)
        if other != key and not same_data(reader, other, key):
            yield other, key


def places_apart(reader: Reader, places: Iterable[list[str]], replaced: Collection[str]) -> set[str]:
    """Where a container that is in the target more than once needs values of its own.

    Parameters
    ----------
    places : iterable of list of str
        For each container, the paths where it is.
    replaced : collection of str
        Keys of what does not go into arrays that are there.
    """
    apart = set()
    known = set(replaced)
    for first, *others in places:
        for other in others:
            keys = [key[len(first) :] for key in known if below(key, first)]
            if any(other + key in known and not same_data(reader, first + key, other + key) for key in keys):
                apart.add(other)
    return apart


def same_data(reader: Reader, one: str, other: str) -> bool:
    """Whether a file has the same bits under two keys."""
    if reader.entries[one] != reader.entries[other]:
        return False
    pieces = zip_longest(reader.pieces(one), reader.pieces(other))
    return all(a is not None and b is not None and a[1].tobytes() == b[1].tobytes() for a, b in pieces)
