"""A DLPack producer of a library that nobody knows, made with ctypes: each export is a struct and a count of its own.

It can say anything, true or not. Its capsules behave: one that is dropped unconsumed frees what it holds.
"""

from __future__ import annotations

import ctypes
from typing import Any

_api = ctypes.PyDLL(None)  # not ctypes.pythonapi, whose prototypes all modules share
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _Destructor]
_api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

LEGACY, VERSIONED = b'dltensor', b'dltensor_versioned'


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


class Legacy(ctypes.Structure):
    _fields_ = [('tensor', Tensor), ('context', ctypes.c_void_p), ('deleter', ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ('major', ctypes.c_uint32),
        ('minor', ctypes.c_uint32),
        ('context', ctypes.c_void_p),
        ('deleter', ctypes.c_void_p),
        ('flags', ctypes.c_uint64),
        ('tensor', Tensor),
    ]


class Producer:
    """Exports the memory of `values`, a ctypes array, or null.

    Attributes
    ----------
    freed : dict of int to int
        For each export, by its address, how often its deleter was called.
    keywords : dict
        What the last export was asked with.
    """

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
        says: tuple[int, int] | None = None,
        ndim: int | None = None,
    ) -> None:
        self.freed: dict[int, int] = {}
        self.keywords: dict[str, Any] = {}
        self._values, self._version, self._flags, self._says = values, version, flags, says or device
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (ctypes.c_int64 * max(len(strides), 1))(*strides) if strides is not None else None
        data = ctypes.cast(values, ctypes.c_void_p) if values is not None else None
        ndim = len(shape) if ndim is None else ndim
        self._tensor = Tensor(data, Device(*device), ndim, DataType(*dtype), self._shape, self._strides, byte_offset)
        self._structs: list[ctypes.Structure] = []
        self._deleter, self._destructor = _Deleter(self._free), _Destructor(self._drop)

    @property
    def settled(self) -> bool:
        """Whether every export has been freed, and exactly once."""
        return bool(self.freed) and set(self.freed.values()) == {1}

    @property
    def deleted(self) -> int:
        """How often a deleter was called, over all exports."""
        return sum(self.freed.values())

    def _free(self, address: int) -> None:
        self.freed[address] += 1

    def _drop(self, capsule: int) -> None:
        for name in (LEGACY, VERSIONED):
            if _api.PyCapsule_IsValid(capsule, name):
                self._free(_api.PyCapsule_GetPointer(capsule, name))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._says

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **keywords: Any) -> Any:
        self.keywords = {'max_version': max_version, **keywords}
        deleter = ctypes.cast(self._deleter, ctypes.c_void_p)
        if self._version is not None and max_version is not None:
            name, struct = VERSIONED, Versioned(*self._version, None, deleter, self._flags, self._tensor)
        else:
            name, struct = LEGACY, Legacy(self._tensor, None, deleter)
        self._structs.append(struct)
        self.freed[ctypes.addressof(struct)] = 0
        return _api.PyCapsule_New(ctypes.addressof(struct), name, self._destructor)


class OldProducer(Producer):
    """From before there were keywords."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return super().__dlpack__()
