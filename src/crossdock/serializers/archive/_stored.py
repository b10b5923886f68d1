"""How data types lie in files whose own types are NumPy's: those that have no word there as bits, with a tag beside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._dtypes import TAGGED, dtype_named

__all__ = ['Storage', 'TagError', 'storage_for', 'storage_from', 'encoded', 'decoded']

Host = np.ndarray[Any, Any]

_TEXT = re.compile(r'U[1-9]\d{0,7}')
_TIME = re.compile(r'[mM]8(\[(\d{1,9})?[A-Za-zμ]{1,7}\])?')


class TagError(ValueError):
    """A tag that means nothing here; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Storage:
    """A data type, and how it lies in a file.

    Attributes
    ----------
    dtype : numpy.dtype
        What it is in memory, in native byte order.
    stored : numpy.dtype
        What the file holds, in the byte order of the file.
    tag : str or None
        What the file has to say beside it.
    """

    dtype: np.dtype[Any]
    stored: np.dtype[Any]
    tag: str | None = None

    @property
    def swapped(self) -> bool:
        """Whether the file has the other byte order."""
        return not self.stored.isnative

    @property
    def is_view(self) -> bool:
        """Whether the bytes in the file are those in memory."""
        return self.stored.isnative and self.dtype.kind != 'U' and self.dtype.itemsize == self.stored.itemsize


def storage_for(dtype: np.dtype[Any]) -> Storage:
    """How an array of `dtype`, which is in native byte order, is written: in little-endian order."""
    if dtype.name in TAGGED:
        return Storage(dtype, np.dtype(TAGGED[dtype.name]), dtype.name)
    if dtype.kind == 'U':
        # UTF-8 never takes more bytes than the four per character that NumPy has.
        return Storage(dtype, np.dtype(f'S{dtype.itemsize}'), dtype.str[1:])
    if dtype.kind in 'mM':
        return Storage(dtype, np.dtype('<i8'), dtype.str[1:])
    return Storage(dtype, dtype.newbyteorder('<'))


def storage_from(stored: np.dtype[Any], tag: str | None) -> Storage:
    """What a file holds that has data of `stored` with that tag.

    Raises
    ------
    TagError
        The tag is unknown, or does not fit.
    """
    if tag is None:
        return Storage(stored.newbyteorder('='), stored)
    try:
        dtype = _tagged(tag)
    except (TypeError, ValueError) as error:
        raise TagError(f'{tag[:40]!r} names no data type') from error
    wanted = storage_for(dtype).stored
    if (stored.kind, stored.itemsize) != (wanted.kind, wanted.itemsize):
        raise TagError(f'{stored} cannot hold the bits of {tag}')
    return Storage(dtype, stored, tag)


def _tagged(tag: str) -> np.dtype[Any]:
    if tag in TAGGED:
        return dtype_named(tag)
    if _TEXT.fullmatch(tag) or _TIME.fullmatch(tag):
        return np.dtype(tag)
    raise ValueError(tag)


def encoded(piece: Host, storage: Storage) -> Host:
    """One-dimensional data as the file has it."""
    if storage.tag is None:
        return piece.astype(storage.stored, copy=False)
    if storage.dtype.kind == 'U':
        return np.char.encode(piece, 'utf-8', 'surrogatepass').astype(storage.stored)
    bits = piece.view(storage.stored.newbyteorder('='))
    return bits.astype(storage.stored, copy=False)


def decoded(piece: Host, storage: Storage) -> Host:
    """What `encoded` was given, from what it gave; a view where the bytes are the same.

    Raises
    ------
    UnicodeError
        The file does not hold text.
    """
    if storage.swapped:
        piece = piece.astype(piece.dtype.newbyteorder('='))
    if storage.tag is None:
        return piece
    if storage.dtype.kind == 'U':
        return np.char.decode(piece, 'utf-8', 'surrogatepass').astype(storage.dtype)
    return piece.view(storage.dtype)
