"""Does what a file holds fit what a target has? Decided from shapes and types alone, then from integers' values."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._dtypes import can_cast, name_of, narrows
from ._format import Entry
from ._leaf import SCALARS

__all__ = ['describe_entry', 'describe_value', 'fits', 'wanted_dtype', 'may_lose', 'loses']

_SCALAR_DTYPES = {
    bool: np.dtype('bool'),
    int: np.dtype('int64'),
    float: np.dtype('float64'),
    complex: np.dtype('complex128'),
    str: np.dtype('U1'),
    bytes: np.dtype('S1'),
}


def describe_entry(entry: Entry) -> str:
    """What is in the file, in words: ``'float32 (3, 4)'``."""
    return 'None' if entry.dtype is None else f'{name_of(entry.dtype)} {entry.shape}'


def describe_value(value: Any) -> str:
    """What the target has, in the same words."""
    if value is None:
        return 'None'
    if isinstance(value, SCALARS) and not isinstance(value, np.generic):
        return f'a Python {type(value).__name__}'
    return f'{name_of(_arrays.dtype_of(value))} {tuple(value.shape)}'


def wanted_dtype(value: Any) -> np.dtype[Any]:
    """The data type that a target's leaf asks for."""
    if isinstance(value, SCALARS) and not isinstance(value, np.generic):
        return next(dtype for kind, dtype in _SCALAR_DTYPES.items() if isinstance(value, kind))
    return _arrays.dtype_of(value)


def fits(entry: Entry, value: Any) -> bool:
    """Whether the entry may take the place of `value`: same shape, no narrowing of the kind.

    None in the target takes anything; None in the file only fits None.
    """
    if value is None:
        return True
    if entry.dtype is None:
        return False
    return entry.shape == tuple(getattr(value, 'shape', ())) and can_cast(entry.dtype, wanted_dtype(value))


def may_lose(entry: Entry, value: Any) -> bool:
    """Whether `loses` has to look at the data at all."""
    return not (isinstance(value, SCALARS) and not isinstance(value, np.generic)) and entry.dtype != wanted_dtype(value)


def loses(host: np.ndarray[Any, Any], value: Any) -> bool:
    """Whether converting to the target's type would change integers, overflow to infinity, or cut text."""
    if isinstance(value, SCALARS) and not isinstance(value, np.generic):
        return False
    dtype = wanted_dtype(value)
    if dtype.kind in 'SU' and dtype.itemsize < host.dtype.itemsize:
        return bool((host.astype(dtype) != host).any())
    return narrows(host, dtype)
