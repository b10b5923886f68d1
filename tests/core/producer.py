"""A DLPack producer made by hand with ctypes: it can say anything, true or not, and counts its deleter's calls."""

from __future__ import annotations

import ctypes
from typing import Any

_api = ctypes.PyDLL(None)  # not ctypes.pythonapi, whose prototypes all modules share
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Device(ctypes.Structure):
    _fields_ = [('type', ctypes.c_int32), ('id', ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [('code', ctypes.c_uint8), ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ('data', ctypes.c_void_p),
        ('device', Device),
        ('ndim', ctypes.c_int32),
        ('dtype', DataType),
        ('shape', ctypes.POINTER(ctypes.c_int64)),
        ('strides', ctypes.POINTER(ctypes.c_int64)),
        ('byte_offset', ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [('tensor', Tensor), ('context', ctypes.c_void_p), ('deleter', ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ('major', ctypes.c_uint32),
        ('minor', ctypes.c_uint32),
        ('context', ctypes.c_void_p),
        ('deleter', ctypes.c_void_p),
        ('flags', ctypes.c_uint64),
        ('tensor', Tensor),
    ]


class Producer:
    """Exports `values` (any ctypes array), or null when there are none."""

    def __init__(
        self,
        values: Any,
        shape: tuple[int, ...],
        *,
        strides: tuple[int, ...] | None = None,
        dtype: tuple[int, int, int] = (2, 64, 1),
        version: tuple[int, int] | None = (1, 0),
        flags: int = 0,
        byte_offset: int = 0,
        device: tuple[int, int] = (1, 0),
        ndim: int | None = None,
        takes_keywords: bool = True,
    ) -> None:
        self.deleted = 0
        self.keywords: dict[str, Any] = {}
        self._device, self._versioned, self._takes_keywords = device, version is not None, takes_keywords
        self._values = values
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (ctypes.c_int64 * max(len(strides), 1))(*strides) if strides is not None else None
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._count)
        tensor = Tensor(
            ctypes.cast(values, ctypes.c_void_p) if values is not None else None,
            Device(*device),
            len(shape) if ndim is None else ndim,
            DataType(*dtype),
            self._shape,
            self._strides,
            byte_offset,
        )
        deleter = ctypes.cast(self._deleter, ctypes.c_void_p)
        self._managed = (
            ManagedVersioned(*version, None, deleter, flags, tensor)
            if version is not None
            else Managed(tensor, None, deleter)
        )

    def _count(self, _: int | None) -> None:
        self.deleted += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, **keywords: Any) -> Any:
        if keywords and not self._takes_keywords:
            raise TypeError('takes no keyword arguments')
        self.keywords = keywords
        name = b'dltensor_versioned' if self._versioned else b'dltensor'
        return _api.PyCapsule_New(ctypes.addressof(self._managed), name, None)
