"""Bytes of a file into memory or past it, with their CRC-32, by two threads: the copying is what takes the time."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .._aside import Aside
from .._checksum import crc32, crc32_combine
from .._passed import passed

__all__ = ['ShortFileError', 'fill', 'gulp', 'skim']

_STEP = 1 << 19  # what stays in the cache between being read and being summed
_SHARED_FROM = 16 << 20  # less is read sooner than another thread has begun
_WINDOW = 32 << 20  # so far apart are the two at most, for disks that seek


class ShortFileError(ValueError):
    """The file ends before the data does; `missing` is by how many bytes."""

    def __init__(self, missing: int) -> None:
        super().__init__(f'ends {missing} bytes early')
        self.missing = missing


def fill(descriptor: int, offset: int, view: Any) -> None:
    """Fill a memoryview of bytes with those of the file from `offset` on; its position is neither used nor changed.

    Raises
    ------
    ShortFileError
    """
    done = 0
    while done < len(view):
        got = os.preadv(descriptor, [view[done:]], offset + done)
        if not got:
            raise ShortFileError(len(view) - done)
        done += got


def gulp(descriptor: int, offset: int, view: Any, crc: int = 0) -> int:
    """Fill a memoryview of bytes, and return the CRC-32 of them all after those that `crc` stands for.

    Raises
    ------
    ShortFileError
    """
    return _shared(descriptor, offset, len(view), view, crc)


def skim(descriptor: int, offset: int, nbytes: int, crc: int = 0) -> int:
    """As `gulp`, but keep nothing of what is read.

    Raises
    ------
    ShortFileError
    """
    return _shared(descriptor, offset, nbytes, None, crc)


def _shared(descriptor: int, offset: int, nbytes: int, view: Any, crc: int) -> int:
    for begin in range(0, nbytes, _WINDOW):
        size = min(_WINDOW, nbytes - begin)
        half = size // 2 // _STEP * _STEP if size >= _SHARED_FROM else 0
        middle, end = begin + size - half, begin + size
        other = Aside(_read, descriptor, offset, middle, end, view, 0) if half else None
        try:
            crc = _read(descriptor, offset, begin, middle, view, crc)
        finally:
            if other is not None:
                other.wait()
        if other is not None:
            crc = crc32_combine(crc, other.result(), half)
        passed(size)
    return crc


def _read(descriptor: int, offset: int, begin: int, end: int, view: Any, crc: int) -> int:
    scratch = np.empty(min(_STEP, end - begin), np.uint8).data if view is None else None
    for at in range(begin, end, _STEP):
        stop = min(end, at + _STEP)
        part = view[at:stop] if scratch is None else scratch[: stop - at]
        fill(descriptor, offset + at, part)
        crc = crc32(part, crc)
    return crc
