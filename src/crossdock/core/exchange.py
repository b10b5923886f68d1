"""The doors between the core and host memory, for the rooms above.

Host memory is seen as NumPy arrays on one side and as arrays on a host device on the other; every other copy is one
between two core arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DeviceError
from . import _core
from ._core import Array, Device, dtype
from ._dtypes import to_numpy as _numpy_dtype

__all__ = ['TransferHook', 'as_numpy', 'copy_into', 'from_numpy', 'set_default_device', 'set_transfer_hook']

_host = _core.device('native:0')
_dtypes: dict[np.dtype[Any], dtype] = {}  # NumPy's dtypes say their names slowly

#: ``hook(op, nbytes, source, target, implicit, host)``, called before a transfer; what it raises forbids it.
TransferHook = Callable[[str, int, str, str, bool, bool], object]


def from_numpy(array: np.ndarray[Any, Any], device: Device | str | None = None) -> Array:
    """See a NumPy array's memory as an array on a host device.

    Parameters
    ----------
    array : numpy.ndarray
        Any byte strides. It is kept alive as long as the result.
    device : Device or str, optional
        A host device; ``native:0`` when omitted.

    Returns
    -------
    Array
        An alias of the same memory, read-only where ``array`` is.

    Raises
    ------
    DtypeError
        For a data type that the core does not have, or in foreign byte order.
    DeviceError
        For a device whose memory is not the host's.
    """
    found = _dtypes.get(array.dtype)
    if found is None:
        found = _dtypes[array.dtype] = _core._dtype(array.dtype)
    return _core._wrap(array, found, _host if device is None else device)


def as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """See a host array as a NumPy array.

    Parameters
    ----------
    array : Array
        On a host device.

    Returns
    -------
    numpy.ndarray
        An alias of the same memory, read-only where ``array`` is. bfloat16, float8 and int4 come in their
        ``ml_dtypes`` types.

    Raises
    ------
    DeviceError
        When the memory is not the host's.
    """
    if not array.device.is_host:
        raise DeviceError(
            f"an array on '{array.device}' has no host memory to see; copy it over with crossdock.to_numpy(x)",
            device=str(array.device),
        )
    dtype = _numpy_dtype(array.dtype.name)
    if dtype.isbuiltin == 1:
        return np.asarray(memoryview(array))
    return np.asarray(memoryview(array._bits())).view(dtype)


def copy_into(
    dst: Array,
    src: Array,
    *,
    source: str | None = None,
    target: str | None = None,
    op: str = 'copy',
    implicit: bool = False,
    blocking: bool = True,
) -> None:
    """Write one core array into another, on any devices and in any layouts.

    Parameters
    ----------
    dst, src : Array
        ``src`` is broadcast to ``dst``'s shape and converted to its dtype as C would, unchecked. Overlap is handled.
    source, target : str, optional
        What a trace calls both ends; the devices' specs when omitted.
    op : str
        What a trace calls the operation.
    implicit : bool
        Whether nobody asked for this transfer by name.
    blocking : bool
        False: return before a host source has been read; it is held until then and must not change.

    Raises
    ------
    ReadOnlyError
        When ``dst`` is read-only.
    DimensionError
        When the shapes do not broadcast.
    """
    _core._copy_into(dst, src, from_=source, to=target, op=op, implicit=implicit, blocking=blocking)


def set_transfer_hook(hook: TransferHook | None) -> None:
    """Install the one hook that is called before every transfer; None removes it."""
    _core._set_transfer_hook(hook)


def set_default_device(function: Callable[[], Device | None] | None) -> Callable[[], Device | None] | None:
    """Install what creation functions ask when they get no ``device``; its None means ``native:0``.

    Returns
    -------
    callable or None
        What was installed before.
    """
    return _core._set_default_device(function)
