"""The chunks of a dataset in an HDF5 file, unpacked here as far as they can be: no more than a chunk holds."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from .._unreadable import corrupt, unsupported
from ..archive._grid import Cell
from ._hdf5_file import HDF5File

__all__ = ['Chunks', 'shuffled', 'unshuffled', 'DEFLATE', 'SHUFFLE', 'FLETCHER32', 'LZF']

DEFLATE, SHUFFLE, FLETCHER32, LZF = 1, 2, 3, 32000
_NAMES = {4: 'szip', 5: 'nbit', 6: 'scaleoffset', 32001: 'blosc', 32008: 'bitshuffle', 32015: 'zstd', 32026: 'blosc2'}

Host = np.ndarray[Any, Any]


class Chunks:
    """All chunks of a dataset; iterating gives their positions in the grid.

    Raises
    ------
    UnsupportedFileError
        They are packed in a way that is not known here; no plug-in is ever loaded.
    """

    def __init__(
        self, file: HDF5File, key: str, node: Any, plan: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self._file, self._key, self._node = file, key, node
        self._shape, self._dtype = shape, dtype
        self._filters = [int(plan.get_filter(i)[0]) for i in range(plan.get_nfilters())]
        unknown = [code for code in self._filters if code not in (DEFLATE, SHUFFLE, FLETCHER32, LZF)]
        if unknown:
            what = _NAMES.get(unknown[0], f'filter {unknown[0]}')
            advice = 'h5repack -f GZIP=4 writes the file anew, where that filter is installed'
            raise unsupported(
                file.path, f'is packed by {what}; known are gzip, lzf, shuffle and fletcher32: {advice}', key
            )

    @property
    def packing(self) -> tuple[str, ...]:
        """Names of the filters that compress."""
        return tuple(name for code, name in ((DEFLATE, 'gzip'), (LZF, 'lzf')) if code in self._filters)

    @property
    def nbytes(self) -> int:
        """Size of one chunk, unpacked."""
        return prod(self._shape) * self._dtype.itemsize

    @cached_property
    def _places(self) -> dict[Cell, tuple[int, int, int]]:
        """Filter mask, place in the file, and size there, of each chunk by its position in the grid."""
        places: dict[Cell, tuple[int, int, int]] = {}

        def note(info: Any) -> None:
            cell = tuple(int(at) // n for at, n in zip(info.chunk_offset, self._shape))
            places[cell] = int(info.filter_mask), int(info.byte_offset), int(info.size)

        self._node.chunk_iter(note)
        return places

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, cell: object) -> bool:
        return cell in self._places

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._places)

    def fetch(self, cell: Cell) -> Host | None:
        """One chunk, or None when it is not in the file."""
        place = self._places.get(cell)
        if place is None:
            return None
        mask, offset, size = place
        if offset + size > self._file.size:
            raise self._wrong(cell, 'reaches beyond the end of the file')
        if LZF in self._filters or self._file.descriptor is None:
            return self._by_library(cell, size)
        data: bytes = os.pread(self._file.descriptor, size, offset)
        for i in reversed(range(len(self._filters))):
            if not mask >> i & 1:
                data = self._undone(cell, self._filters[i], data)
        if len(data) != self.nbytes:
            raise self._wrong(cell, f'has {len(data)} bytes in place of {self.nbytes}')
        return np.frombuffer(data, self._dtype).reshape(self._shape)

    def _undone(self, cell: Cell, code: int, data: bytes) -> bytes:
        if code == SHUFFLE:
            return unshuffled(data, self._dtype.itemsize)
        if code == FLETCHER32:
            if len(data) < 4 or not _fletcher_agrees(data[:-4], int.from_bytes(data[-4:], 'little')):
                raise self._wrong(cell, 'its Fletcher-32 is not what the file says: damaged data')
            return data[:-4]
        inflate = zlib.decompressobj()
        try:
            # A little more than a chunk, for a checksum that was taken before.
            out = inflate.decompress(data, self.nbytes + 64)
        except zlib.error as error:
            raise self._wrong(cell, f'its compressed data is damaged ({error})') from error
        if not inflate.eof:
            raise self._wrong(cell, 'its compressed data does not end where it should')
        return out

    def _by_library(self, cell: Cell, size: int) -> Host:
        """A chunk that the library unpacks; LZF cannot make more than a hundred bytes of one."""
        if size > self.nbytes + 64:
            raise self._wrong(cell, f'takes {size} bytes packed, and {self.nbytes} unpacked')
        h5s = self._file.h5py.h5s
        begin = tuple(at * n for at, n in zip(cell, self._shape))
        count = tuple(min(n, end - at) for n, end, at in zip(self._shape, self._node.shape, begin))
        out = np.zeros(self._shape, self._dtype)
        space, memory = self._node.get_space(), h5s.create_simple(self._shape)
        space.select_hyperslab(begin, count)
        memory.select_hyperslab((0,) * len(count), count)
        self._node.read(memory, space, out, self._node.get_type())
        return out

    def _wrong(self, cell: Cell, reason: str) -> Exception:
        return corrupt(self._file.path, f'its chunk {cell}: {reason}', self._key)


def shuffled(data: bytes | memoryview, itemsize: int) -> bytes:
    """First bytes of all elements, then all second ones, and so on; what is no whole element stays at the end."""
    whole = len(data) // itemsize * itemsize
    return np.frombuffer(data, np.uint8, whole).reshape(-1, itemsize).T.tobytes() + bytes(data[whole:])


def unshuffled(data: bytes, itemsize: int) -> bytes:
    """What `shuffled` was given.

    Examples
    --------
    >>> shuffled(b'abcdefg', 3), unshuffled(shuffled(b'abcdefg', 3), 3)
    (b'adbecfg', b'abcdefg')
    """
    whole = len(data) // itemsize * itemsize
    return np.frombuffer(data, np.uint8, whole).reshape(itemsize, -1).T.tobytes() + data[whole:]


def _fletcher_agrees(data: bytes, said: int) -> bool:
    """Whether a Fletcher-32 over big-endian words is the one said; in either byte order, as the library takes it."""
    words = np.frombuffer(data + b'\0' * (len(data) % 2), '>u2').astype(np.uint64)
    # Both sums are taken modulo 65535, in which 0 and 65535 are the same.
    first = int(words.sum()) % 65535
    weights = np.arange(words.size, 0, -1, dtype=np.uint64) % 65535
    second = int((words * weights % 65535).sum()) % 65535
    halves = said & 0xFFFF, said >> 16
    swapped = tuple((half & 0xFF) << 8 | half >> 8 for half in halves)
    return any((first, second) == (low % 65535, high % 65535) for low, high in (halves, swapped))
