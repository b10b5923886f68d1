"""npz: a ZIP archive of ``.npy`` members, as `numpy.load` reads it, with one reserved member for what NumPy lacks."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.errors import CorruptFileError, UnsupportedFileError

from .._dtypes import TAGGED, dtype_named
from .._format import Entry, Reader, Writer
from .._path import fault_of_path, shown
from .._unreadable import Unsupported, again, unreadable, unsupported
from ..archive._manifest import MAX_NBYTES as MANIFEST_MAX_NBYTES
from ..archive._manifest import MEMBER, Manifest, ManifestError
from ..archive._none import MAX_NBYTES, is_pickled_none
from ..archive._npy import OBJECT, Header, HeaderError, read_header, write_header
from ..archive._npy_member import NpyMember
from ..archive._squeeze import squeezer_named
from ..archive._zip import MAX_RATIO, Archive, Member, MemberStream, is_bomb
from ..archive._zip_writer import ZipWriter

if TYPE_CHECKING:
    from .._leaf import Leaf

__all__ = ['FORMAT', 'NpzFormat']

_SUFFIX = '.npy'
# What is not supported is called damaged where it is; larger members are not read for that.
_DOUBTED_NBYTES = 16 * 2**20
_COMPRESSIONS = {8: 'deflate', 93: 'zstd'}  # by APPNOTE 4.4.5

Host = np.ndarray[Any, Any]


class NpzFormat:
    """The npz format, version 1."""

    contract_version = 1
    name = 'npz'
    suffixes = ('.npz',)
    compressions = ('zstd', 'deflate')
    can_mmap = True

    def create(self, path: str, *, compression: str | None, metadata: Mapping[str, Any]) -> NpzWriter:
        """Start an archive at `path`."""
        return NpzWriter(path, compression, metadata)

    def open(self, path: str) -> NpzReader:
        """Open the archive at `path`, and look at every header."""
        return NpzReader(path)


class NpzWriter(Writer):
    """Writes one member per leaf; the same leaves give the same bytes, since members carry no time."""

    def __init__(self, path: str, compression: str | None, metadata: Mapping[str, Any]) -> None:
        self._squeezer = squeezer_named(compression)
        self._manifest = Manifest(metadata=metadata)
        self._zip = ZipWriter(path)

    def expect(self, nbytes: int) -> None:
        """Make room on the disk, unless the data will be compressed."""
        if self._squeezer is None:
            self._zip.sink.expect(nbytes)

    def add(self, key: str, leaf: Leaf) -> None:
        """Write the member ``key.npy``, or note that the value is None."""
        if leaf.dtype is None:
            self._manifest.none.append(key)
            return
        dtype = leaf.dtype
        if dtype.name in TAGGED:
            self._manifest.dtypes[key] = dtype.name
            dtype = np.dtype(TAGGED[dtype.name])
        header = write_header(Header(dtype.str, leaf.fortran, leaf.shape))
        pieces = (chunk.view(np.uint8) for chunk in leaf.chunks())
        self._zip.write(key + _SUFFIX, header, leaf.nbytes, pieces, self._squeezer)

    def add_empty(self, key: str) -> None:
        """Note it in the reserved member."""
        self._manifest.empty.append(key)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._finish()
        finally:
            self._zip.close()
            if self._squeezer is not None:
                self._squeezer.close()

    def _finish(self) -> None:
        content = self._manifest.encode()
        if content is not None:
            header = write_header(Header('|u1', False, (len(content),)))
            self._zip.write(MEMBER, header, len(content), [content], self._squeezer)
        size = self._zip.finish()
        # Better no file than one that `open` refuses.
        if is_bomb(self._zip.expanded, size):
            raise ValueError(
                f'compression makes the file less than 1/{MAX_RATIO} of its {self._zip.expanded} bytes, which no load'
                ' accepts; save without compression'
            )


class NpzReader(Reader):
    """An open archive whose structure has been checked; the CRC of a member is checked by `read`."""

    def __init__(self, path: str) -> None:
        self._archive = Archive(path)
        self._mapped: mmap.mmap | None = None
        self._arrays: dict[str, NpyMember] = {}
        try:
            self._members = self._keyed_members()
            self._manifest = self._read_manifest()
            self._entries = {key: self._looked_at(key, member) for key, member in self._members.items()}
            for key in self._manifest.none:
                self._entries[key] = Entry((), None)
        except BaseException:
            self._archive.file.close()
            raise

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path; those that are None come last."""
        return self._entries

    @property
    def empty(self) -> Collection[str]:
        """Containers that hold nothing, as the reserved member says."""
        return self._manifest.empty

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as ``metadata``."""
        return self._manifest.metadata

    @property
    def compression(self) -> str | None:
        """What compresses the members, or some of them."""
        methods = {member.method for member in self._archive.members} & _COMPRESSIONS.keys()
        return ', '.join(_COMPRESSIONS[method] for method in sorted(methods)) or None

    @property
    def checksum(self) -> str | None:
        """CRC-32, which every member has."""
        return 'CRC-32'

    def read(self, key: str) -> Host | None:
        """The data of one leaf, its CRC-32 checked."""
        return None if self._is_none(key) else self._array(key).read()

    def read_into(self, key: str, out: Host) -> None:
        """Read one leaf into `out`; without another copy, but for Fortran order."""
        self._array(key).read_into(out)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """The data of one leaf in pieces, the next one read while one is used."""
        if not self._is_none(key):
            yield from self._array(key).pieces()

    def verify(self, key: str) -> None:
        """Compare the CRC-32 of one leaf, by two threads that keep nothing."""
        if not self._is_none(key):
            self._array(key).verify()

    def map(self, key: str) -> Host | None:
        """A read-only view in the file; None for what is compressed, or not aligned, in files of other programs.

        Bools, int4 and text, whose bits may be no values, are looked at; nothing else is read.
        """
        if self._is_none(key):
            return None
        if self._mapped is None:
            self._mapped = mmap.mmap(self._archive.descriptor, 0, access=mmap.ACCESS_READ)
        return self._array(key).map(self._mapped)

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array."""
        return self._array(key).why_no_view()

    def slice(self, key: str, index: Any) -> Host:
        """What basic indexing takes; of what is not compressed, little more is read, and the CRC-32 is not compared."""
        return self._array(key).slice(index)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mapped = None  # views keep it
        self._archive.file.close()

    def _is_none(self, key: str) -> bool:
        return self.entry(key).dtype is None

    def _array(self, key: str) -> NpyMember:
        found = self._arrays.get(key)
        if found is None:
            self.entry(key)
            raise TypeError(f'{key!r} is None, and no array')
        return found

    def _keyed_members(self) -> dict[str, Member]:
        members: dict[str, Member] = {}
        names = set()
        for member in self._archive.members:
            key = member.name.removesuffix(_SUFFIX)
            if member.name in names:
                raise self._archive.corrupt('appears twice', key)
            names.add(member.name)
            if key in members:
                raise self._archive.corrupt(f'both {shown(key)} and {shown(key + _SUFFIX)} are in the archive', key)
            members[key] = member
        if members and all(member.name == key and member.fault is None for key, member in members.items()):
            raise unsupported(self._archive.path, f'is a ZIP archive without a member that ends in {_SUFFIX!r}')
        for key, member in members.items():
            why = None if member.name == MEMBER else fault_of_path(key)
            if why:
                raise self._archive.corrupt(f'is no key: {why}', key)
        return members

    def _read_manifest(self) -> Manifest:
        member = self._members.pop(MEMBER.removesuffix(_SUFFIX), None)
        if member is None:
            return Manifest()
        if member.fault is not None:
            raise again(member.fault)
        key = member.name
        stream = self._archive.stream(member)
        try:
            header = self._header(stream, key)
        except UnsupportedFileError as error:
            raise self._archive.corrupt(error.reason, key) from error
        if header.descr not in ('|u1', '<u1') or len(header.shape) != 1:
            raise self._archive.corrupt('the reserved member is not a vector of uint8', key)
        if header.nbytes() > MANIFEST_MAX_NBYTES:
            raise self._archive.corrupt(f'the reserved member is larger than {MANIFEST_MAX_NBYTES} bytes', key)
        try:
            content = stream.read(stream.left)
            stream.finish()
            manifest = Manifest.decode(content)
        except Unsupported as error:
            raise unsupported(self._archive.path, str(error)) from error
        except ManifestError as error:
            raise self._archive.corrupt(f'the reserved member is wrong: {error}', key) from error
        fault = manifest.fault(self._members.keys())
        if fault is not None:
            raise self._archive.corrupt(fault[1], fault[0])
        return manifest

    def _header(self, stream: MemberStream, key: str) -> Header:
        try:
            header = read_header(stream.read)
            if header.descr == OBJECT:
                return header
            nbytes = header.nbytes()
        except (HeaderError, Unsupported) as error:
            raise unreadable(self._archive.path, error, key.removesuffix(_SUFFIX)) from error
        if nbytes != stream.left:
            raise self._archive.corrupt(
                f'{header.descr} of shape {header.shape} takes {nbytes} bytes; {stream.left} are there', key
            )
        return header

    def _looked_at(self, key: str, member: Member) -> Entry:
        """What is known of a member: an array, None, or why it cannot be read."""
        if member.fault is not None:
            return Entry((), None, fault=member.fault)
        try:
            try:
                if member.name == key:
                    reason = f'is not an array: its name does not end in {_SUFFIX!r}'
                    raise unsupported(self._archive.path, reason, key)
                return self._entry(key, member)
            except UnsupportedFileError:
                if member.nbytes <= _DOUBTED_NBYTES:
                    self._check_whole(member)
                raise
        except CorruptFileError as error:
            return Entry((), None, fault=again(error))

    def _check_whole(self, member: Member) -> None:
        stream = self._archive.stream(member)
        for _ in stream.chunks():
            pass
        stream.finish()

    def _entry(self, key: str, member: Member) -> Entry:
        stream = self._archive.stream(member)
        header = self._header(stream, key)
        head_nbytes = member.nbytes - stream.left
        tag = self._manifest.dtypes.get(key)
        if header.descr == OBJECT:
            self._check_pickled_none(stream, header, key)
            return Entry((), None)
        raw = header.dtype()
        dtype = raw.newbyteorder('=')
        if tag is not None:
            if raw.kind not in 'iu' or raw.itemsize != np.dtype(TAGGED[tag]).itemsize:
                raise self._archive.corrupt(f'{header.descr} cannot hold the bits of {tag}', key)
            dtype = dtype_named(tag)
        self._arrays[key] = NpyMember(self._archive, member, header, head_nbytes, dtype, tag)
        return Entry(header.shape, dtype, not raw.isnative)

    def _check_pickled_none(self, stream: MemberStream, header: Header, key: str) -> None:
        data = stream.read(MAX_NBYTES + 1) if header.shape == () else b''
        if not is_pickled_none(data):
            raise self._archive.corrupt(
                'an array of Python objects, whose pickle is never loaded:'
                ' numpy.load(path, allow_pickle=True) does, if you trust the file',
                key,
            )
        stream.finish()


FORMAT = NpzFormat()
