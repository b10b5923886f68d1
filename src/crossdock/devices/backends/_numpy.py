"""``@numpy``: host memory, NumPy. Also the common currency: every view of host memory is a NumPy array."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.devices._backend import Backend, MemoryInfo
from crossdock.devices._shorthands import CpuDevice
from crossdock.errors import DtypeError
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'NumpyBackend', 'host_memory']

_PLACE = PlaceFacts(device='@numpy', suffix='', library='numpy', physical='host')


class NumpyBackend(Backend):
    """NumPy's arrays, views of subclasses of them included."""

    kind = 'numpy'
    library = 'numpy'
    module_name = 'numpy'
    device_class = CpuDevice

    @property
    def xp(self) -> ModuleType:
        return np

    def place(self, suffix: str) -> PlaceFacts:
        return _PLACE

    def fallback_spec(self, suffix: str) -> str:
        return '@numpy'

    def memory_info(self, suffix: str) -> MemoryInfo:
        return host_memory()

    def array_types(self) -> tuple[type, ...]:
        return (np.ndarray,)

    def device_of(self, array: Any) -> str:
        return '@numpy'

    def facts(self, array: np.ndarray[Any, Any]) -> ArrayFacts:
        exact = type(array) is np.ndarray
        if not exact:
            _refuse_masked(array)
        return ArrayFacts(_PLACE, array.shape, array.dtype, array.strides, not array.flags.writeable, foreign=not exact)

    def alias_out(self, array: Any) -> np.ndarray[Any, Any]:
        return np.asarray(array)

    def alias_in(self, view: Any, place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.asarray(view)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.empty(shape, dtype)

    def copy(self, dst: Any, src: Any) -> None:
        np.copyto(dst, src, casting='unsafe')


def _refuse_masked(array: Any) -> None:
    masked = sys.modules.get('numpy.ma')
    if masked is not None and masked.is_masked(array):
        raise DtypeError(
            'a masked array with masked elements does not travel, for the mask would be lost; '
            'send its filled(...), or data and mask one by one',
            dtype=array.dtype,
        )


def host_memory() -> MemoryInfo:
    """The machine's memory, where the system tells; nobody counts what NumPy's arrays hold."""
    found = {}
    try:
        with open('/proc/meminfo', encoding='ascii') as file:
            for line in file:
                name, _, amount = line.partition(':')
                found[name] = int(amount.split()[0]) * 1024
    except OSError:
        pass
    return MemoryInfo(found.get('MemAvailable'), found.get('MemTotal'), None, 0)


BACKEND = NumpyBackend()
