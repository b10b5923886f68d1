"""MemoryInfo: a device's memory."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['MemoryInfo']


class MemoryInfo(NamedTuple):
    """A device's memory, in bytes.

    Attributes
    ----------
    free : int
        What the device can still give; blocks that the pool keeps are not counted.
    total : int
        All of it.
    used : int
        What live arrays hold.
    pooled : int
        What the pool keeps for reuse.
    """

    free: int
    total: int
    used: int
    pooled: int
