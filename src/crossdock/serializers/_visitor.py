"""The visitor protocol: an object's ``serialize(serializer)`` names its parts, and one method both saves and loads.

::

    class Model:
        def serialize(self, s):
            self.W = s('W', self.W)            # an array, scalar, string or None: the value to keep comes back
            self.l1.serialize(s['l1'])         # a child; s('l1', self.l1) does the same
"""

from __future__ import annotations

from typing import Any

from ._path import join, split
from ._tree import Hand

__all__ = ['Serializer', 'Deserializer', 'canonical']


def canonical(path: str) -> str:
    """The path without a slash before or after it; its components are checked."""
    bare = path.strip('/')
    return '/'.join(split(bare)) if bare else ''


class _Visitor:
    """A place in a tree of key paths, and what is done with the leaves there."""

    def __init__(self, hand: Hand, path: str = '') -> None:
        self._hand = hand
        self.path = path

    def _join(self, key: str | int) -> str:
        # A slash before or after a key makes no difference, on either side.
        return join(self.path, key.strip('/') if isinstance(key, str) else key)

    def __repr__(self) -> str:
        return f'<{type(self).__name__} at {self.path!r}>'


class Serializer(_Visitor):
    """Takes values out of an object; what ``serialize`` methods are given while saving.

    Attributes
    ----------
    path : str
        Where in the file this serializer is.
    is_writer : bool
        True.
    """

    is_writer = True

    def __getitem__(self, key: str | int) -> Serializer:
        """The serializer of the child called `key`."""
        path = self._join(key)
        self._hand.group(path)
        return Serializer(self._hand, path)

    def __call__(self, key: str | int, value: Any) -> Any:
        """Save `value`, a leaf or anything with parts, under `key`, and return it."""
        return self._hand.part(value, self._join(key))

    def save(self, obj: Any) -> None:
        """Save all of `obj` at this place."""
        self._hand.whole(obj, self.path)


class Deserializer(_Visitor):
    """Puts values into an object; what ``serialize`` methods are given while loading.

    A load runs ``serialize`` twice. The first pass returns the current values and collects what is wanted; when all of
    that has been read and checked, the second pass returns the loaded values. An array that can be filled in place is,
    and comes back as the same object.

    Attributes
    ----------
    path : str
        Where in the file this deserializer is.
    is_writer : bool
        False.
    """

    is_writer = False

    def __getitem__(self, key: str | int) -> Deserializer:
        """The deserializer of the child called `key`."""
        return Deserializer(self._hand, self._join(key))

    def __call__(self, key: str | int, value: Any) -> Any:
        """Return what takes the place of `value`, a leaf or anything with parts."""
        return self._hand.part(value, self._join(key))

    def load(self, obj: Any) -> Any:
        """Load all that lies at this place into `obj`, and return what takes its place (itself, if it can change)."""
        return self._hand.whole(obj, self.path)
