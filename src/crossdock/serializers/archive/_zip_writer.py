"""A ZIP archive written in one go: members one after the other, then the central directory.

Sizes and CRC stand in front of a member's data (PKWARE's APPNOTE 4.3.7), and are known after it: the local header is
kept in memory until then, so that readers that go from member to member need no data descriptor.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from .._path import shown
from .._sink import Bytes, Sink
from ._squeeze import Squeezer

__all__ = ['ZipWriter']

_LOCAL = struct.Struct('<4s5H3L2H')
_ROW = struct.Struct('<4s6H3L5H2L')
_END = struct.Struct('<4s4H2LH')
_END64 = struct.Struct('<4sQ2H2L4Q')
_LOCATOR64 = struct.Struct('<4sLQL')

_U16, _U32 = 2**16 - 1, 2**32 - 1
_ZIP64_FROM = 2**31 - 1  # sizes from here on are written in 64 bits; tests set it lower
_MANY = 2**16 - 1
_NAME_MAX = 2**16 - 1
_UTF8 = 0x800
_MIDNIGHT_1980 = 33  # the date of every member, so that the same arrays give the same bytes
_ALIGNMENT = 64
_ALIGNED_FIELD = 0xD935  # the extra field that Android's zipalign pads with
_MODE = 0o100644 << 16
_UNIX = 3 << 8


@dataclass(slots=True)
class _Row:
    name: bytes
    flags: int
    method: int
    offset: int
    crc: int = 0
    compressed: int = 0
    expanded: int = 0

    @property
    def version(self) -> int:
        return 63 if self.method == 93 else 45 if self.wide else 20

    @property
    def wide(self) -> bool:
        return max(self.compressed, self.expanded) >= _ZIP64_FROM


class ZipWriter:
    """Writes an archive.

    Parameters
    ----------
    path : str
        A file that is there.

    Attributes
    ----------
    expanded : int
        Sum of the sizes of all members so far, before compression.
    """

    def __init__(self, path: str) -> None:
        self.sink = Sink(path)
        self.expanded = 0
        self._rows: list[_Row] = []

    def write(self, name: str, head: bytes, nbytes: int, pieces: Iterable[Bytes], squeezer: Squeezer | None) -> None:
        """Write one member.

        Parameters
        ----------
        name : str
        head : bytes
            What its data begins with; where it is stored as it is, what follows begins at a multiple of 64 bytes.
        nbytes : int
            Size of what follows.
        pieces : iterable of bytes-like
            What follows.
        squeezer : Squeezer, optional
            How to compress; stored as it is without one.
        """
        encoded = name.encode()
        if len(encoded) > _NAME_MAX:
            raise ValueError(f'the key {shown(name)} is longer than a ZIP archive can name')
        flags = 0 if name.isascii() else _UTF8
        row = _Row(encoded, flags, squeezer.method if squeezer else 0, self.sink.position)
        row.compressed = row.expanded = len(head) + nbytes
        self._begin(row, len(head) if squeezer is None else None)
        start = self.sink.position
        if squeezer is None:
            row.crc = self.sink.write(head)
            for piece in pieces:
                row.crc = self.sink.write(piece, row.crc)
            assert self.sink.position - start == row.expanded, name
        else:
            for packed, crc in squeezer.squeeze(chain([head], pieces), row.expanded):
                self.sink.write(packed)
                row.crc = crc
        row.compressed = self.sink.position - start
        self._settle(row)
        self._rows.append(row)
        self.expanded += row.expanded

    def finish(self) -> int:
        """Write the directory, wait until all is written, and return the size of the file."""
        start = self.sink.position
        for row in self._rows:
            self._write_row(row)
        self._write_end(start)
        self.sink.finish()
        return self.sink.position

    def close(self) -> None:
        """Let go of the file."""
        self.sink.close()

    def _begin(self, row: _Row, head: int | None) -> None:
        """Write the local header, and keep it until `_settle`."""
        extra = struct.pack('<2H2Q', 1, 16, 0, 0) if row.wide else b''
        if head is not None:
            bare = row.offset + _LOCAL.size + len(row.name) + len(extra) + head
            padding = -bare % _ALIGNMENT
            if padding:
                padding += _ALIGNMENT if padding < 6 else 0
                extra += struct.pack('<3H', _ALIGNED_FIELD, padding - 4, _ALIGNMENT) + bytes(padding - 6)
        fields = (row.version, row.flags, row.method, 0, _MIDNIGHT_1980, 0, 0, 0, len(row.name), len(extra))
        header = _LOCAL.pack(b'PK\x03\x04', *fields) + row.name + extra
        self.sink.keep(len(header))
        self.sink.write(header)

    def _settle(self, row: _Row) -> None:
        """Put into the local header what is known now."""
        wide = row.expanded >= _ZIP64_FROM  # as when it began
        brief = (_U32, _U32) if wide else (row.compressed, row.expanded)
        self.sink.patch(row.offset + 14, struct.pack('<3L', row.crc, *brief))
        if wide:
            sizes = struct.pack('<2Q', row.expanded, row.compressed)
            self.sink.patch(row.offset + _LOCAL.size + len(row.name) + 4, sizes)
        self.sink.settle()

    def _write_row(self, row: _Row) -> None:
        sizes = [row.expanded, row.compressed] if row.wide else []
        wide = [*sizes, *([row.offset] if row.offset >= _ZIP64_FROM else [])]
        extra = struct.pack(f'<2H{len(wide)}Q', 1, 8 * len(wide), *wide) if wide else b''
        brief = (_U32, _U32) if sizes else (row.compressed, row.expanded)
        offset = _U32 if len(wide) > len(sizes) else row.offset
        version = max(row.version, 45) if wide else row.version
        fields = (_UNIX | version, version, row.flags, row.method, 0, _MIDNIGHT_1980, row.crc, *brief)
        rest = (len(row.name), len(extra), 0, 0, 0, _MODE, offset)
        self.sink.write(_ROW.pack(b'PK\x01\x02', *fields, *rest) + row.name + extra)

    def _write_end(self, start: int) -> None:
        count, nbytes, end = len(self._rows), self.sink.position - start, self.sink.position
        if count >= _MANY or max(start, nbytes) >= _ZIP64_FROM:
            record = (44, 45, 45, 0, 0, count, count, nbytes, start)
            self.sink.write(_END64.pack(b'PK\x06\x06', *record) + _LOCATOR64.pack(b'PK\x06\x07', 0, end, 1))
            count = count if count < _MANY else _U16
            nbytes, start = (n if n < _ZIP64_FROM else _U32 for n in (nbytes, start))
        self.sink.write(_END.pack(b'PK\x05\x06', 0, 0, count, count, nbytes, start, 0))
