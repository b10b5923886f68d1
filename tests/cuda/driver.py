"""The fake driver by ctypes: functions by name, results as exceptions, memory and launches in Python's words."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED, INVALID_CONTEXT = 1, 2, 3, 201
INVALID_HANDLE, NOT_FOUND, NOT_READY, ILLEGAL_ADDRESS, LAUNCH_FAILED, NOT_PERMITTED = 400, 500, 600, 700, 719, 800
MISALIGNED_ADDRESS = 716

HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
IMAGE = b'\x7fELF' + bytes(60)


class CudaError(Exception):
    """A call's result that is not 0."""

    def __init__(self, name: str, code: int) -> None:
        super().__init__(f'{name}: {code}')
        self.code = code


def fails(code: int, function: Callable[..., object], *arguments: object) -> None:
    """Assert that the call has this result."""
    with pytest.raises(CudaError) as caught:
        function(*arguments)
    assert caught.value.code == code


class Add(ctypes.Structure):
    """Arguments of the sample kernels add, sum and reverse."""

    _fields_ = [('a', ctypes.c_uint64), ('b', ctypes.c_uint64), ('out', ctypes.c_uint64), ('n', ctypes.c_long)]


class Histogram(ctypes.Structure):
    """Those of count_bins."""

    _fields_ = [('values', ctypes.c_uint64), ('bins', ctypes.c_uint64), ('largest', ctypes.c_uint64)]
    _fields_ += [('n', ctypes.c_long), ('n_bins', ctypes.c_int)]


class Lanes(ctypes.Structure):
    """Those of lanes and misbehave."""

    _fields_ = [('out', ctypes.c_uint64), ('how', ctypes.c_int), ('zero', ctypes.c_int)]


class Driver:
    """``driver.cuMemAlloc_v2(...)`` raises for what is not success; addresses are ints."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.library.fake_cuda_counter.restype = ctypes.c_longlong
        self.library.fake_cuda_calls.restype = ctypes.c_longlong
        for name in ('message', 'lowered_name', 'expression'):
            getattr(self.library, f'fake_cuda_{name}').restype = ctypes.c_char_p

    def __getattr__(self, name: str) -> Callable[..., None]:
        function = getattr(self.library, name)

        def call(*arguments: Any) -> None:
            if code := function(*(wide(one) for one in arguments)):
                raise CudaError(name, code)

        return call

    def result(self, name: str, *arguments: Any) -> int:
        """The bare result."""
        return getattr(self.library, name)(*(wide(one) for one in arguments))

    def get(self, name: str, *arguments: Any, type_: Any = ctypes.c_void_p) -> Any:
        """What a call writes through its first argument."""
        out = type_()
        getattr(self, name)(ctypes.byref(out), *arguments)
        return out.value

    def counter(self, name: str) -> int:
        return self.library.fake_cuda_counter(name.encode())

    def message(self) -> str:
        return self.library.fake_cuda_message().decode()

    def fail(self, name: str, result: int, after: int = 0, times: int = 1) -> None:
        order = (name.encode(), ctypes.c_longlong(after), result, ctypes.c_longlong(times))
        self.library.fake_cuda_fail(*order)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Streams begin nothing within."""
        self.library.fake_cuda_hold(1)
        try:
            yield
        finally:
            self.library.fake_cuda_hold(0)

    def alloc(self, nbytes: int) -> int:
        return self.get('cuMemAlloc_v2', nbytes)

    def stream(self, flags: int = 1) -> int:
        return self.get('cuStreamCreate', flags)

    def event(self, flags: int = 0) -> int:
        return self.get('cuEventCreate', flags)

    def pinned(self, shape: int | tuple[int, ...], dtype: str = 'f4') -> np.ndarray:
        """An array in page-locked memory, which lives until the context ends."""
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        address = self.get('cuMemHostAlloc', nbytes, 0)
        return np.frombuffer((ctypes.c_char * nbytes).from_address(address), dtype).reshape(shape)

    def upload(self, array: np.ndarray) -> int:
        address = self.alloc(max(array.nbytes, 1))
        array = np.ascontiguousarray(array)
        self.cuMemcpyHtoD_v2(address, array.ctypes.data, array.nbytes)
        return address

    def download(self, address: int, like: np.ndarray) -> np.ndarray:
        out = np.empty_like(like)
        self.cuMemcpyDtoH_v2(out.ctypes.data, address, out.nbytes)
        return out

    def function(self, expression: str) -> int:
        """A kernel of the table by its expression."""
        for i in range(self.library.fake_cuda_kernel_count()):
            if self.library.fake_cuda_expression(i).decode() == expression:
                module = self.get('cuModuleLoadData', IMAGE)
                return self.get('cuModuleGetFunction', module, self.library.fake_cuda_lowered_name(i))
        raise LookupError(expression)

    def launch(
        self, function: int, grid: Any, block: Any, args: ctypes.Structure, stream: int = 0, shared: int = 0
    ) -> None:
        (gx, gy, gz), (bx, by, bz) = ((*x, 1, 1)[:3] if isinstance(x, tuple) else (x, 1, 1) for x in (grid, block))
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(args))
        self.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, None)


def wide(value: Any) -> Any:
    """Every argument as a whole register: sizes and addresses are 64 bits, and small ones lose nothing."""
    return ctypes.c_uint64(value) if isinstance(value, int) and not isinstance(value, bool) else value
