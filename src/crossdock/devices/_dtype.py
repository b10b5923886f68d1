"""Which data types travel, and how they are named."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossdock.errors import DtypeError

__all__ = ['STANDARD', 'can_cast', 'check_travels', 'is_extended', 'resolve_dtype']

#: Names of the data types that every array library has.
STANDARD = frozenset(
    {'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'}
    | {'float16', 'float32', 'float64', 'complex64', 'complex128'}
)

# Names and not types: importing ml_dtypes takes milliseconds, and most programs have no such array.
_EXTENDED = {'bfloat16': 'f', 'int2': 'i', 'int4': 'i', 'uint2': 'u', 'uint4': 'u'}
_RANK = {'b': 0, 'u': 1, 'i': 2, 'f': 3, 'c': 4}
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
    if isinstance(dtype, str) and (dtype in _EXTENDED or dtype.startswith('float8_')):
        import ml_dtypes

        return getattr(ml_dtypes, dtype)
    return getattr(dtype, 'numpy_dtype', dtype)


def can_cast(source: np.dtype[Any], target: np.dtype[Any], casting: str) -> bool:
    """As `numpy.can_cast`, with the types of `ml_dtypes` counted among their kinds.

    Raises
    ------
    ValueError
        There is no such casting rule.
    """
    if np.can_cast(source, target, casting):  # type: ignore[arg-type]
        return True
    if casting != 'same_kind' or not (is_extended(source) or is_extended(target)):
        return False
    return _RANK[_kind(source)] <= _RANK[_kind(target)]


def _kind(dtype: np.dtype[Any]) -> str:
    return _EXTENDED.get(dtype.name, 'f') if is_extended(dtype) else dtype.kind
