"""safetensors: a JSON header and the bytes of all tensors, as the package of that name reads and writes it.

What the format has no word for goes into its metadata, under keys that begin with ``__crossdock__``.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.errors import CorruptFileError, DtypeError

from .._aside import ahead
from .._checksum import crc32
from .._format import PIECE_NBYTES, Entry, Reader, Writer
from .._passed import passed
from .._path import RESERVED, shown
from .._selection import select
from .._sink import Sink
from .._unreadable import Unsupported, corrupt, unsupported
from ..archive._dense import Dense
from ..archive._gulp import ShortFileError, gulp
from ..archive._manifest import MAX_NBYTES as MANIFEST_MAX_NBYTES
from ..archive._manifest import Manifest, ManifestError
from ..archive._tensor_header import MAX_NBYTES, Header, HeaderError, Tensor, check_layout, read_header, write_header
from ..archive._tensor_sums import KEY as SUMS_KEY
from ..archive._tensor_sums import decode_sums, encode_sums, sum_of_header
from ..archive._tensor_types import TAGS, TYPES, Storage, TypeFault, meaning_of, size_of, storage_of
from ..archive._values import unlike_values

if TYPE_CHECKING:
    from .._leaf import Leaf

__all__ = ['FORMAT', 'SafetensorsFormat']

_LENGTH_NBYTES = 8
_RANKS = {name: rank for rank, name in enumerate(TYPES)}

Host = np.ndarray[Any, Any]


class SafetensorsFormat:
    """The safetensors format.

    Parameters
    ----------
    checksum : bool
        Whether files get checksums in their metadata, and whether those that are there are compared.
    """

    contract_version = 1
    name = 'safetensors'
    suffixes = ('.safetensors',)
    compressions = ()
    can_mmap = True

    def __init__(self, checksum: bool = True) -> None:
        self.checksum = checksum

    def create(self, path: str, *, compression: str | None, metadata: Mapping[str, Any]) -> SafetensorsWriter:
        """Start a file at `path`."""
        _check_byte_order()
        return SafetensorsWriter(path, metadata, self.checksum)

    def open(self, path: str) -> SafetensorsReader:
        """Open the file at `path`, and check its header and layout."""
        _check_byte_order()
        return SafetensorsReader(path, self.checksum)

    def unchecked(self) -> SafetensorsFormat:
        """The format that compares no checksums."""
        return SafetensorsFormat(False)


def _check_byte_order() -> None:
    if sys.byteorder != 'little':
        raise NotImplementedError('safetensors files hold little-endian data; this machine is big-endian: use npz')


class SafetensorsWriter(Writer):
    """Collects the leaves, for the header comes first; their data is taken when the context is left.

    The same leaves give the same bytes. Without checksums, None, tagged types and metadata other than one string they
    are those that the package writes.
    """

    def __init__(self, path: str, metadata: Mapping[str, Any], checksum: bool) -> None:
        self._path = path
        self._checksum = checksum
        self._leaves: dict[str, tuple[Leaf, Storage]] = {}
        # Programs that read safetensors expect strings, such as the 'pt' of 'format'.
        self._texts = {name: value for name, value in metadata.items() if isinstance(value, str)}
        others = {name: value for name, value in metadata.items() if not isinstance(value, str)}
        self._manifest = Manifest(metadata=others)
        for name in metadata:
            if name.startswith(RESERVED):
                raise ValueError(f'the metadata key {shown(name)} begins with the reserved {RESERVED!r}')

    def add(self, key: str, leaf: Leaf) -> None:
        """Note one leaf; refuse a type that the format cannot hold."""
        if leaf.dtype is None:
            self._manifest.none.append(key)
            return
        try:
            storage = storage_of(leaf.dtype, leaf.shape)
        except TypeFault as error:
            raise DtypeError(f'cannot save {key!r}: {error}', dtype=leaf.dtype, path=key) from error
        if storage.tag is not None:
            self._manifest.dtypes[key] = storage.tag
        leaf.fortran = False
        self._leaves[key] = leaf, storage

    def add_empty(self, key: str) -> None:
        """Note it in the metadata."""
        self._manifest.empty.append(key)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._write()

    def _write(self) -> None:
        tensors = self._layout()
        metadata = dict(self._texts)
        manifest = self._manifest.encode()
        if manifest is not None:
            metadata[RESERVED] = manifest.decode()
        sums = dict.fromkeys(tensors, 0)
        of_header = sum_of_header(tensors, metadata)
        if self._checksum:
            metadata[SUMS_KEY] = encode_sums(of_header, sums)
        self._write_file(write_header(tensors, metadata), tensors, sums)
        if self._checksum:
            metadata[SUMS_KEY] = encode_sums(of_header, sums)
            with open(self._path, 'r+b') as file:
                file.write(write_header(tensors, metadata))

    def _write_file(self, header: bytes, tensors: Mapping[str, Tensor], sums: dict[str, int]) -> None:
        """Write everything, and put the CRC-32 of each tensor into `sums`."""
        sink = Sink(self._path)
        try:
            sink.expect(len(header) + sum(t.end - t.begin for t in tensors.values()))
            sink.write(header)
            for key, tensor in tensors.items():
                for chunk in self._leaves[key][0].chunks():
                    sums[key] = sink.write(chunk.view(np.uint8), sums[key])
                assert sink.position == len(header) + tensor.end
            sink.finish()
        finally:
            sink.close()

    def _layout(self) -> dict[str, Tensor]:
        """Every tensor in the order of the package: large elements first, which keeps all aligned, then by name."""
        rows = sorted(self._leaves.items(), key=lambda row: (-_RANKS[row[1][1].dtype], row[0]))
        tensors = {}
        at = 0
        for key, (_, storage) in rows:
            end = at + size_of(storage)
            tensors[key] = Tensor(storage.dtype, storage.shape, at, end)
            at = end
        return tensors


class SafetensorsReader(Reader):
    """An open file whose header and layout have been checked."""

    def __init__(self, path: str, checksum: bool) -> None:
        self._path = path
        self._file = open(path, 'rb', buffering=0)  # noqa: SIM115 -- closed by the context manager
        self._mapped: mmap.mmap | None = None
        try:
            header = self._read_header()
            self._sums = self._read_sums(header, checksum)
            self._manifest = self._read_manifest(header)
            self._metadata = self._joined_metadata(header)
            rows = sorted(header.tensors.items(), key=lambda row: (row[1].begin, row[1].end))
            self._tensors = dict(rows)
            self._entries = {key: self._entry(key, tensor) for key, tensor in rows}
            for key in self._manifest.none:
                self._entries[key] = Entry((), None)
        except BaseException:
            self._file.close()
            raise

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path; those that are None come last."""
        return self._entries

    @property
    def empty(self) -> Collection[str]:
        """Containers that hold nothing, as the metadata says."""
        return self._manifest.empty

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as ``metadata``; of files of other programs, their strings."""
        return self._metadata

    @property
    def checksum(self) -> str | None:
        """CRC-32, where the metadata has one for each tensor and they are compared."""
        return None if self._sums is None else 'CRC-32'

    def read(self, key: str) -> Host | None:
        """The data of one leaf; its CRC-32 is checked if the file has one."""
        entry = self.entry(key)
        if entry.dtype is None:
            return None
        out = np.empty(entry.shape, entry.dtype)
        self.read_into(key, out)
        return out

    def read_into(self, key: str, out: Host) -> None:
        """Read one leaf into `out`, without another copy, by two threads."""
        dense = self._dense(key)
        view = out.reshape(-1).view(np.uint8).data if out.size else memoryview(b'')
        try:
            crc = gulp(dense.descriptor, dense.offset, view)
        except ShortFileError as error:
            raise self._corrupt(str(error), key) from error
        self._check_sum(key, crc)
        self._check_values(key, out)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """The data of one leaf in pieces, the next one read while one is used."""
        entry = self.entry(key)
        if entry.dtype is not None:
            yield from ahead(self._in_order(key)) if entry.nbytes > PIECE_NBYTES else self._in_order(key)

    def verify(self, key: str) -> None:
        """Compare the CRC-32 of one leaf, if there is one, and its values with their type; keep nothing."""
        if self.entry(key).dtype is not None:
            for _, piece in self._in_order(key):
                passed(piece.nbytes)

    def map(self, key: str) -> Host | None:
        """A read-only view in the file; None where the data is not aligned, in files of some other programs.

        Bools, int4 and text, whose bits may be no values, are looked at; nothing else is read.
        """
        entry = self.entry(key)
        if entry.dtype is None:
            return None
        dense = self._dense(key)
        if dense.offset % entry.dtype.alignment:
            return None
        if self._mapped is None:
            self._mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._mapped) < dense.offset + entry.nbytes:
            raise self._corrupt(f'the file has been cut to {len(self._mapped)} bytes', key)
        view: Host = np.ndarray(entry.shape, entry.dtype, self._mapped, dense.offset)
        self._check_values(key, view)
        return view

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array, which only its place can be the reason of."""
        return 'is not aligned in the file'

    def slice(self, key: str, index: Any) -> Host:
        """What basic indexing takes; little more is read. No checksum is compared, but values are checked."""
        entry = self.entry(key)
        selection = select(index, entry.shape)
        try:
            out = self._dense(key).take(selection)
        except ShortFileError as error:
            raise self._corrupt(str(error), key) from error
        self._check_values(key, out)
        return out

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mapped = None  # views keep it
        self._file.close()

    def _in_order(self, key: str) -> Iterator[tuple[int, Host]]:
        """The pieces, values compared with their type, and after the last one the CRC-32 with that of the file."""
        crc = 0
        try:
            for start, piece in self._dense(key).pieces(PIECE_NBYTES):
                crc = crc32(piece.view(np.uint8).data, crc)
                self._check_values(key, piece)
                yield start, piece
        except ShortFileError as error:
            raise self._corrupt(str(error), key) from error
        self._check_sum(key, crc)

    def _check_sum(self, key: str, crc: int) -> None:
        if self._sums is not None and crc != self._sums[key]:
            raise self._corrupt(
                f'its CRC-32 is {crc:08x} where the metadata says {self._sums[key]:08x}: damaged data,'
                ' or changed by a program that kept the old checksums (checksum=False ignores them)',
                key,
            )

    def _check_values(self, key: str, array: Host) -> None:
        why = unlike_values(array, self._manifest.dtypes.get(key))
        if why:
            raise self._corrupt(why, key)

    def _dense(self, key: str) -> Dense:
        entry = self.entry(key)
        if entry.dtype is None:
            raise TypeError(f'{key!r} is None, and no array')
        return Dense(self._file.fileno(), self._start + self._tensors[key].begin, entry.shape, entry.dtype)

    def _read_header(self) -> Header:
        size = os.fstat(self._file.fileno()).st_size
        length = int.from_bytes(self._file.read(_LENGTH_NBYTES), 'little')
        if size < _LENGTH_NBYTES:
            raise self._corrupt(f'{size} bytes are no safetensors file' if size else 'the file is empty')
        if length > MAX_NBYTES:
            raise self._corrupt(f'its header claims {length} bytes; at most {MAX_NBYTES} are accepted')
        self._start = _LENGTH_NBYTES + length
        if self._start > size:
            raise self._corrupt(f'its header claims {length} bytes; the file has {size}')
        try:
            header = read_header(self._file.read(length))
            check_layout(header.tensors, size - self._start)
        except HeaderError as error:
            raise self._corrupt(str(error), error.key) from error
        return header

    def _read_sums(self, header: Header, checksum: bool) -> dict[str, int] | None:
        text = header.metadata.pop(SUMS_KEY, None)
        if not checksum:
            return None
        if text is None:
            self._check_misnamed(header)
            return None
        sums = decode_sums(text, header.tensors)
        if sums is None:
            raise self._corrupt(
                f'{SUMS_KEY} in its metadata does not have one checksum for each of {len(header.tensors)} tensors'
                ' (checksum=False ignores it)'
            )
        if sums[''] != sum_of_header(header.tensors, header.metadata):
            raise self._corrupt(
                f'its keys, shapes or metadata do not have the checksum in {SUMS_KEY}: damaged,'
                ' or changed by a program that kept the old checksums (checksum=False ignores them)'
            )
        return sums

    def _check_misnamed(self, header: Header) -> None:
        """Refuse checksums that have lost their name to damage: without them nothing else would be found."""
        for name, text in header.metadata.items():
            sums = decode_sums(text, header.tensors)
            others = {other: value for other, value in header.metadata.items() if other != name}
            if sums is not None and sums[''] == sum_of_header(header.tensors, others):
                raise self._corrupt(
                    f'{shown(name)} in its metadata is what {SUMS_KEY} was: damaged (checksum=False ignores it)'
                )

    def _read_manifest(self, header: Header) -> Manifest:
        text = header.metadata.pop(RESERVED, None)
        if text is None:
            return Manifest()
        try:
            if len(text) > MANIFEST_MAX_NBYTES:
                raise ManifestError(f'larger than {MANIFEST_MAX_NBYTES} bytes')
            manifest = Manifest.decode(text.encode(), TAGS)
        except Unsupported as error:
            raise unsupported(self._path, f'{RESERVED} in its metadata: {error}') from error
        except ManifestError as error:
            raise self._corrupt(f'{RESERVED} in its metadata is wrong: {error}') from error
        fault = manifest.fault(header.tensors.keys())
        if fault is not None:
            raise self._corrupt(fault[1], fault[0])
        return manifest

    def _joined_metadata(self, header: Header) -> dict[str, Any]:
        for name in header.metadata:
            if name.startswith(RESERVED):
                raise self._corrupt(f'unknown {shown(name)} in its metadata, of a later version perhaps')
            if name in self._manifest.metadata:
                raise self._corrupt(f'its metadata has {shown(name)} twice')
        return {**header.metadata, **self._manifest.metadata}

    def _entry(self, key: str, tensor: Tensor) -> Entry:
        try:
            dtype, shape = meaning_of(Storage(tensor.dtype, tensor.shape, self._manifest.dtypes.get(key)))
        except Unsupported as error:
            return Entry((), None, fault=unsupported(self._path, str(error), key))
        except TypeFault as error:
            raise self._corrupt(str(error), key) from error
        return Entry(shape, dtype)

    def _corrupt(self, reason: str, key: str | None = None) -> CorruptFileError:
        return corrupt(self._path, reason, key)


FORMAT = SafetensorsFormat()
