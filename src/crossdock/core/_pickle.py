"""How arrays, devices and dtypes pickle: by value and spec, so that they load where the device is absent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _core
from ._array import host_values
from ._asarray import asarray
from ._core import Array, Device, dtype


def reduce_array(array: Array, protocol: Any) -> tuple[Any, ...]:
    """The values of the view, out of band where the protocol can, with their device and whether they are read-only."""
    values = np.ascontiguousarray(host_values(array, 'pickle')).reshape(array.shape)
    return rebuild_array, (values, str(array.device), array.readonly)


def rebuild_array(values: np.ndarray[Any, Any], spec: str, readonly: bool = False) -> Array:
    """The array on its device, or on the host, with a warning, where that device is absent.

    It can be written to if that one could: buffers given back read-only, as a scheduler's frames are, are copied then.
    """
    device = _restored(spec, 'array')
    array = asarray(values, device=device)
    if readonly:
        return array if array.readonly else array._as_readonly()
    return asarray(array, copy=True) if array.readonly else array


def rebuild_device(spec: str) -> Device:
    """The device of a spec, or the host, with a warning, where it is absent."""
    return _restored(spec, 'device')


def _restored(spec: str, what: str) -> Device:
    try:
        return _core.device(spec)
    except (RuntimeError, ValueError) as error:
        device = _core.device('native:0')
        warnings.warn(f"the {what} was pickled on '{spec}' and is now '{device}': {error}", stacklevel=3)
        return device


def rebuild_dtype(name: str) -> dtype:
    """The dtype of a name."""
    return _core._dtype(name)
