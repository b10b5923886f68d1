"""Data types: the objects, their NumPy counterparts, and the standard's questions about them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..errors import DtypeError
from . import _core
from ._core import Array, dtype

__all__ = [
    'bfloat16',
    'bool',
    'can_cast',
    'complex64',
    'complex128',
    'finfo',
    'float8_e4m3fn',
    'float8_e5m2',
    'float16',
    'float32',
    'float64',
    'iinfo',
    'int4',
    'int8',
    'int16',
    'int32',
    'int64',
    'isdtype',
    'result_type',
    'to_numpy',
    'uint4',
    'uint8',
    'uint16',
    'uint32',
    'uint64',
]

bool = _core._dtype('bool')
int8 = _core._dtype('int8')
int16 = _core._dtype('int16')
int32 = _core._dtype('int32')
int64 = _core._dtype('int64')
uint8 = _core._dtype('uint8')
uint16 = _core._dtype('uint16')
uint32 = _core._dtype('uint32')
uint64 = _core._dtype('uint64')
float16 = _core._dtype('float16')
bfloat16 = _core._dtype('bfloat16')
float32 = _core._dtype('float32')
float64 = _core._dtype('float64')
complex64 = _core._dtype('complex64')
complex128 = _core._dtype('complex128')
float8_e4m3fn = _core._dtype('float8_e4m3fn')
float8_e5m2 = _core._dtype('float8_e5m2')
int4 = _core._dtype('int4')
uint4 = _core._dtype('uint4')

STANDARD = (
    *('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'),
    *('float16', 'float32', 'float64', 'complex64', 'complex128'),
)
_NOT_IN_NUMPY = frozenset({'bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'})
_KINDS = {
    'bool': ('bool',),
    'signed integer': ('signed integer',),
    'unsigned integer': ('unsigned integer',),
    'integral': ('signed integer', 'unsigned integer'),
    'real floating': ('real floating',),
    'complex floating': ('complex floating',),
    'numeric': ('signed integer', 'unsigned integer', 'real floating', 'complex floating'),
}


@cache
def to_numpy(name: str) -> np.dtype[Any]:
    """Return NumPy's dtype of that name; ml_dtypes, imported here, has those that NumPy lacks."""
    found: np.dtype[Any]
    if name in _NOT_IN_NUMPY:
        import ml_dtypes

        found = np.dtype(getattr(ml_dtypes, name))
    else:
        found = np.dtype(name)
    _core._learn_numpy_dtype(found, _core._dtype(name), canonical=True)
    return found


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype (array API standard, ``finfo``)."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: dtype


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype (array API standard, ``iinfo``)."""

    bits: int
    max: int
    min: int
    dtype: dtype


def _dtype_of(thing: Any) -> dtype:
    return thing.dtype if isinstance(thing, Array) else _core._dtype(thing)


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a floating-point dtype.

    Parameters
    ----------
    type : dtype, name or Array
        Real floating, or complex, whose parts are meant. An array stands for its dtype.

    Returns
    -------
    FloatInfo
        With bits, eps, max, min, smallest_normal and dtype.

    Raises
    ------
    DtypeError
        For any other dtype.

    Notes
    -----
    Array API standard 2024.12, "Data Type Functions": ``finfo``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.finfo(cx.float32).eps
    1.1920928955078125e-07
    """
    found = _dtype_of(type)
    if found.kind not in ('real floating', 'complex floating'):
        raise DtypeError(f'finfo: takes a floating-point dtype, not {found}', dtype=found)
    part = {'complex64': 'float32', 'complex128': 'float64'}.get(found.name, found.name)
    if part == 'bfloat16':
        import ml_dtypes

        info: Any = ml_dtypes.finfo(ml_dtypes.bfloat16)  # type: ignore[no-untyped-call]
    else:
        info = np.finfo(part)
    return FloatInfo(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=_core._dtype(part),
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """Return the limits of an integer dtype.

    Parameters
    ----------
    type : dtype, name or Array
        Signed or unsigned. An array stands for its dtype.

    Returns
    -------
    IntegerInfo
        With bits, max, min and dtype.

    Raises
    ------
    DtypeError
        For any other dtype.

    Notes
    -----
    Array API standard 2024.12, "Data Type Functions": ``iinfo``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.iinfo('uint8').max
    255
    """
    found = _dtype_of(type)
    if found.kind not in ('signed integer', 'unsigned integer'):
        raise DtypeError(f'iinfo: takes an integer dtype, not {found}', dtype=found)
    info = np.iinfo(found.name)
    return IntegerInfo(bits=info.bits, max=int(info.max), min=int(info.min), dtype=found)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Say whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype or name
        The dtype asked about.
    kind : dtype, str or tuple
        A dtype, a word of the standard ('bool', 'signed integer', 'unsigned integer', 'integral', 'real floating',
        'complex floating', 'numeric'), or a tuple of these, one of which is enough.

    Returns
    -------
    bool
        Whether it is.

    Raises
    ------
    ValueError
        For a word that is no kind.
    DtypeError
        For what names no dtype.

    Notes
    -----
    Array API standard 2024.12, "Data Type Functions": ``isdtype``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.isdtype(cx.float32, ('integral', 'real floating'))
    True
    """
    found = _core._dtype(dtype)
    if isinstance(kind, tuple):
        return builtins.any(isdtype(found, one) for one in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return found.kind in _KINDS[kind]
    if isinstance(kind, str):
        known = ', '.join(repr(word) for word in _KINDS)
        raise ValueError(f'isdtype: no kind {kind!r}; kinds are a dtype, {known}, or a tuple of these')
    return found == _core._dtype(kind)


def result_type(*arrays_and_dtypes: Any) -> dtype:
    """Return the dtype that arithmetic on the arguments has.

    Parameters
    ----------
    *arrays_and_dtypes : Array, dtype, name or number
        One or more. Python's numbers are weak: they take the dtype of the rest where it can hold their kind.

    Returns
    -------
    dtype
        As the standard's promotion table has it.

    Raises
    ------
    DtypeError
        For dtypes that the standard does not promote, such as int64 and float32, or uint64 and int64.

    Notes
    -----
    Array API standard 2024.12, "Data Type Functions": ``result_type``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.result_type(cx.int8, cx.int32, 1)
    crossdock.core.int32
    """
    return _core._result_type(arrays_and_dtypes)


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Say whether one dtype promotes to another and to nothing else.

    Parameters
    ----------
    from_ : dtype, name or Array
        An array stands for its dtype.
    to : dtype or name
        What it would become.

    Returns
    -------
    bool
        Whether ``result_type(from_, to)`` is ``to``.

    Raises
    ------
    DtypeError
        For what names no dtype.

    Notes
    -----
    Array API standard 2024.12, "Data Type Functions": ``can_cast``.
    """
    wanted = _dtype_of(to)
    try:
        return _core._result_type((_dtype_of(from_), wanted)) == wanted
    except DtypeError:
        return False
