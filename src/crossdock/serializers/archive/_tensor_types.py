"""How a data type lies in a safetensors file: under a name of the format, or as bits with a tag of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._dtypes import TAGGED, dtype_named, name_of
from .._unreadable import Unsupported

__all__ = ['TYPES', 'TAGS', 'Storage', 'TypeFault', 'storage_of', 'meaning_of', 'size_of']

# The format's names in the order in which its files are laid out, last first, which keeps all data aligned.
TYPES = {
    'BOOL': 'bool',
    'U8': 'uint8',
    'I8': 'int8',
    'F8_E5M2': 'float8_e5m2',
    'F8_E4M3': 'float8_e4m3fn',
    'F8_E8M0': 'float8_e8m0fnu',
    'F8_E4M3FNUZ': 'float8_e4m3fnuz',
    'F8_E5M2FNUZ': 'float8_e5m2fnuz',
    'I16': 'int16',
    'U16': 'uint16',
    'F16': 'float16',
    'BF16': 'bfloat16',
    'I32': 'int32',
    'U32': 'uint32',
    'F32': 'float32',
    'C64': 'complex64',
    'F64': 'float64',
    'I64': 'int64',
    'U64': 'uint64',
}
_NAMES = {dtype: name for name, dtype in TYPES.items()}
_PACKED = ('F4', 'F6_E2M3', 'F6_E3M2')

# Types that the format lacks, and those that carry their bits; text and complex128 have one more axis there.
TAGS = {name: 'U8' for name in TAGGED if name not in _NAMES} | {'complex128': 'F64', 'str': 'U32', 'bytes': 'U8'}
_WITH_AXIS = ('complex128', 'str', 'bytes')

_MAX_NDIM = 64
_MAX_NBYTES = 2**63 - 1
_MAX_TEXT_NBYTES = 2**31 - 1


class TypeFault(ValueError):
    """A type, or a shape of that type, that no file or no array can have; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Storage:
    """What stands in the file for an array.

    Attributes
    ----------
    dtype : str
        The format's name of the type.
    shape : tuple of int
        With one more axis for text and complex128.
    tag : str or None
        What the type is called with us, where the format has no name for it.
    """

    dtype: str
    shape: tuple[int, ...]
    tag: str | None = None


def storage_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Storage:
    """How an array is stored.

    Raises
    ------
    TypeFault
        The format has nothing for it; the text has advice.
    """
    name = name_of(dtype)
    if name in _NAMES:
        return Storage(_NAMES[name], shape)
    if name in _WITH_AXIS:
        width = dtype.itemsize // np.dtype(TYPES[TAGS[name]]).itemsize
        return Storage(TAGS[name], (*shape, width), name)
    if name in TAGS:
        return Storage(TAGS[name], shape, name)
    advice = 'view it as int64' if dtype.kind in 'mM' else 'convert it, or save as npz'
    raise TypeFault(f'safetensors has nothing for {name}: {advice}')


def meaning_of(storage: Storage) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The data type and shape of the array that a file stores in this way.

    Raises
    ------
    TypeFault
        No array of the type can have that shape.
    Unsupported
        The type is not known.
    """
    size_of(storage)
    dtype, shape, tag = dtype_named(TYPES[storage.dtype]), storage.shape, storage.tag
    if tag is not None:
        if storage.dtype != TAGS[tag]:
            raise TypeFault(f'{storage.dtype} cannot hold the bits of {tag}')
        if tag in _WITH_AXIS:
            dtype, shape = _folded(tag, shape, dtype.itemsize)
        else:
            dtype = dtype_named(tag)
    if len(shape) > _MAX_NDIM:
        raise TypeFault(f'no array can have {len(shape)} axes')
    return dtype, shape


def size_of(storage: Storage) -> int:
    """Size of the data; in Python's integers, since the product may pass 64 bits.

    Raises
    ------
    TypeFault
        No array of the type can have that size.
    Unsupported
        The type is not known.
    """
    if storage.dtype in _PACKED:
        raise Unsupported(f'{storage.dtype} packs its elements into parts of bytes, which is not supported')
    if storage.dtype not in TYPES:
        raise Unsupported(f'unknown data type {storage.dtype[:40]!r}, of a later version of safetensors perhaps')
    # NumPy wants the extent of every axis to fit, also beside an axis of length 0.
    extent = dtype_named(TYPES[storage.dtype]).itemsize
    for n in storage.shape:
        extent *= n or 1
    if extent > _MAX_NBYTES:
        raise TypeFault(f'no array of {storage.dtype} can have the shape {list(storage.shape[:8])}')
    return 0 if 0 in storage.shape else extent


def _folded(tag: str, shape: tuple[int, ...], itemsize: int) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type that takes in the last axis, and the shape without it."""
    width = shape[-1] if shape else 0
    if not width or (tag == 'complex128' and width != 2) or width * itemsize > _MAX_TEXT_NBYTES:
        raise TypeFault(f'a shape of {list(shape[-4:])} cannot hold the bits of {tag}')
    spelling = {'complex128': 'c16', 'str': f'U{width}', 'bytes': f'S{width}'}[tag]
    return np.dtype(spelling), shape[:-1]
