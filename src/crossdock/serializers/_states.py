"""Objects with ``load_state_dict()`` of a target: they come first, since they may refuse what they are given."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays
from ._leaf import SCALARS
from ._path import below, where
from ._tree import Hand, copied, visit

__all__ = ['State', 'check_library', 'load_states']


@dataclass(slots=True)
class State:
    """An object whose state is loaded as a whole.

    Attributes
    ----------
    path : str
    node : object
    has_mappings : bool
        Whether there are mappings in its state, as in that of an optimizer.
    """

    path: str
    node: Any
    has_mappings: bool = False

    @property
    def replaces(self) -> bool:
        """Whether it is known to replace its arrays, so that the old ones stay as they are."""
        return self.has_mappings and _arrays.library_of(self.node) == '@torch'


def check_library(states: Iterable[State], keys: Iterable[str], device: Any) -> None:
    """Refuse a device for new arrays of a state whose library has none there.

    Raises
    ------
    TypeError
        The object is of a library, as PyTorch's optimizers are, and the device of another.
    """
    for state in states:
        key = next((key for key in keys if below(key, state.path)), None)
        library = None if key is None else _arrays.library_of(state.node)
        if library is not None and str(device).partition(':')[0] != library:
            raise TypeError(
                f'device={str(device)!r} is for what the target does not have yet, as {key!r}, and the'
                f' {type(state.node).__name__} at {where(state.path)} takes arrays of {library} alone:'
                f" give device='{library}:cpu', whatever its device; nothing has been loaded"
            )


def load_states(states: Iterable[State], hand: Hand) -> None:
    """Load all states or none: where one is refused, the objects before it get their old ones back."""
    # Those that can be given back for nothing come first, and of the last one no copy is needed.
    ordered = sorted(states, key=lambda state: not state.replaces)
    before: list[tuple[Any, Any]] = []
    for state in ordered:
        kept = copied(state.node.state_dict())
        if state is not ordered[-1] and not state.replaces:
            kept = _with_values(kept)
        before.append((state.node, kept))
        try:
            visit(state.node, state.path, hand)
        except BaseException as error:
            *others, (failed, old) = before
            with suppress(Exception):  # it has refused one already
                failed.load_state_dict(old)
            for node, old in reversed(others):
                node.load_state_dict(old)
            error.add_note(
                f'The {type(state.node).__name__} at {where(state.path)} did not take its state;'
                ' nothing else has been loaded.'
            )
            raise


def _with_values(node: Any) -> Any:
    """The containers of a state, which are copies, with copies of the arrays in them."""
    if isinstance(node, dict):
        for key, value in node.items():
            node[key] = _with_values(value)
        return node
    if isinstance(node, list):
        node[:] = map(_with_values, node)
        return node
    if node is None or isinstance(node, (*SCALARS, np.generic, tuple)):
        return node
    return _arrays.twin(node)
