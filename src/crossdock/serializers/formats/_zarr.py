"""Zarr version 3: a folder with one array per leaf in groups by its key path, as the package of that name has it.

What Zarr has no word for is in an attribute ``__crossdock__``. Chunks have a CRC-32C, by a codec of Zarr's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.errors import CorruptFileError

from .._empty import contradiction
from .._format import PIECE_NBYTES, Entry, Reader, Writer
from .._passed import passed
from .._path import RESERVED, below, groups_of, shown
from .._selection import select
from .._unreadable import Unsupported, again, corrupt, unreadable
from ..archive._stored import decoded
from ..archive._values import unlike_values
from ..archive._zip import MAX_RATIO, is_bomb
from ._zarr_array import ArrayError, read_array
from ._zarr_chunks import ZarrChunks
from ._zarr_root import RootError, read_root
from ._zarr_store import Node, ZarrStore

if TYPE_CHECKING:
    from ._zarr_root import Root

__all__ = ['FORMAT', 'ZarrFormat', 'ZarrReader']

Host = np.ndarray[Any, Any]


class ZarrFormat:
    """The Zarr format, version 3, in a folder."""

    contract_version = 1
    name = 'zarr'
    suffixes = ('.zarr',)
    compressions = ('zstd', 'blosc', 'gzip')
    can_mmap = True
    folder_marks = ('zarr.json', '.zgroup', '.zarray')

    def create(self, path: str, *, compression: str | None, metadata: Mapping[str, Any]) -> Writer:
        """Start a store in the empty folder at `path`."""
        from ._zarr_writer import ZarrWriter

        return ZarrWriter(path, compression, metadata)

    def open(self, path: str) -> ZarrReader:
        """Open the store at `path`, and look at the metadata of all arrays."""
        return ZarrReader(path)


class ZarrReader(Reader):
    """An open store whose metadata has been looked at, and the names and sizes of its files."""

    def __init__(self, path: str) -> None:
        self._store = ZarrStore(path)
        try:
            self._root = self._read_root()
            self._faults = dict(self._store.faults)
            found = {}
            for key, node in self._store.arrays.items():
                try:
                    found[key] = self._array(key, node)
                except CorruptFileError as error:
                    self._faults[key] = again(error)
            self._arrays = self._in_order(found)
            self._empty = self._empty_groups()
            self._check_total()
        except BaseException:
            self._store.close()
            raise
        faults = {key: Entry((), None, fault=fault) for key, fault in self._faults.items()}
        self._entries = {key: _entry(self._arrays[key]) for key in self._arrays} | faults

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path, in the order of saving, then others in the order of their names."""
        return self._entries

    @property
    def empty(self) -> Collection[str]:
        """Groups in which there is nothing, None included."""
        return self._empty

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as `metadata`."""
        return self._root.metadata

    @property
    def compression(self) -> str | None:
        """The codecs that compress any of the arrays."""
        steps = {step for chunks in self._arrays.values() if chunks for step in chunks.array.codecs.steps}
        return ', '.join(sorted(steps - {'crc32c'})) or None

    @property
    def checksum(self) -> str | None:
        """``'CRC-32C'`` where all arrays have one."""
        arrays = [chunks.array for chunks in self._arrays.values() if chunks]
        return 'CRC-32C' if arrays and all('crc32c' in array.codecs.steps for array in arrays) else None

    def read(self, key: str) -> Host | None:
        """The data of one leaf, the checksums of its chunks compared where it has some."""
        entry = self.entry(key)
        if entry.dtype is None:
            return None
        out = np.empty(entry.shape, entry.dtype)
        self.read_into(key, out)
        return out

    def read_into(self, key: str, out: Host) -> None:
        """Read one leaf into `out`."""
        chunks = self._known(key)
        flat = out.reshape(-1)
        if chunks.array.storage.is_view and chunks.is_flat:
            for _, piece in self._pieces(key, chunks, flat.view(chunks.array.storage.stored)):
                passed(piece.nbytes)
            return
        if chunks.array.storage.is_view and out.shape:
            bits = out.view(chunks.array.storage.stored)
            chunks.grid().box(tuple(map(range, out.shape)), bits, passed)
            self._decoded(key, chunks, bits)
            return
        for start, piece in self._pieces(key, chunks):
            flat[start : start + piece.size] = piece
            passed(piece.nbytes)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """One leaf piece by piece; of a compressed one as many rows as a chunk has are held at a time."""
        if self.entry(key).dtype is not None:
            yield from self._pieces(key, self._known(key))

    def map(self, key: str) -> Host | None:
        """A view of the file of the only chunk, neither compressed nor swapped; no checksum is compared."""
        if self.entry(key).dtype is None:
            return None
        chunks = self._known(key)
        view = chunks.mapped() if chunks.array.storage.is_view else None
        return None if view is None else view.view(chunks.array.storage.dtype).reshape(chunks.array.shape)

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array."""
        array = self._known(key).array
        packing = [step for step in array.codecs.steps if step != 'crc32c']
        if packing:
            return f'is compressed by {" and ".join(packing)}'
        if array.storage.swapped:
            return 'is in the other byte order'
        return super().why_no_view(key) if array.chunk == array.shape else f'lies in chunks of {array.chunk}'

    def slice(self, key: str, index: Any) -> Host:
        """A part of one leaf; of chunks that are not compressed only that is read, and no checksum is compared."""
        selection = select(index, self.entry(key).shape)
        chunks = self._known(key)
        return self._decoded(key, chunks, chunks.grid(partly=True).take(selection))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def _known(self, key: str) -> ZarrChunks:
        self.entry(key)
        chunks = self._arrays[key]
        if chunks is None:
            raise TypeError(f'{shown(key)} is None')
        return chunks

    def _pieces(self, key: str, chunks: ZarrChunks, out: Host | None = None) -> Iterator[tuple[int, Host]]:
        for start, piece in chunks.pieces(PIECE_NBYTES, out):
            yield start, self._decoded(key, chunks, piece)

    def _decoded(self, key: str, chunks: ZarrChunks, piece: Host) -> Host:
        storage = chunks.array.storage
        why = unlike_values(piece, storage.tag)
        if why:
            raise corrupt(self._store.path, why, key)
        return decoded(piece, storage)

    def _read_root(self) -> Root:
        try:
            return read_root(self._store.root)
        except Unsupported as error:
            raise unreadable(self._store.path, error) from error
        except RootError as error:
            raise corrupt(self._store.path, f'zarr.json of the root is wrong: {error}') from error

    def _array(self, key: str, node: Node) -> ZarrChunks:
        try:
            chunks = ZarrChunks(self._store, key, node, read_array(node.content))
        except (ArrayError, Unsupported) as error:
            raise unreadable(self._store.path, error, key) from error
        self._check_size(chunks.array.nbytes, key)
        if is_bomb(chunks.array.chunk_nbytes, self._store.size):
            raise corrupt(self._store.path, f'a chunk of shape {chunks.array.chunk} is far larger than the store', key)
        return chunks

    def _in_order(self, found: dict[str, ZarrChunks]) -> dict[str, ZarrChunks | None]:
        """Arrays and None in the order of saving; arrays of others after them."""
        ours = [key for key, chunks in found.items() if chunks.array.is_ours]
        if self._root.keys is None:
            if ours:
                raise corrupt(self._store.path, f'zarr.json of the root does not say {RESERVED!r}, as its arrays do')
            return dict(found)
        ordered: dict[str, ZarrChunks | None] = {}
        for key in self._root.keys:
            if key in self._root.none and (key in found or key in self._faults):
                raise corrupt(self._store.path, 'is an array, and None as well', key)
            if key in self._root.none:
                ordered[key] = None
            elif key in found and found[key].array.is_ours:
                ordered[key] = found[key]
            else:
                self._faults[key] = corrupt(self._store.path, self._why_not(key, key in found), key)
        groups = {key for key in self._faults if any(below(other, key) and other != key for other in self._root.keys)}
        self._faults = {key: fault for key, fault in self._faults.items() if key not in groups}
        rest = {key: chunks for key, chunks in found.items() if key not in self._root.keys}
        return {**ordered, **rest}

    def _why_not(self, key: str, is_there: bool) -> str:
        """What is wrong with an array that was saved; it may be the group that it is in."""
        if is_there:
            return f'does not say {RESERVED!r}, as the root does'
        fault = next((self._faults[group] for group in self._faults if below(key, group)), None)
        if fault is None:
            return 'is said to be there, and is not'
        return fault.reason if fault.key == key else f'lies in {shown(fault.key)}, which {fault.reason}'

    def _empty_groups(self) -> list[str]:
        full = groups_of((*self._root.none, *self._faults))
        empty = [key for key in self._store.empty if key not in full]
        wrong = contradiction(empty, self._arrays.keys())
        if wrong is not None:
            raise corrupt(self._store.path, wrong[1], wrong[0])
        return empty

    def _check_total(self) -> None:
        self._check_size(sum(chunks.array.nbytes for chunks in self._arrays.values() if chunks))

    def _check_size(self, nbytes: int, key: str | None = None) -> None:
        if is_bomb(nbytes, self._store.size):
            ratio = nbytes // max(1, self._store.size)
            raise corrupt(
                self._store.path,
                f'expands to {nbytes} bytes, {ratio} times the size of all files; at most {MAX_RATIO} is accepted',
                key,
            )


def _entry(chunks: ZarrChunks | None) -> Entry:
    if chunks is None:
        return Entry((), None)
    return Entry(chunks.array.shape, chunks.array.storage.dtype, chunks.array.storage.swapped)


FORMAT = ZarrFormat()
