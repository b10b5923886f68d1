"""What a serializer does with the leaves of an object that it takes at once, part by part."""

from __future__ import annotations

from typing import Any

from crossdock.transfer import Progress, check_progress, tracking

from ._collect import collect
from ._leaf import Leaf
from ._tree import Hand
from ._visitor import Serializer

__all__ = ['Taking']


class Taking(Hand):
    """Takes each leaf as it comes. Where somebody follows, it gathers all of a part before, to know how much it is.

    Parameters
    ----------
    progress : bool or callable
    what : str
        Label of a bar.
    """

    def __init__(self, progress: Progress, what: str) -> None:
        super().__init__()
        check_progress(progress)
        self.progress = progress
        self.what = what

    def take(self, path: str, leaf: Leaf) -> None:
        """Take a leaf, and have its `watch` know of the bytes."""
        raise NotImplementedError

    def nbytes_of(self, leaf: Leaf) -> int:
        """How many bytes it is to take a leaf."""
        return leaf.nbytes

    def leaf(self, path: str, value: Any) -> Any:
        self.take(path, Leaf(value, path))
        return value

    def serializer(self, path: str) -> Serializer:
        return Serializer(self, path)

    def part(self, node: Any, path: str) -> Any:
        return super().part(node, path) if self.progress is False else self._gathered(node, path)

    def whole(self, node: Any, path: str) -> Any:
        return super().whole(node, path) if self.progress is False else self._gathered(node, path)

    def _gathered(self, node: Any, path: str) -> Any:
        leaves, empty = collect(node, path)
        with tracking(self.progress, sum(map(self.nbytes_of, leaves.values())), self.what) as track:
            for key, leaf in leaves.items():
                leaf.watch = track.advance
                self.take(key, leaf)
            for key in empty:
                self.group(key)
        return node
