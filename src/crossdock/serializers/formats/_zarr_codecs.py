"""The codecs of Zarr that are read, and no other: nothing is looked up by a name from a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checksum import decompressobj, error
from .._unreadable import Unsupported

__all__ = ['CodecError', 'Pipeline', 'CRC_NBYTES', 'crc32c', 'compressor', 'pipeline']

CRC_NBYTES = 4
_EXTRA = 64  # what checksums may add to a chunk on its way
_ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'
_LEVEL = {'zstd': 3, 'gzip': 4, 'blosc': 5}

Host = np.ndarray[Any, Any]


class CodecError(ValueError):
    """Data or a description that no codec here stands for; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How chunks become bytes.

    Attributes
    ----------
    order : tuple of int or None
        The axes of the array in the order in which they lie in a chunk.
    big : bool
        Whether elements are in big-endian order.
    steps : tuple of str
        Names of what is done to the bytes, in the order of writing.
    """

    order: tuple[int, ...] | None
    big: bool
    steps: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """Whether a chunk lies in its file as it does in memory, with at most a checksum after it."""
        return self.order is None and self.steps in ((), ('crc32c',))

    def decode(self, data: bytes, nbytes: int) -> bytes:
        """The bytes of a chunk, of which there are `nbytes`.

        Raises
        ------
        CodecError
            There are not, or the data is damaged.
        """
        for name in reversed(self.steps):
            data = _DECODERS[name](data, nbytes + _EXTRA)
        if len(data) != nbytes:
            raise CodecError(f'has {len(data)} bytes in place of {nbytes}')
        return data


def pipeline(codecs: Any, ndim: int, itemsize: int) -> Pipeline:
    """Read the list of codecs of an array.

    Raises
    ------
    CodecError
        It is no list of codecs in a possible order.
    Unsupported
        One of them is not known.
    """
    if not isinstance(codecs, list) or len(codecs) > 8:
        raise CodecError("'codecs' is no list, or a long one")
    order: tuple[int, ...] | None = None
    big: bool | None = None
    steps: list[str] = []
    for codec in codecs:
        name, options = _named(codec)
        if name == 'transpose' and big is None:
            order = _transposed(options, order, ndim)
        elif name == 'bytes' and big is None:
            big = _is_big(options, itemsize)
        elif name in _DECODERS and big is not None:
            steps.append(name)
        elif name in ('transpose', 'bytes', *_DECODERS):
            raise CodecError(f'the codec {name!r} has no place among its codecs where it is')
        else:
            raise Unsupported(_unknown(name))
    if big is None:
        raise CodecError("no codec 'bytes' is among its codecs")
    return Pipeline(order, big, tuple(steps))


def _unknown(name: str) -> str:
    if name == 'sharding_indexed':
        return 'is sharded, which is not read: zarr reads it, and writes it without shards'
    known = ', '.join(['transpose', 'bytes', *_DECODERS])
    return f'the codec {name[:40]!r} is unknown; known are {known}: zarr may read it'


def _named(codec: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(codec, str):
        return codec, {}
    if not isinstance(codec, dict) or not isinstance(codec.get('name'), str):
        raise CodecError('a codec has no name')
    options = codec.get('configuration', {})
    if not isinstance(options, dict):
        raise CodecError('the configuration of a codec is no object')
    return codec['name'], options


def _transposed(options: dict[str, Any], order: tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    new = options.get('order')
    if not isinstance(new, list) or not all(type(axis) is int for axis in new) or sorted(new) != list(range(ndim)):
        raise CodecError("the order of 'transpose' is no order of all axes")
    return tuple(order[axis] for axis in new) if order is not None else tuple(new)


def _is_big(options: dict[str, Any], itemsize: int) -> bool:
    endian = options.get('endian')
    if endian not in ('little', 'big', None) or (endian is None and itemsize > 1):
        raise CodecError("'bytes' does not say 'little' or 'big'")
    return bool(endian == 'big')


def crc32c() -> Callable[[int, Any], int]:
    """A function that takes a CRC-32C on over more bytes.

    Raises
    ------
    ImportError
        The library is not installed; the message says what to do.
    """
    try:
        from google_crc32c import extend
    except ImportError as missing:
        raise _missing('google-crc32c', missing) from missing
    found: Callable[[int, Any], int] = extend
    return found


def compressor(name: str, dtype: np.dtype[Any]) -> tuple[dict[str, Any], Callable[[Host], bytes]]:
    """A codec as metadata names it, and the function that packs the one-dimensional bytes of a chunk."""
    level = _LEVEL[name]
    if name == 'gzip':
        return {'name': 'gzip', 'configuration': {'level': level}}, lambda data: _gzipped(data, level)
    if name == 'zstd':
        zstd = _numcodecs('zstd')
        described = {'name': 'zstd', 'configuration': {'level': level, 'checksum': False}}
        return described, lambda data: bytes(zstd.compress(data, level))
    blosc = _numcodecs('blosc')
    options = {'typesize': dtype.itemsize, 'cname': 'lz4', 'clevel': level, 'shuffle': 'shuffle', 'blocksize': 0}
    shuffle = blosc.SHUFFLE
    return (
        {'name': 'blosc', 'configuration': options},
        lambda data: bytes(blosc.compress(data, b'lz4', level, shuffle, 0, dtype.itemsize)),
    )


def _gzipped(data: Host, level: int) -> bytes:
    from zlib import compressobj

    squeeze = compressobj(level, wbits=31)
    return squeeze.compress(data.data) + squeeze.flush()


def _numcodecs(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f'numcodecs.{name}')
    except ImportError as missing:
        raise _missing('numcodecs', missing) from missing


def _missing(name: str, cause: ImportError) -> ImportError:
    return ImportError(f"Zarr stores need {name}: pip install 'crossdock[zarr]'", name=cause.name)


def _un_crc32c(data: bytes, limit: int) -> bytes:
    if len(data) < CRC_NBYTES:
        raise CodecError('is too short for a CRC-32C')
    body, said = data[:-CRC_NBYTES], int.from_bytes(data[-CRC_NBYTES:], 'little')
    found = crc32c()(0, body)
    if found != said:
        raise CodecError(f'its CRC-32C is {found:08x} where the file says {said:08x}: damaged data')
    return body


def _un_gzip(data: bytes, limit: int) -> bytes:
    inflate = decompressobj(wbits=31)
    try:
        out: bytes = inflate.decompress(data, limit)
    except error as wrong:
        raise CodecError(f'its compressed data is damaged ({wrong})') from wrong
    if not inflate.eof:
        raise CodecError('its compressed data does not end where it should')
    return out


def _un_zstd(data: bytes, limit: int) -> bytes:
    size = _zstd_size(data)
    if size is None or size > limit:
        raise CodecError(f'its compressed data says that it has {size} bytes unpacked; at most {limit} fit')
    return _unpacked(_numcodecs('zstd'), data)


def _zstd_size(data: bytes) -> int | None:
    """The size of the content that a frame says; the library takes memory for it."""
    if data[:4] != _ZSTD_MAGIC or len(data) < 6:
        raise CodecError('its compressed data is no zstd')
    flags = data[4]
    at = 5 + (0 if flags & 0x20 else 1) + (0, 1, 2, 4)[flags & 3]
    width = (1 if flags & 0x20 else 0, 2, 4, 8)[flags >> 6]
    field = data[at : at + width]
    if not width or len(field) < width:
        return None
    return int.from_bytes(field, 'little') + (256 if width == 2 else 0)


def _un_blosc(data: bytes, limit: int) -> bytes:
    if len(data) < 16:
        raise CodecError('its compressed data is no blosc')
    size, packed = int.from_bytes(data[4:8], 'little'), int.from_bytes(data[12:16], 'little')
    if size > limit or packed != len(data):
        raise CodecError(f'its compressed data says {packed} bytes packed and {size} unpacked')
    return _unpacked(_numcodecs('blosc'), data)


def _unpacked(library: Any, data: bytes) -> bytes:
    try:
        return bytes(library.decompress(data))
    except (RuntimeError, ValueError, MemoryError) as wrong:
        raise CodecError(f'its compressed data is damaged ({wrong})') from wrong


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    'gzip': _un_gzip,
    'zstd': _un_zstd,
    'blosc': _un_blosc,
    'crc32c': _un_crc32c,
}
