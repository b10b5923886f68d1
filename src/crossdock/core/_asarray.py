"""asarray: a core array from anything that holds numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import CopyRequiredError, DtypeError, UnknownArrayError
from . import _core
from ._core import Array, Device
from ._sequences import from_sequence
from .exchange import copy_into, from_numpy

__all__ = ['asarray']


def asarray(obj: Any, /, *, dtype: Any = None, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """Make a core array of an array, a number, or nested sequences of numbers.

    Parameters
    ----------
    obj : object
        A core array, a NumPy array, an object with ``__dlpack__`` or the buffer protocol, a number, or nested lists
        and tuples of numbers and core arrays, which are stacked on the device of the arrays.
    dtype : optional
        The data type wanted; ``obj``'s own, or the default one of its numbers, when omitted.
    device : Device or str, optional
        Where it is wanted; core arrays' own device, else the default device, when omitted.
    copy : bool, optional
        True: always a fresh array. False: never a copy. None: a copy only where needed.

    Returns
    -------
    Array
        An alias of ``obj``'s memory where that is host memory and ``device`` is a host device; read-only if ``obj`` is.

    Raises
    ------
    CopyRequiredError
        When ``copy=False`` and a copy is needed.
    DtypeError, DimensionError, UnknownArrayError
        For a dtype that is not here or would drop imaginary parts; ragged sequences; something that holds no numbers.

    Notes
    -----
    Array API standard 2024.12, "Creation Functions": ``asarray``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.asarray([[1, 2], [3, 4]], device='native:0')
    array([[1, 2],
           [3, 4]], shape=(2, 2), dtype=int64, device='native:0')
    """
    source, fresh, ours = _source(obj)
    found = source.dtype
    wanted = found if dtype is None else _core._dtype(dtype)
    if wanted is not found and found.kind == 'complex floating' and wanted.kind != 'complex floating':
        raise DtypeError(
            f'asarray: {found} -> {wanted} would drop the imaginary parts; take the real part first',
            dtype=wanted,
        )
    never = copy is not None and not copy
    place = source.device if device is None and ours else _core.device(device)
    moves = place is not source.device and place.physical != source.device.physical
    if moves or wanted != found:
        if never:
            what = f"a move from '{source.device}' to '{place}'" if moves else f'a conversion from {found} to {wanted}'
            raise CopyRequiredError(f'asarray: {what} takes a copy, and copy=False forbids it')
        if place is source.device:
            return _core.astype(source, wanted)
        result = _core.empty(source.shape, dtype=wanted, device=place)
        copy_into(result, source, source=None if ours else '@numpy')
        return result
    if copy and not fresh:
        return source.to_device(place).__copy__()
    if never and fresh:
        raise CopyRequiredError(
            f'asarray: {type(obj).__name__} has no memory of its own to see, and copy=False forbids a copy'
        )
    return source.to_device(place)


def _source(obj: Any) -> tuple[Array, bool, bool]:
    """The values as a core array wherever they are now.

    Then whether nobody else sees its memory, and whether it was made of core arrays, so that their device counts.
    """
    if isinstance(obj, Array):
        return obj, False, True
    if isinstance(obj, np.ndarray):
        return from_numpy(_without_mask(obj)), False, False
    if isinstance(obj, (list, tuple, range)):
        found = from_sequence(obj)
        return (found, True, True) if isinstance(found, Array) else (from_numpy(found), True, False)
    if isinstance(obj, (bool, int, float, complex, np.generic)):
        return from_numpy(_numbers(obj)), True, False
    if hasattr(obj, '__dlpack__'):
        return _core.from_dlpack(obj), False, False
    try:
        return from_numpy(np.asarray(memoryview(obj))), False, False
    except TypeError:
        raise UnknownArrayError(f'asarray: {type(obj).__name__} is no array, number or sequence of numbers') from None


def _without_mask(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if type(array) is np.ndarray:
        return array
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise DtypeError('asarray: a masked array would lose its mask; fill it first, with x.filled(value)')
    return np.asarray(array)


def _numbers(obj: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(obj)
    except OverflowError as error:
        raise DtypeError(f'asarray: {error}') from None
    if array.dtype == object:
        what = 'the integer does not fit in 64 bits' if isinstance(obj, int) else f'no dtype for {type(obj).__name__}'
        raise DtypeError(f'asarray: {what}')
    return array
