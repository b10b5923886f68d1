"""HDF5: one dataset per leaf in groups by its key path, by h5py.

The library reads and writes the structure of a file. Data that is not compressed goes straight between memory and the
place in the file that the library names; compressed chunks are packed and unpacked here. What HDF5 has no word for is
in an attribute ``__crossdock__``, with a CRC-32.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np

from crossdock.errors import CorruptFileError

from .._aside import ahead
from .._checksum import crc32
from .._compression import compression_named, gzip_or_none
from .._format import PIECE_NBYTES, Entry, Reader, Writer
from .._passed import passed
from .._path import shown
from .._selection import select
from .._unreadable import again, corrupt
from ..archive._gulp import gulp
from ..archive._stored import decoded
from ..archive._values import unlike_values
from ._hdf5_dataset import Dataset
from ._hdf5_file import HDF5File, library

__all__ = ['FORMAT', 'HDF5Format', 'HDF5Reader', 'reader_of', 'writer_of']

Host = np.ndarray[Any, Any]


class HDF5Format:
    """The HDF5 format; files can be read by version 1.10 of the library and later.

    Parameters
    ----------
    checksum : bool
        Whether the checksums that files have are compared.
    """

    contract_version = 1
    name = 'hdf5'
    suffixes = ('.h5', '.hdf5')
    compressions = ('gzip', 'lzf')
    can_mmap = True

    def __init__(self, checksum: bool = True) -> None:
        self.checksum = checksum

    def create(self, path: str, *, compression: str | None, metadata: Mapping[str, Any]) -> Writer:
        """Start a file at `path`."""
        from ._hdf5_writer import HDF5Writer

        return HDF5Writer.new(path, compression, metadata)

    def open(self, path: str) -> HDF5Reader:
        """Open the file at `path`, and look at every object in it."""
        return HDF5Reader(HDF5File.opened(path), self.checksum)

    def unchecked(self) -> HDF5Format:
        """The format that compares no checksums."""
        return HDF5Format(False)


class HDF5Reader(Reader):
    """A file, or a group of one, in which every object has been looked at."""

    def __init__(self, file: HDF5File, checksum: bool = True) -> None:
        self._file = file
        try:
            self._metadata = file.metadata()
            self._datasets: dict[str, Dataset] = {}
            self._entries = {key: self._looked_at(key, node) for key, node in file.walk()}
            if not checksum:
                self._datasets = {key: replace(data, crc=None) for key, data in self._datasets.items()}
            file.check_total(sum(data.nbytes for data in self._datasets.values()))
        except BaseException:
            file.close()
            raise

    def _looked_at(self, key: str, node: Any) -> Entry:
        """What is known of a dataset: an array, None, or why it cannot be read."""
        if isinstance(node, CorruptFileError):
            return Entry((), None, fault=node)
        try:
            found: Dataset = self._file.guarded(key, Dataset.read, self._file, key, node)
            self._file.check_total(found.nbytes, key)
        except CorruptFileError as error:
            return Entry((), None, fault=again(error))
        self._datasets[key] = found
        return found.entry

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path."""
        return self._entries

    @property
    def empty(self) -> Collection[str]:
        """Groups in which there is nothing."""
        return self._file.empty

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as ``metadata``."""
        return self._metadata

    @property
    def compression(self) -> str | None:
        """The filters that compress any of the datasets."""
        names = {name for data in self._datasets.values() for name in data.packing}
        return ', '.join(sorted(names)) or None

    @property
    def checksum(self) -> str | None:
        """``'CRC-32'`` where every dataset has one."""
        arrays = [data for data in self._datasets.values() if data.storage is not None]
        return 'CRC-32' if arrays and all(data.crc is not None for data in arrays) else None

    def read(self, key: str) -> Host | None:
        """The data of one leaf, its checksum compared where it has one."""
        entry = self.entry(key)
        if entry.dtype is None:
            return None
        out = np.empty(entry.shape, entry.dtype)
        self.read_into(key, out)
        return out

    def read_into(self, key: str, out: Host) -> None:
        """Read one leaf into `out`."""
        data = self._known(key)
        if data.storage is None:
            raise TypeError(f'{shown(key)} is None')
        flat = out.reshape(-1)
        if data.storage.is_view and data.dense is not None:
            bits = flat.view(data.storage.stored)
            crc = self._file.guarded(key, gulp, data.dense.descriptor, data.dense.offset, bits.view(np.uint8).data)
            self._check_sum(key, data, crc)
            self._decoded(key, data, bits)
            return
        if data.storage.is_view and data.grid is not None and out.shape:
            bits = out.view(data.storage.stored)
            self._file.guarded(key, data.grid.box, tuple(map(range, out.shape)), bits, passed)
            if data.crc is not None:
                self._check_sum(key, data, crc32(flat.view(np.uint8)))
            self._decoded(key, data, bits)
            return
        for start, piece in self._checked(key, data):
            flat[start : start + piece.size] = piece
            passed(piece.nbytes)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """One leaf piece by piece; of a compressed one as many rows as a chunk has are held at a time."""
        data = self._known(key)
        if data.storage is not None:
            yield from ahead(self._checked(key, data)) if data.nbytes > PIECE_NBYTES else self._checked(key, data)

    def map(self, key: str) -> Host | None:
        """A view of the file, where data is neither compressed nor swapped; its checksum is not compared."""
        data = self._known(key)
        if data.storage is None or data.dense is None or not data.storage.is_view or not data.nbytes:
            return None
        view: Host = self._file.mapped(data.dense).view(data.storage.dtype).reshape(data.shape)
        return view

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array."""
        data = self._known(key)
        if data.packing:
            return f'is compressed by {" and ".join(data.packing)}'
        if data.storage is not None and data.storage.dtype.kind == 'U':
            return 'is text, in UTF-8 in the file and not in memory'
        if data.storage is not None and data.storage.swapped:
            return 'is in the other byte order'
        return super().why_no_view(key) if data.grid is None else 'lies in the file in chunks'

    def slice(self, key: str, index: Any) -> Host:
        """A part of one leaf; only that is read, or the chunks that it lies in."""
        data = self._known(key)
        selection = select(index, data.shape)
        if data.storage is None:
            raise TypeError(f'{shown(key)} is None')
        taken = self._file.guarded(key, data.take, selection)
        return self._decoded(key, data, taken)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._datasets = {}
        self._file.close()

    def _known(self, key: str) -> Dataset:
        self.entry(key)
        return self._datasets[key]

    def _checked(self, key: str, data: Dataset) -> Iterator[tuple[int, Host]]:
        """The data in pieces, and after the last one the checksum compared."""
        crc = 0
        for start, piece in self._file.guarding(key, data.pieces(PIECE_NBYTES)):
            if data.crc is not None:
                crc = crc32(piece.view(np.uint8), crc)
            yield start, self._decoded(key, data, piece)
        self._check_sum(key, data, crc)

    def _check_sum(self, key: str, data: Dataset, crc: int) -> None:
        if data.crc is not None and crc != data.crc:
            reason = f'its CRC-32 is {crc:08x} where the file says {data.crc:08x}: damaged data'
            raise corrupt(self._file.path, reason, key)

    def _decoded(self, key: str, data: Dataset, piece: Host) -> Host:
        assert data.storage is not None
        why = unlike_values(piece, data.storage.tag)
        if why:
            raise corrupt(self._file.path, why, key)
        try:
            return decoded(piece, data.storage)
        except UnicodeError as error:
            raise corrupt(self._file.path, f'is not text in UTF-8 ({error})', key) from error


def reader_of(group: Any) -> HDF5Reader:
    """What is in an open group, which stays open; `TypeError` for another object."""
    return HDF5Reader(HDF5File.of(_group(group)))


def writer_of(group: Any, compression: str | int | None) -> Writer:
    """Writes into an open group, which stays open; `TypeError` for another object."""
    from ._hdf5_writer import HDF5Writer

    return HDF5Writer(_group(group), compression_named(FORMAT, gzip_or_none(compression)), {})


def _group(group: Any) -> Any:
    if not isinstance(group, library().Group):
        raise TypeError(f'give the path of an HDF5 file or an open h5py.Group, not {type(group).__name__}')
    return group


FORMAT = HDF5Format()
