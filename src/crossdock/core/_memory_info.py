"""MemoryInfo: a device's memory. PinnedStatistics: the host memory for its copies."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ['MemoryInfo', 'PinnedStatistics']


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


class PinnedStatistics(NamedTuple):
    """What a pool of pinned memory holds, in bytes.

    Attributes
    ----------
    used : int
        What arrays and copies under way hold, as set aside.
    pooled : int
        What is kept for reuse.
    high_water : int
        The most that both have been together.
    limit : int
        What both together never exceed.
    """

    used: int
    pooled: int
    high_water: int
    limit: int
