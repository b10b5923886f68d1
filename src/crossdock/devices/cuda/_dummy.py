"""The CUDA device of what lives on no GPU, and CUDA devices by number and by array."""

from __future__ import annotations

import operator
import warnings
from typing import Any, Final, Literal, Self, SupportsIndex

from crossdock.devices._cuda_library import library
from crossdock.devices._device import Device
from crossdock.devices._lookup import get_device as get_any_device
from crossdock.devices._modules import get_device_from_array as get_any_device_from_array
from crossdock.errors import SpecTypeError

__all__ = ['DummyDevice', 'DummyDeviceType', 'get_device', 'get_device_from_array', 'get_device_from_id', 'on_gpu']


class DummyDeviceType:
    """A CUDA device that is none: its number is -1, and entering it does nothing. There is one, `DummyDevice`."""

    id: Final = -1

    def __int__(self) -> Literal[-1]:
        return -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def use(self) -> None:
        """Does nothing."""

    def synchronize(self) -> None:
        """Does nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DummyDeviceType)

    def __hash__(self) -> int:
        return hash(DummyDeviceType)

    def __repr__(self) -> str:
        return '<DummyDevice>'

    def __reduce__(self) -> str:
        return 'DummyDevice'


DummyDevice: Final = DummyDeviceType()


def on_gpu(device: Device) -> bool:
    """Whether the device's memory is that of a CUDA GPU, whatever the library."""
    return device.physical.startswith('cuda:')


def get_device_from_id(device_id: SupportsIndex | None) -> Any:
    """The CUDA device of a number.

    Parameters
    ----------
    device_id : int or None
        CUDA's number of the GPU.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        `DummyDevice` for None and negative numbers.

    Raises
    ------
    DeviceUnavailableError
        There is no such GPU, or no CuPy.
    TypeError
        It is no int.

    Examples
    --------
    >>> from crossdock.devices import cuda
    >>> with cuda.get_device_from_id(None) as device:
    ...     int(device)
    -1
    """
    if device_id is None:
        return DummyDevice
    if isinstance(device_id, bool) or not hasattr(type(device_id), '__index__'):
        raise SpecTypeError(
            f'the number of a GPU is an int, or None for none, not the {type(device_id).__name__} {device_id!r}',
            spec=device_id,
        )
    number = operator.index(device_id)
    if number < 0:
        return DummyDevice
    library()
    return get_any_device(f'@cupy:{number}').native


def get_device_from_array(*arrays: Any) -> Any:
    """The CUDA device where some arrays live.

    Parameters
    ----------
    *arrays : array, number, None, or list or tuple of these
        As for `crossdock.get_device_from_array`. Arrays of every library count that lie on a GPU; arrays on the host
        beside them do not.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        `DummyDevice` if none lies on a GPU.

    Raises
    ------
    MixedDevicesError
        They live on several GPUs, or of several accelerators.
    UnknownArrayError
        An argument is nothing of that kind.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.devices import cuda
    >>> cuda.get_device_from_array(np.zeros(3)) is cuda.DummyDevice
    True
    """
    device = get_any_device_from_array(*arrays, mixed='device')
    return get_device_from_id(int(device.physical.removeprefix('cuda:'))) if on_gpu(device) else DummyDevice


def get_device(*args: Any) -> Any:
    """The CUDA device of the first device, number or array on a GPU among the arguments.

    .. deprecated:: 0.1
       Use `get_device_from_id` or `get_device_from_array`, which say what they are given.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        `DummyDevice` if there is none.
    """
    warnings.warn(
        'crossdock.devices.cuda.get_device is deprecated; use get_device_from_id or get_device_from_array',
        DeprecationWarning,
        stacklevel=2,
    )
    for arg in args:
        device = _device_of(arg)
        if device is not DummyDevice:
            return device
    return DummyDevice


def _device_of(arg: Any) -> Any:
    if isinstance(arg, bool) or arg is None or isinstance(arg, DummyDeviceType):
        return DummyDevice
    if hasattr(type(arg), '__index__') and not hasattr(arg, 'shape'):
        return get_device_from_id(arg)
    if _is_cuda_device(arg):
        return arg
    return get_device_from_array(arg)


def _is_cuda_device(arg: Any) -> bool:
    import sys

    cuda = getattr(sys.modules.get('cupy'), 'cuda', None)
    return cuda is not None and isinstance(arg, cuda.Device)
