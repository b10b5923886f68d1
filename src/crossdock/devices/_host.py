"""The common part of back-ends whose arrays are NumPy's."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.core import exchange
from crossdock.devices._backend import Backend, MemoryInfo
from crossdock.devices._dtype import cast_into
from crossdock.errors import DtypeError
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['HOST', 'HostBackend', 'host_memory']

#: NumPy's arrays do not know who made them: each says that it lives here.
HOST = PlaceFacts(device='@numpy', suffix='', library='numpy', physical='host')


class HostBackend(Backend):
    """NumPy's arrays, views of subclasses of them included."""

    library = 'numpy'
    module_name = 'numpy'

    @property
    def xp(self) -> ModuleType:
        return np

    def fallback_spec(self, suffix: str) -> str:
        return HOST.device

    def memory_info(self, suffix: str) -> MemoryInfo:
        return host_memory()

    def array_types(self) -> tuple[type, ...]:
        return (np.ndarray,)

    def device_of(self, array: Any) -> str:
        return HOST.device

    def facts(self, array: np.ndarray[Any, Any]) -> ArrayFacts:
        exact = type(array) is np.ndarray
        if not exact:
            _refuse_masked(array)
        return ArrayFacts(HOST, array.shape, array.dtype, array.strides, not array.flags.writeable, foreign=not exact)

    def alias_out(self, array: Any) -> np.ndarray[Any, Any]:
        return np.asarray(array)

    def alias_in(self, view: Any, place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.asarray(view)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.empty(shape, dtype)

    def reader(self, array_type: type) -> exchange.Reader | None:
        return exchange.numpy_reader() if array_type is np.ndarray else None

    def writer(self, suffix: str) -> exchange.Writer | None:
        return exchange.numpy_writer()

    def copy(self, dst: Any, src: Any) -> None:
        cast_into(dst, src)


def host_memory() -> MemoryInfo:
    """The machine's memory. Nobody counts what arrays hold of it."""
    found = _read_meminfo()
    return MemoryInfo(found.get('MemAvailable'), found.get('MemTotal'), None, 0)


def _refuse_masked(array: Any) -> None:
    masked = sys.modules.get('numpy.ma')
    if masked is not None and masked.is_masked(array):
        raise DtypeError(
            'a masked array with masked elements does not travel, for the mask would be lost; '
            'send its filled(...), or data and mask one by one',
            dtype=array.dtype,
        )


def _read_meminfo() -> dict[str, int]:
    """What Linux says about the machine's memory, in bytes; nothing on other systems."""
    found = {}
    try:
        with open('/proc/meminfo', encoding='ascii') as file:
            for line in file:
                name, _, amount = line.partition(':')
                found[name] = int(amount.split()[0]) * 1024
    except OSError:
        pass
    return found
