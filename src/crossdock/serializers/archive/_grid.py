"""Arrays that lie in files as a grid of chunks: what to read for a selection, and in what order to write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .._selection import Selection, pieces_of
from ._ordered import ordered

__all__ = ['Cell', 'Grid', 'is_run', 'run_counts', 'run_shape', 'runs']

_ASIDE_FROM = 1 << 18

Host = np.ndarray[Any, Any]
Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """An array cut into chunks of one shape; those at the upper edges reach beyond it.

    Attributes
    ----------
    shape : tuple of int
    chunk : tuple of int
        None of them zero.
    dtype : numpy.dtype
    fetch : callable
        Gives the chunk at a position of the grid, of the shape `chunk`, or None where the file has none.
    fill : numpy.ndarray
        0-d, what stands where there is no chunk.
    stored : collection of tuple of int, or None
        The positions of all chunks in the file, where that is known: an array may claim far more than are there.
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: np.dtype[Any]
    fetch: Callable[[Cell], Host | None]
    fill: Host
    stored: Collection[Cell] | None = None

    def take(self, selection: Selection) -> Host:
        """What a selection takes, as a fresh array."""
        ascending = tuple(axis[::-1] if axis.step < 0 else axis for axis in selection.axes)
        block = self.box(ascending)[selection.flips()]
        return np.array(block.reshape(selection.shape), self.dtype, order='C')

    def box(self, axes: tuple[range, ...], out: Host | None = None, told: Callable[[int], None] | None = None) -> Host:
        """The elements at ascending positions, in `out` when it is given; without the check of any whole.

        `told` is called with the size of what each chunk has given.
        """
        if out is None:
            out = np.empty(tuple(map(len, axes)), self.dtype)
        if not out.size:
            return out
        if self._has_holes():
            out[...] = self.fill
        for cell, chunk in self._fetched(self._cells(axes)):
            parts = [_overlap(axis, at * n, at * n + n) for axis, at, n in zip(axes, cell, self.chunk)]
            if any(part is None for part in parts):
                continue
            target = tuple(part[0] for part in parts if part)
            if chunk is not None:
                out[target] = chunk[tuple(part[1] for part in parts if part)]
                if told is not None:
                    told(out[target].nbytes)
            elif self.stored is None:
                out[target] = self.fill
        return out

    def pieces(self, nbytes: int) -> Iterator[tuple[int, Host]]:
        """All elements in C order, one-dimensional, in pieces of at most `nbytes`, each with its start.

        As many rows as a chunk has are held at a time.
        """
        done = 0
        for axes in self._bands((), nbytes):
            flat = self.box(axes).reshape(-1)
            for start, piece in pieces_of(flat, nbytes):
                yield done + start, piece
            done += flat.size

    def _cells(self, axes: tuple[range, ...]) -> Iterable[Cell]:
        spans = [range(axis[0] // n, axis[-1] // n + 1) for axis, n in zip(axes, self.chunk)]
        if self.stored is not None and prod(map(len, spans)) > len(self.stored):
            return [cell for cell in self.stored if all(at in span for at, span in zip(cell, spans))]
        return product(*spans)

    def _fetched(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Host | None]]:
        """Chunks with their positions; large ones are unpacked by some threads."""
        if prod(self.chunk) * self.dtype.itemsize < _ASIDE_FROM:
            return ((cell, self.fetch(cell)) for cell in cells)
        return ordered(lambda cell: (cell, self.fetch(cell)), cells)

    def _has_holes(self) -> bool:
        return self.stored is not None and len(self.stored) < prod(-(-n // c) for n, c in zip(self.shape, self.chunk))

    def _bands(self, fixed: tuple[range, ...], nbytes: int) -> Iterator[tuple[range, ...]]:
        axis = len(fixed)
        if 0 in self.shape:
            return
        if axis == len(self.shape):
            yield fixed
            return
        rest = tuple(range(n) for n in self.shape[axis + 1 :])
        row = prod(self.shape[axis + 1 :]) * self.dtype.itemsize
        n, step = self.shape[axis], self.chunk[axis]
        if step == 1 and rest and row > nbytes:
            for i in range(n):
                yield from self._bands((*fixed, range(i, i + 1)), nbytes)
            return
        step *= max(1, nbytes // (row * step))
        for begin in range(0, n, step):
            yield (*fixed, range(begin, min(n, begin + step)), *rest)


def run_shape(shape: tuple[int, ...], itemsize: int, nbytes: int) -> tuple[int, ...]:
    """The shape of chunks of at most `nbytes` that each hold elements that follow each other in C order.

    Examples
    --------
    >>> run_shape((5, 100, 10), 8, 4000), run_shape((5, 2), 8, 4000), run_shape((3, 10000), 8, 4000)
    ((1, 50, 10), (5, 2), (1, 500))
    """
    chunk = [1] * len(shape)
    size = max(1, itemsize)
    for axis in reversed(range(len(shape))):
        most = max(1, min(shape[axis], nbytes // size))
        # All of about the same size: what lies beyond the edge is in the file as well.
        chunk[axis] = most if most >= shape[axis] else -(-shape[axis] // -(-shape[axis] // most))
        size *= chunk[axis]
        if chunk[axis] < shape[axis]:
            break
    return tuple(chunk)


def is_run(shape: tuple[int, ...], chunk: tuple[int, ...]) -> bool:
    """Whether chunks of that shape each hold elements that follow each other in C order.

    Examples
    --------
    >>> is_run((5, 100, 10), (1, 50, 10)), is_run((5, 100, 10), (2, 50, 10)), is_run((5, 100), (5, 101))
    (True, False, False)
    """
    axis = next((i for i, n in enumerate(chunk) if n > 1), len(chunk))
    return chunk[axis + 1 :] == shape[axis + 1 :]


def run_counts(shape: tuple[int, ...], chunk: tuple[int, ...]) -> Iterator[tuple[Cell, int]]:
    """Every chunk of a `run_shape` in order, with how many of its elements belong to the array.

    Examples
    --------
    >>> list(run_counts((2, 5), (1, 3)))
    [((0, 0), 3), ((0, 1), 2), ((1, 0), 3), ((1, 1), 2)]
    """
    axis = next((i for i, n in enumerate(chunk) if n > 1), max(0, len(chunk) - 1))
    row = prod(chunk[axis + 1 :])
    for cell in product(*(range(-(-n // c)) for n, c in zip(shape, chunk))):
        yield cell, row * min(chunk[axis], shape[axis] - cell[axis] * chunk[axis]) if chunk else 1


def runs(
    shape: tuple[int, ...], chunk: tuple[int, ...], dtype: np.dtype[Any], pieces: Iterable[Host]
) -> Iterator[tuple[Cell, Host]]:
    """Gather pieces in C order into chunks of a `run_shape`; each is fresh, and zero beyond the array's edge."""
    source = iter(pieces)
    piece = np.empty(0, dtype)
    for cell, count in run_counts(shape, chunk):
        out = np.empty(prod(chunk), dtype)
        done = 0
        while done < count:
            if not piece.size:
                piece = next(source)
            step = min(count - done, piece.size)
            out[done : done + step] = piece[:step]
            piece, done = piece[step:], done + step
        out[count:] = np.zeros((), dtype)
        yield cell, out.reshape(chunk)


def _overlap(axis: range, begin: int, end: int) -> tuple[slice, slice] | None:
    """Where the positions of `axis` between `begin` and `end` lie: in the result, and in the chunk at `begin`."""
    first = max(0, -(-(begin - axis.start) // axis.step))
    last = min(len(axis), -(-(end - axis.start) // axis.step))
    if first >= last:
        return None
    start = axis.start + first * axis.step - begin
    return slice(first, last), slice(start, start + (last - first - 1) * axis.step + 1, axis.step)
