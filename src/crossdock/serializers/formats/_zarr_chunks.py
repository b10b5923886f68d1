"""The chunks of a Zarr array, each a file of its own."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from .._format import PIECE_NBYTES
from .._unreadable import corrupt
from ..archive._grid import Cell, Grid, is_run, run_counts
from ..archive._gulp import ShortFileError, fill
from ._zarr_array import ZarrArray
from ._zarr_codecs import CRC_NBYTES, CodecError, crc32c
from ._zarr_store import Node, ZarrStore

__all__ = ['ZarrChunks']

_PART_NBYTES = 1 << 20  # small enough that a checksum finds the part in the processor's cache

Host = np.ndarray[Any, Any]


class ZarrChunks:
    """Where the data of an array lies.

    Raises
    ------
    CorruptFileError
        Chunks of an array that was written here are missing, or have another size than they must.
    """

    def __init__(self, store: ZarrStore, key: str, node: Node, array: ZarrArray) -> None:
        self.array = array
        self._store, self._key, self._folder = store, key, node.folder
        grid = [range(-(-n // c)) for n, c in zip(array.shape, array.chunk)]
        self._grid = tuple(map(len, grid))
        self._sizes = node.files
        self._count = prod(self._grid)
        self._plain_nbytes = array.chunk_nbytes + CRC_NBYTES * len(array.codecs.steps)
        if array.is_ours and len(self._sizes) != self._count:
            raise self._wrong(f'has {len(self._sizes)} chunks in place of {self._count}')
        if array.codecs.is_plain:
            for name, size in self._sizes.items():
                if size != self._plain_nbytes:
                    raise self._wrong(f'the chunk {name!r} has {size} bytes in place of {self._plain_nbytes}')

    @property
    def is_flat(self) -> bool:
        """Whether the elements follow each other in the files as they do in memory."""
        array = self.array
        return array.codecs.is_plain and is_run(array.shape, array.chunk)

    def pieces(self, nbytes: int, out: Host | None = None) -> Iterator[tuple[int, Host]]:
        """The data as it is stored, in pieces; parts of `out` when that is given and the data is flat."""
        if not prod(self.array.shape):
            return
        if self.is_flat:
            yield from self._flat_pieces(out)
        else:
            yield from self.grid().pieces(nbytes)

    def grid(self, partly: bool = False) -> Grid:
        """All chunks as a grid; partly, those that are not compressed are only read where they are looked at."""
        array = self.array
        fetch = self._view if partly and array.codecs.is_plain else self._fetch
        return Grid(array.shape, array.chunk, array.storage.stored, fetch, array.fill, self._stored())

    def mapped(self) -> Host | None:
        """The only chunk as a view of its file."""
        array = self.array
        if self._count != 1 or not self.is_flat or array.chunk != array.shape or not self._sizes or not array.nbytes:
            return None
        return self._view((0,) * len(array.shape))

    def _stored(self) -> list[Cell] | None:
        """Positions of all chunks, when few of those that there could be are there."""
        if len(self._sizes) >= self._count:
            return None
        found = []
        for name in self._sizes:
            cell = self._cell_of(name)
            if cell is not None:
                found.append(cell)
        return found

    def _cell_of(self, name: str) -> Cell | None:
        parts = name.split(self.array.separator)
        if self.array.prefix and parts[0] == self.array.prefix:
            parts = parts[1:]
        try:
            cell = tuple(map(int, parts)) if self._grid else ()
        except ValueError:
            return None
        known = len(cell) == len(self._grid) and all(0 <= at < n for at, n in zip(cell, self._grid))
        return cell if known and self.array.name_of(cell) == name else None

    def _flat_pieces(self, out: Host | None) -> Iterator[tuple[int, Host]]:
        array = self.array
        size, done = prod(array.shape), 0
        row = prod(array.chunk)
        step = max(1, _PART_NBYTES // array.storage.stored.itemsize)
        buffer = np.empty(min(step, row, size), array.storage.stored) if out is None else None
        for cell, count in run_counts(array.shape, array.chunk):
            name = array.name_of(cell)
            if name not in self._sizes:
                yield from self._filled(cell, done, count, out)
                done += count
                continue
            descriptor = self._open(name)
            try:
                crc = 0
                for at in range(0, count, step):
                    n = min(step, count - at)
                    piece = buffer[:n] if buffer is not None else out[done + at : done + at + n]  # type: ignore[index]
                    crc = self._take(name, descriptor, at * piece.itemsize, piece, crc)
                    yield done + at, piece
                self._finish(name, descriptor, count, crc)
            finally:
                os.close(descriptor)
            done += count

    def _filled(self, cell: Cell, start: int, count: int, out: Host | None) -> Iterator[tuple[int, Host]]:
        if self.array.is_ours:
            raise self._wrong(f'the chunk {self.array.name_of(cell)!r} is missing')
        step = max(1, PIECE_NBYTES // self.array.storage.stored.itemsize)
        for at in range(0, count, step):
            n = min(step, count - at)
            piece = np.empty(n, self.array.storage.stored) if out is None else out[start + at : start + at + n]
            piece[...] = self.array.fill
            yield start + at, piece

    def _take(self, name: str, descriptor: int, offset: int, piece: Host, crc: int) -> int:
        data = piece.view(np.uint8)
        try:
            fill(descriptor, offset, data.data)
        except ShortFileError as error:
            raise self._wrong(f'the chunk {name!r} {error}') from error
        return crc32c()(crc, data) if self.array.codecs.steps else 0

    def _finish(self, name: str, descriptor: int, count: int, crc: int) -> None:
        """Compare the checksum over a chunk, with what is in it beyond the edge of the array."""
        if not self.array.codecs.steps:
            return
        begin = count * self.array.storage.stored.itemsize
        for at in range(begin, self.array.chunk_nbytes, _PART_NBYTES):
            rest = np.empty(min(_PART_NBYTES, self.array.chunk_nbytes - at), np.uint8)
            crc = self._take(name, descriptor, at, rest, crc)
        said = int.from_bytes(os.pread(descriptor, CRC_NBYTES, self.array.chunk_nbytes), 'little')
        if crc != said:
            reason = f'its CRC-32C is {crc:08x} where the file says {said:08x}: damaged data'
            raise self._wrong(f'the chunk {name!r}: {reason}')

    def _fetch(self, cell: Cell) -> Host | None:
        """One chunk, unpacked and checked."""
        array, name = self.array, self.array.name_of(cell)
        size = self._sizes.get(name)
        if size is None:
            if array.is_ours:
                raise self._wrong(f'the chunk {name!r} is missing')
            return None
        with open(self._open(name), 'rb') as file:
            data = file.read(size)
        try:
            return self._shaped(np.frombuffer(array.codecs.decode(data, array.chunk_nbytes), array.storage.stored))
        except CodecError as error:
            raise self._wrong(f'the chunk {name!r}: {error}') from error

    def _view(self, cell: Cell) -> Host | None:
        """One chunk that is not compressed, as a view of its file."""
        array, name = self.array, self.array.name_of(cell)
        if name not in self._sizes:
            return None if not array.is_ours else self._fetch(cell)
        descriptor = self._open(name)
        try:
            if os.fstat(descriptor).st_size != self._plain_nbytes:
                raise self._wrong(f'the chunk {name!r} has another size by now')
            view = mmap.mmap(descriptor, array.chunk_nbytes, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
        return self._shaped(np.frombuffer(view, array.storage.stored))

    def _shaped(self, flat: Host) -> Host:
        order = self.array.codecs.order
        if order is None:
            return flat.reshape(self.array.chunk)
        return flat.reshape([self.array.chunk[axis] for axis in order]).transpose(np.argsort(order))

    def _open(self, name: str) -> int:
        try:
            return self._store.open(self._folder + name)
        except OSError as error:
            raise self._wrong(f'the chunk {name!r} cannot be opened: {error.strerror}') from error

    def _wrong(self, reason: str) -> Exception:
        return corrupt(self._store.path, reason, self._key)
