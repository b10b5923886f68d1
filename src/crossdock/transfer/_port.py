"""What this room asks of an array library: facts about an array, alias it, copy into it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from crossdock.transfer._facts import ArrayFacts, PlaceFacts

__all__ = ['Port']


class Port(Protocol):
    """One library's end of a transfer.

    The common currency between two libraries is an *exchange view*: a `numpy.ndarray` over host memory, or an object
    with ``__dlpack__`` over any other. Exchange views keep their memory alive.
    """

    @property
    def reports_transfers(self) -> bool:
        """Whether the library announces each copy between memories by itself, so that `run` must not."""

    def facts(self, array: Any) -> ArrayFacts:
        """Facts about an array of this library. Must not wait and must not copy."""

    def alias_out(self, array: Any) -> Any:
        """An exchange view of the array's memory; read-only if the array is."""

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        """An array of this library at `place` over the memory of an exchange view; read-only if the view is."""

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        """A new C-contiguous array at `place`, its values undefined."""

    def create(self, source: Any, dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        """A new array at `place` with the values of `source`, an array of this library or an exchange view.

        In place of `allocate`, where arrays cannot be written. Casts without a check, shares no memory with `source`,
        and has read it when it returns.
        """

    def permute(self, array: Any, axes: tuple[int, ...]) -> Any:
        """A view of an array of this library with its axes in another order. Asked for dense arrays only."""

    def pack(self, blocks: list[list[tuple[np.ndarray[Any, Any], np.dtype[Any]]]], place: PlaceFacts) -> list[Any]:
        """New arrays at `place` from host views, each of a data type, that are no larger than `chunk_nbytes` a block.

        One allocation and one transfer for each block. The views have been read when it returns. Asked only where
        `chunk_nbytes` is not 0.
        """

    def plain_arrays(self, leaves: list[Any], place: PlaceFacts, below_nbytes: int) -> list[Any] | None:
        """The leaves that are C-contiguous NumPy arrays of less than so many bytes, in the form that packs fastest.

        Returns
        -------
        list or None
            None for each other leaf; None alone where there is no such form. `pack` takes them in place of views, with
            None for the data type.
        """

    def unpack(self, blocks: list[list[tuple[np.ndarray[Any, Any], Any]]], place: PlaceFacts) -> None:
        """Write arrays at `place`, the second of each pair, into host views, as `pack` does, and wait."""

    def copy(self, dst: Any, src: Any) -> None:
        """Write `src` into `dst`, both of this library; broadcasts, and casts without a check."""

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        """Write a host view into `dst`; broadcasts, and casts without a check. `source` names the view's device.

        Where the data types differ, the narrower one crosses.

        Returns when the view has been read; with ``blocking=False`` earlier, and then holds the view until it has.
        """

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        """Write `src` into a host view, as `copy_in` does, and wait until it is there. `target` names its device."""
