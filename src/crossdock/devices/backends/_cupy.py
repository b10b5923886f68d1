"""``@cupy:N``: CUDA GPU N through CuPy."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from crossdock import core
from crossdock.core.exchange import CHUNK_NBYTES
from crossdock.devices import _cuda_pools
from crossdock.devices._backend import Backend, MemoryInfo, parse_index
from crossdock.devices._dtype import STANDARD
from crossdock.devices._nvidia import Gpus, find_gpus
from crossdock.devices._shorthands import GpuDevice
from crossdock.devices.backends._cupy_observe import listen_to, stop_listening
from crossdock.devices.backends._cupy_peer import copy_to_peer
from crossdock.devices.backends._cupy_staging import as_real, download, pack, unpack, upload
from crossdock.errors import DeviceError, OutOfMemoryError
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'CupyBackend']

_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


class CupyBackend(Backend):
    """CuPy's arrays. CuPy has no read-only arrays."""

    kind = 'cupy'
    library = 'cupy'
    module_name = 'cupy'
    inner_modules = ('cupyx', 'cupy_backends')
    grammar = ':N'
    example = '0'
    device_class = GpuDevice

    def __init__(self) -> None:
        self._hook: Callable[..., None] | None = None
        self._started_in = 0

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
        xp: ModuleType = self._cupy
        return xp

    def place(self, suffix: str) -> PlaceFacts:
        return _place(suffix)

    def native_device(self, suffix: str) -> Any:
        return self._cupy.cuda.Device(int(suffix))

    def memory_info(self, suffix: str) -> MemoryInfo:
        if _cuda_pools.owner() == 'core':
            shared: MemoryInfo = core.device(f'cuda:{suffix}').memory_info()
            return shared
        with self._entered(self.native_device(suffix)) as device:
            free, total = device.mem_info
            pool = self._cupy.get_default_memory_pool()
            return MemoryInfo(free, total, pool.used_bytes(), pool.free_bytes())

    def synchronise(self, suffix: str) -> None:
        self._entered(self.native_device(suffix)).synchronize()

    def array_types(self) -> tuple[type, ...]:
        # It is not there while CuPy is being imported.
        return (self._cupy.ndarray,) if hasattr(sys.modules['cupy'], 'ndarray') else ()

    def device_of(self, array: Any) -> str:
        return self.spec(str(array.device.id))

    def facts(self, array: Any) -> ArrayFacts:
        return ArrayFacts(_place(str(array.device.id)), array.shape, array.dtype, array.strides)

    def adopt(self, producer: Any) -> Any:
        if self.unavailable():
            return None
        interface = getattr(producer, '__cuda_array_interface__', None)
        if hasattr(producer, '__dlpack__') and hasattr(producer, '__dlpack_device__'):
            if int(producer.__dlpack_device__()[0]) not in _DLPACK_CUDA:
                return None
            array = self._cupy.from_dlpack(producer)
        elif interface is not None:
            array = _from_interface(self._cupy, producer, interface)
        else:
            return None
        # CuPy has no read-only arrays, and what nobody may write must not become writable.
        return self._copied(array) if interface is not None and interface['data'][1] else array

    def alias_out(self, array: Any) -> Any:
        return _View(array)

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        # It has the producer's work done before what comes later on our current stream, on the memory's own device.
        return self._cupy.from_dlpack(view)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        with self._entered(self.native_device(place.suffix)), self._telling_of_memory(place.suffix):
            return self._cupy.empty(shape, dtype)

    def permute(self, array: Any, axes: tuple[int, ...]) -> Any:
        return array.transpose(axes)

    def is_pinned(self, view: np.ndarray[Any, Any], place: PlaceFacts) -> bool:
        if 'cupy' not in sys.modules or not view.size or not view.flags.c_contiguous:
            return False
        with self._entered(self.native_device(place.suffix)):  # it starts CUDA on the current device
            return bool(self._cupy.cuda.pinned_memory.is_memory_pinned(view.ctypes.data))

    def pack(self, blocks: list[list[tuple[np.ndarray[Any, Any], np.dtype[Any]]]], place: PlaceFacts) -> list[Any]:
        with self._entered(self.native_device(place.suffix)), self._telling_of_memory(place.suffix):
            return [array for block in blocks for array in pack(self._cupy, block)]

    def unpack(self, blocks: list[list[tuple[np.ndarray[Any, Any], Any]]], place: PlaceFacts) -> None:
        with self._entered(self.native_device(place.suffix)):
            for block in blocks:
                unpack(self._cupy, block)

    def copy(self, dst: Any, src: Any) -> None:
        if src.device != dst.device:
            self._entered(dst.device)
            copy_to_peer(self._cupy, dst, src)
            return
        with self._entered(dst.device):
            if self._cupy.may_share_memory(dst, src):
                src = src.copy()
            dst[...] = as_real(src, dst.dtype)

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        with self._entered(dst.device):
            pinned = self.is_pinned(view, _place(str(dst.device.id)))
            upload(self._cupy, dst, view, pinned=pinned, blocking=blocking)

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        with self._entered(src.device):
            download(self._cupy, view, src)

    def copy_where(self, dst: Any, src: Any, where: Any) -> None:
        with self._entered(dst.device):
            if self._cupy.may_share_memory(dst, src):
                src = src.copy()
            self._cupy.copyto(dst, as_real(src, dst.dtype), casting='unsafe', where=where)

    def observe(self, hook: Callable[..., None] | None) -> None:
        self._hook = hook
        if hook is None:
            stop_listening()
        elif hasattr(sys.modules.get('cupy'), 'ndarray'):
            listen_to(sys.modules['cupy'], hook)

    def _entered(self, device: Any) -> Any:
        """A device that is about to be used."""
        process = os.getpid()
        if self._started_in not in (0, process):
            spec = self.spec(str(device.id))
            raise DeviceError(
                f'{spec} was in use before this process was forked from process {self._started_in}, and CUDA does not '
                "work in both; start processes with multiprocessing.get_context('spawn'), or use no GPU before forking",
                device=spec,
            )
        self._started_in = process
        return device

    def _copied(self, array: Any) -> Any:
        with array.device:
            return array.copy()

    @contextlib.contextmanager
    def _telling_of_memory(self, suffix: str) -> Iterator[None]:
        """Have an error with figures, of our own kind, where there is no memory."""
        try:
            yield
        except OutOfMemoryError:
            raise
        except MemoryError as error:
            info = self.memory_info(suffix)
            raise OutOfMemoryError(
                f'{self.spec(suffix)} has no room: {error}',
                device=self.spec(suffix),
                free=info.free,
                pooled=info.pooled,
            ) from error

    @property
    def _cupy(self) -> Any:
        cupy = sys.modules.get('cupy')
        if cupy is None:
            cupy = importlib.import_module('cupy')
            if self._hook is not None:
                listen_to(cupy, self._hook)
        _cuda_pools.join()
        return cupy


class _View:
    """An array for other libraries, by DLPack. CuPy's own is right on the current device only."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._array.__dlpack_device__()
        return int(kind), int(number)

    def __dlpack__(self, *, copy: bool | None = None, **kwargs: Any) -> Any:
        # Which stream's work the reader has to wait for, it asks of the current device.
        with self._array.device:
            array = self._array.copy() if copy else self._array
            return array.__dlpack__(**kwargs)


def _from_interface(cupy: Any, producer: Any, interface: dict[str, Any]) -> Any:
    """An array over what ``__cuda_array_interface__`` shows, on the device where that is."""
    address = interface['data'][0]
    with cupy.cuda.device.from_pointer(address) if address else contextlib.nullcontext():
        return cupy.asarray(producer)


@functools.cache
def _place(suffix: str) -> PlaceFacts:
    return PlaceFacts(
        device=f'@cupy:{suffix}',
        suffix=suffix,
        library='cupy',
        physical=f'cuda:{suffix}',
        peers='cuda',
        chunk_nbytes=CHUNK_NBYTES,
        keeps_order=True,
        keeps_readonly=False,
        odd_strides=False,
        dtypes=STANDARD,
    )


@functools.cache
def _gpus() -> Gpus:
    return find_gpus()


BACKEND = CupyBackend()
