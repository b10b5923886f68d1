"""The familiar device classes."""

from __future__ import annotations

import operator
from typing import Any, Self, SupportsIndex

from crossdock.devices._backend import Backend
from crossdock.devices._device import Device

__all__ = ['CoreDevice', 'CpuDevice', 'GpuDevice', 'Intel64Device']


class CpuDevice(Device):
    """Host memory, NumPy. ``CpuDevice()`` is ``get_device('@numpy')``."""

    __slots__ = ()

    def __new__(cls, spec: Any = '@numpy') -> Self:
        return super().__new__(cls, spec)

    def __repr__(self) -> str:
        return '<CpuDevice (numpy)>'


class Intel64Device(Device):
    """Host memory, NumPy arrays, functions accelerated by oneDNN. ``Intel64Device()`` is ``get_device('@intel64')``."""

    __slots__ = ()

    def __new__(cls, spec: Any = '@intel64') -> Self:
        return super().__new__(cls, spec)

    def __repr__(self) -> str:
        return '<Intel64Device>'


class GpuDevice(Device):
    """A CUDA GPU through CuPy."""

    __slots__ = ()

    @classmethod
    def from_device_id(cls, device_id: SupportsIndex) -> Self:
        """The GPU of a number.

        Parameters
        ----------
        device_id : int
            CUDA's number of the GPU.

        Raises
        ------
        SpecError
            It is negative.
        SpecTypeError
            It is no int.
        DeviceUnavailableError
            There is no such GPU.
        """
        if isinstance(device_id, bool) or not hasattr(type(device_id), '__index__'):
            return cls(device_id)
        return cls(f'@cupy:{operator.index(device_id)}')

    def __repr__(self) -> str:
        return f'<GpuDevice (cupy):{self.index}>'


class CoreDevice(Device):
    """A device of the bundled core: ``native:N``, ``cuda:N`` or ``sim:N``.

    Attributes
    ----------
    core_device : crossdock.core.Device
        The core's own device object.
    """

    __slots__ = ('core_device',)

    core_device: Any

    @classmethod
    def _make(cls, backend: Backend, suffix: str) -> Self:
        device = super()._make(backend, suffix)
        # The core asks for it at each creation of an array, so it has to be at hand.
        object.__setattr__(device, 'core_device', backend.native_device(suffix))
        return device
