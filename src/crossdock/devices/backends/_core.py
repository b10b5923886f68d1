"""``native:N``, ``cuda:N``, ``sim:N``: the bundled core's devices. Its memory is touched through its exchange only."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from crossdock import core
from crossdock.core import cuda, exchange
from crossdock.devices import _cuda_pools
from crossdock.devices._backend import Backend, MemoryInfo, parse_index
from crossdock.devices._dtype import STANDARD
from crossdock.devices._nvidia import Gpus, find_gpus
from crossdock.devices._shorthands import CoreDevice
from crossdock.errors import DeviceError
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['CUDA', 'NATIVE', 'SIM', 'CoreBackend']

_DTYPES = STANDARD | {'bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'}
_DLPACK_CPU, _DLPACK_CUDA = 1, 2


class CoreBackend(Backend):
    """One kind of the core's devices. All kinds share the core's array type."""

    prefix = ''
    library = 'core'
    module_name = 'crossdock.core'
    grammar = '[:N]'
    example = '0'
    reports_transfers = True  # transfer listens to the core's own hook
    device_class = CoreDevice
    host_spec = 'native:0'

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def parse_suffix(self, suffix: str | None) -> str:
        return '0' if suffix is None else parse_index(suffix)

    def from_native_device(self, device: Any) -> str | None:
        return str(device.index) if isinstance(device, core.Device) and device.kind == self.kind else None

    def unavailable(self) -> str:
        return '' if core.device_counts().get(self.kind, 0) else f'the core finds no device of the kind {self.kind!r}'

    def suffixes(self) -> Sequence[str]:
        return tuple(map(str, range(core.device_counts().get(self.kind, 0))))

    @property
    def xp(self) -> ModuleType:
        return core

    def place(self, suffix: str) -> PlaceFacts:
        return _place(self.native_device(suffix))

    def native_device(self, suffix: str) -> Any:
        return core.device(self.spec(suffix))

    def memory_info(self, suffix: str) -> MemoryInfo:
        info: MemoryInfo = self.native_device(suffix).memory_info()
        return info

    def synchronise(self, suffix: str) -> None:
        self.native_device(suffix).synchronize()

    def array_types(self) -> tuple[type, ...]:
        return (core.Array,)

    def device_of(self, array: Any) -> str:
        return _place(array.device).device

    def facts(self, array: Any) -> ArrayFacts:
        return ArrayFacts(
            _place(array.device),
            array.shape,
            np.dtype(array.dtype.numpy_dtype),
            array.strides,
            array.readonly,
            graph=bool(getattr(array, 'requires_grad', False)),
        )

    def alias_out(self, array: Any) -> Any:
        return exchange.as_numpy(array) if array.device.is_host else array

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        if isinstance(view, core.Array):  # on an accelerator, whose memory only the core's arrays show
            return view.to_device(core.device(place.device))
        if not isinstance(view, np.ndarray):  # on an accelerator, shown by another library
            return core.from_dlpack(view)
        return exchange.from_numpy(view, device=core.device(place.device))

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        return core.empty(shape, dtype=_core_dtype(dtype), device=core.device(place.device))

    def is_pinned(self, view: np.ndarray[Any, Any], place: PlaceFacts) -> bool:
        return exchange.is_pinned(view, core.device(place.device))

    def pack(self, blocks: list[list[tuple[np.ndarray[Any, Any], np.dtype[Any]]]], place: PlaceFacts) -> list[Any]:
        return exchange.pack([[_parcel(*item) for item in block] for block in blocks], core.device(place.device))

    def plain_arrays(self, leaves: list[Any], place: PlaceFacts, below_nbytes: int) -> list[Any] | None:
        reader = exchange.numpy_reader()
        return (
            None if reader is None else exchange.plain_arrays(leaves, reader, core.device(place.device), below_nbytes)
        )

    def unpack(self, blocks: list[list[tuple[np.ndarray[Any, Any], Any]]], place: PlaceFacts) -> None:
        exchange.unpack(
            [[(exchange.from_numpy(view), array) for view, array in block] for block in blocks],
            core.device(place.device),
        )

    def copy(self, dst: Any, src: Any) -> None:
        exchange.copy_into(dst, src)

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        exchange.copy_into(dst, exchange.from_numpy(view), source=source, blocking=blocking)

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        exchange.copy_into(exchange.from_numpy(view), src, target=target)

    def reader(self, array_type: type) -> exchange.Reader | None:
        return exchange.core_reader()

    def writer(self, suffix: str) -> exchange.Writer | None:
        return exchange.core_writer(self.native_device(suffix))

    def detach(self, array: Any) -> Any:
        return array.detach()


class NativeBackend(CoreBackend):
    """Host memory."""

    def fallback_spec(self, suffix: str) -> str:
        return '@numpy'

    def adopt(self, producer: Any) -> Any:
        # NumPy reads what it can; the core knows data types that NumPy's DLPack does not.
        if hasattr(producer, '__dlpack__') and int(producer.__dlpack_device__()[0]) == _DLPACK_CPU:
            return core.from_dlpack(producer)
        return None


class SimBackend(CoreBackend):
    """Simulated accelerators, whose memory the host cannot touch."""

    def fallback_spec(self, suffix: str) -> str:
        raise DeviceError(
            f'sim:{suffix} has no device to fall back to: no other library reaches simulated memory; '
            'send the arrays to native or @numpy, which copies',
            device=self.spec(suffix),
        )


class CudaBackend(CoreBackend):
    """CUDA GPUs."""

    def unavailable(self) -> str:
        reason = _gpus().reason or _lacking()
        if reason or core.device_counts().get(self.kind, 0):
            return reason
        return 'this build of the core has no CUDA back-end; reach the GPU through @cupy:0'

    def place(self, suffix: str) -> PlaceFacts:
        _cuda_pools.join()
        return super().place(suffix)

    def fallback_spec(self, suffix: str) -> str:
        return f'@cupy:{suffix}'

    def adopt(self, producer: Any) -> Any:
        if not hasattr(producer, '__dlpack__') or self.unavailable():
            return None
        kind, index = map(int, producer.__dlpack_device__())
        return core.from_dlpack(producer) if kind == _DLPACK_CUDA and str(index) in self.suffixes() else None


@functools.cache
def _gpus() -> Gpus:
    return find_gpus()


@functools.cache
def _lacking() -> str:
    """What the core needs besides a GPU and has not; '' if nothing."""
    driver = cuda.driver_version()
    if driver.cuda is not None and driver.cuda < cuda.OLDEST_CUDA:
        now, oldest = (f'{major}.{minor}' for major, minor in (driver.cuda, cuda.OLDEST_CUDA))
        which = f'the NVIDIA driver {driver.name} is too old: it runs CUDA {now}'
        return f"{which}, and the core's kernels need {oldest}; update it"
    if cuda.find_library('nvrtc').path:
        return ''
    extra = 'cuda12' if driver.cuda is not None and driver.cuda < (13, 0) else 'cuda13'
    return f"NVRTC, which compiles the core's kernels, was not found; pip install 'crossdock[{extra}]'"


@functools.cache
def _core_dtype(dtype: np.dtype[Any]) -> Any:
    # NumPy puts the name together anew each time, in microseconds.
    return getattr(core, dtype.name)


def _parcel(view: Any, dtype: np.dtype[Any] | None) -> tuple[Any, Any]:
    return (view, view.dtype) if dtype is None else (exchange.from_numpy(view), _core_dtype(dtype))


_places: dict[Any, PlaceFacts] = {}


def _place(device: Any) -> PlaceFacts:
    found = _places.get(device)
    if found is None:
        found = _places[device] = PlaceFacts(
            device=str(device),
            suffix=str(device.index),
            library='core',
            physical=device.physical,
            peers='' if device.is_host else device.kind,
            chunk_nbytes=0 if device.is_host else exchange.CHUNK_NBYTES,
            keeps_order=not device.is_host,
            dtypes=_DTYPES,
        )
    return found


NATIVE = NativeBackend('native')
CUDA = CudaBackend('cuda')
SIM = SimBackend('sim')
