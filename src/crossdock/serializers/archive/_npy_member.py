"""The array in one member of an npz file, whose header has been read: all the ways to its data."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from crossdock.errors import CorruptFileError

from .._aside import ahead
from .._checksum import crc32
from .._format import PIECE_NBYTES
from .._passed import passed
from .._selection import Selection, pieces_of, select
from ._dense import Dense
from ._expand import STORED
from ._gulp import ShortFileError, gulp, skim
from ._npy import Header
from ._values import unlike_values
from ._zip import Archive, Member

__all__ = ['NpyMember']

_PIECE = 1 << 20

Host = np.ndarray[Any, Any]


class NpyMember:
    """Where an array is, and what it stands for.

    Parameters
    ----------
    archive : Archive
    member : Member
    header : Header
        Of the .npy file in the member.
    head_nbytes : int
        Size of the header in the member.
    dtype : numpy.dtype
        What the bits stand for, in native byte order.
    tag : str or None
        The name of `dtype`, where NumPy has none.
    """

    def __init__(
        self, archive: Archive, member: Member, header: Header, head_nbytes: int, dtype: np.dtype[Any], tag: str | None
    ) -> None:
        self._archive = archive
        self._member = member
        self._head_nbytes = head_nbytes
        self._fortran = header.fortran and len(header.shape) > 1 and 0 not in header.shape
        self._shape = header.shape
        self._raw = header.dtype()
        self._dtype = dtype
        self._tag = tag
        self._is_stored = member.method == STORED

    def read(self) -> Host:
        """All of the data as a fresh array."""
        array = np.empty(self._shape[::-1] if self._fortran else self._shape, self._dtype)
        self._read(array)
        return array.T if self._fortran else array

    def read_into(self, out: Host) -> None:
        """All of the data into an array that is dense in C order."""
        if self._fortran:
            out[...] = self.read()
        else:
            self._read(out)

    def pieces(self) -> Iterator[tuple[int, Host]]:
        """The data in C order, piece by piece, in memory that is used again."""
        if self._fortran and self._is_stored:
            yield from self._turned_pieces()
        elif self._fortran:
            yield from pieces_of(self.read().reshape(-1), PIECE_NBYTES)
        else:
            large = prod(self._shape) * self._dtype.itemsize > PIECE_NBYTES
            yield from ahead(self._in_order()) if large else self._in_order()

    def verify(self) -> None:
        """Compare the CRC-32 of all of the data, and its values with their type; keep nothing."""
        if self._is_stored and not self._has_odd_bits():
            self._check(lambda crc: skim(self._archive.descriptor, *self._place(), crc))
        else:
            for _, piece in self._in_order():
                passed(piece.nbytes)

    def map(self, file: mmap.mmap) -> Host | None:
        """A view of the mapped file; None for what is compressed, in the other byte order, or not aligned.

        Values are compared with their type, where that has bits without a value; nothing else is read.
        """
        if self.why_no_view():
            return None
        offset, nbytes = self._place()
        if len(file) < offset + nbytes:
            raise self._wrong(f'the file has been cut to {len(file)} bytes')
        order: Any = 'F' if self._fortran else 'C'
        view: Host = np.ndarray(self._shape, self._raw, file, offset, order=order)
        self._check_values(view)
        return view.view(self._dtype)

    def why_no_view(self) -> str:
        """Why there is no view; nothing where there is one."""
        if not self._is_stored:
            return 'is compressed'
        if not self._raw.isnative:
            return 'is in the other byte order'
        return 'is not aligned in the file' if self._place()[0] % self._dtype.alignment else ''

    def slice(self, index: Any) -> Host:
        """What basic indexing takes."""
        selection = select(index, self._shape)
        if not self._is_stored:
            return np.array(self.read()[index], self._dtype)
        axes = selection.axes[::-1] if self._fortran else selection.axes
        block = self._take(axes)
        return np.asarray((block.T if self._fortran else block).reshape(selection.shape), order='C')

    def _take(self, axes: tuple[range, ...]) -> Host:
        """What ranges take, with the axes as they are in the file."""
        shape = self._shape[::-1] if self._fortran else self._shape
        dense = Dense(self._archive.descriptor, self._place()[0], shape, self._raw)
        try:
            block = dense.take(Selection(axes, tuple(map(len, axes))))
        except ShortFileError as error:
            raise self._wrong(str(error)) from error
        self._check_values(block)
        return self._native(block)

    def _turned_pieces(self) -> Iterator[tuple[int, Host]]:
        """Rows of an array in Fortran order, each gathered from all over the member."""
        self.verify()
        row = prod(self._shape[1:])
        step = PIECE_NBYTES // (row * self._dtype.itemsize)
        if not step:
            yield from pieces_of(self.read().reshape(-1), PIECE_NBYTES)
            return
        inner = tuple(map(range, self._shape[1:]))
        for i in range(0, self._shape[0], step):
            block = self._take((*inner[::-1], range(i, min(i + step, self._shape[0]))))
            yield i * row, block.T.reshape(-1)

    def _in_order(self) -> Iterator[tuple[int, Host]]:
        """Pieces in the order of the file; two buffers take turns."""
        size = prod(self._shape)
        step = min(size, max(1, PIECE_NBYTES // self._dtype.itemsize))
        stream = self._archive.stream(self._member)
        stream.read(self._head_nbytes)
        buffers = [np.empty(step, self._dtype) for _ in range(1 + (size > step))]
        for turn, start in enumerate(range(0, size, step or 1)):
            piece = buffers[turn % 2][: min(step, size - start)]
            stream.fill(piece.view(np.uint8).data)
            self._check_values(piece.view(self._raw))
            if not self._raw.isnative:
                piece.byteswap(inplace=True)
            yield start, piece
        stream.finish()

    def _read(self, array: Host) -> None:
        """Fill an array that is dense in C order and has the axes as they are in the file."""
        flat = array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)
        if self._is_stored:
            self._check(lambda crc: gulp(self._archive.descriptor, self._place()[0], flat.data, crc))
        else:
            stream = self._archive.stream(self._member)
            stream.read(self._head_nbytes)
            for begin in range(0, flat.size, _PIECE):
                part = flat[begin : begin + _PIECE].data
                stream.fill(part)
                passed(len(part))
            stream.finish()
        self._check_values(array.view(self._raw))
        if not self._raw.isnative:
            array.byteswap(inplace=True)

    def _check(self, sum_data: Callable[[int], int]) -> None:
        head = self._archive.read_at(self._member.start, self._head_nbytes)
        try:
            self._archive.check_crc(self._member, sum_data(crc32(head)))
        except ShortFileError as error:
            raise self._wrong(str(error)) from error

    def _place(self) -> tuple[int, int]:
        """Where the data of a stored member begins in the file, and its size."""
        start = self._member.start + self._head_nbytes
        return start, self._member.stop - start

    def _native(self, array: Host) -> Host:
        return (array if self._raw.isnative else array.byteswap(inplace=True)).view(self._dtype)

    def _has_odd_bits(self) -> bool:
        """Whether the type has bits without a value."""
        return self._raw.kind in 'bU' or self._tag in ('int4', 'uint4')

    def _check_values(self, array: Host) -> None:
        why = unlike_values(array, self._tag)
        if why:
            raise self._wrong(why)

    def _wrong(self, reason: str) -> CorruptFileError:
        return self._archive.corrupt(reason, self._member.name)
