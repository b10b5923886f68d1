"""Walk any nesting of containers, and put changed leaves back where they were found.

One walk serves saving, the dry pass and the committing pass of a load: a `Hand` says what happens at each leaf, and a
leaf that comes back as another object takes its place in its container.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._leaf import SCALARS
from ._path import join, where
from ._resident import attributes, is_resident, names_all, stays_with

__all__ = ['Hand', 'copied', 'visit', 'is_container']


class Hand:
    """What is done at the leaves of a walk.

    Attributes
    ----------
    commits : bool
        Whether loaded values are put in place; else the tree is left as it is.
    apart : collection of str
        Where a copy takes the place of a container, which is elsewhere in the tree too and gets other values there.
    state : str or None
        The path of the ``state_dict()`` whose leaves are being walked: a copy, so that none may be filled in place.
    fixed : bool
        Whether the leaves being walked are in a mapping that cannot be changed.
    arrays_only : bool
        Whether the leaves being walked are among the attributes of a model, of which all that is no array stays out.
    """

    commits = False
    apart: Collection[str] = ()

    def __init__(self) -> None:
        self.state: str | None = None
        self.fixed = False
        self.arrays_only = False
        self._open: set[int] = set()

    def leaf(self, path: str, value: Any) -> Any:
        """Deal with one leaf; the value returned takes its place."""
        raise NotImplementedError

    def group(self, path: str, node: Any = None) -> None:
        """Be told of a container at `path`, before its parts; not of those inside of a model that are all its own."""
        return

    def in_state(self, node: MutableMapping[Any, Any], path: str) -> None:
        """Be told of a mapping inside of a ``state_dict()``; an empty one may have been filled when it was saved."""
        return

    def enters(self, node: Any, path: str) -> bool:
        """Whether an object with ``load_state_dict()`` is walked."""
        return True

    def serializer(self, path: str) -> Any:
        """What an object with ``serialize(serializer)`` found at `path` is given."""
        raise NotImplementedError

    def part(self, node: Any, path: str) -> Any:
        """What a serializer does with a value that it is given for `path`."""
        return visit(node, path, self)

    def whole(self, node: Any, path: str) -> Any:
        """What a serializer does with an object that stands for all of `path`."""
        return visit(node, path, self)

    @contextmanager
    def inside(self, node: object, path: str) -> Iterator[None]:
        """Hold `node` open while its parts are walked; a node that contains itself is an error."""
        if id(node) in self._open:
            raise TypeError(f'{where(path)} contains itself, which no file can hold')
        before = self.state, self.fixed, self.arrays_only
        self._open.add(id(node))
        try:
            yield
        finally:
            self._open.discard(id(node))
            self.state, self.fixed, self.arrays_only = before

    def encloses(self, node: object) -> bool:
        """Whether the parts of `node` are being walked."""
        return id(node) in self._open


def is_container(node: object) -> bool:
    """Whether `node` has parts of its own, so that it can be saved as a whole file."""
    if isinstance(node, type | np.ndarray | np.generic):
        return False
    known = isinstance(node, Mapping | list | tuple | deque) or dataclasses.is_dataclass(node)
    return known or _has(node, 'serialize') or _has_state(node) or is_resident(node)


def visit(node: Any, path: str, hand: Hand) -> Any:
    """Walk `node`, found at `path`, and return what takes its place: itself, unless it cannot be changed in place."""
    if node is None or isinstance(node, (*SCALARS, np.ndarray, np.generic)) or not is_container(node):
        return node if hand.arrays_only and not stays_with(node) else hand.leaf(path, node)
    if hand.arrays_only and hand.encloses(node):
        return node  # a reference to the model that it is part of is no part of it
    if not hand.arrays_only:
        hand.group(path, node)
    with hand.inside(node, path):
        if _has(node, 'serialize'):
            hand.arrays_only = False
            node.serialize(hand.serializer(path))
            return node
        if _has_state(node):
            return _visit_state(node, path, hand)
        if path in hand.apart:
            node = copy.copy(node)
        if isinstance(node, Mapping):
            return _visit_mapping(node, path, hand)
        if isinstance(node, tuple):
            return _visit_tuple(node, path, hand)
        if isinstance(node, list | deque):
            for i, value in enumerate(list(node)):
                new = visit(value, join(path, i), hand)
                if new is not value:
                    node[i] = new
            return node
        return _visit_resident(node, path, hand) if is_resident(node) else _visit_dataclass(node, path, hand)


def _visit_state(node: Any, path: str, hand: Hand) -> Any:
    if not hand.enters(node, path):
        return node
    state = node.state_dict()
    hand.state, hand.fixed, hand.arrays_only = path, False, False
    if hand.commits:
        node.load_state_dict(visit(copied(state), path, hand))
    else:
        visit(state, path, hand)
    return node


def _visit_mapping(node: Mapping[Any, Any], path: str, hand: Hand) -> Any:
    if not isinstance(node, MutableMapping):
        hand.fixed = True  # staging refuses leaves that would have to be replaced
    elif hand.state is not None and path != hand.state:
        hand.in_state(node, path)
    for key, value in list(node.items()):
        if hand.arrays_only and not _has_arrays(value):
            continue  # so that its key may be anything
        new = visit(value, join(path, key), hand)
        if new is not value and isinstance(node, MutableMapping):
            node[key] = new
    return node


def _visit_resident(node: Any, path: str, hand: Hand) -> Any:
    if not names_all(node):
        raise TypeError(
            f'{where(path)}: {type(node).__name__} shows its arrays by a device_resident_accept() of its own,'
            ' which names none; give it a serialize(serializer) method'
        )
    hand.arrays_only = True
    for name, value in attributes(node):
        if not _has_arrays(value):
            continue
        new = visit(value, join(path, name), hand)
        if new is not value:
            object.__setattr__(node, name, new)  # it is where the old one was, and need not be sent there
    return node


def _has_arrays(node: Any, around: tuple[Any, ...] = ()) -> bool:
    """Whether there is anything to save in what a model holds."""
    if any(node is outer for outer in around):
        return False
    if not is_container(node):
        return stays_with(node)
    if _has(node, 'serialize') or _has_state(node) or (is_resident(node) and not names_all(node)):
        return True
    return any(_has_arrays(part, (*around, node)) for part in _parts(node))


def _parts(node: Any) -> Iterable[Any]:
    if isinstance(node, Mapping):
        return node.values()
    if isinstance(node, list | tuple | deque):
        return node
    if is_resident(node):
        return [value for _, value in attributes(node)]
    return [getattr(node, field.name) for field in dataclasses.fields(node) if hasattr(node, field.name)]


def _visit_tuple(node: tuple[Any, ...], path: str, hand: Hand) -> Any:
    parts = [visit(value, join(path, i), hand) for i, value in enumerate(node)]
    if all(new is old for new, old in zip(parts, node)):
        return node
    return _like(node, parts)


def _visit_dataclass(node: Any, path: str, hand: Hand) -> Any:
    frozen = type(node).__dataclass_params__.frozen
    changed = {}
    for field in dataclasses.fields(node):
        if not hasattr(node, field.name):
            continue  # the constructor left it unset
        value = getattr(node, field.name)
        new = visit(value, join(path, field.name), hand)
        if new is not value:
            changed[field.name] = new
    if changed and frozen:
        node = copy.copy(node)
    for name, new in changed.items():
        (object.__setattr__ if frozen else setattr)(node, name, new)
    return node


def copied(node: Any) -> Any:
    """A copy of the containers, with the same leaves."""
    if isinstance(node, MutableMapping):
        twin = copy.copy(node)  # keeps what hangs on it, such as the versions in a torch module's state
        for key, value in node.items():
            twin[key] = copied(value)
        return twin
    if isinstance(node, list | deque):
        return type(node)(map(copied, node))
    if isinstance(node, tuple):
        return _like(node, map(copied, node))
    return node


def _like(node: tuple[Any, ...], parts: Iterable[Any]) -> Any:
    make = getattr(type(node), '_make', type(node))
    return make(parts)


def _has(node: object, method: str) -> bool:
    return not isinstance(node, type) and callable(getattr(node, method, None))


def _has_state(node: object) -> bool:
    return _has(node, 'state_dict') and _has(node, 'load_state_dict')
