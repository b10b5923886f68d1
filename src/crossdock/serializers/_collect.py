"""Gather the leaves of a tree by their key paths, for saving."""

from __future__ import annotations

from typing import Any

from ._empty import contradiction, empty_among
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
        self.groups: dict[str, None] = {}

    def leaf(self, path: str, value: Any) -> Any:
        """Keep one leaf."""
        if path in self.leaves:
            raise ValueError(f'two values have the key {path!r}')
        self.leaves[path] = Leaf(value, path)
        return value

    def group(self, path: str, node: Any = None) -> None:
        """Note a container, which may turn out to be empty."""
        self.groups[path] = None

    def serializer(self, path: str) -> Serializer:
        """Let an object name its parts below `path`."""
        return Serializer(self, path)


def collect(obj: Any, path: str = '') -> tuple[dict[str, Leaf], list[str]]:
    """The leaves of `obj` by key path, in its order, and the key paths of the containers in it that hold nothing.

    Parameters
    ----------
    obj : object
    path : str
        Where `obj` is.

    Raises
    ------
    TypeError
        A key or a value that no file can hold; the message names its place.
    ValueError
        A refused component of a key, or two values under the same key.
    """
    hand = Collector()
    visit(obj, path, hand)
    for key in clashes(hand.leaves):
        raise ValueError(f'{key!r} is the key of a value and of a group')
    empty = empty_among(hand.groups, hand.leaves)
    wrong = contradiction(empty, hand.leaves)
    if wrong is not None:
        raise ValueError('{!r} {}'.format(*wrong))
    return hand.leaves, empty
