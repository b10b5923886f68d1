"""MemoryInfo: a device's memory."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['MemoryInfo']


class MemoryInfo(NamedTuple):
    """A device's memory, in bytes; None where a library does not tell. The core tells all four.

    Attributes
    ----------
    free : int or None
        What the device can still give; blocks that the pool keeps are not counted.
    total : int or None
        All of it.
    used : int or None
        What live arrays hold.
    pooled : int or None
        What the pool keeps for reuse.
    """

    free: int | None
    total: int | None
    used: int | None
    pooled: int | None
