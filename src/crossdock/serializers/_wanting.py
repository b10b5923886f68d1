"""What a target asks for, found by a walk in which it stays as it is."""

from __future__ import annotations

from collections import deque
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays
from ._format import Entry
from ._leaf import SCALARS, Leaf
from ._match import fits
from ._states import State
from ._tree import Hand
from ._visitor import Deserializer

__all__ = ['Slot', 'Wanting']


@dataclass(frozen=True, slots=True)
class Slot:
    """A leaf of the target as the dry pass found it.

    Attributes
    ----------
    seen : object
        What stands in the target.
    value : object
        The same; for an array of an unknown library a view of it, of a library that is known.
    fills : bool
        Whether the loaded data goes into the array that is there; else a new value takes its place.
    fixed : bool
        Whether nothing can take its place.
    setting : bool
        Whether it is a Python int in a ``state_dict()``, whose owner takes a float in its place.
    """

    seen: Any
    value: Any
    fills: bool
    fixed: bool
    setting: bool = False

    @classmethod
    def of(cls, path: str, value: Any, hand: Hand) -> Slot:
        """The slot of a leaf that `hand` is at; what no file can hold is refused."""
        if not isinstance(value, SCALARS):
            Leaf(value, path, 'load into')
        if value is None or isinstance(value, (*SCALARS, np.generic)):
            return cls(value, value, False, hand.fixed, hand.state is not None and type(value) is int)
        return cls(value, _arrays.known(value), hand.state is None and _arrays.is_writable(value), hand.fixed)

    def takes(self, entry: Entry) -> bool:
        """Whether the entry may take its place."""
        return fits(entry, self.value) or (entry.shape == () and self.widens(entry.dtype))

    def widens(self, dtype: np.dtype[Any] | None) -> bool:
        """Whether it becomes a float, as a file has it there."""
        return self.setting and dtype is not None and dtype.kind == 'f'


class Wanting(Hand):
    """The dry pass: everything stays as it is.

    Attributes
    ----------
    slots : dict of str to Slot
        What the target asks for, by key path.
    unborn : list of str
        Where a ``state_dict()`` has a mapping that is empty.
    states : list of State
        Objects with ``load_state_dict()``, in the order found, without those in the state of another.
    places : dict of int to list of str
        Where each container is, by its id.
    """

    def __init__(self) -> None:
        super().__init__()
        self.slots: dict[str, Slot] = {}
        self.unborn: list[str] = []
        self.states: list[State] = []
        self.places: dict[int, list[str]] = {}
        self._met: list[Any] = []

    def group(self, path: str, node: Any = None) -> None:
        if isinstance(node, MutableMapping | list | deque):
            self._met.append(node)  # so that no other has its id
            self.places.setdefault(id(node), []).append(path)

    def enters(self, node: Any, path: str) -> bool:
        if self.state is None:
            self.states.append(State(path, node))
        return True

    def in_state(self, node: MutableMapping[Any, Any], path: str) -> None:
        self.states[-1].has_mappings = True
        if not node:
            self.unborn.append(path)

    def leaf(self, path: str, value: Any) -> Any:
        if path in self.slots:
            raise ValueError(f'two values have the key {path!r}')
        self.slots[path] = Slot.of(path, value, self)
        return value

    def serializer(self, path: str) -> Deserializer:
        return Deserializer(self, path)
