"""Where the serializers meet the devices: everything they ask about an array that may live anywhere.

`key` is the key path of the leaf that the array belongs to; errors and traced transfers name it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crossdock.devices import copyto, get_device, get_device_from_array, to_numpy
from crossdock.errors import UnknownArrayError

from ._dtypes import dtype_like

__all__ = ['is_array', 'dtype_of', 'is_writable', 'is_on_host', 'to_host', 'fill', 'place_like', 'device_named', 'send']

Host = np.ndarray[Any, Any]


def is_array(x: object) -> bool:
    """Whether somebody here can read `x` as an array."""
    if isinstance(x, np.ndarray):
        return True
    try:
        get_device_from_array(x)
    except UnknownArrayError:
        return False
    return True


def dtype_of(x: Any) -> np.dtype[Any]:
    """The NumPy data type of an array of any library."""
    return dtype_like(x.dtype)


def is_writable(x: Any) -> bool:
    """Whether an array can be filled in place."""
    if isinstance(x, np.ndarray):
        return x.flags.writeable
    return not getattr(x, 'readonly', False)


def is_on_host(x: Any) -> bool:
    """Whether NumPy can look at the memory of `x`."""
    return isinstance(x, np.ndarray) or get_device_from_array(x).physical == 'host'


def to_host(x: Any, key: str) -> Host:
    """The array as NumPy's: an alias of host memory, else a copy. A differentiable graph is left behind."""
    if isinstance(x, np.ndarray):
        return x
    host: Host = to_numpy({key: x}, detach=True)[key]
    return host


def fill(target: Any, host: Host) -> None:
    """Copy `host`, of the same shape and data type, into `target` where it lives."""
    if isinstance(target, np.ndarray):
        target[...] = host  # text too, which no device holds
    else:
        copyto(target, host)


def place_like(target: Any, host: Host, key: str) -> Any:
    """`host` as an array of the library and on the device of `target`."""
    return host if isinstance(target, np.ndarray) else get_device_from_array(target).send({key: host})[key]


def device_named(spec: Any) -> Any:
    """The Device of a spec; None, the host as NumPy sees it, stays None."""
    return None if spec is None else get_device(spec)


def send(device: Any, host: Host, key: str) -> Any:
    """`host` as an array on `device`, or itself for None. Text and times, which no device holds, stay on the host."""
    return host if device is None or host.dtype.kind in 'SUmM' else device.send({key: host})[key]
