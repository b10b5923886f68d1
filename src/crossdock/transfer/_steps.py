"""A large array in steps: each small enough that whoever follows the copy hears of it several times a second."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

__all__ = ['STEP_NBYTES', 'steps']

STEP_NBYTES = 32 * 2**20


def steps(shape: tuple[int, ...], itemsize: int) -> Iterator[tuple[slice, ...]]:
    """What to index an array with, to have all of it once in views of at most `STEP_NBYTES`.

    Examples
    --------
    >>> [index for index in steps((3, 2**22), 8)]
    [(slice(0, 1, None),), (slice(1, 2, None),), (slice(2, 3, None),)]
    """
    if not shape or 0 in shape:
        yield ()
        return
    axis = next(axis for axis in range(len(shape)) if prod(shape[axis + 1 :]) * itemsize <= STEP_NBYTES)
    step = STEP_NBYTES // (prod(shape[axis + 1 :]) * itemsize)
    around = [[slice(i, i + 1) for i in range(extent)] for extent in shape[:axis]]
    along = [slice(begin, begin + step) for begin in range(0, shape[axis], step)]
    yield from product(*around, along)
