"""Writes leaves as arrays of a Zarr store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from math import prod
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.errors import DtypeError

from .._dtypes import TAGGED
from .._format import Writer
from .._path import shown
from ..archive._grid import Cell, run_counts, run_shape, runs
from ..archive._ordered import ordered
from ..archive._stored import Storage, encoded, storage_for
from ..archive._zip import MAX_RATIO, is_bomb
from ._zarr_array import data_type_of, write_array
from ._zarr_codecs import CRC_NBYTES, compressor, crc32c
from ._zarr_root import GROUP, write_root
from ._zarr_store import METADATA

if TYPE_CHECKING:
    from .._leaf import Leaf

__all__ = ['ZarrWriter']

_CHUNK_NBYTES = 64 << 20
_PACKED_CHUNK_NBYTES = 2 << 20
_PART_NBYTES = 1 << 20
_CRC = {'name': 'crc32c'}

Host = np.ndarray[Any, Any]


class ZarrWriter(Writer):
    """Writes one array per leaf into an empty folder, and the root last."""

    def __init__(self, path: str, compression: str | None, metadata: Mapping[str, Any]) -> None:
        self._path = path
        self._packing = compression
        self._metadata = metadata
        self._keys: list[str] = []
        self._none: list[str] = []
        self._groups = {''}
        self._crc32c = crc32c()
        self._nbytes = self._written = 0

    def expect(self, nbytes: int) -> None:
        """Refuse what does not fit on the disk."""
        if self._packing is None:
            disk = os.statvfs(self._path)
            if disk.f_bavail * disk.f_frsize < nbytes:
                import errno

                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)

    def add(self, key: str, leaf: Leaf) -> None:
        """Write one array, or note that the value is None."""
        self._check(key)
        self._keys.append(key)
        if leaf.dtype is None:
            self._none.append(key)
            return
        storage = _storage(key, leaf.dtype)
        parent = key.rpartition('/')[0]
        self._make_group(parent)
        folder = os.path.join(self._path, key)
        os.mkdir(folder)
        leaf.fortran = False
        self._nbytes += leaf.nbytes
        packs = self._packing is not None and leaf.nbytes > leaf.dtype.itemsize
        limit = _PACKED_CHUNK_NBYTES if packs else _CHUNK_NBYTES
        chunk = run_shape(leaf.shape, storage.stored.itemsize, limit)
        codecs = [_CRC]
        pieces = (encoded(piece, storage) for piece in leaf.chunks())
        if packs:
            described, pack = compressor(str(self._packing), storage.stored)
            codecs = [described, _CRC]
            for cell, data in ordered(self._packer(pack), runs(leaf.shape, chunk, storage.stored, pieces)):
                self._write(_place(folder, cell), data)
        else:
            self._write_plain(folder, leaf.shape, chunk, storage, pieces)
        self._write(os.path.join(folder, METADATA), write_array(leaf.shape, chunk, storage, codecs))

    def add_empty(self, key: str) -> None:
        """Make a group."""
        self._check(key)
        self._make_group(key)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            return
        self._write(os.path.join(self._path, METADATA), write_root(self._keys, self._none, self._metadata))
        if is_bomb(self._nbytes, self._written):
            raise ValueError(
                f'compression makes the store less than 1/{MAX_RATIO} of its {self._nbytes} bytes, which no load'
                ' accepts; save without compression'
            )

    def _check(self, key: str) -> None:
        if METADATA in key.split('/'):
            raise ValueError(f'cannot save {shown(key)}: Zarr has files of its own by the name {METADATA!r}')

    def _make_group(self, path: str) -> None:
        if path not in self._groups:
            self._make_group(path.rpartition('/')[0])
            folder = os.path.join(self._path, path)
            os.mkdir(folder)
            self._write(os.path.join(folder, METADATA), GROUP)
            self._groups.add(path)

    def _write(self, place: str, data: bytes) -> None:
        with open(place, 'xb', buffering=0) as file:
            _write_all(file.fileno(), data)
        self._written += len(data)

    def _packer(self, pack: Any) -> Any:
        def packed(item: tuple[Cell, Host]) -> tuple[Cell, bytes]:
            data = pack(item[1].reshape(-1).view(np.uint8))
            return item[0], data + self._crc32c(0, data).to_bytes(CRC_NBYTES, 'little')

        return packed

    def _write_plain(
        self, folder: str, shape: tuple[int, ...], chunk: tuple[int, ...], storage: Storage, pieces: Iterator[Host]
    ) -> None:
        """Write pieces as they come; a chunk is never in memory as a whole."""
        if 0 in shape:
            return
        size = prod(chunk) * storage.stored.itemsize
        source = iter(pieces)
        left = np.empty(0, np.uint8)
        for cell, count in run_counts(shape, chunk):
            want = count * storage.stored.itemsize
            with open(_place(folder, cell), 'xb', buffering=0) as file:
                crc = done = 0
                while done < want:
                    if not left.size:
                        left = next(source).view(np.uint8)
                    part = left[: min(_PART_NBYTES, want - done)]
                    crc = self._crc32c(crc, part)
                    _write_all(file.fileno(), part)
                    left, done = left[part.size :], done + part.size
                for at in range(want, size, _PART_NBYTES):
                    rest = bytes(min(_PART_NBYTES, size - at))
                    crc = self._crc32c(crc, rest)
                    _write_all(file.fileno(), rest)
                _write_all(file.fileno(), crc.to_bytes(CRC_NBYTES, 'little'))
            self._written += size + CRC_NBYTES


def _storage(key: str, dtype: np.dtype[Any]) -> Storage:
    try:
        storage = storage_for(dtype) if dtype.name in TAGGED else Storage(dtype, dtype.newbyteorder('<'))
        data_type_of(storage.stored)
    except TypeError as error:
        raise DtypeError(f'cannot save {key!r}: {error}', dtype=dtype, path=key) from error
    return storage


def _place(folder: str, cell: Cell) -> str:
    """The file of a chunk, in folders that are there."""
    inner = os.path.join(folder, 'c', *map(str, cell[:-1])) if cell else folder
    os.makedirs(inner, exist_ok=True)
    return os.path.join(inner, str(cell[-1]) if cell else 'c')


def _write_all(descriptor: int, data: bytes | Host) -> None:
    view = memoryview(data)  # type: ignore[arg-type]
    done = 0
    while done < len(view):
        done += os.write(descriptor, view[done:])
