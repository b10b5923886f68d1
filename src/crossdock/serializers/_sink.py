"""A file written from its beginning to its end: a ring of buffers that threads bring to the disk while others fill.

Large files go past the page cache where the file system lets them (``O_DIRECT``): the disk is the limit then, and not
the copying and evicting of pages. Else the kernel is told to begin with each buffer at once, so that `fsync` finds
little to do.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np

from ._checksum import crc32

__all__ = ['Sink', 'BUFFER_NBYTES']

BUFFER_NBYTES = 4 * 2**20
BUFFERS = 5
THREADS = 2
DIRECT = True  # tests turn it off
_STEP = 1 << 20
_ALIGNMENT = 4096

Bytes = bytes | bytearray | memoryview | np.ndarray[Any, Any]


class _Buffer:
    """Memory that begins at a page; `start` is where in the file its first byte goes."""

    def __init__(self) -> None:
        raw = np.empty(BUFFER_NBYTES + _ALIGNMENT, np.uint8)
        offset = -raw.ctypes.data % _ALIGNMENT
        self.data = raw[offset : offset + BUFFER_NBYTES]
        self.start = 0
        self.filled = 0

    @property
    def stop(self) -> int:
        """Where in the file the byte after its last one goes."""
        return self.start + self.filled


class Sink:
    """Takes bytes in order. What is written is copied at once, so that its memory is free when `write` returns.

    Parameters
    ----------
    path : str
        A file that is there; whatever it holds is lost.

    Attributes
    ----------
    position : int
        How many bytes have been written.
    """

    def __init__(self, path: str) -> None:
        self.position = 0
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR)
        self._direct: int | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._free: list[_Buffer] = []
        self._made = 1
        self._now = _Buffer()
        self._kept: list[_Buffer] = []
        self._keep = (0, 0)
        self._jobs: deque[Future[_Buffer]] = deque()
        os.truncate(self._descriptor, 0)

    def expect(self, nbytes: int) -> None:
        """Make room for so many bytes on the disk.

        Raises
        ------
        OSError
            The disk is full.
        """
        if nbytes:
            try:
                os.posix_fallocate(self._descriptor, 0, nbytes)
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV):
                    raise

    def write(self, data: Bytes, crc: int = 0) -> int:
        """Write bytes after those that have been, and return the CRC-32 of all of them that `crc` began.

        Raises
        ------
        OSError
            The disk is full, or fails; perhaps about bytes that were given before.
        """
        source = np.frombuffer(data, np.uint8)
        done = 0
        while done < source.size:
            if self._now.filled == BUFFER_NBYTES:
                self._turn()
            buffer = self._now
            step = min(source.size - done, BUFFER_NBYTES - buffer.filled, _STEP)
            target = buffer.data[buffer.filled : buffer.filled + step]
            target[...] = source[done : done + step]
            crc = crc32(target, crc)  # while it is in the cache
            buffer.filled += step
            done += step
        self.position += done
        return crc

    def keep(self, nbytes: int) -> None:
        """Keep the next `nbytes` bytes, less than a buffer, in memory until `settle`, so that they can be patched."""
        assert nbytes < BUFFER_NBYTES
        self._keep = (self.position, self.position + nbytes)

    def patch(self, position: int, data: bytes) -> None:
        """Change bytes that are being kept."""
        assert self._keep[0] <= position and position + len(data) <= self._keep[1]
        for buffer in (*self._kept, self._now):
            begin, end = max(position, buffer.start), min(position + len(data), buffer.stop)
            if begin < end:
                part = np.frombuffer(data, np.uint8)[begin - position : end - position]
                buffer.data[begin - buffer.start : end - buffer.start] = part

    def settle(self) -> None:
        """Keep nothing any more."""
        self._keep = (0, 0)
        kept, self._kept = self._kept, []
        for buffer in kept:
            self._submit(buffer)

    def finish(self) -> None:
        """Wait until everything is written, and cut the file to its length.

        Raises
        ------
        OSError
            The disk is full, or fails.
        """
        self.settle()
        self._write(self._now)
        while self._jobs:
            self._jobs.popleft().result()
        os.truncate(self._descriptor, self.position)

    def close(self) -> None:
        """Let go of the file, finished or not, once no thread writes to it."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        for descriptor in (self._descriptor, self._direct):
            if descriptor is not None:
                os.close(descriptor)
        self._direct = None

    def _turn(self) -> None:
        """Send the full buffer off, and go on in an empty one."""
        full = self._now
        if full.start < self._keep[1] and full.stop > self._keep[0]:
            self._kept.append(full)
        else:
            self._submit(full)
        self._now = self._empty()
        self._now.start, self._now.filled = full.stop, 0

    def _empty(self) -> _Buffer:
        if self._jobs and (self._jobs[0].done() or self._made == BUFFERS):
            return self._jobs.popleft().result()
        self._made += 1
        return _Buffer()

    def _submit(self, buffer: _Buffer) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS, 'crossdock-write')
            if DIRECT:
                with suppress(OSError):  # a file system that cannot
                    self._direct = os.open(self._path, os.O_WRONLY | getattr(os, 'O_DIRECT', 0))
        self._jobs.append(self._pool.submit(self._write, buffer))

    def _write(self, buffer: _Buffer) -> _Buffer:
        view = buffer.data[: buffer.filled].data
        whole = len(view) // _ALIGNMENT * _ALIGNMENT if self._direct is not None else 0
        done = self._past_cache(view[:whole], buffer.start) if whole else 0
        while done < len(view):
            done += os.pwrite(self._descriptor, view[done:], buffer.start + done)
        if self._direct is None and self._pool is not None:
            with suppress(OSError):  # begins to write the range back; that it then frees clean pages does no harm
                os.posix_fadvise(self._descriptor, buffer.start, len(view), os.POSIX_FADV_DONTNEED)
        return buffer

    def _past_cache(self, view: memoryview, start: int) -> int:
        """How much could be written from the beginning of `view`."""
        assert self._direct is not None
        done = 0
        while done < len(view):
            try:
                wrote = os.pwrite(self._direct, view[done:], start + done)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                break  # it wants another alignment
            if wrote % _ALIGNMENT:
                return done + wrote
            done += wrote
        return done
