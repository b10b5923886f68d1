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
    """The values of the view, out of band where the protocol can, and the device they belong to."""
    values = np.ascontiguousarray(host_values(array, 'pickle')).reshape(array.shape)
    return rebuild_array, (values, str(array.device))


def rebuild_array(values: np.ndarray[Any, Any], spec: str) -> Array:
    """The array on its device, or on the host, with a warning, where that device is absent."""
    try:
        device = _core.device(spec)
    except RuntimeError as error:
        device = _core.device('native:0')
        warnings.warn(f"the array was pickled on '{spec}' and is now on '{device}': {error}", stacklevel=2)
    return asarray(values, device=device)


def rebuild_device(spec: str) -> Device:
    """The device of a spec."""
    return _core.device(spec)


def rebuild_dtype(name: str) -> dtype:
    """The dtype of a name."""
    return _core._dtype(name)
