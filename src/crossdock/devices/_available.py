"""What there is on this machine, and why the rest is not."""

from __future__ import annotations

from typing import TypedDict

from crossdock.devices._device import Device
from crossdock.devices._lookup import get_device, make
from crossdock.devices._registry import Entry, backend_of, entries
from crossdock.errors import CrossdockError, DeviceUnavailableError

__all__ = ['DeviceRow', 'available_devices', 'choose_device', 'describe_devices']


class DeviceRow(TypedDict):
    """One row of `describe_devices`. `reason` of an available device and `physical` of another are ''."""

    spec: str
    kind: str
    available: bool
    reason: str
    physical: str


def available_devices() -> list[Device]:
    """Every device that works here.

    Returns
    -------
    list of Device
        In the order of `describe_devices`.

    Notes
    -----
    Asking starts no GPU runtime and imports no array library.

    Examples
    --------
    >>> import crossdock as xd
    >>> [str(device) for device in xd.available_devices()][:2]
    ['@numpy', 'native:0']
    """
    return [get_device(row['spec']) for row in describe_devices() if row['available']]


def describe_devices() -> list[DeviceRow]:
    """Every device that works here, and each kind or place that does not with the reason.

    Returns
    -------
    list of dict
        With the keys ``spec``, ``kind``, ``available``, ``reason`` ('' if available) and ``physical`` (which memory;
        '' if not available). A kind that does not work has one row, with the spec of its usual device; so has a place
        of a library, such as ``@torch:cuda:0``, that has no device.

    Notes
    -----
    Asking starts no GPU runtime and imports no array library. A back-end that fails to answer is a row with the reason.

    Examples
    --------
    >>> import crossdock as xd
    >>> xd.describe_devices()[0]
    {'spec': '@numpy', 'kind': 'numpy', 'available': True, 'reason': '', 'physical': 'host'}
    """
    return [row for entry in entries() for row in _rows(entry)]


def choose_device() -> tuple[Device, str]:
    """The best device that works here, and why it is that one.

    Returns
    -------
    device : Device
        ``@cupy:0`` if it works, else ``native:0``.
    reason : str
        One clause for people to read.

    Examples
    --------
    >>> import crossdock as xd
    >>> device, reason = xd.choose_device()
    """
    try:
        return get_device('@cupy:0'), 'a CUDA GPU and CuPy are here'
    except DeviceUnavailableError as error:
        return get_device('native:0'), f'the fastest on the host, as @cupy:0 does not work: {error.reason}'


def _rows(entry: Entry) -> list[DeviceRow]:
    try:
        backend = backend_of(entry)
        reason = backend.unavailable()
        if not reason:
            here = [_row(make(backend, suffix)) for suffix in backend.suffixes()]
            return here + [_absent(backend.spec(each), entry.kind, why) for each, why in backend.missing().items()]
        return [_absent(backend.spec(backend.example), entry.kind, reason)]
    except CrossdockError as error:
        return [_absent(entry.head, entry.kind, getattr(error, 'reason', '') or str(error))]
    except Exception as error:  # a third party's back-end may fail in any way, and must not hide the others
        return [_absent(entry.head, entry.kind, f'its back-end failed: {type(error).__name__}: {error}')]


def _row(device: Device) -> DeviceRow:
    return {
        'spec': device.name,
        'kind': device.kind,
        'available': True,
        'reason': '',
        'physical': device.physical,
    }


def _absent(spec: str, kind: str, reason: str) -> DeviceRow:
    return {'spec': spec, 'kind': kind, 'available': False, 'reason': reason, 'physical': ''}
