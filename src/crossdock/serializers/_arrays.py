"""Where the serializers meet the devices: everything they ask about an array that may live anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dtypes import dtype_like

__all__ = ['is_array', 'dtype_of', 'is_writable', 'is_on_host', 'to_host', 'fill', 'place_like', 'device_named', 'send']

Host = np.ndarray[Any, Any]


def is_array(x: object) -> bool:
    """Whether somebody here can read `x` as an array."""
    if isinstance(x, np.ndarray):
        return True
    from crossdock.devices import get_device_from_array
    from crossdock.errors import UnknownArrayError

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
    if isinstance(x, np.ndarray):
        return True
    from crossdock.devices import get_device_from_array

    return str(get_device_from_array(x).physical) == 'host'


def to_host(x: Any) -> Host:
    """The array as NumPy's: an alias of host memory, else a copy of its own."""
    if isinstance(x, np.ndarray):
        return x
    from crossdock.devices import to_numpy

    host: Host = to_numpy(x)
    return host


def fill(target: Any, host: Host) -> None:
    """Copy `host`, of the same shape and data type, into `target` where it lives."""
    if isinstance(target, np.ndarray):
        target[...] = host
        return
    from crossdock.devices import copyto

    copyto(target, host)


def place_like(target: Any, host: Host) -> Any:
    """`host` as an array of the library and on the device of `target`."""
    if isinstance(target, np.ndarray):
        return host
    from crossdock.devices import get_device_from_array

    return get_device_from_array(target).send(host)


def device_named(spec: Any) -> Any:
    """The Device of a spec; None, the host as NumPy sees it, stays None."""
    if spec is None:
        return None
    from crossdock.devices import get_device

    return get_device(spec)


def send(device: Any, host: Host) -> Any:
    """`host` as an array on `device`, or itself for None. Text and times, which no device holds, stay on the host."""
    return host if device is None or host.dtype.kind in 'SUmM' else device.send(host)
