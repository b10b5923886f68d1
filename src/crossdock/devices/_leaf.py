"""One leaf of a tree: what it is, and the facts a plan needs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossdock.devices._backend import Backend
from crossdock.devices._dtype import check_travels
from crossdock.devices._foreign import read_foreign
from crossdock.devices._registry import owner
from crossdock.errors import GraphError
from crossdock.transfer import Advance, ArrayFacts, PlaceFacts, Plan, host_view, plan, run

__all__ = ['Leaf', 'read_leaf', 'unwrap']

_SCALARS = (bool, int, float, complex)


class Leaf(NamedTuple):
    """An array that can travel.

    Attributes
    ----------
    array : array
        The array, or a view of what stood in the tree.
    backend : Backend
        Whose it is.
    facts : ArrayFacts
        What it is.
    fresh : bool
        Whether nobody else holds its memory, as that of a converted number.
    """

    array: Any
    backend: Backend
    facts: ArrayFacts
    fresh: bool = False

    def plan(self, target: Backend, place: PlaceFacts, *, copy: bool | None, dtype: np.dtype[Any] | None) -> Plan:
        """How it gets to a place of a back-end."""
        copy = None if copy and self.fresh else copy
        return plan(self._facts_for(target, place, copy=copy), place, copy=copy, dtype=dtype)

    def _facts_for(self, target: Backend, place: PlaceFacts, *, copy: bool | None) -> ArrayFacts:
        """The facts, with those that only some plans need."""
        facts = self.facts
        if facts.place.physical != 'host':
            return facts
        if place.chunk_nbytes and target.is_pinned(self.backend.alias_out(self.array), place):
            facts = facts._replace(pinned=True)
        if facts.place.library == place.library:
            return facts
        # Arrays that cannot be written cannot be views of other data.
        suspect = facts.dtype.kind == 'b' and not facts.unresolved and not facts.place.immutable
        if suspect and not _has_true_bools(self.backend.alias_out(self.array)):
            return facts._replace(unresolved='its bools are bytes other than 0 and 1')
        shares = (copy is None and not place.immutable) or copy is False
        if shares and place.alignment > 1 and place.physical == 'host' and not facts.unresolved:
            return facts._replace(address=self.backend.alias_out(self.array).ctypes.data)
        return facts

    def view(self) -> Any:
        """Its memory, which is the host's, as it is packed."""
        return host_view(self.array, self.backend)

    def run(self, made: Plan, target: Backend, *, blocking: bool, advance: Advance | None = None) -> Any:
        """Bring it there."""
        return run(made, self.array, self.backend, target, blocking=blocking, advance=advance)


def unwrap(value: Any) -> Any:
    """The array inside a wrapper; anything else is returned as it is.

    A wrapper is an object whose type has the attribute ``__crossdock_array__``: the array that it stands for.
    """
    return value.__crossdock_array__ if hasattr(type(value), '__crossdock_array__') else value


def read_leaf(value: Any, scalars: Backend, *, detach: bool = False) -> Leaf:
    """Find out what a leaf is.

    Parameters
    ----------
    value : object
        An array of any library, a Python number or a NumPy scalar.
    scalars : Backend
        Whose default dtypes Python numbers get.
    detach : bool
        Leave a differentiable graph behind instead of refusing.

    Raises
    ------
    UnknownArrayError, DtypeError, GraphError
        It is no array, or one that cannot travel.
    """
    backend, fresh, foreign = owner(type(value)), False, False
    if backend is None:
        if hasattr(type(value), '__crossdock_array__'):
            if getattr(value, 'requires_grad', False) is True and not detach:
                raise GraphError(f'a {type(value).__name__} takes part in a differentiable graph; send its array')
            value = unwrap(value)
        if isinstance(value, np.generic):
            value, fresh = np.asarray(value), True
        elif isinstance(value, _SCALARS):
            value, fresh = _from_scalar(value, scalars), True
        backend = owner(type(value))
    if backend is None:
        foreign = True
        value = read_foreign(value, detach=detach)
        backend = owner(type(value))
        assert backend is not None, 'foreign arrays are read into a known library'
    facts = backend.facts(value)
    check_travels(facts.dtype)
    if detach and facts.graph:
        value = backend.detach(value)
        facts = facts._replace(graph=False)
    if foreign:
        facts = facts._replace(foreign=True)
    return Leaf(value, backend, facts, fresh)


def _has_true_bools(view: np.ndarray[Any, Any]) -> bool:
    """Whether all bytes of an array of bools are 0 or 1, as libraries other than NumPy take for granted."""
    return not view.size or int(view.view(np.uint8).max()) <= 1


def _from_scalar(value: bool | int | float | complex, scalars: Backend) -> np.ndarray[Any, Any]:
    dtype = scalars.default_dtype(next(kind for kind in _SCALARS if isinstance(value, kind)))
    try:
        return np.array(value, dtype=dtype)
    except OverflowError:
        raise OverflowError(f'{value} does not fit into {dtype.name}, the default of {scalars.kind}') from None
