"""Pieces of an array, as they come from a file, into an array that lives anywhere and lies in memory in any way."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from . import _arrays
from ._format import Reader
from ._passed import passed

__all__ = ['pour', 'refill', 'blocks']

Host = np.ndarray[Any, Any]


def pour(reader: Reader, key: str, target: Any) -> None:
    """Read a leaf in pieces into `target`, an array of a known library, cast to its data type."""
    shape = tuple(int(n) for n in target.shape)
    dtype = _arrays.dtype_of(target)
    # No name holds the pieces: an error, which holds this frame, would keep them and the thread that reads ahead.
    for start, piece in reader.pieces(key):
        cast = piece.astype(dtype, copy=False)
        done = 0
        for index, extent in blocks(shape, start, start + piece.size):
            size = prod(extent)
            _arrays.fill(target[index] if index else target, cast[done : done + size].reshape(extent))
            done += size
        passed(piece.nbytes)


def refill(reader: Reader, key: str, target: Any) -> None:
    """Read a leaf into an array of a known library: into its own memory where that is dense and on the host."""
    memory = _arrays.memory_of(target)
    if memory is not None and memory.flags.c_contiguous and memory.dtype == reader.entries[key].dtype:
        reader.read_into(key, memory)
    else:
        pour(reader, key, target)


def blocks(shape: tuple[int, ...], begin: int, end: int) -> Iterator[tuple[tuple[Any, ...], tuple[int, ...]]]:
    """What covers the elements from `begin` to `end` in C order: indices, in order, each with the shape it takes.

    Examples
    --------
    >>> list(blocks((3, 4), 2, 9))
    [((0, slice(2, 4, None)), (2,)), ((slice(1, 2, None),), (1, 4)), ((2, slice(0, 1, None)), (1,))]
    """
    if not shape:
        if begin < end:
            yield (), ()
        return
    inner = shape[1:]
    row = prod(inner)
    while begin < end:
        i, offset = divmod(begin, row)
        if offset or end - begin < row:
            stop = min(end, (i + 1) * row)
            for index, extent in blocks(inner, offset, stop - i * row):
                yield (i, *index), extent
        else:
            whole = (end - begin) // row
            stop = begin + whole * row
            yield (slice(i, i + whole),), (whole, *inner)
        begin = stop
