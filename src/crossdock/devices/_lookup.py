"""From a spec, a number or a library's own device object to the one `Device` of that name."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from crossdock.devices import _registry
from crossdock.devices._backend import Backend
from crossdock.devices._device import Device
from crossdock.devices._spec import from_number, parse, wrong_type
from crossdock.errors import DeviceUnavailableError, SpecError

__all__ = ['device_of', 'get_device', 'make', 'restore']

# Only strings are keys: 1, 1.0 and True are equal, and one of them would be found under another's name.
_by_spec: dict[Hashable, Device] = {}


def _forget(kind: str) -> None:
    for key in [key for key, device in _by_spec.items() if device.kind == kind]:
        del _by_spec[key]


_registry.on_replaced(_forget)


def get_device(spec: Any) -> Device:
    """The device of a name.

    Parameters
    ----------
    spec : str, int, Device or a library's device object
        ``'@numpy'``, ``'@intel64'``, ``'@cupy:N'``, ``'@torch:cpu'``, ``'@torch:cuda:N'``, ``'@jax:N'``,
        ``'@jax:cpu:N'``, ``'@jax:cuda:N'``, ``'native:N'``, ``'cuda:N'``, ``'sim:N'`` or what another installed
        back-end adds. ``native``, ``cuda`` and ``sim`` alone mean index 0; -1 means ``'@numpy'`` and an int
        N >= 0 means ``'@cupy:N'``, both also as strings. A `Device` gives itself.

    Returns
    -------
    Device
        Always the same object for the same device.

    Raises
    ------
    SpecError
        The spec is not in the grammar; the error names the nearest one that is.
    SpecTypeError
        A value of that type names no device.
    DeviceUnavailableError
        The device is of a known kind, but not here: its library is not installed, there is no driver, or the index
        is out of range.

    Notes
    -----
    Asking starts no GPU runtime, except for ``@jax:N``: which devices it has only JAX itself can say.

    Examples
    --------
    >>> from crossdock import get_device
    >>> get_device('@numpy'), get_device(-1), get_device('sim:1')
    (<CpuDevice (numpy)>, <CpuDevice (numpy)>, <CoreDevice sim:1>)
    >>> get_device('cud:0')
    Traceback (most recent call last):
        ...
    crossdock.errors.SpecError: no device kind 'cud' in 'cud:0'; known kinds: ... Did you mean 'cuda:0'?
    """
    try:
        return _by_spec[spec]
    except Exception:  # a KeyError, or whatever the hash of a strange object raises
        pass
    return _resolve(spec)


def _resolve(spec: Any) -> Device:
    if isinstance(spec, Device):
        return spec
    if isinstance(spec, str):
        text = str.__str__(spec)  # the base class's own: an enum that is a string prints as something else
        return make(*parse(text), key=text)
    if isinstance(spec, bool | np.bool_):
        raise wrong_type(spec)
    if isinstance(spec, int | np.integer):
        return make(*from_number(spec))
    for backend in _registry.backends():
        suffix = backend.from_native_device(spec)
        if suffix is not None:
            return make(backend, suffix)
    raise wrong_type(spec)


def make(backend: Backend, suffix: str, *, key: str | None = None) -> Device:
    """The device of a back-end and a canonical suffix, and remember it under `key` too.

    Raises
    ------
    DeviceUnavailableError
        It is not here.
    """
    name = backend.spec(suffix)
    device = _by_spec.get(name)
    if device is None:
        _check(backend, suffix, name)
        canonical = backend.canonical(suffix)
        if canonical != suffix:
            return make(backend, canonical, key=key or name)
        device = _by_spec.setdefault(name, (backend.device_class or Device)._make(backend, suffix))
    if key is not None:
        _by_spec[key] = device
    return device


def device_of(array: Any) -> Device | None:
    """The device where an array of a known library lives; None for any other object."""
    backend = _registry.owner(type(array))
    return None if backend is None else get_device(backend.device_of(array))


def restore(name: str, host_spec: str) -> Device:
    """The device of a pickle. Where it is absent now, a host device takes its place, with a warning."""
    try:
        return get_device(name)
    except (DeviceUnavailableError, SpecError) as error:
        warnings.warn(f'{error}; using {host_spec} in its place', UserWarning, stacklevel=2)
        return get_device(host_spec)


def _check(backend: Backend, suffix: str, name: str) -> None:
    reason = backend.unavailable()
    count = 0
    if not reason:
        if backend.has(suffix):
            return
        here = backend.suffixes()
        count = len(here)
        reason = _why_missing(backend, suffix) or _what_is_here(backend, here)
    raise DeviceUnavailableError(f'{name} is not available here: {reason}', device=name, reason=reason, count=count)


def _why_missing(backend: Backend, suffix: str) -> str:
    """Why there is no device in the place that a suffix such as 'cuda:3' names; '' if there may be some."""
    place = suffix.rpartition(':')[0]
    return next((why for each, why in backend.missing().items() if each.rpartition(':')[0] == place), '')


def _what_is_here(backend: Backend, here: Sequence[str]) -> str:
    if not here:
        return 'none of its kind is here'
    names = ', '.join(map(backend.spec, here))
    return f'there {"is" if len(here) == 1 else "are"} {len(here)} of its kind here: {names}'
