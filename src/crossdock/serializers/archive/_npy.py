"""The header of a ``.npy`` file, read by a grammar of its own: no expression in it is ever evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .._unreadable import Unsupported

__all__ = ['MAGIC', 'Header', 'HeaderError', 'read_header', 'write_header', 'OBJECT']

MAGIC = b'\x93NUMPY'
OBJECT = '|O'

_MAX_HEADER = 16 * 1024
_MAX_NDIM = 64
_MAX_NBYTES = 2**63 - 1
_ALIGNMENT = 64

_DESCR = re.compile(
    r'[<>=|](?:b1|[iu][1248]|f(?:2|4|8|16)|c(?:8|16|32)|[SU][0-9]{1,10}|[mM]8(?:\[[0-9]{0,9}[A-Za-z]{1,2}\])?)',
    re.ASCII,
)
_OTHER = re.compile(r'[<>=|]?[A-Za-z][0-9]{0,10}(?:\[[^\[\]]{0,40}\])?', re.ASCII)
_ITEM = re.compile(
    r"""\s*(?P<quote>['"])(?P<key>descr|fortran_order|shape)(?P=quote)\s*:\s*(?:
        (?P<descr>'[^'\\\n]*'|"[^"\\\n]*")
      | (?P<fortran>True|False)
      | \((?P<shape>[^()]*)\)
    )\s*(?:,|(?=\}))""",
    re.VERBOSE,
)
_SIZE = re.compile('[0-9]{1,20}L?')  # with the L of Python 2


class HeaderError(ValueError):
    """A header that is not one; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a ``.npy`` header says.

    Attributes
    ----------
    descr : str
        The data type as NumPy spells it in files (``'<f8'``).
    fortran : bool
        Whether the data lies in Fortran order.
    shape : tuple of int
    """

    descr: str
    fortran: bool
    shape: tuple[int, ...]

    def dtype(self) -> np.dtype[Any]:
        """The data type.

        Raises
        ------
        HeaderError
            It is none.
        Unsupported
            It is none that is read here.
        """
        if not _DESCR.fullmatch(self.descr):
            raise _unknown_type(self.descr)
        try:
            return np.dtype(self.descr)
        except (TypeError, ValueError) as error:
            raise HeaderError(f'unknown data type {self.descr[:40]!r}') from error

    def nbytes(self) -> int:
        """Size of the data; in Python's integers, since the product may pass 64 bits.

        Raises
        ------
        HeaderError, Unsupported
            No array can have that size, or that type.
        """
        itemsize = self.dtype().itemsize
        # NumPy wants the extent of every axis to fit, also beside an axis of length 0.
        extent = itemsize
        for n in self.shape:
            extent *= n or 1
        if len(self.shape) > _MAX_NDIM or extent > _MAX_NBYTES:
            raise HeaderError(f'no array can have the shape {_shown(self.shape)} of {self.descr!r}')
        if not itemsize:
            raise HeaderError(f'a data type of no size, {self.descr!r}')
        return 0 if 0 in self.shape else extent


def read_header(read: Callable[[int], bytes]) -> Header:
    """Read a header, and nothing after it.

    Parameters
    ----------
    read : callable
        ``read(n)`` gives the next `n` bytes, or fewer at the end.

    Raises
    ------
    HeaderError
        It is not a header.
    Unsupported
        It is one of a later version, or of data with fields.
    """
    start = read(10)
    if not start.startswith(MAGIC):
        raise HeaderError(_what_else(start))
    if len(start) < 10:
        raise HeaderError('ends within its header')
    version = tuple(start[6:8])
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise Unsupported(f'has a .npy header of version {version[0]}.{version[1]}; known are 1.0 to 3.0')
    width = start[8:10] if version == (1, 0) else start[8:10] + read(2)
    length = int.from_bytes(width, 'little')
    if length > _MAX_HEADER:
        raise HeaderError(f'its header claims {length} bytes; at most {_MAX_HEADER} are accepted')
    body = read(length)
    if len(body) < length:
        raise HeaderError('ends within its header')
    try:
        return _parse(body.decode('utf-8' if version == (3, 0) else 'latin-1'))
    except UnicodeDecodeError as error:
        raise HeaderError('its header is not text') from error


def write_header(header: Header) -> bytes:
    """The header as NumPy writes it, padded so that the data begins at a multiple of 64 bytes."""
    text = f"{{'descr': {header.descr!r}, 'fortran_order': {header.fortran!r}, 'shape': {header.shape!r}, }}"
    padding = -(len(MAGIC) + 4 + len(text) + 1) % _ALIGNMENT
    body = (text + ' ' * padding + '\n').encode('ascii')
    return MAGIC + b'\x01\x00' + len(body).to_bytes(2, 'little') + body


@lru_cache(maxsize=64)  # the layers of a model have few shapes
def _parse(text: str) -> Header:
    text = text.strip()
    found: dict[str, Any] = {}
    if not (text.startswith('{') and text.endswith('}')):
        raise HeaderError('its header is not a dictionary')
    position = 1
    while text[position:].strip() != '}':
        item = _ITEM.match(text, position)
        if item is None:
            raise _bad_item(text[position:].strip())
        key = item['key']
        if key in found:
            raise HeaderError(f'its header has {key!r} twice')
        value = item[{'descr': 'descr', 'fortran_order': 'fortran', 'shape': 'shape'}[key]]
        if value is None:
            raise HeaderError(f'its header has no proper {key!r}')
        found[key] = value
        position = item.end()
    if len(found) != 3:
        raise HeaderError(f'its header lacks {sorted({"descr", "fortran_order", "shape"} - set(found))}')
    return Header(found['descr'][1:-1], found['fortran_order'] == 'True', _parse_shape(found['shape']))


def _parse_shape(text: str) -> tuple[int, ...]:
    sizes = [size.strip() for size in text.split(',')]
    if sizes[-1] == '' and sizes != ['', '']:
        sizes.pop()
    elif len(sizes) == 1:
        raise HeaderError(f'its shape is not a tuple: ({text[:60]})')
    if not all(map(_SIZE.fullmatch, sizes)):
        raise HeaderError(f'its shape is not a tuple of sizes: ({text[:60]})')
    return tuple(int(size.removesuffix('L')) for size in sizes)


def _unknown_type(descr: str) -> ValueError:
    if re.fullmatch(r'[<>=|]?V[0-9]+', descr):
        return Unsupported(
            f'raw bytes without a meaning ({descr!r}), as numpy.savez leaves of bfloat16 and float8, or of fields:'
            " numpy.load reads them; save such arrays with crossdock, or their bits by view('uint16')"
        )
    if _OTHER.fullmatch(descr):
        return Unsupported(f'unknown data type {descr!r}')
    return HeaderError(f'unknown data type {descr[:40]!r}')


def _bad_item(text: str) -> ValueError:
    if re.match(r"""['"]descr['"]\s*:\s*[\[(]""", text):
        return Unsupported('a structured data type, which is not supported: numpy.load reads it; save each field alone')
    if re.match(r"""['"]shape['"]\s*:""", text):
        return HeaderError(f'its shape is not a tuple of sizes: {text[:60]!r}')
    return HeaderError(f'its header holds something else than descr, fortran_order and shape: {text[:60]!r}')


def _what_else(data: bytes) -> str:
    if data[:1] == b'\x80':
        return 'a pickle, which is never loaded'
    return f'not an array: it begins with {data[:8]!r} where a .npy file has {MAGIC!r}'


def _shown(shape: tuple[int, ...]) -> str:
    return str(shape) if len(shape) <= 8 else f'({", ".join(map(str, shape[:8]))}, ...) of {len(shape)} axes'
