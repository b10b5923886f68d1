"""Data types in files: their names, the types NumPy lacks, and which casts a load may do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

__all__ = ['TAGGED', 'dtype_named', 'dtype_like', 'name_of', 'refusal', 'can_cast', 'narrows']

# Types that NumPy has no name for, with the unsigned integer that carries their bits.
TAGGED = {
    'bfloat16': '<u2',
    'float8_e3m4': '|u1',
    'float8_e4m3': '|u1',
    'float8_e4m3b11fnuz': '|u1',
    'float8_e4m3fn': '|u1',
    'float8_e4m3fnuz': '|u1',
    'float8_e5m2': '|u1',
    'float8_e5m2fnuz': '|u1',
    'float8_e8m0fnu': '|u1',
    'int4': '|u1',
    'uint4': '|u1',
}

# A cast goes from a kind to the same or a later one: bool, integer, floating, complex.
_RANKS = {'b': 0, 'u': 1, 'i': 2, 'f': 3, 'c': 4}


@cache
def dtype_named(name: str) -> np.dtype[Any]:
    """The NumPy data type called `name`, ml_dtypes' included.

    Raises
    ------
    TypeError
        Nobody knows the name.
    """
    if name in TAGGED:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    return np.dtype(name)


def dtype_like(dtype: Any) -> np.dtype[Any]:
    """The NumPy data type of another library's `dtype`, by its name (``torch.float32``, ``float32``)."""
    return dtype if isinstance(dtype, np.dtype) else dtype_named(str(dtype).rpartition('.')[2])


def name_of(dtype: np.dtype[Any]) -> str:
    """The name that messages and tags use, without byte order."""
    return 'str' if dtype.kind == 'U' else 'bytes' if dtype.kind == 'S' else dtype.name


def _kind(dtype: np.dtype[Any]) -> str:
    if dtype.kind != 'V' or dtype.name not in TAGGED:
        return dtype.kind
    return 'u' if dtype.name.startswith('uint') else 'i' if dtype.name.startswith('int') else 'f'


def refusal(dtype: np.dtype[Any]) -> str | None:
    """Why no file can hold `dtype`, or None when one can."""
    if dtype.hasobject:
        return (
            'Python objects would need pickle, which no file of ours holds; make numbers or text of it by astype(),'
            ' or a list of arrays'
        )
    if dtype.names is not None:
        return 'structured arrays are not supported; save each field by itself'
    if dtype.kind in 'biufcSUmM' or dtype.name in TAGGED:
        return None
    return 'it has no name in a file; view it as an unsigned integer'


def can_cast(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether a load may convert: the kind may widen (bool, int, float, complex) but never narrow.

    Examples
    --------
    >>> can_cast(np.dtype('float64'), np.dtype('float32')), can_cast(np.dtype('float64'), np.dtype('int32'))
    (True, False)
    """
    have, want = _kind(source), _kind(target)
    if have not in _RANKS or want not in _RANKS:
        return have == want
    return _RANKS[have] <= _RANKS[want]


def narrows(host: np.ndarray[Any, Any], target: np.dtype[Any]) -> bool:
    """Whether numbers in `host` do not fit `target`: converting would change integers, or make finite ones infinite."""
    if not host.size or host.dtype == target:
        return False
    if _kind(target) in 'fc' and _kind(host.dtype) in 'iufc':
        return _overflows(host, target)
    if _kind(host.dtype) not in 'iu' or _kind(target) not in 'iu':
        return False
    low, high = _integer_range(target)
    return int(host.min()) < low or int(host.max()) > high


def _overflows(host: np.ndarray[Any, Any], target: np.dtype[Any]) -> bool:
    if host.dtype.itemsize < target.itemsize and _kind(host.dtype) == _kind(target):
        return False
    with np.errstate(over='ignore', invalid='ignore'):
        converted = host.astype(target)
    return bool((np.isfinite(host) & ~np.isfinite(converted)).any())


def _integer_range(dtype: np.dtype[Any]) -> tuple[int, int]:
    bits = 4 if dtype.kind == 'V' else dtype.itemsize * 8
    return (0, 2**bits - 1) if _kind(dtype) == 'u' else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
