"""The parts of `Array` that are easier said in Python; the compiled class calls them by name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from crossdock.errors import TransferForbiddenError

from . import _core
from ._core import Array
from .exchange import as_numpy, copy_into

_FORBIDDEN = '<guarded>'  # in place of values that a guard forbids
_VERSIONS = ('2021.12', '2022.12', '2023.12', '2024.12')


def namespace(array: Array, api_version: str | None) -> ModuleType:
    """The namespace of an array: ``crossdock.core``."""
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f'array API version {api_version!r} is not here; there are {", ".join(_VERSIONS)}')
    from crossdock import core

    return core


def host_values(array: Array, op: str) -> np.ndarray[Any, Any]:
    """The values in host memory; an implicit transfer from an accelerator."""
    if array.device.is_host:
        return as_numpy(array)
    landed = _core.empty(array.shape, dtype=array.dtype, device='native:0')
    copy_into(landed, array, target='@numpy', op=op, implicit=True)
    return as_numpy(landed)


def represent(array: Array) -> str:
    """``array([0., 2.], shape=(2,), dtype=float32, device='native:0')``."""
    facts = f"shape={array.shape}, dtype={array.dtype}, device='{array.device}'"
    options = np.get_printoptions()
    summary = array.size > options['threshold']
    try:
        shown = host_values(_edges(array, options['edgeitems']) if summary else array, 'repr')
    except TransferForbiddenError:  # debuggers call it
        return f'array({_FORBIDDEN}, {facts})'
    if array.dtype.kind in ('real floating', 'storage') and shown.dtype.isbuiltin != 1:
        # NumPy prints the types of ml_dtypes one by one, 2.0 as 2.
        shown = shown.astype(np.int8 if 'int' in array.dtype.name else np.float32)
    values = np.array2string(shown, separator=', ', prefix='array(', threshold=0 if summary else None)
    return f'array({values}, {facts})'


def _edges(array: Array, count: int) -> Array:
    """What of a large array is printed, and one element more along each axis, in whose place NumPy prints dots."""
    for axis, extent in enumerate(array.shape):
        if extent > 2 * count + 1:
            before = (slice(None),) * axis
            head, tail = array[(*before, slice(count + 1))], array[(*before, slice(extent - count, extent))]
            array = _core.concat([head, tail], axis=axis)
    return array


def format_array(array: Array, spec: str) -> str:
    """A scalar formats as its number, by a format spec any array of one element; the others only without one."""
    if spec and array.size != 1:
        raise TypeError(f'only an array of one element formats by {spec!r}, this one has shape {array.shape}')
    try:
        if spec:
            return format(array.item(), spec)
        return str(host_values(array, 'format')[()]) if array.ndim == 0 else str(array)
    except TransferForbiddenError:
        return represent(array)


def as_ndarray(array: Array, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """``Array.__array__``."""
    if not array.device.is_host:
        raise TypeError(
            f"an array on '{array.device}' is not turned into a NumPy array without asking, as that copies it to the "
            'host; use crossdock.to_numpy(x)'
        )
    return np.array(as_numpy(array), dtype=dtype, copy=copy)


def cuda_array_interface(array: Array) -> dict[str, Any]:
    """``Array.__cuda_array_interface__`` of an array on CUDA (Numba's CUDA Array Interface, version 3)."""
    legacy_default_stream = 1
    return {
        'shape': array.shape,
        'typestr': array.dtype.numpy_dtype.str,
        'data': (array.data_ptr if array.size else 0, array.readonly),
        'strides': None if array.c_contiguous else array.strides,
        'stream': legacy_default_stream,
        'version': 3,
    }


def array_interface(array: Array) -> dict[str, Any]:
    """``Array.__array_interface__`` of a host array."""
    view = as_numpy(array)
    interface = dict(view.__array_interface__)
    interface['strides'] = array.strides
    return interface
