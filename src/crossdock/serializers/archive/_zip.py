"""A ZIP archive read with suspicion: nothing in it is believed before it is compared with the real file."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from crossdock.errors import CorruptFileError

from .._checksum import crc32
from .._path import shown
from .._unreadable import Unsupported, again, corrupt, unreadable
from ._directory import DirectoryError, Row, read_directory
from ._expand import DEFLATED, STORED, ZSTD, ExpandError, expander

__all__ = ['MAX_RATIO', 'Archive', 'Member', 'MemberStream', 'is_bomb']

# Deflate cannot do better than 1032 to 1; a whole file may expand to FREE_NBYTES, or to MAX_RATIO times its size.
DEFLATE_LIMIT = 1032
FREE_NBYTES = 256 * 2**20
MAX_RATIO = 200

_LOCAL = struct.Struct('<4s5H3L2H')
_CHUNK = 1 << 20
_METHODS = {1: 'shrinking', 6: 'implosion', 9: 'Deflate64', 12: 'bzip2', 14: 'LZMA', 95: 'xz', 98: 'PPMd'}
_FLAG_ENCRYPTED, _FLAG_STREAMED, _FLAG_PATCHED, _FLAG_STRONG, _FLAG_MASKED = 0x1, 0x8, 0x20, 0x40, 0x2000
_FLAGS_ODD = _FLAG_ENCRYPTED | _FLAG_PATCHED | _FLAG_STRONG | _FLAG_MASKED


@dataclass(frozen=True, slots=True)
class Member:
    """One member whose place and sizes have been checked against the file.

    Attributes
    ----------
    name : str
    method : int
        0 stored, 8 deflate, 93 zstd.
    start, stop : int
        Where its bytes lie in the file, without the local header.
    header : int
        Where its local header begins.
    nbytes : int
        Size when expanded.
    crc : int
        CRC-32 of the expanded bytes.
    fault : CorruptFileError or None
        Why it cannot be read, where it cannot; then nothing but its name and `header` is known.
    """

    name: str
    method: int = 0
    start: int = 0
    stop: int = 0
    header: int = 0
    nbytes: int = 0
    crc: int = 0
    fault: CorruptFileError | None = None


class Archive:
    """An open ZIP file; ``members`` has its members in the order of the central directory.

    Raises
    ------
    CorruptFileError
        The archive is damaged, or contradicts itself. What is wrong with one member alone is the fault of that one.
    UnsupportedFileError
        The archive is split into several files.
    OSError
        The file cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = open(path, 'rb', buffering=0)  # noqa: SIM115 -- closed by the context manager
        try:
            self.size = os.fstat(self.descriptor).st_size
            self.members = self._members()
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    @property
    def descriptor(self) -> int:
        """Of the file; its position is not used, so that several threads and forked children may read at once."""
        return self.file.fileno()

    def read_at(self, offset: int, nbytes: int) -> bytes:
        """Bytes of the file, fewer at its end."""
        return os.pread(self.descriptor, nbytes, offset)

    def check_crc(self, member: Member, crc: int) -> None:
        """Compare the CRC-32 of all bytes of a member with what the file says."""
        if crc != member.crc:
            raise self.corrupt(
                f'its CRC-32 is {crc:08x} where the file says {member.crc:08x}: damaged data', member.name
            )

    def stream(self, member: Member) -> MemberStream:
        """Read `member` from its beginning."""
        return MemberStream(self, member)

    def corrupt(self, reason: str, key: str | None = None) -> CorruptFileError:
        """The error for something wrong in this file."""
        return corrupt(self.path, reason, _key(key))

    def _members(self) -> list[Member]:
        try:
            rows, directory = read_directory(self.read_at, self.size)
        except (DirectoryError, Unsupported) as error:
            raise unreadable(self.path, error) from error
        members = [self._member(row, directory) for row in rows]
        end, before = 0, ''
        for member in sorted(members, key=lambda m: (m.header, -m.stop)):
            if member.header < end:
                raise self.corrupt(f'overlaps the member {shown(before)}', member.name)
            end, before = member.stop, member.name
        self._check_total(sum(member.nbytes for member in members))
        return members

    def _check_total(self, nbytes: int, name: str | None = None) -> None:
        if is_bomb(nbytes, self.size):
            ratio = nbytes // self.size
            raise self.corrupt(
                f'expands to {nbytes} bytes, {ratio} times the size of the file; at most {MAX_RATIO} times is accepted',
                name,
            )

    def _member(self, row: Row, directory: int) -> Member:
        if '\0' in row.name:
            raise self.corrupt('its name holds a NUL character', row.name)
        try:
            return self._checked_member(row, directory)
        except CorruptFileError as error:
            fault = again(error)
        except Unsupported as error:
            fault = unreadable(self.path, error, _key(row.name))
        return Member(row.name, header=row.offset, stop=row.offset, fault=fault)

    def _checked_member(self, row: Row, directory: int) -> Member:
        why = _contradiction(row)
        if why:
            raise self.corrupt(why, row.name)
        start = self._check_local_header(row, directory)
        stop = start + row.compressed
        if stop > directory:
            raise self.corrupt(
                f'says that it is {row.compressed} bytes long; only {max(0, directory - start)} are in the file',
                row.name,
            )
        _check_packing(row)
        self._check_total(row.expanded, row.name)
        return Member(row.name, row.method, start, stop, row.offset, row.expanded, row.crc)

    def _check_local_header(self, row: Row, directory: int) -> int:
        if row.offset + _LOCAL.size > directory:
            raise self.corrupt('its local header lies outside the file', row.name)
        fields = _LOCAL.unpack(self.read_at(row.offset, _LOCAL.size))
        magic, _, flags, method, _, _, crc, compressed, expanded, name_nbytes, extra_nbytes = fields
        if magic != b'PK\x03\x04':
            raise self.corrupt('has no local header', row.name)
        if self.read_at(row.offset + _LOCAL.size, name_nbytes) != row.name.encode():
            raise self.corrupt('its local header names another member', row.name)
        if method != row.method or (flags ^ row.flags) & _FLAGS_ODD:
            raise self.corrupt('its local header and the central directory disagree', row.name)
        if not flags & _FLAG_STREAMED:
            # All ones mean that the size is in a ZIP64 field.
            sizes = ((compressed, row.compressed), (expanded, row.expanded))
            if crc != row.crc or any(local not in (central, 0xFFFFFFFF) for local, central in sizes):
                raise self.corrupt('its local header and the central directory disagree about sizes or CRC', row.name)
        start: int = row.offset + _LOCAL.size + name_nbytes + extra_nbytes
        return start


def is_bomb(expanded: int, size: int) -> bool:
    """Whether a file of `size` bytes is refused because its members expand to so many."""
    return expanded > max(FREE_NBYTES, MAX_RATIO * size)


def _key(name: str | None) -> str | None:
    return None if name is None else name.removesuffix('.npy')


def _contradiction(row: Row) -> str | None:
    """What cannot be about a member, whatever is in the file."""
    if row.method == STORED and row.compressed != row.expanded:
        return f'is stored as it is, yet says {row.compressed} bytes in the file and {row.expanded} expanded'
    if row.method == DEFLATED and row.expanded > DEFLATE_LIMIT * (row.compressed + 1):
        return f'says that {row.compressed} bytes expand to {row.expanded}, which deflate cannot do'
    return None


def _check_packing(row: Row) -> None:
    """Refuse a member that is packed in a way that is not known here.

    Raises
    ------
    Unsupported
    """
    if row.flags & _FLAG_PATCHED:
        raise Unsupported('is patch data, and no whole member')
    if row.flags & _FLAGS_ODD:
        raise Unsupported('is encrypted: unpack the archive with its password, and pack it again without one')
    if row.method not in (STORED, DEFLATED, ZSTD):
        name = f'{_METHODS[row.method]}, ' if row.method in _METHODS else ''
        advice = ': numpy.load reads it' if row.method in (12, 14) else ''
        raise Unsupported(f'is compressed by {name}method {row.method}; known are deflate and zstd{advice}')


class MemberStream:
    """The expanded bytes of one member, from first to last. `finish` compares length and CRC-32."""

    def __init__(self, archive: Archive, member: Member) -> None:
        self.archive = archive
        self.member = member
        self.left = member.nbytes
        self._crc = 0
        self._position = member.start
        self._expander = None if member.method == STORED else expander(member.method)

    def read(self, nbytes: int) -> bytes:
        """Exactly `nbytes` bytes, or as many as there are when fewer are left."""
        buffer = bytearray(min(nbytes, self.left))
        self.fill(memoryview(buffer))
        return bytes(buffer)

    def fill(self, view: memoryview) -> None:
        """Fill `view` (bytes) with the next ``len(view)`` bytes."""
        done = 0
        while done < len(view):
            chunk = view[done : done + _CHUNK]
            got = self._copy(chunk) if self._expander is None else self._expand(chunk)
            if not got:
                raise self._wrong(f'ends {len(view) - done} bytes early')
            self._crc = crc32(chunk[:got], self._crc)
            done += got
        self.left -= done

    def chunks(self) -> Iterator[bytes]:
        """What is left, in pieces."""
        while self.left:
            yield self.read(_CHUNK)

    def finish(self) -> None:
        """Check that every byte has been read, that nothing follows, and that the CRC-32 is right."""
        if self.left:
            raise self._wrong(f'has {self.left} bytes too many')
        if self._expander is not None:
            if self._expand(memoryview(bytearray(1))) or not self._expander.eof:
                raise self._wrong('its compressed data does not end where it should')
            if self._expander.unused or self._position < self.member.stop:
                raise self._wrong('bytes follow its compressed data')
        self.archive.check_crc(self.member, self._crc)

    def _copy(self, view: memoryview) -> int:
        got = os.preadv(self.archive.descriptor, [view[: self.member.stop - self._position]], self._position)
        self._position += got
        return got

    def _expand(self, view: memoryview) -> int:
        assert self._expander is not None
        try:
            data = self._expander.expand(len(view), self._more)
        except ExpandError as error:
            raise self._wrong(str(error)) from error
        view[: len(data)] = data
        return len(data)

    def _more(self) -> bytes:
        data = self.archive.read_at(self._position, min(_CHUNK, self.member.stop - self._position))
        self._position += len(data)
        return data

    def _wrong(self, reason: str) -> CorruptFileError:
        return self.archive.corrupt(reason, self.member.name)
