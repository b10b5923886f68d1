"""Which data types travel, how they are named, and which turn into which."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from crossdock.errors import DtypeError

__all__ = ['STANDARD', 'can_cast', 'cast_into', 'check_travels', 'is_extended', 'kind_of', 'resolve_dtype']

#: Names of the data types that every array library has.
STANDARD = frozenset(
    {'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'}
    | {'float16', 'float32', 'float64', 'complex64', 'complex128'}
)

# Names and not types: importing ml_dtypes takes milliseconds, and most programs have no such array.
_EXTENDED = re.compile(r'bfloat16|float[468]_\w+|u?int[124]|b?complex32', re.ASCII)
_KINDS = (('uint', 'u'), ('int', 'i'), ('complex', 'c'), ('bcomplex', 'c'))
_RANK = {'b': 0, 'u': 1, 'i': 2, 'f': 3, 'c': 4}
_TRAVELLERS = frozenset(map(np.dtype, STANDARD))
_ADVICE = {
    'O': 'object arrays hold Python objects, which no device has; convert it with astype() first',
    'S': 'byte strings do not travel; view it as uint8 first',
    'U': 'strings do not travel; encode them as numbers first',
    'T': 'strings do not travel; encode them as numbers first',
    'V': 'structured arrays do not travel; send the fields one by one',
    'M': "dates do not travel; send its view('int64') and keep the unit",
    'm': "time spans do not travel; send its view('int64') and keep the unit",
}


def is_extended(dtype: np.dtype[Any]) -> bool:
    """Whether the data type is one of those that `ml_dtypes` adds to NumPy."""
    return dtype.type.__module__ == 'ml_dtypes'


def check_travels(dtype: np.dtype[Any]) -> None:
    """Refuse the data types that no two libraries agree about.

    Raises
    ------
    DtypeError
        With advice.
    """
    if dtype in _TRAVELLERS:
        return
    if dtype.kind in 'biufc' or is_extended(dtype):
        if not dtype.isnative:
            raise DtypeError(
                f'{dtype.name} in foreign byte order ({dtype.str}) does not travel; '
                "byte-swap it first: x.astype(x.dtype.newbyteorder('='))",
                dtype=dtype,
            )
        if dtype.itemsize > (16 if dtype.kind == 'c' else 8):
            raise DtypeError(f'{dtype.name} is known to NumPy alone; convert it with astype() first', dtype=dtype)
        return
    raise DtypeError(f'{dtype} is refused: {_ADVICE.get(dtype.kind, "it is no number")}', dtype=dtype)


def resolve_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy data type of a name, a NumPy or ml_dtypes type, or a dtype of the core's.

    Raises
    ------
    DtypeError
        It names no data type, or one that does not travel.
    """
    try:
        found: np.dtype[Any] = np.dtype(_numpy_dtype(dtype))
    except (TypeError, ValueError) as error:
        raise DtypeError(f'{dtype!r} names no data type: {error}', dtype=dtype) from None
    check_travels(found)
    return found


def _numpy_dtype(dtype: Any) -> Any:
    if isinstance(dtype, str) and _EXTENDED.fullmatch(dtype):
        import ml_dtypes

        return getattr(ml_dtypes, dtype, dtype)
    return getattr(dtype, 'numpy_dtype', dtype)


def can_cast(source: np.dtype[Any], target: np.dtype[Any], casting: str) -> bool:
    """As `numpy.can_cast`, with the types of `ml_dtypes` counted among their kinds.

    NumPy's own answers about those are of no use: it lets complex numbers become bfloat16 as of the same kind.

    Raises
    ------
    ValueError
        There is no such casting rule.
    """
    known = np.can_cast(source, target, casting)  # type: ignore[arg-type]
    if casting not in ('same_kind', 'unsafe') or not (is_extended(source) or is_extended(target)):
        return known
    return casting == 'unsafe' or _RANK[kind_of(source)] <= _RANK[kind_of(target)]


def kind_of(dtype: np.dtype[Any]) -> str:
    """The kind as NumPy's letter; for types of `ml_dtypes`, whose letter says nothing, that of their values."""
    if not is_extended(dtype):
        return dtype.kind
    return next((kind for start, kind in _KINDS if dtype.name.startswith(start)), 'f')


def cast_into(dst: np.ndarray[Any, Any], src: np.ndarray[Any, Any], *, where: Any = True) -> None:
    """Write `src` into `dst`; broadcasts, and casts without a check."""
    if not np.can_cast(src.dtype, dst.dtype, 'unsafe'):
        # ml_dtypes lacks some of the ways between its own types.
        whole = kind_of(src.dtype) in 'iu' and kind_of(dst.dtype) in 'iu'
        src = src.astype(np.int8 if whole else np.float32)
    np.copyto(dst, src, casting='unsafe', where=where)
