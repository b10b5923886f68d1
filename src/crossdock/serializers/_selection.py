"""Basic indexing, decided from the shape alone: which elements `x[index]` takes, without an `x`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ['Selection', 'select', 'pieces_of']


@dataclass(frozen=True, slots=True)
class Selection:
    """What basic indexing takes from an array.

    Attributes
    ----------
    axes : tuple of range
        For each axis of the array the positions that are taken, in order; backwards for a negative step.
    shape : tuple of int
        The shape of the result: without the axes that an integer took away, with those that None put in.
    """

    axes: tuple[range, ...]
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements are taken."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def slices(self) -> tuple[slice, ...]:
        """The same positions as slices of positive step in ascending order, for libraries that have no others.

        Examples
        --------
        >>> s = select((slice(None, None, -2), 1), (5, 3))
        >>> s.slices(), s.flips()
        ((slice(0, 5, 2), slice(1, 2, 1)), (slice(None, None, -1), slice(None, None, None)))
        """
        ascending = (axis[::-1] if axis.step < 0 else axis for axis in self.axes)
        return tuple(slice(a[0], a[-1] + 1, a.step) if len(a) else slice(0, 0, 1) for a in ascending)

    def flips(self) -> tuple[slice, ...]:
        """What to index with what `slices` took, so that it is in the order that was asked for."""
        return tuple(slice(None, None, -1) if axis.step < 0 else slice(None) for axis in self.axes)


def select(index: Any, shape: tuple[int, ...]) -> Selection:
    """What ``x[index]`` takes from an array of `shape`.

    Parameters
    ----------
    index : int, slice, Ellipsis, None, or tuple of them
    shape : tuple of int

    Raises
    ------
    IndexError
        An integer is out of bounds, or there are more indices than axes.
    TypeError
        Something else than integers and slices, such as a list or a mask.

    Examples
    --------
    >>> select((..., -1), (3, 4))
    Selection(axes=(range(0, 3), range(3, 4)), shape=(3,))
    """
    parts = index if isinstance(index, tuple) else (index,)
    for part in parts:
        _check(part)
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    dots = sum(part is Ellipsis for part in parts)
    if dots > 1:
        raise IndexError("an index can have only one ellipsis ('...')")
    if taken > len(shape):
        raise IndexError(f'too many indices: the array has {len(shape)} axes, {taken} were indexed')
    rest = [slice(None)] * (len(shape) - taken)
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    full = [*parts[:at], *rest, *parts[at + 1 :]]
    axes: list[range] = []
    out: list[int] = []
    for part in full:
        if part is None:
            out.append(1)
        elif isinstance(part, slice):
            axes.append(range(shape[len(axes)])[part])
            out.append(len(axes[-1]))
        else:
            axes.append(_position(int(part), len(axes), shape))
    return Selection(tuple(axes), tuple(out))


def _check(part: Any) -> None:
    if part is None or part is Ellipsis or isinstance(part, slice):
        return
    if isinstance(part, bool | np.bool_) or not isinstance(part, int | np.integer):
        raise TypeError(f'a lazy array is indexed by integers, slices, ... and None, not by {part!r}; read it first')


def _position(i: int, axis: int, shape: tuple[int, ...]) -> range:
    n = shape[axis]
    if not -n <= i < n:
        raise IndexError(f'index {i} is out of bounds for axis {axis} with size {n}')
    return range(i % n, i % n + 1)


def pieces_of(flat: np.ndarray[Any, Any], nbytes: int) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """A one-dimensional array in pieces of at most `nbytes`, each with the position of its first element."""
    step = max(1, nbytes // flat.itemsize)
    for begin in range(0, flat.size, step):
        yield begin, flat[begin : begin + step]
