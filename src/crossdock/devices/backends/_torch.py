"""``@torch:cpu`` and ``@torch:cuda:N``: PyTorch."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.core import exchange
from crossdock.devices._backend import Backend, MemoryInfo, parse_index
from crossdock.devices._device import Device
from crossdock.devices._dtype import STANDARD, cast_into, resolve_dtype
from crossdock.devices._host import host_memory
from crossdock.devices._nvidia import Gpus, find_gpus
from crossdock.devices._torch_layout import find_layout
from crossdock.devices.backends._torch_observe import listen_to, stop_listening
from crossdock.errors import DeviceUnavailableError, DtypeError, UnknownArrayError
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'TorchBackend', 'TorchDevice']

_EXTENDED = frozenset(
    {'bfloat16', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz', 'float8_e8m0fnu'}
)
_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


class TorchDevice(Device):
    """The host's memory or a CUDA GPU, through PyTorch."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f'<TorchDevice (torch):{self._place.suffix}>'


class TorchBackend(Backend):
    """PyTorch's tensors. They have neither a read-only flag nor negative strides."""

    kind = 'torch'
    library = 'torch'
    module_name = 'torch'
    inner_modules = ('array_api_compat',)
    grammar = ':cpu or @torch:cuda:N'
    example = 'cpu'
    device_class = TorchDevice

    def __init__(self) -> None:
        self._hook: Callable[..., Any] | None = None

    def parse_suffix(self, suffix: str | None) -> str:
        if suffix is None:
            raise ValueError('@torch needs to know where, as in @torch:cpu')
        place, colon, index = suffix.partition(':')
        if suffix == 'cpu' or (place == 'cuda' and colon and parse_index(index)):
            return suffix
        raise ValueError(f'{suffix[:20]!r} is neither cpu nor cuda:N')

    def index_of(self, suffix: str) -> int | None:
        _, colon, index = suffix.partition(':')
        return int(index) if colon else None

    def from_native_device(self, device: Any) -> str | None:
        torch: Any = sys.modules.get('torch')
        kind: Any = getattr(torch, 'device', None)
        if kind is None or not isinstance(device, kind):
            return None
        if device.type == 'cpu':
            return 'cpu'
        if device.type == 'cuda':
            # Without an index it means the current one, which is the first as long as CUDA has not been started.
            current = torch.cuda.current_device() if torch.cuda.is_initialized() else 0
            return f'cuda:{current if device.index is None else device.index}'
        raise DeviceUnavailableError(
            f"{device!r} is no device of crossdock's: it knows PyTorch's cpu and cuda", reason='of an unknown kind'
        )

    def unavailable(self) -> str:
        if importlib.util.find_spec('torch') is None:
            return "PyTorch is not installed; pip install 'crossdock[torch]'"
        return ''

    def suffixes(self) -> Sequence[str]:
        gpus = _gpus().number if _built_with_cuda() else 0
        return 'cpu', *(f'cuda:{i}' for i in range(gpus))

    def missing(self) -> Mapping[str, str]:
        if _gpus().number and _built_with_cuda():
            return {}
        built = 'this PyTorch is built without CUDA; https://pytorch.org/get-started/locally has those with it'
        return {'cuda:0': _gpus().reason or built}

    def fallback_spec(self, suffix: str) -> str:
        return '@numpy' if suffix == 'cpu' else f'@cupy:{self.index_of(suffix)}'

    @property
    def xp(self) -> ModuleType:
        try:
            return importlib.import_module('array_api_compat.torch')
        except ImportError as error:
            raise DeviceUnavailableError(
                'the array functions of PyTorch come from array-api-compat, which is not here; '
                f"pip install 'crossdock[torch]' ({error})",
                reason='array-api-compat is not installed',
            ) from error

    def place(self, suffix: str) -> PlaceFacts:
        return _place(suffix)

    def native_device(self, suffix: str) -> Any:
        return self._torch.device(suffix)

    def memory_info(self, suffix: str) -> MemoryInfo:
        if suffix == 'cpu':
            return host_memory()
        cuda = self._torch.cuda
        free, total = cuda.mem_get_info(suffix)
        used = cuda.memory_allocated(suffix)
        return MemoryInfo(free, total, used, cuda.memory_reserved(suffix) - used)

    def synchronise(self, suffix: str) -> None:
        if suffix != 'cpu':
            self._torch.cuda.synchronize(suffix)

    def default_dtype(self, scalar_type: type) -> np.dtype[Any]:
        if scalar_type is float or scalar_type is complex:
            real = _numpy_dtypes()[self._torch.get_default_dtype()]
            return real if scalar_type is float else np.result_type(real, np.complex64)
        return super().default_dtype(scalar_type)

    def array_types(self) -> tuple[type, ...]:
        # It is not there while PyTorch is being imported.
        return (self._torch.Tensor,) if hasattr(self._torch, 'Tensor') else ()

    def device_of(self, array: Any) -> str:
        return self.spec(_suffix(array))

    def facts(self, array: Any) -> ArrayFacts:
        suffix = _suffix(array)
        _check_has_values(array)
        dtype = _numpy_dtypes().get(array.dtype)
        if dtype is None:
            raise DtypeError(f'{array.dtype} is known to PyTorch alone; convert it with to() first', dtype=array.dtype)
        shape, steps = tuple(array.shape), array.stride()
        _check_storage(array, shape, steps, dtype.itemsize)
        return ArrayFacts(
            _place(suffix),
            shape,
            dtype,
            tuple(step * dtype.itemsize for step in steps),
            readonly=_repeats(shape, steps),
            graph=array.requires_grad or _has_tangent(array),
            unresolved='it is a lazy view: conjugated or negated only when it is read' if _is_lazy(array) else '',
        )

    def adopt(self, producer: Any) -> Any:
        torch = sys.modules.get('torch')
        if torch is None or not torch.cuda.is_available() or not hasattr(producer, '__dlpack__'):
            return None
        return torch.from_dlpack(producer) if int(producer.__dlpack_device__()[0]) in _DLPACK_CUDA else None

    def alias_out(self, array: Any) -> Any:
        # A tensor of our own over the same storage, which `array` may be given another one in place of. NumPy's view
        # then keeps that storage from being resized.
        own = array.detach().resolve_conj().resolve_neg()
        if own.device.type != 'cpu':
            return own
        dtype = _numpy_dtypes()[own.dtype]
        view = own.numpy() if dtype.isbuiltin == 1 else own.view(_bits(dtype.itemsize)).numpy().view(dtype)
        if _repeats(view.shape, view.strides):
            view.flags.writeable = False
        return view

    def alias_in(self, view: Any, place: PlaceFacts) -> Any:
        torch = self._torch
        if not isinstance(view, np.ndarray):
            return torch.from_dlpack(view)
        dtype = _torch_dtype(view.dtype)
        if not view.size:
            return torch.empty(view.shape, dtype=dtype, device='cpu')
        view = _with_plain_strides(view)
        if view.dtype.isbuiltin == 1:
            # C's long long is another type to NumPy than the long of the same size, and PyTorch knows only this one.
            return torch.from_numpy(view.view(view.dtype.str) if view.dtype.char in 'qQ' else view)
        return torch.from_numpy(view.view(f'u{view.itemsize}')).view(dtype)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> Any:
        return self._torch.empty(shape, dtype=_torch_dtype(dtype), device=place.suffix)

    def copy(self, dst: Any, src: Any) -> None:
        if _on_host(dst) and _on_host(src):
            self.copy_in(dst, self.alias_out(src), source='')
            return
        if dst.untyped_storage().data_ptr() == src.untyped_storage().data_ptr():
            src = src.clone()
        dst.detach().copy_(src.detach())

    def copy_in(self, dst: Any, view: np.ndarray[Any, Any], *, source: str, blocking: bool = True) -> None:
        if _on_host(dst) and not _is_lazy(dst):
            cast_into(self.alias_out(dst), view)
            self._written(dst)
            return
        narrow = np.empty(view.shape, min(view.dtype, _numpy_dtypes()[dst.dtype], key=lambda dtype: dtype.itemsize))
        cast_into(narrow, view)
        dst.detach().copy_(self.alias_in(narrow, _place('cpu')))

    def copy_out(self, view: np.ndarray[Any, Any], src: Any, *, target: str) -> None:
        if not _on_host(src):
            narrow = min(view.dtype, _numpy_dtypes()[src.dtype], key=lambda dtype: dtype.itemsize)
            src = src.detach().to(_torch_dtype(narrow)).cpu()
        cast_into(view, self.alias_out(src))

    def copy_where(self, dst: Any, src: Any, where: Any) -> None:
        if _on_host(dst) and not _is_lazy(dst):
            super().copy_where(dst, src, where)
            self._written(dst)
            return
        own = dst.detach()
        own.copy_(self._torch.where(where, src.detach().to(dst.dtype), own))

    def reader(self, array_type: type) -> exchange.Reader | None:
        torch = self._torch
        if array_type not in (torch.Tensor, torch.nn.Parameter):
            return None
        return exchange.table_reader(array_type, _questions(), find_layout())

    def writer(self, suffix: str) -> exchange.Writer | None:
        if suffix != 'cpu':
            return None
        return exchange.table_writer(self._torch.Tensor, **_can(_place(suffix)))

    def detach(self, array: Any) -> Any:
        return array.detach()

    def observe(self, hook: Callable[..., Any] | None) -> None:
        self._hook = hook
        if hook is None:
            stop_listening()
        elif hasattr(sys.modules.get('torch'), 'Tensor'):
            listen_to(sys.modules['torch'], hook)

    def _written(self, array: Any) -> None:
        # It went past autograd, which has to hear of it: a saved tensor that has changed must not be used.
        if not array.is_inference():
            self._torch.autograd.graph.increment_version(array)

    @property
    def _torch(self) -> Any:
        torch = sys.modules.get('torch')
        if torch is None:
            torch = importlib.import_module('torch')
            if self._hook is not None:
                listen_to(torch, self._hook)
        return torch


def _suffix(array: Any) -> str:
    device = array.device
    if device.type == 'cpu':
        return 'cpu'
    if device.type == 'cuda':
        return f'cuda:{device.index}'
    if device.type == 'meta':
        raise UnknownArrayError('a meta tensor has a shape but no values; make it on a device, as with to_empty()')
    raise UnknownArrayError(
        f"a tensor on {device} is out of reach: crossdock knows PyTorch's cpu and cuda; call its cpu()"
    )


def _check_has_values(array: Any) -> None:
    """Refuse tensors that are no strided memory."""
    torch = sys.modules['torch']
    kind = type(array)
    if kind is not torch.Tensor and kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        raise UnknownArrayError(
            f'a {kind.__module__}.{kind.__qualname__} stands for other tensors, or for none, and has no memory of its '
            'own; send the tensors inside'
        )
    if array.is_quantized:
        raise UnknownArrayError(
            f'a quantized tensor ({array.dtype}) is more than numbers; send its dequantize(), or int_repr()'
        )
    if array.layout is not torch.strided or array.is_nested:
        what = 'nested' if array.is_nested else str(array.layout).removeprefix('torch.')
        raise UnknownArrayError(f'a tensor of the layout {what} is no dense memory; send its to_dense(), or its parts')
    if torch._C._functorch.is_functorch_wrapped_tensor(array):
        raise UnknownArrayError(
            'a tensor inside torch.func (grad, vmap, ...) has no values yet; send it before or after'
        )


def _check_storage(array: Any, shape: tuple[int, ...], steps: Sequence[int], itemsize: int) -> None:
    """Refuse tensors whose storage was resized under them: their memory is not theirs any more."""
    if 0 in shape:
        return
    last = array.storage_offset() + sum((extent - 1) * step for extent, step in zip(shape, steps))
    have = array.untyped_storage().nbytes()
    if (last + 1) * itemsize > have:
        raise UnknownArrayError(
            f'the storage of a tensor of shape {shape} was resized to {have} bytes, fewer than its elements take'
        )


def _is_lazy(array: Any) -> bool:
    return array.is_conj() or array.is_neg()  # type: ignore[no-any-return]


def _on_host(array: Any) -> bool:
    return array.device.type == 'cpu'  # type: ignore[no-any-return]


def _has_tangent(array: Any) -> bool:
    forward = sys.modules.get('torch.autograd.forward_ad')
    if forward is None or getattr(forward, '_current_level', 0) < 0:
        return False
    return forward.unpack_dual(array).tangent is not None


def _repeats(shape: Sequence[int], steps: Sequence[int]) -> bool:
    """Whether elements are seen at several positions, as in an expanded tensor, which PyTorch refuses to write."""
    return 0 in steps and 0 not in shape and any(step == 0 and extent > 1 for step, extent in zip(steps, shape))


def _with_plain_strides(view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same view; strides that lead nowhere, which PyTorch checks nevertheless, replaced."""
    if all(step >= 0 and step % view.itemsize == 0 for step in view.strides):
        return view
    strides = [step if extent > 1 else view.itemsize for step, extent in zip(view.strides, view.shape)]
    return np.lib.stride_tricks.as_strided(view, strides=strides)


@functools.cache
def _questions() -> exchange.Questions:
    """What `facts` and `alias_out` look at, as far as PyTorch's exchange table does not."""
    tensor, storage = sys.modules['torch'].Tensor, sys.modules['torch'].UntypedStorage
    forward = importlib.import_module('torch.autograd.forward_ad')
    return exchange.Questions(
        globals=vars(forward),
        key='_current_level',
        quiet=-1,  # no derivatives are being pushed forward anywhere
        unless_graph=(tensor.requires_grad,),
        unless_kind=(tensor.is_neg,),
        unless_complex=(tensor.is_conj,),
        memory=tensor.untyped_storage,
        address=storage.data_ptr,
        nbytes=storage.nbytes,
        may_move=storage.resizable,
        pin=sys.modules['torch']._C.TensorBase.numpy,  # not what takes its place while somebody listens
    )


def _can(place: PlaceFacts) -> dict[str, Any]:
    return {
        'readonly': place.keeps_readonly,
        'negative_strides': place.negative_strides,
        'odd_strides': place.odd_strides,
        'dtypes': place.dtypes,
    }


@functools.cache
def _numpy_dtypes() -> dict[Any, np.dtype[Any]]:
    torch = importlib.import_module('torch')
    return {getattr(torch, name): resolve_dtype(name) for name in STANDARD | _EXTENDED}


@functools.cache
def _torch_dtype(dtype: np.dtype[Any]) -> Any:
    return getattr(importlib.import_module('torch'), dtype.name)


def _bits(itemsize: int) -> Any:
    return _torch_dtype(np.dtype(f'u{itemsize}'))


@functools.cache
def _place(suffix: str) -> PlaceFacts:
    return PlaceFacts(
        device=f'@torch:{suffix}',
        suffix=suffix,
        library='torch',
        physical='host' if suffix == 'cpu' else suffix,
        peers='' if suffix == 'cpu' else 'cuda',
        keeps_readonly=False,
        negative_strides=False,
        odd_strides=False,
        dtypes=STANDARD | _EXTENDED,
    )


@functools.cache
def _gpus() -> Gpus:
    return find_gpus()


@functools.cache
def _built_with_cuda() -> bool:
    """Whether this PyTorch was built for CUDA. Its version file says so, without an import."""
    found = importlib.util.find_spec('torch')
    folders = (found.submodule_search_locations or []) if found else []
    for folder in folders:
        file = Path(folder) / 'version.py'
        if file.is_file() and re.search(r"^cuda\b[^=\n]*= *'", file.read_text(encoding='utf-8'), re.MULTILINE):
            return True
    return False


BACKEND = TorchBackend()
