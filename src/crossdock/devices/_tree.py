"""Walk a nesting of containers and build it anew. Order, sharing and container types are kept."""

from __future__ import annotations

import atexit
import copy
import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from crossdock.devices._registry import owner

__all__ = ['Named', 'Tree']

NAMESPACE = 'crossdock'
_ATOMS = (bool, int, float, complex, str, bytes, np.generic)  # values, of which two equal ones are not one
_ARRAY_MARKS = ('__crossdock_array__', '__dlpack__', '__array_interface__', '__cuda_array_interface__', '__array__')


@functools.cache
def _optree() -> ModuleType:
    import optree

    # Not left before the end: the mode is per namespace and this one is ours, but switching it is not thread-safe.
    ordered = ExitStack()
    ordered.enter_context(optree.dict_insertion_ordered(True, namespace=NAMESPACE))
    atexit.register(ordered.close)
    return optree


class Named(NamedTuple):
    """Leaves, and the paths that they have for the user. As a tree it is built anew as the list of the leaves."""

    paths: list[str]
    leaves: list[Any]


class _Leaf(NamedTuple):
    position: int


class _Node(NamedTuple):
    rebuild: Callable[[list[Any]], Any]
    children: list[Any]


_NONE = _Node(lambda values: None, [])


class Tree:
    """A nesting of containers, taken apart.

    Lists, tuples, dicts and those of `collections`, named tuples, dataclasses and types that are registered with
    optree (in its global namespace or in 'crossdock') are containers.

    Parameters
    ----------
    root : object
        The nesting.

    Attributes
    ----------
    leaves : list of object
        Each leaf object once, in the order in which it is first met. None is no leaf.
    paths : list of str
        Where each is first met, such as ``['layer1'].bias``; '' for the root.

    Raises
    ------
    TypeError
        The nesting contains itself; the error says where.
    """

    def __init__(self, root: Any) -> None:
        self.leaves: list[Any] = []
        self.paths: list[str] = []
        self._kept: list[Any] = []  # an id is an object's own only while the object lives
        self._seen: dict[int, _Leaf | _Node] = {}
        self._open: set[int] = set()
        self._root = self._walk(root, '')

    def build(self, values: list[Any]) -> Any:
        """The same nesting with other leaves, ``values[i]`` for ``leaves[i]``."""
        return _build(self._root, values, {})

    def _walk(self, node: Any, path: str) -> _Leaf | _Node:
        if type(node) is np.ndarray:  # the most frequent leaf, and no container whatever it holds
            return self._seen.get(id(node)) or self._seen.setdefault(id(node), self._leaf(node, path))
        if node is None:
            return _NONE
        if isinstance(node, _ATOMS):
            return self._leaf(node, path)
        key = id(node)
        if key in self._open:
            raise TypeError(f'the tree contains itself: at {path} it is back where it was')
        if key not in self._seen:
            self._kept.append(node)
            self._open.add(key)
            self._seen[key] = self._container(node, path) or self._leaf(node, path)
            self._open.discard(key)
        return self._seen[key]

    def _leaf(self, node: Any, path: str) -> _Leaf:
        self.leaves.append(node)
        self.paths.append(path)
        return _Leaf(len(self.leaves) - 1)

    def _container(self, node: Any, path: str) -> _Node | None:
        kind = type(node)
        if kind is list or kind is tuple:
            return self._node(kind, ((f'{path}[{i}]', child) for i, child in enumerate(node)))
        if kind is dict or kind is OrderedDict:
            keys = tuple(node)
            children = ((f'{path}[{name!r}]', child) for name, child in node.items())
            return self._node(lambda values: kind(zip(keys, values)), children)
        if kind is Named:
            return self._node(list, zip(node.paths, node.leaves))
        if owner(kind) is not None or any(hasattr(kind, mark) for mark in _ARRAY_MARKS):
            return None
        return self._registered(node, path) or self._dataclass(node, path)

    def _registered(self, node: Any, path: str) -> _Node | None:
        optree = _optree()
        if optree.tree_is_leaf(node, none_is_leaf=True, namespace=NAMESPACE):
            return None
        children, metadata, entries, unflatten = optree.tree_flatten_one_level(
            node, none_is_leaf=True, namespace=NAMESPACE
        )
        steps = [f'.{name}' for name in node._fields] if hasattr(node, '_fields') else map(_step, entries)
        located = [(path + step, child) for step, child in zip(steps, children)]
        return self._node(lambda values: unflatten(metadata, values), located)

    def _dataclass(self, node: Any, path: str) -> _Node | None:
        if not dataclasses.is_dataclass(node) or isinstance(node, type):
            return None
        names = [field.name for field in dataclasses.fields(node) if hasattr(node, field.name)]

        def rebuild(values: list[Any]) -> Any:
            # Not by the constructor, which may want other arguments and compute anew what is there already.
            new = copy.copy(node)
            for name, value in zip(names, values):
                object.__setattr__(new, name, value)
            return new

        return self._node(rebuild, [(f'{path}.{name}', getattr(node, name)) for name in names])

    def _node(self, rebuild: Callable[[list[Any]], Any], children: Iterable[tuple[str, Any]]) -> _Node:
        return _Node(rebuild, [self._walk(child, path) for path, child in children])


def _build(part: _Leaf | _Node, values: list[Any], built: dict[int, Any]) -> Any:
    if isinstance(part, _Leaf):
        return values[part.position]
    key = id(part)
    if key not in built:
        children = part.children
        built[key] = part.rebuild(
            [values[child[0]] if type(child) is _Leaf else _build(child, values, built) for child in children]
        )
    return built[key]


def _step(entry: Any) -> str:
    return f'[{entry!r}]'
