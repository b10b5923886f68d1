"""An array that lies in a file as it does in memory: dense, in C order, in native byte order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from .._selection import Selection
from ._gulp import fill

__all__ = ['Dense']

# Below this size one read of everything between the first and the last byte is faster than several.
_SPAN_NBYTES = 1 << 18

Host = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Dense:
    """Where an array lies in an open file.

    Attributes
    ----------
    descriptor : int
        Of the file; its position is neither used nor changed.
    offset : int
        Of the first byte.
    shape : tuple of int
    dtype : numpy.dtype
    """

    descriptor: int
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def read(self, out: Host, start: int) -> None:
        """Fill `out`, which is dense in C order, with the elements from the `start`-th on.

        Raises
        ------
        ShortFileError
        """
        if not out.size:
            return
        view = out.reshape(-1).view(np.uint8).data
        fill(self.descriptor, self.offset + start * self.dtype.itemsize, view)

    def pieces(self, nbytes: int, out: Host | None = None) -> Iterator[tuple[int, Host]]:
        """All elements, one-dimensional, in pieces of at most `nbytes`, each with the position of its first.

        Parameters
        ----------
        nbytes : int
        out : numpy.ndarray, optional
            Dense, of the shape and type; the pieces are parts of it. Otherwise a piece is valid until the next but one
            is asked for: two buffers take turns.

        Raises
        ------
        ShortFileError
        """
        size = prod(self.shape)
        step = min(size, max(1, nbytes // self.dtype.itemsize))
        flat = None if out is None else out.reshape(-1)
        buffers = [np.empty(step, self.dtype) for _ in range(1 + (size > step))] if flat is None else []
        for turn, start in enumerate(range(0, size, step or 1)):
            n = min(step, size - start)
            piece = buffers[turn % 2][:n] if flat is None else flat[start : start + n]
            self.read(piece, start)
            yield start, piece

    def take(self, selection: Selection) -> Host:
        """What a selection takes, as a fresh array; little more than that is read.

        Raises
        ------
        ShortFileError
        """
        out = np.empty(tuple(map(len, selection.axes)), self.dtype)
        if out.size:
            self._take(out, 0, selection.axes, self.shape)
        return out.reshape(selection.shape)

    def _take(self, out: Host, start: int, axes: tuple[range, ...], shape: tuple[int, ...]) -> None:
        """Fill `out`, dense in C order, from the array of `shape` that begins at element `start`."""
        if not axes:
            self.read(out, start)
            return
        axis, row = axes[0], prod(shape[1:])
        low, high = min(axis[0], axis[-1]), max(axis[0], axis[-1])
        if (axis.step == 1 or len(axis) == 1) and all(a == range(n) for a, n in zip(axes[1:], shape[1:])):
            self.read(out, start + low * row)
        elif (high - low + 1) * row * self.dtype.itemsize <= _SPAN_NBYTES:
            block = np.empty((high - low + 1, *shape[1:]), self.dtype)
            self.read(block, start + low * row)
            out[...] = block[(_slice_of(axis, low), *(_slice_of(a, 0) for a in axes[1:]))]
        elif len(axis) == 1:
            self._take(out[0], start + low * row, axes[1:], shape[1:])
        else:
            half = len(axis) // 2
            self._take(out[:half], start, (axis[:half], *axes[1:]), shape)
            self._take(out[half:], start, (axis[half:], *axes[1:]), shape)


def _slice_of(axis: range, low: int) -> slice:
    """The slice that takes the positions `axis` from an axis that begins at `low`."""
    stop = axis[-1] - low + (1 if axis.step > 0 else -1)
    return slice(axis[0] - low, stop if stop >= 0 else None, axis.step)
