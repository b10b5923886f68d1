"""Nested dicts out of key paths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._path import clashes
from ._unreadable import corrupt

__all__ = ['nested', 'check_nesting', 'with_positions']


def nested(values: Iterable[tuple[str, Any]], empty: Iterable[str] = ()) -> dict[str, Any]:
    """The values by the components of their paths; what was a list in the order of its positions.

    Examples
    --------
    >>> nested([('l/1', 'b'), ('l/0', 'a')], empty=['rest'])
    {'l': {'0': 'a', '1': 'b'}, 'rest': {}}
    """
    tree: dict[str, Any] = {}
    for path, value in values:
        *groups, name = path.split('/')
        _group(tree, groups)[name] = value
    for path in empty:
        _group(tree, path.split('/'))
    return _in_order(tree)


def check_nesting(path: str, keys: Iterable[str]) -> None:
    """Refuse keys of a file that no nested dicts can hold.

    Raises
    ------
    CorruptFileError
        One of them is an array and a group of others.
    """
    both = clashes(keys)
    if both:
        reason = 'is an array and a group of others, which nested dicts cannot hold; flat=True can'
        raise corrupt(path, reason, both[0])


def with_positions(tree: dict[str, Any]) -> dict[Any, Any]:
    """The same, with ints for keys where all keys of a dict are whole numbers.

    Examples
    --------
    >>> with_positions({'0': {'step': 3}, '12': {'0': {}, 'a': 1}})
    {0: {'step': 3}, 12: {'0': {}, 'a': 1}}
    """
    whole = all(key.isdecimal() and len(key) < 20 and str(int(key)) == key for key in tree)
    return {
        int(key) if whole else key: with_positions(value) if isinstance(value, dict) else value
        for key, value in tree.items()
    }


def _group(tree: dict[str, Any], names: list[str]) -> dict[str, Any]:
    for name in names:
        tree = tree.setdefault(name, {})
    return tree


def _in_order(tree: dict[str, Any]) -> dict[str, Any]:
    for key, value in tree.items():
        if isinstance(value, dict):
            tree[key] = _in_order(value)
    positions = [str(i) for i in range(len(tree))]
    return {key: tree[key] for key in positions} if tree.keys() == set(positions) else tree
