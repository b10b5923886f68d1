"""The central directory of a ZIP archive: what the file says about its members, each field still to be doubted.

The standard library's reader is lenient where an archive contradicts itself (it drops members that a damaged length
skips, and cuts names at NUL), so the directory is read here, by PKWARE's APPNOTE sections 4.3.12 to 4.3.16.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .._path import shown
from .._unreadable import Unsupported

__all__ = ['DirectoryError', 'Row', 'read_directory']

_END = struct.Struct('<4s4H2LH')
_END64 = struct.Struct('<4sQ2H2L4Q')
_LOCATOR64 = struct.Struct('<4sLQL')
_ROW = struct.Struct('<4s6H3L5H2L')

_U16, _U32 = 2**16 - 1, 2**32 - 1
_ZIP64_FIELD = 1


class DirectoryError(ValueError):
    """No directory, or one that contradicts itself; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the directory says about one member: sizes in bytes, `offset` of its local header."""

    name: str
    flags: int
    method: int
    crc: int
    compressed: int
    expanded: int
    offset: int


def read_directory(read_at: Callable[[int, int], bytes], size: int) -> tuple[list[Row], int]:
    """The rows, and where the directory begins.

    Parameters
    ----------
    read_at : callable
        ``read_at(offset, n)`` gives `n` bytes of the file, or fewer at its end.
    size : int
        Size of the file.

    Raises
    ------
    DirectoryError
        The file is no archive, is truncated, or its directory contradicts itself.
    Unsupported
        The archive is split into several files.
    """
    if not size:
        raise DirectoryError('the file is empty')
    position, entries, nbytes, offset = _read_end(read_at, size)
    if offset + nbytes != position:
        raise DirectoryError('the central directory is not where the end of the archive says')
    if entries * _ROW.size > nbytes:
        raise DirectoryError(f'the archive claims {entries} members in a directory of {nbytes} bytes')
    rows = list(_rows(read_at(offset, nbytes)))
    if len(rows) != entries:
        raise DirectoryError(f'the archive claims {entries} members; {len(rows)} are listed')
    return rows, offset


def _read_end(read_at: Callable[[int, int], bytes], size: int) -> tuple[int, int, int, int]:
    """Where the directory has to end, then its number of rows, size and offset."""
    start = max(0, size - _END.size - _U16)
    tail = read_at(start, size - start)
    found = tail.rfind(b'PK\x05\x06')
    after = 0
    while found >= 0:
        if found + _END.size <= len(tail):
            _, disk, first, here, entries, nbytes, offset, comment = _END.unpack_from(tail, found)
            stop = found + _END.size + comment
            if stop == len(tail):
                break
            if stop < len(tail) and offset + nbytes == start + found:
                after = len(tail) - stop
        found = tail.rfind(b'PK\x05\x06', 0, found)
    else:
        if after:
            raise DirectoryError(
                f'{after} bytes follow the archive, and are no part of it; it may be whole without them'
            )
        raise DirectoryError('no central directory: the file is truncated, or no ZIP archive')
    if disk and first:
        raise Unsupported('is the last part of a split archive: join the parts first, as by zip -s 0 ... --out ...')
    if disk or first or here != entries:
        raise DirectoryError('the end of the archive says that there are other parts, and contradicts itself')
    end = start + found
    locator = read_at(end - _LOCATOR64.size, _LOCATOR64.size) if end >= _LOCATOR64.size else b''
    if not locator.startswith(b'PK\x06\x07'):
        return end, entries, nbytes, offset
    return _read_end64(read_at, end - _LOCATOR64.size, locator, (entries, nbytes, offset))


def _read_end64(
    read_at: Callable[[int, int], bytes], position: int, locator: bytes, short: tuple[int, int, int]
) -> tuple[int, int, int, int]:
    _, disk, where, disks = _LOCATOR64.unpack(locator)
    if disk or disks > 1:
        raise DirectoryError('the two ends of the archive disagree about other parts')
    record = read_at(where, _END64.size) if where + _END64.size <= position else b''
    if not record.startswith(b'PK\x06\x06'):
        raise DirectoryError('the ZIP64 end of the central directory is not where it should be')
    _, length, _, _, disk, first, here, entries, nbytes, offset = _END64.unpack(record)
    if disk or first or here != entries or where + 12 + length != position:
        raise DirectoryError('the ZIP64 end of the central directory contradicts itself')
    for brief, full, ones in zip(short, (entries, nbytes, offset), (_U16, _U32, _U32)):
        if brief not in (full, ones):
            raise DirectoryError('the two ends of the central directory disagree')
    return where, entries, nbytes, offset


def _rows(data: bytes) -> Iterator[Row]:
    position = 0
    while position < len(data):
        if len(data) - position < _ROW.size or data[position : position + 4] != b'PK\x01\x02':
            raise DirectoryError('the central directory is damaged')
        (
            _,
            _,
            _,
            flags,
            method,
            _,
            _,
            crc,
            compressed,
            expanded,
            name_nbytes,
            extra_nbytes,
            comment,
            disk,
            _,
            _,
            offset,
        ) = _ROW.unpack_from(data, position)
        begin = position + _ROW.size
        position = begin + name_nbytes + extra_nbytes + comment
        if position > len(data):
            raise DirectoryError('the central directory is damaged')
        raw = data[begin : begin + name_nbytes]
        try:
            name = raw.decode()
        except UnicodeDecodeError as error:
            raise DirectoryError(f'a member name is not UTF-8: {shown(raw)}') from error
        extra = data[begin + name_nbytes : begin + name_nbytes + extra_nbytes]
        expanded, compressed, offset = _widened(extra, [expanded, compressed, offset], name)
        if disk:
            raise DirectoryError(f'the member {shown(name)} lies in another part of a split archive')
        yield Row(name, flags, method, crc, compressed, expanded, offset)


def _widened(extra: bytes, fields: list[int], name: str) -> list[int]:
    """The fields, those of all ones replaced by what the ZIP64 extra field says."""
    if _U32 not in fields:
        return fields
    while len(extra) >= 4:
        tag, length = struct.unpack_from('<2H', extra)
        if tag == _ZIP64_FIELD:
            wide = iter(struct.unpack_from(f'<{min(length, len(extra) - 4) // 8}Q', extra, 4))
            try:
                return [next(wide) if field == _U32 else field for field in fields]
            except StopIteration:
                break
        extra = extra[4 + length :]
    raise DirectoryError(f'the member {shown(name)} lacks its ZIP64 sizes')
