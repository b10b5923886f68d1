"""Nested sequences of numbers and arrays, as `asarray` takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DimensionError, DtypeError
from . import _core
from ._core import Array

__all__ = ['from_sequence']

_MAX_NUMBERS = 2**40
_MAX_NDIM = 64
_INTEGERS = {bool, int}
_PLAIN = {bool, int, float, complex}


def from_sequence(obj: Sequence[Any]) -> Array | np.ndarray[Any, Any]:
    """The values of nested lists and tuples: stacked on their device where core arrays are among them.

    Raises
    ------
    DimensionError
        A ragged sequence, one that contains itself, or one of more dimensions or numbers than an array can have.
    DtypeError
        Something in it is no number, or the numbers have no common data type.
    """
    kinds = set(map(type, obj))
    if kinds <= _PLAIN:  # the usual: nothing lies deeper
        integers = kinds <= _INTEGERS
    else:
        survey = _Survey(obj)
        if survey.arrays:
            return _stacked(obj)
        integers = survey.integers
    try:
        array = np.asarray(obj)
        if array.dtype.kind == 'f' and array.size and integers:
            # Where one integer needs uint64 and others do not, NumPy rounds all to float64.
            array = np.asarray(obj, np.uint64)
    except OverflowError as error:
        raise DtypeError(f'asarray: no integer dtype holds all numbers of the sequence: {error}') from None
    except ValueError as error:
        raise DimensionError(f'asarray: the sequence is ragged: {error}') from None
    if array.dtype.kind not in 'biufc' or array.dtype == np.longdouble:
        raise DtypeError(
            'asarray: the sequence holds something other than numbers of at most 64 bits (128 for complex ones); NumPy '
            f'reads it as {array.dtype}',
            dtype=array.dtype,
        )
    if array.dtype.kind == 'f' and array.size == 0:
        return array.astype(np.float64)
    return array


class _Survey:
    """A look at every sequence once, however often it is met: whether core arrays are there, and that it ends."""

    def __init__(self, obj: Sequence[Any]) -> None:
        self.arrays = False
        self.integers = True
        self._sizes: dict[int, int] = {}
        self._above: set[int] = set()
        self._count(obj)

    def _count(self, obj: Sequence[Any]) -> int:
        if id(obj) in self._above:
            raise DimensionError('asarray: the sequence contains itself')
        if (known := self._sizes.get(id(obj))) is not None:
            return known
        if len(self._above) == _MAX_NDIM:
            raise DimensionError(f'asarray: the sequence is more than {_MAX_NDIM} deep')
        kinds = set(map(type, obj))
        self.arrays = self.arrays or any(issubclass(kind, Array) for kind in kinds)
        self.integers = self.integers and all(issubclass(kind, (int, np.integer, list, tuple)) for kind in kinds)
        size = len(obj)
        if any(issubclass(kind, (list, tuple)) for kind in kinds):
            self._above.add(id(obj))
            size += sum(self._count(item) for item in obj if isinstance(item, (list, tuple)))
            self._above.discard(id(obj))
        if size > _MAX_NUMBERS:
            raise DimensionError(f'asarray: the sequence holds more than {_MAX_NUMBERS} numbers')
        self._sizes[id(obj)] = size
        return size


def _stacked(obj: Sequence[Any]) -> Array:
    """One array of arrays and numbers, on the arrays' device."""
    leaves = list(_leaves(obj))
    for leaf in leaves:
        if not isinstance(leaf, (Array, bool, int, float, complex, np.generic)):
            raise DtypeError(
                f'asarray: a {type(leaf).__name__} beside core arrays is no array of the core and no number; '
                'make it one first, with crossdock.core.asarray or crossdock.get_device(...).send'
            )
    try:
        dtype = _core._result_type(tuple(leaves))
    except OverflowError as error:
        raise DtypeError(f'asarray: {error}') from None
    device = next(leaf.device for leaf in leaves if isinstance(leaf, Array))

    def build(item: Any) -> Array:
        if isinstance(item, Array):
            return _core.astype(item, dtype, copy=False)
        if isinstance(item, (list, tuple)):
            if not item:
                raise DimensionError('asarray: the sequence is ragged: an empty sequence beside arrays')
            return _core.stack([build(part) for part in item])
        return _core.full((), item, dtype=dtype, device=device)

    return build(obj)


def _leaves(obj: Any) -> Iterator[Any]:
    if isinstance(obj, (list, tuple)):
        for item in obj:
            yield from _leaves(item)
    else:
        yield obj
