"""Gather the leaves of a tree by their key paths, for saving."""

from __future__ import annotations

from typing import Any

from ._leaf import Leaf
from ._path import clashes
from ._tree import Hand, visit
from ._visitor import Serializer

__all__ = ['Collector', 'collect']


class Collector(Hand):
    """A walk that keeps every leaf; the data stays where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves: dict[str, Leaf] = {}

    def leaf(self, path: str, value: Any) -> Any:
        """Keep one leaf."""
        if path in self.leaves:
            raise ValueError(f'two values have the key {path!r}')
        self.leaves[path] = Leaf(value, path)
        return value

    def serializer(self, path: str) -> Serializer:
        """Let an object name its parts below `path`."""
        return Serializer(self, path)


def collect(obj: Any) -> dict[str, Leaf]:
    """The leaves of `obj` by key path, in its order.

    Raises
    ------
    TypeError
        A key or a value that no file can hold; the message names its place.
    ValueError
        A refused component of a key, or two values under the same key.
    """
    hand = Collector()
    visit(obj, '', hand)
    for path in clashes(hand.leaves):
        raise ValueError(f'{path!r} is the key of a value and of a group')
    return hand.leaves
