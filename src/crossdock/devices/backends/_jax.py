"""``@jax:cpu:N`` and ``@jax:cuda:N``: the devices of JAX. ``@jax:N`` is another name of one of them."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.core import exchange
from crossdock.devices._backend import Backend, MemoryInfo, parse_index
from crossdock.devices._device import Device
from crossdock.devices._dtype import STANDARD, cast_into
from crossdock.devices._host import host_memory
from crossdock.devices._nvidia import Gpus, find_gpus
from crossdock.devices.backends._jax_observe import listen_to, stop_listening
from crossdock.errors import (
    CopyRequiredError,
    DeviceUnavailableError,
    DtypeError,
    GraphError,
    ReadOnlyError,
    UnknownArrayError,
)
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'JaxBackend', 'JaxDevice']

_WIDE = frozenset({'int64', 'uint64', 'float64', 'complex128'})
_STANDARD = STANDARD - _WIDE
_EXTENDED = frozenset(
    {'bfloat16', 'float8_e3m4', 'float8_e4m3', 'float8_e4m3b11fnuz', 'float8_e4m3fn', 'float8_e4m3fnuz'}
    | {'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu', 'int4', 'uint4'}
)
_PACKED = frozenset({'int4', 'uint4'})
_ADVICE = (
    'JAX has it only while its flag jax_enable_x64 is set, as by '
    "jax.config.update('jax_enable_x64', True); or convert on the way, as in send(x, dtype={!r})"
)
_INSTEAD = {'int64': 'int32', 'uint64': 'uint32', 'float64': 'float32', 'complex128': 'complex64'}
_ALIGNMENT = 64  # of memory that XLA shares on the host, in bytes
_PLATFORMS = {'cpu': 'cpu', 'gpu': 'cuda', 'cuda': 'cuda'}
_PLUGINS = ('jax_cuda12_plugin', 'jax_cuda13_plugin')


class JaxDevice(Device):
    """A device of JAX's: the host's memory, or a CUDA GPU."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f'<JaxDevice (jax):{self._place.suffix}>'


class _Dtypes(Set[str]):
    """What JAX can express right now: its 64-bit types come and go with a flag, which may differ between threads."""

    def _now(self) -> frozenset[str]:
        return _lasting() | _WIDE if _has_wide() else _lasting()

    def __contains__(self, name: object) -> bool:
        return name in _lasting() or (name in _WIDE and _has_wide())

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    __hash__ = object.__hash__


class JaxBackend(Backend):
    """JAX's arrays, which never change, and are C-contiguous.

    Which devices there are only JAX can say, so naming one starts its runtime. Listing devices does not: until JAX has
    been started, those are listed that it is sure to have.
    """

    kind = 'jax'
    library = 'jax'
    module_name = 'jax'
    inner_modules = ('jaxlib',)
    grammar = ':N, @jax:cpu:N or @jax:cuda:N'
    example = '0'
    device_class = JaxDevice

    def __init__(self) -> None:
        self._hook: Callable[..., Any] | None = None

    def parse_suffix(self, suffix: str | None) -> str:
        if suffix is None:
            raise ValueError('@jax needs the number of a device, as in @jax:0')
        platform, colon, index = suffix.rpartition(':')
        if colon and platform not in ('cpu', 'cuda'):
            raise ValueError(f'{platform[:20]!r} is neither cpu nor cuda')
        parse_index(index)
        return suffix

    def index_of(self, suffix: str) -> int | None:
        return int(suffix.rpartition(':')[2])

    def from_native_device(self, device: Any) -> str | None:
        kind = getattr(sys.modules.get('jax'), 'Device', None)
        return _suffix_of(device) if kind is not None and isinstance(device, kind) else None

    def unavailable(self) -> str:
        if importlib.util.find_spec('jax') is None or importlib.util.find_spec('jaxlib') is None:
            return "JAX is not installed; pip install 'crossdock[jax]'"
        return ''

    def suffixes(self) -> Sequence[str]:
        if _started():
            return tuple(_suffix_of(device) for device in _all_devices() if device.platform in _PLATFORMS)
        platforms = os.environ.get('JAX_PLATFORMS', '').split(',')
        found: tuple[str, ...] = ('cpu:0',) if platforms == [''] or 'cpu' in platforms else ()
        asked = platforms == [''] or 'cuda' in platforms or 'gpu' in platforms
        if asked and _has_plugin():
            found += tuple(f'cuda:{i}' for i in range(_gpus().number))
        return found

    def missing(self) -> Mapping[str, str]:
        here = {suffix.rpartition(':')[0] for suffix in self.suffixes()}
        return {f'{place}:0': _why_no(place) for place in ('cpu', 'cuda') if place not in here}

    def has(self, suffix: str) -> bool:
        return suffix in self.suffixes() or _find(suffix) is not None

    def canonical(self, suffix: str) -> str:
        return suffix if ':' in suffix else _suffix_of(_find(suffix))

    def fallback_spec(self, suffix: str) -> str:
        return '@numpy' if suffix.startswith('cpu') else f'@cupy:{self.index_of(suffix)}'

    @property
    def xp(self) -> ModuleType:
        return importlib.import_module('jax.numpy')

    def place(self, suffix: str) -> PlaceFacts:
        return _place(suffix)

    def native_device(self, suffix: str) -> Any:
        return _find(suffix)

    def memory_info(self, suffix: str) -> MemoryInfo:
        if suffix.startswith('cpu'):
            used = sum(array.nbytes for array in _live_arrays(_find(suffix)))
            return host_memory()._replace(used=used)
        stats = _find(suffix).memory_stats() or {}
        total, used, pool = (stats.get(name) for name in ('bytes_limit', 'bytes_in_use', 'pool_bytes'))
        free = None if total is None or used is None else total - used
        return MemoryInfo(free, total, used, None if pool is None or used is None else max(pool - used, 0))

    def synchronise(self, suffix: str) -> None:
        for array in _live_arrays(_find(suffix)):
            array.block_until_ready()
        _jax().effects_barrier()

    def default_dtype(self, scalar_type: type) -> np.dtype[Any]:
        dtype = super().default_dtype(scalar_type)
        return dtype if _has_wide() else np.dtype(_INSTEAD.get(dtype.name, dtype.name))

    def array_types(self) -> tuple[type, ...]:
        jax = _jax()
        # Neither is there while JAX is being imported.
        return (jax.Array, jax.core.Tracer) if hasattr(jax, 'Array') and hasattr(jax, 'core') else ()

    def device_of(self, array: Any) -> str:
        return self.spec(_suffix_of(_device_of(array)))

    def facts(self, array: Any) -> ArrayFacts:
        jax = _jax()
        place = _place(_suffix_of(_device_of(array)))
        if jax.numpy.issubdtype(array.dtype, jax.dtypes.extended):
            raise DtypeError(
                f'{array.dtype} is no number: random keys do not travel; send jax.random.key_data(key), and wrap it '
                'again with jax.random.wrap_key_data',
                dtype=array.dtype,
            )
        dtype = array.dtype
        return ArrayFacts(
            place,
            array.shape,
            dtype,
            _c_strides(array.shape, dtype.itemsize),
            readonly=True,
            unresolved=_packing(dtype),
        )

    def alias_out(self, array: Any) -> Any:
        return np.asarray(array) if _on_host(array) else array

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        jax = _jax()
        if not isinstance(view, np.ndarray):
            return jax.dlpack.from_dlpack(view)
        if not view.size:
            return self.create(view, view.dtype, place)
        array = jax.device_put(view, _find(place.suffix))
        if array.unsafe_buffer_pointer() != view.ctypes.data:
            raise CopyRequiredError(f'JAX did not share the memory of a {view.dtype.name} array of shape {view.shape}')
        return array

    def create(self, source: Any, dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        jax = _jax()
        device = _find(place.suffix)
        if not isinstance(source, np.ndarray):
            array = source if isinstance(source, jax.Array) else jax.dlpack.from_dlpack(source)
            if not _on_host(array):
                return jax.device_put(jax.numpy.array(array, dtype=dtype, copy=True), device)
            source = np.asarray(array)
        # Memory that nobody else holds, laid out so that JAX takes it over as it is.
        own = _aligned(source.shape, dtype)
        cast_into(own, source)
        return jax.device_put(own, device)

    def copy(self, dst: Any, src: Any) -> None:
        raise ReadOnlyError('a JAX array cannot be written; make a new one, as with dst.at[...].set(src)')

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        self.copy(dst, view)

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        narrow = src if src.dtype.itemsize <= view.itemsize or _on_host(src) else src.astype(view.dtype)
        cast_into(view, np.asarray(narrow))

    def observe(self, hook: Callable[..., Any] | None) -> None:
        self._hook = hook
        if hook is None:
            stop_listening()
        elif hasattr(sys.modules.get('jax'), 'device_get'):
            listen_to(sys.modules['jax'], hook, self._spec_of)

    def _spec_of(self, device: Any) -> str:
        return self.spec(_suffix_of(device))

    def reader(self, array_type: type) -> exchange.Reader | None:
        # Only those that lie whole on one device of the host show their memory.
        return None if issubclass(array_type, _jax().core.Tracer) else exchange.buffer_reader(array_type)

    def writer(self, suffix: str) -> exchange.Writer | None:
        if not suffix.startswith('cpu'):
            return None
        device_put, device = _jax().device_put, _find(suffix)
        return exchange.copy_writer(lambda own: device_put(own, device), _lasting() - _PACKED)


@functools.cache
def _jax() -> Any:
    return importlib.import_module('jax')


@functools.cache
def _lasting() -> frozenset[str]:
    """The types that JAX has whatever its flags; older versions lack some."""
    return _STANDARD | {name for name in _EXTENDED if hasattr(_jax().numpy, name)}


def _has_wide() -> bool:
    return bool(_jax().config.jax_enable_x64)


def _started() -> bool:
    """Whether JAX knows its devices already, so that asking for them starts nothing."""
    bridge = sys.modules.get('jax._src.xla_bridge')
    return bridge is not None and bool(getattr(bridge, '_backends', None))


def _all_devices() -> list[Any]:
    """JAX's default devices, then the host's where those are others."""
    devices = _devices(None)
    return devices if any(device.platform == 'cpu' for device in devices) else _devices('cpu') + devices


def _devices(platform: str | None) -> list[Any]:
    try:
        return list(_jax().local_devices(backend=platform))
    except RuntimeError:  # JAX has no such platform, or was told not to use it
        return []


_found: dict[str, Any] = {}


def _find(suffix: str) -> Any:
    """JAX's own device object; None if there is no such device."""
    device = _found.get(suffix)
    if device is None:
        device = _ask_for(suffix)
        if device is not None:
            _found[suffix] = device
    return device


def _ask_for(suffix: str) -> Any:
    platform, colon, index = suffix.rpartition(':')
    if not colon:
        devices = _devices(None)
        return devices[int(index)] if int(index) < len(devices) else None
    return next((device for device in _devices(platform) if _number(device) == int(index)), None)


def _suffix_of(device: Any) -> str:
    platform = _PLATFORMS.get(device.platform)
    if platform is None:
        raise DeviceUnavailableError(
            f"{device} is no device of crossdock's: it knows JAX's cpu and cuda", reason='of an unknown platform'
        )
    return f'{platform}:{_number(device)}'


def _number(device: Any) -> int:
    local = device.local_hardware_id
    return int(device.id if local is None else local)


def _device_of(array: Any) -> Any:
    jax = _jax()
    if isinstance(array, jax.core.Tracer):
        raise GraphError(
            f'JAX is tracing a function (jit, grad, vmap, ...), and its argument, a {type(array).__name__}, has no '
            'values and no device yet; send arrays before or after the call (there is nothing to detach)'
        )
    if array.is_deleted():
        raise UnknownArrayError(f'a JAX array of shape {array.shape} was deleted, or donated to a function')
    devices = array.devices()
    if len(devices) != 1:
        raise UnknownArrayError(
            f'a JAX array is spread over {len(devices)} devices; bring it to one first, as with '
            'jax.device_put(x, jax.devices()[0])'
        )
    return next(iter(devices))


def _on_host(array: Any) -> bool:
    return all(device.platform == 'cpu' for device in array.devices())


def _live_arrays(device: Any) -> list[Any]:
    return [array for array in _jax().live_arrays(device.platform) if device in array.devices()]


@functools.cache
def _packing(dtype: np.dtype[Any]) -> str:
    return f'JAX packs {dtype.name} elements into bytes' if dtype.name in _PACKED else ''


def _c_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = [itemsize]
    for extent in reversed(shape[1:]):
        strides.append(strides[-1] * extent)
    return tuple(reversed(strides)) if shape else ()


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    nbytes = math.prod(shape) * dtype.itemsize
    memory = np.empty(nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + nbytes].view(dtype).reshape(shape)


@functools.cache
def _place(suffix: str) -> PlaceFacts:
    on_host = suffix.startswith('cpu')
    return PlaceFacts(
        device=f'@jax:{suffix}',
        suffix=suffix,
        library='jax',
        physical='host' if on_host else suffix,
        negative_strides=False,
        odd_strides=False,
        contiguous=True,
        alignment=_ALIGNMENT if on_host else 1,
        immutable=True,
        dtypes=_Dtypes(),
        dtype_advice=tuple((name, _ADVICE.format(_INSTEAD[name])) for name in sorted(_WIDE)),
    )


def _why_no(place: str) -> str:
    platforms = os.environ.get('JAX_PLATFORMS', '')
    if platforms and not {place, 'gpu' if place == 'cuda' else place} & set(platforms.split(',')):
        return f'JAX_PLATFORMS={platforms} leaves it out; unset that, or add {place}'
    if place == 'cuda' and _gpus().reason:
        return _gpus().reason
    if place == 'cuda' and not _has_plugin():
        return "JAX has no plugin for CUDA; pip install 'jax[cuda13]', or [cuda12] for a driver that runs no CUDA 13"
    return 'JAX has started without it; what it has is jax.devices()'


def _has_plugin() -> bool:
    return any(importlib.util.find_spec(plugin) is not None for plugin in _PLUGINS)


@functools.cache
def _gpus() -> Gpus:
    return find_gpus()


BACKEND = JaxBackend()
