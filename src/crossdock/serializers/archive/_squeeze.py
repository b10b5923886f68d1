"""Compression of a member: bytes in, bytes and the CRC-32 of what they stand for out."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from .._checksum import Z_SYNC_FLUSH, compressobj, crc32
from .._sink import Bytes

__all__ = ['Squeezer', 'Deflate', 'Zstd', 'squeezer_named']

_BLOCK = 1 << 20
_LAST = b'\x03\x00'  # an empty final block
_THREADS = 8
_PARALLEL_FROM = 4 << 20


class Squeezer(Protocol):
    """One way to compress.

    Attributes
    ----------
    method : int
        Its number in ZIP archives.
    """

    method: int

    def squeeze(self, pieces: Iterable[Bytes], nbytes: int) -> Iterator[tuple[bytes, int]]:
        """Compressed bytes, each with the CRC-32 of all bytes that were taken by then; `nbytes` is the size of all."""

    def close(self) -> None:
        """Let go of the threads."""


class Deflate:
    """Blocks compressed by several threads at once, each ended at a whole byte, so that they may follow each other."""

    method = 8

    def __init__(self) -> None:
        self._threads = min(_THREADS, _cores())
        self._pool = ThreadPoolExecutor(self._threads, 'crossdock-deflate')

    def squeeze(self, pieces: Iterable[Bytes], nbytes: int) -> Iterator[tuple[bytes, int]]:
        """Compressed bytes; a few blocks at once are in memory."""
        crc = 0
        jobs: deque[Future[bytes]] = deque()
        for block in _blocks(pieces):
            crc = crc32(block, crc)
            jobs.append(self._pool.submit(_deflated, block))
            if len(jobs) > self._threads + 2:
                yield jobs.popleft().result(), crc
        for job in jobs:
            yield job.result(), crc
        yield _LAST, crc

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown(cancel_futures=True)


class Zstd:
    """One frame for each member; large ones by several threads of the library's own."""

    method = 93

    def __init__(self) -> None:
        from ._zstd import compressor

        cores = min(_THREADS, _cores())
        self._small = compressor(0)
        self._large = compressor(cores) if cores > 1 else self._small

    def squeeze(self, pieces: Iterable[Bytes], nbytes: int) -> Iterator[tuple[bytes, int]]:
        """Compressed bytes."""
        engine = self._large if nbytes >= _PARALLEL_FROM else self._small
        engine.set_pledged_input_size(nbytes)
        crc = 0
        for block in _blocks(pieces):
            crc = crc32(block, crc)
            packed = engine.compress(block)
            if packed:
                yield packed, crc
        yield engine.flush(), crc

    def close(self) -> None:
        """Nothing to let go of."""


def squeezer_named(name: str | None) -> Squeezer | None:
    """The way called `name`; None for none.

    Raises
    ------
    ImportError
        The library that it needs is not installed.
    """
    if name is None:
        return None
    return Zstd() if name == 'zstd' else Deflate()


def _blocks(pieces: Iterable[Bytes]) -> Iterator[np.ndarray[Any, Any]]:
    for piece in pieces:
        flat = np.frombuffer(piece, np.uint8)
        for begin in range(0, flat.size, _BLOCK):
            yield flat[begin : begin + _BLOCK]


def _deflated(block: np.ndarray[Any, Any]) -> bytes:
    squeeze = compressobj(6, 8, -15)
    return bytes(squeeze.compress(block) + squeeze.flush(Z_SYNC_FLUSH))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
