"""The metadata of a Zarr array, ``zarr.json``: read with suspicion, and written."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from .._checksum import crc32
from .._dtypes import TAGGED
from .._path import RESERVED, shown
from .._unreadable import Unsupported
from ..archive._grid import Cell
from ..archive._stored import Storage, TagError, storage_from
from ._zarr_codecs import CodecError, Pipeline, pipeline

__all__ = ['ArrayError', 'ZarrArray', 'read_array', 'write_array', 'data_type_of']

_NAMES = {'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32'}
_NAMES |= {'float64', 'complex64', 'complex128'}
_TIMES = {'numpy.datetime64': 'M8', 'numpy.timedelta64': 'm8'}
_UNITS = ('Y', 'M', 'W', 'D', 'h', 'm', 's', 'ms', 'us', 'μs', 'ns', 'ps', 'fs', 'as', 'generic')
_MEMBERS = {'zarr_format', 'node_type', 'shape', 'data_type', 'chunk_grid', 'chunk_key_encoding', 'fill_value'}
_MEMBERS |= {'codecs', 'attributes', 'dimension_names', 'storage_transformers'}
_SUMMED = ('shape', 'data_type', 'chunk_grid', 'chunk_key_encoding', 'fill_value', 'codecs')
_AXES_MAX = 64
_NBYTES_MAX = 2**63 - 1

Host = np.ndarray[Any, Any]


class ArrayError(ValueError):
    """Metadata that describes no array; the text is the reason."""


@dataclass(frozen=True, slots=True)
class ZarrArray:
    """What the metadata of an array says.

    Attributes
    ----------
    shape, chunk : tuple of int
    storage : Storage
    codecs : Pipeline
    separator : str
    prefix : str
        What names of chunks begin with, ``'c'`` or nothing.
    fill : numpy.ndarray
        0-d; what stands where there is no chunk.
    is_ours : bool
        Whether it was written here: then all chunks are there.
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    storage: Storage
    codecs: Pipeline
    separator: str
    prefix: str
    fill: Host
    is_ours: bool

    @property
    def nbytes(self) -> int:
        """Size of the data, in bytes."""
        return prod(self.shape) * self.storage.stored.itemsize

    @property
    def chunk_nbytes(self) -> int:
        """Size of a chunk, in bytes, in memory."""
        return prod(self.chunk) * self.storage.stored.itemsize

    def name_of(self, cell: Cell) -> str:
        """The file of a chunk, below the folder of the array."""
        parts = [self.prefix] * bool(self.prefix) + [str(at) for at in cell]
        return self.separator.join(parts) or '0'


def read_array(content: dict[str, Any]) -> ZarrArray:
    """Check what ``zarr.json`` of an array says.

    Raises
    ------
    ArrayError
        It is not possible.
    Unsupported
        It is not known here.
    """
    said = _ours(content)  # what was written here is damaged rather than unknown
    for name in sorted(content.keys() - _MEMBERS):
        other = content[name]
        if not isinstance(other, dict) or other.get('must_understand') is not False:
            raise Unsupported(f'{shown(name)} in its metadata is not known here')
    if content.get('storage_transformers'):
        raise Unsupported('storage transformers are not known here')
    shape = _sizes(content.get('shape'), 'shape', 0)
    grid_name, grid = _named(content.get('chunk_grid'), 'chunk_grid')
    if grid_name != 'regular':
        raise Unsupported(f'the chunk grid {shown(grid_name)} is not known here')
    chunk = _sizes(grid.get('chunk_shape'), 'chunk_shape', 1)
    if len(chunk) != len(shape):
        raise ArrayError(f'its chunks have {len(chunk)} axes, and its shape {len(shape)}')
    dtype = _dtype(content.get('data_type'))
    for what, sizes in (('shape', shape), ('chunks', chunk)):
        if prod(n for n in sizes if n) * dtype.itemsize > _NBYTES_MAX:
            raise ArrayError(f'its {what} {sizes} have more elements than can be counted')
    try:
        codecs = pipeline(content.get('codecs'), len(shape), dtype.itemsize)
        stored = dtype.newbyteorder('>' if codecs.big else '<')
        tag = said.get('dtype') if said else None
        if tag is not None and tag not in TAGGED:
            raise ArrayError(f'{shown(tag)} names no data type')
        storage = storage_from(stored, tag)
    except (CodecError, TagError) as error:
        raise ArrayError(str(error)) from error
    prefix, separator = _keys(content.get('chunk_key_encoding'))
    fill = _fill(content.get('fill_value'), stored)
    return ZarrArray(shape, chunk, storage, codecs, separator, prefix, fill, said is not None)


def write_array(
    shape: tuple[int, ...], chunk: tuple[int, ...], storage: Storage, codecs: list[dict[str, Any]]
) -> bytes:
    """``zarr.json`` of an array."""
    stored = storage.stored
    order: dict[str, Any] = {'name': 'bytes'}
    if stored.itemsize > 1:
        order['configuration'] = {'endian': 'little'}
    content: dict[str, Any] = {
        'zarr_format': 3,
        'node_type': 'array',
        'shape': list(shape),
        'data_type': data_type_of(stored),
        'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': list(chunk)}},
        'chunk_key_encoding': {'name': 'default', 'configuration': {'separator': '/'}},
        'fill_value': _zero(stored),
        'codecs': [order, *codecs],
    }
    said: dict[str, Any] = {} if storage.tag is None else {'dtype': storage.tag}
    content['attributes'] = {RESERVED: {**said, 'crc32': _sum(content, storage.tag)}}
    return json.dumps(content, allow_nan=False).encode()


def data_type_of(dtype: np.dtype[Any]) -> str | dict[str, Any]:
    """The data type as metadata names it.

    Raises
    ------
    TypeError
        It has no name there.
    """
    if dtype.kind in 'US' and dtype.itemsize:
        name = 'fixed_length_utf32' if dtype.kind == 'U' else 'null_terminated_bytes'
        return {'name': name, 'configuration': {'length_bytes': dtype.itemsize}}
    if dtype.kind in 'mM':
        unit, count = np.datetime_data(dtype)
        name = next(name for name, code in _TIMES.items() if code[0] == dtype.kind)
        return {'name': name, 'configuration': {'unit': unit, 'scale_factor': count}}
    if dtype.name in _NAMES:
        return dtype.name
    raise TypeError(f'Zarr has no data type for {dtype}')


def _sum(content: dict[str, Any], tag: str | None) -> int:
    """A checksum over what decides how data is read, however the file is laid out."""
    told = [content.get(name) for name in _SUMMED]
    return crc32(json.dumps([*told, tag], sort_keys=True).encode())


def _ours(content: dict[str, Any]) -> dict[str, Any] | None:
    """What we said about the array, if we wrote it."""
    attributes = content.get('attributes', {})
    if not isinstance(attributes, dict):
        raise ArrayError("'attributes' is no object")
    said = attributes.get(RESERVED)
    if said is None:
        return None
    if not isinstance(said, dict) or not said.keys() <= {'dtype', 'crc32'} or type(said.get('crc32')) is not int:
        raise ArrayError(f'its attribute {RESERVED!r} is wrong')
    tag = said.get('dtype')
    if tag is not None and not isinstance(tag, str):
        raise ArrayError(f'its attribute {RESERVED!r} is wrong')
    if said['crc32'] != _sum(content, tag):
        raise ArrayError('its metadata does not have the CRC-32 that it was saved with: damaged, or changed since')
    return said


def _sizes(value: Any, what: str, least: int) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > _AXES_MAX:
        raise ArrayError(f'{what!r} is no list of at most {_AXES_MAX} numbers')
    if not all(type(n) is int and least <= n <= _NBYTES_MAX for n in value):
        raise ArrayError(f'{what!r} has something else than whole numbers from {least} on: {shown(value)}')
    return tuple(value)


def _named(value: Any, what: str) -> tuple[str, dict[str, Any]]:
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict) or not isinstance(value.get('name'), str):
        raise ArrayError(f'{what!r} has no name')
    options = value.get('configuration', {})
    if not isinstance(options, dict):
        raise ArrayError(f'the configuration of {what!r} is no object')
    return value['name'], options


def _dtype(value: Any) -> np.dtype[Any]:
    name, options = _named(value, 'data_type')
    if name in _NAMES:
        return np.dtype(name)
    if name in ('fixed_length_utf32', 'null_terminated_bytes'):
        nbytes, step = options.get('length_bytes'), 4 if name == 'fixed_length_utf32' else 1
        if type(nbytes) is int and 0 < nbytes < 2**31 and not nbytes % step:
            return np.dtype(f'{"U" if step == 4 else "S"}{nbytes // step}')
    if name in _TIMES:
        unit, count = options.get('unit'), options.get('scale_factor')
        if unit in _UNITS and type(count) is int and 0 < count < 2**31:
            return np.dtype(_TIMES[name] if unit == 'generic' else f'{_TIMES[name]}[{count}{unit}]')
    if name in ('fixed_length_utf32', 'null_terminated_bytes', *_TIMES):
        raise ArrayError(f'its data type {shown(value)} is none that an array can have')
    raise Unsupported(f'its data type {shown(value)} is none that is read here: zarr may read it')


def _keys(value: Any) -> tuple[str, str]:
    name, options = _named(value, 'chunk_key_encoding')
    separator = options.get('separator', '/' if name == 'default' else '.')
    if name not in ('default', 'v2') or separator not in ('/', '.'):
        raise Unsupported('its names of chunks follow no rule that is known here')
    return 'c' if name == 'default' else '', separator


def _zero(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in 'mM':
        return -(2**63)  # not a time
    if dtype.kind == 'c':
        return [0.0, 0.0]
    return '' if dtype.kind in 'US' else np.zeros((), dtype).item()


def _fill(value: Any, dtype: np.dtype[Any]) -> Host:
    try:
        return np.array(_filling(value, dtype)).astype(dtype, casting='unsafe').reshape(())
    except (TypeError, ValueError, OverflowError) as error:
        raise ArrayError(f'its fill value {shown(value)} is none of its data type') from error


def _filling(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == 'c' and isinstance(value, list) and len(value) == 2:
        part = np.dtype(f'f{dtype.itemsize // 2}')
        return complex(float(_filling(value[0], part)), float(_filling(value[1], part)))
    if dtype.kind == 'f' and isinstance(value, str):
        if value.startswith('0x'):
            return np.array(int(value, 16), f'u{dtype.itemsize}').view(f'f{dtype.itemsize}')[()]
        return _FLOATS[value] if value in _FLOATS else _no(value)
    if dtype.kind == 'S' and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    if dtype.kind in 'mM':
        count = -(2**63) if value == 'NaT' else value
        return np.array(count if type(count) is int else _no(value), 'i8').view(dtype.newbyteorder('='))
    kinds = {'b': bool, 'U': str}.get(dtype.kind, int)
    if type(value) is kinds or (dtype.kind in 'fc' and type(value) is float):
        return np.array(value, dtype.newbyteorder('='))
    return _no(value)


_FLOATS = {'NaN': math.nan, 'Infinity': math.inf, '-Infinity': -math.inf}


def _no(value: Any) -> Any:
    raise TypeError(f'{value!r:.40}')
