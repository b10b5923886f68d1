"""Where the serializers meet the devices: everything they ask about an array that may live anywhere.

`key` is the key path of the leaf that the array belongs to; errors and traced transfers name it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from crossdock.devices import copyto, get_device, get_device_from_array, plan, to_numpy
from crossdock.devices._registry import backends
from crossdock.errors import CrossdockError, ReadOnlyError, UnknownArrayError
from crossdock.transfer import Plan

from ._dtypes import dtype_like

__all__ = [
    'is_known',
    'known',
    'dtype_of',
    'is_writable',
    'is_on_host',
    'to_host',
    'memory_of',
    'fill',
    'place_like',
    'twin',
    'library_of',
    'device_named',
    'send',
]

Host = np.ndarray[Any, Any]


def is_known(x: object) -> bool:
    """Whether `x`, which is neither a scalar nor a list, is an array of a library that is known here."""
    if isinstance(x, np.ndarray):
        return True
    try:
        get_device_from_array(x)
    except UnknownArrayError:
        return False
    return True


def known(x: Any) -> Any:
    """`x` as an array of a library that is known here: itself, or a view of what an unknown array holds.

    Raises
    ------
    UnknownArrayError, DtypeError, GraphError
        Nobody here can read it.
    """
    if is_known(x):
        if not isinstance(x, np.ndarray):
            _check_data(x)
        return x
    way = plan(x, '@numpy')
    if not isinstance(way, Plan):
        raise UnknownArrayError(f'a {type(x).__name__} is a container, and no array')
    place = way.source.place
    # Not on the host, it stays on its device: large arrays are pulled piece by piece.
    return to_numpy(x) if place.physical == 'host' else get_device(place.device).send(x)


def _check_data(x: Any) -> None:
    """Refuse an array of a known library that has no data of its own, or of a type that is known there alone."""
    try:
        get_device_from_array(x)._backend.facts(x)
    except CrossdockError:
        raise
    except RuntimeError as error:  # what PyTorch raises for a parameter that a lazy layer has not made yet
        said = str(error).partition('. ')[0]
        raise UnknownArrayError(f'a {type(x).__name__} has no data that can be read: {said}') from error


def dtype_of(x: Any) -> np.dtype[Any]:
    """The NumPy data type of an array of a known library."""
    return dtype_like(x.dtype)


def is_writable(x: Any) -> bool:
    """Whether an array can be filled in place."""
    if isinstance(x, np.ndarray):
        return x.flags.writeable
    if not is_known(x):
        return _writes_through(x)
    stay = plan(x, get_device_from_array(x))
    return isinstance(stay, Plan) and not stay.source.readonly


def _writes_through(x: Any) -> bool:
    """Whether an array of an unknown library has what is written into the view of it."""
    array = known(x)
    if not isinstance(array, np.ndarray):
        interface = getattr(x, '__cuda_array_interface__', None)
        return is_writable(array) and not (interface and interface['data'][1])
    # `__array__` alone promises no memory: what it gives may be a copy, and the same one each time.
    if not array.flags.writeable or not _shows_memory(x):
        return False
    return array.size == 0 or array.ctypes.data == known(x).ctypes.data


def _shows_memory(x: Any) -> bool:
    if hasattr(type(x), '__dlpack__') or hasattr(x, '__array_interface__'):
        return True
    try:
        memoryview(x).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def is_on_host(x: Any) -> bool:
    """Whether NumPy can look at the memory of an array of a known library."""
    return isinstance(x, np.ndarray) or get_device_from_array(x).physical == 'host'


def to_host(x: Any, key: str, watch: Callable[[int], object] | None = None) -> Host:
    """The array as NumPy's: an alias of host memory, else a copy. A differentiable graph is left behind.

    `watch` is told of the bytes that have come.
    """
    if isinstance(x, np.ndarray):
        return x
    host: Host = to_numpy({key: x}, detach=True, progress=False if watch is None else _step_by_step(watch))[key]
    return host


def _step_by_step(watch: Callable[[int], object]) -> Callable[[int, int], None]:
    before = 0

    def told(done: int, total: int) -> None:
        nonlocal before
        before, step = done, done - before
        watch(step)

    return told


def memory_of(target: Any) -> Host | None:
    """The memory of a known array that can be written, as NumPy sees it; None where NumPy cannot."""
    if isinstance(target, np.ndarray):
        return target
    if get_device_from_array(target).physical != 'host':
        return None
    try:
        host: Host = to_numpy(target, copy=False, detach=True)
    except CrossdockError:
        return None
    return host if host.flags.writeable else None


def fill(target: Any, host: Host) -> None:
    """Copy `host`, of the same shape and data type, into `target` where it lives."""
    array = known(target)
    if isinstance(array, np.ndarray):
        array[...] = host  # text too, which no device holds
    else:
        copyto(array, host)


def place_like(target: Any, host: Host, key: str) -> Any:
    """`host` as an array of the library and on the device of `target`.

    Raises
    ------
    ReadOnlyError
        `target` is of an unknown library, and a copy of it cannot be written to.
    """
    if isinstance(target, np.ndarray):
        return host
    if is_known(target):
        return get_device_from_array(target).send({key: host})[key]
    twin = _copied(target)
    if twin is None:
        name = f'{type(target).__module__}.{type(target).__qualname__}'
        raise ReadOnlyError(
            f'cannot load into {key!r}: neither the memory of a {name} nor that of a copy of it can be written to;'
            ' have None in its place, and make one of what is loaded'
        )
    fill(twin, host)
    return twin


def twin(x: Any) -> Any:
    """A copy of an array on its own device; itself where an unknown library has none that can be written to."""
    if is_known(x):
        return get_device_from_array(x).send(x, copy=True)
    copied = _copied(x)
    return x if copied is None else copied


def library_of(x: object) -> str | None:
    """How the specs of the array library begin that the class of `x`, which is no array, comes from; None for none."""
    homes = {parent.__module__.partition('.')[0] for parent in type(x).__mro__}
    return next((b.prefix + b.kind for b in backends() if b.prefix and b.module_name in homes), None)


def _copied(x: Any) -> Any:
    """A copy of an array of an unknown library that can be written to; None if there is no such copy."""
    try:
        twin = copy.deepcopy(x)
        if not is_writable(twin):
            return None
    except Exception:  # it may be anybody's code
        return None
    ours, theirs = known(twin), known(x)
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return None if np.may_share_memory(ours, theirs) else twin
    return None if twin is x else twin


def device_named(spec: Any) -> Any:
    """The Device of a spec; None, the host as NumPy sees it, stays None."""
    return None if spec is None else get_device(spec)


def send(device: Any, host: Host, key: str) -> Any:
    """`host` as an array on `device`, or itself for None. Text and times, which no device holds, stay on the host."""
    return host if device is None or host.dtype.kind in 'SUmM' else device.send({key: host})[key]
