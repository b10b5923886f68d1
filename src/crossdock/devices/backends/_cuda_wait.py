"""Waits for the GPUs that this process uses, whatever library uses them; by the driver itself."""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ['wait_for_gpus']

_SUCCESS, _NOT_INITIALIZED = 0, 3


def wait_for_gpus() -> str:
    """Wait until all that was queued is done; why that failed, or '' if it did not.

    It starts no GPU that nobody has started. Libraries share one context for each GPU, the primary one. Another that
    is current to this thread is waited for as well.
    """
    try:
        cuda = ctypes.CDLL('libcuda.so.1')
    except OSError as error:
        return f'the driver cannot be waited for: {error}'
    count = ctypes.c_int()
    result = cuda.cuDeviceGetCount(ctypes.byref(count))
    if result == _NOT_INITIALIZED:
        return ''
    results = [result, _wait_for_current(cuda)]
    results += [_wait_for(cuda, ordinal) for ordinal in range(count.value)]
    failed = next((result for result in results if result != _SUCCESS), None)
    return '' if failed is None else f'a GPU has failed, or could not be waited for: {_name(cuda, failed)}'


def _wait_for_current(cuda: Any) -> int:
    context = ctypes.c_void_p()
    result: int = cuda.cuCtxGetCurrent(ctypes.byref(context))
    return result or (cuda.cuCtxSynchronize() if context.value else _SUCCESS)


def _wait_for(cuda: Any, ordinal: int) -> int:
    device, flags, active = ctypes.c_int(), ctypes.c_uint(), ctypes.c_int()
    result: int = cuda.cuDeviceGet(ctypes.byref(device), ordinal)
    result = result or cuda.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active))
    if result or not active.value:
        return result
    context = ctypes.c_void_p()
    result = cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    if result:
        return result
    try:
        result = cuda.cuCtxPushCurrent_v2(context)
        if not result:
            result = cuda.cuCtxSynchronize()
            cuda.cuCtxPopCurrent_v2(ctypes.byref(context))
        return result
    finally:
        cuda.cuDevicePrimaryCtxRelease_v2(device)


def _name(cuda: Any, result: int) -> str:
    text = ctypes.c_char_p()
    cuda.cuGetErrorName(result, ctypes.byref(text))
    return f'{text.value.decode()} ({result})' if text.value else str(result)
