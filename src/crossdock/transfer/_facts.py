"""What a plan is made from: facts about a place and about an array, as plain values."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = ['ArrayFacts', 'PlaceFacts']


@dataclass(frozen=True, slots=True)
class PlaceFacts:
    """Where arrays can live, and what arrays there can express.

    Attributes
    ----------
    device : str
        The device's spec.
    suffix : str
        What stands after the colon in the spec, '' if nothing does.
    library : str
        Whose array type the arrays have. Two devices with the same library share one array type.
    physical : str
        Which memory. Places with the same `physical` can alias each other's arrays.
    home : str
        What an array that lives here says about itself. Differs from `device` only where a library's arrays cannot
        tell two devices apart.
    keeps_readonly : bool
        Whether arrays here can be read-only.
    negative_strides, odd_strides : bool
        Whether arrays here can have negative strides, and strides that are no multiple of the itemsize.
    contiguous : bool
        Whether arrays here are always C-contiguous.
    alignment : int
        What the address of memory has to be a multiple of, in bytes, for an array here to alias it.
    immutable : bool
        Whether arrays here can never be written. Then an array here aliases memory only where ``copy=False`` asks for
        it, and new ones are made by `Port.create`.
    peers : str
        Accelerators with the same word copy between each other without the host; '' for none.
    chunk_nbytes : int
        How large the chunks of pinned host memory are that copies between an accelerator and the host go through
        where they cannot cross as they lie, and the blocks in which small arrays cross together; 0 for a place
        whose library copies in its own way.
    keeps_order : bool
        Whether new arrays here may have their axes in any order in memory.
    dtypes : set of str or None
        Names of the data types that arrays here can have; None means all that can travel. The set may be a living one,
        for a library with settings.
    dtype_advice : tuple of (str, str)
        For data types that are absent under some settings only, what to do.
    """

    device: str
    suffix: str
    library: str
    physical: str
    home: str = ''
    keeps_readonly: bool = True
    negative_strides: bool = True
    odd_strides: bool = True
    contiguous: bool = False
    alignment: int = 1
    immutable: bool = False
    peers: str = ''
    chunk_nbytes: int = 0
    keeps_order: bool = False
    dtypes: Set[str] | None = None
    dtype_advice: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.home:
            object.__setattr__(self, 'home', self.device)


class ArrayFacts(NamedTuple):
    """What a plan wants to know about one array.

    Attributes
    ----------
    place : PlaceFacts
        Where it lives.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Its data type; `ml_dtypes` types for those that NumPy lacks.
    strides_nbytes : tuple of int
        Bytes to the next element, for each axis.
    readonly : bool
        Whether writing to it is refused.
    graph : bool
        Whether it takes part in a differentiable graph.
    pinned : bool
        Whether it lies in page-locked host memory.
    foreign : bool
        Whether the caller holds an object of another type than the place's own, so that this array is a view of it.
    unresolved : str
        Why the memory does not hold the values as they are, as that of a lazily conjugated view; '' if it does.
    address : int or None
        Where the first element lies, if the plan has to know.
    """

    place: PlaceFacts
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides_nbytes: tuple[int, ...]
    readonly: bool = False
    graph: bool = False
    pinned: bool = False
    foreign: bool = False
    unresolved: str = ''
    address: int | None = None

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        step = self.dtype.itemsize
        for extent, stride in zip(reversed(self.shape), reversed(self.strides_nbytes)):
            if extent > 1 and stride != step:
                return self.size == 0
            step *= extent
        return True

    @property
    def order(self) -> tuple[int, ...]:
        """The axes in the order in which they lie in memory, if only that keeps it from being contiguous; else ()."""
        if self.contiguous:
            return ()
        axes = sorted(range(len(self.shape)), key=lambda axis: (-self.strides_nbytes[axis], -self.shape[axis], axis))
        step = self.dtype.itemsize
        for axis in reversed(axes):
            if self.shape[axis] > 1 and self.strides_nbytes[axis] != step:
                return ()
            step *= self.shape[axis]
        return tuple(axes)

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, each counted once for every position it is seen at."""
        return self.size * self.dtype.itemsize
