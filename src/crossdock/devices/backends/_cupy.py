"""``@cupy:N``: CUDA GPU N through CuPy."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.devices._backend import Backend, MemoryInfo, parse_index
from crossdock.devices._dtype import STANDARD, cast_into
from crossdock.devices._nvidia import Gpus, find_gpus
from crossdock.devices._shorthands import GpuDevice
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'CupyBackend']

_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


class CupyBackend(Backend):
    """CuPy's arrays. CuPy has no read-only arrays."""

    kind = 'cupy'
    library = 'cupy'
    module_name = 'cupy'
    grammar = ':N'
    example = '0'
    device_class = GpuDevice

    def parse_suffix(self, suffix: str | None) -> str:
        if suffix is None:
            raise ValueError('@cupy needs the number of a GPU')
        return parse_index(suffix)

    def from_native_device(self, device: Any) -> str | None:
        cuda = getattr(sys.modules.get('cupy'), 'cuda', None)
        return str(device.id) if cuda is not None and isinstance(device, cuda.Device) else None

    def unavailable(self) -> str:
        if importlib.util.find_spec('cupy') is None:
            return (
                "CuPy is not installed; pip install 'crossdock[cuda13]', or [cuda12] for a driver that runs no CUDA 13"
            )
        return _gpus().reason

    def suffixes(self) -> Sequence[str]:
        return tuple(map(str, range(_gpus().number)))

    def fallback_spec(self, suffix: str) -> str:
        return self.spec(suffix)

    @property
    def xp(self) -> ModuleType:
        return importlib.import_module('cupy')

    def place(self, suffix: str) -> PlaceFacts:
        return _place(suffix)

    def native_device(self, suffix: str) -> Any:
        return self._cupy.cuda.Device(int(suffix))

    def memory_info(self, suffix: str) -> MemoryInfo:
        with self.native_device(suffix) as device:
            free, total = device.mem_info
            pool = self._cupy.get_default_memory_pool()
            return MemoryInfo(free, total, pool.used_bytes(), pool.free_bytes())

    def synchronise(self, suffix: str) -> None:
        self.native_device(suffix).synchronize()

    def array_types(self) -> tuple[type, ...]:
        return (self._cupy.ndarray,)

    def device_of(self, array: Any) -> str:
        return self.spec(str(array.device.id))

    def facts(self, array: Any) -> ArrayFacts:
        return ArrayFacts(_place(str(array.device.id)), array.shape, array.dtype, array.strides)

    def adopt(self, producer: Any) -> Any:
        if self.unavailable():
            return None
        if hasattr(producer, '__cuda_array_interface__'):
            return self._cupy.asarray(producer)
        return self._cupy.from_dlpack(producer) if int(producer.__dlpack_device__()[0]) in _DLPACK_CUDA else None

    def alias_out(self, array: Any) -> Any:
        return array

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        return self._cupy.from_dlpack(view)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        with self.native_device(place.suffix):
            return self._cupy.empty(shape, dtype)

    def copy(self, dst: Any, src: Any) -> None:
        with dst.device:
            # CuPy's asarray brings an array of another GPU to the current one.
            dst[...] = self._cupy.asarray(src)

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        with dst.device:
            # The narrower type crosses.
            narrow = view.astype(dst.dtype) if dst.itemsize < view.itemsize else view
            dst[...] = self._cupy.asarray(narrow)
            if blocking:
                self._cupy.cuda.get_current_stream().synchronize()

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        with src.device:
            narrow = src.astype(view.dtype) if view.itemsize < src.itemsize else src
            cast_into(view, self._cupy.asnumpy(narrow))

    @property
    def _cupy(self) -> Any:
        return importlib.import_module('cupy')


@functools.cache
def _place(suffix: str) -> PlaceFacts:
    return PlaceFacts(
        device=f'@cupy:{suffix}',
        suffix=suffix,
        library='cupy',
        physical=f'cuda:{suffix}',
        keeps_readonly=False,
        odd_strides=False,
        dtypes=STANDARD,
    )


@functools.cache
def _gpus() -> Gpus:
    return find_gpus()


BACKEND = CupyBackend()
