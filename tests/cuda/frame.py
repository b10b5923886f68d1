"""What begins code that runs in a process with fake GPUs: the core, and the fake driver's controls by ctypes."""

from __future__ import annotations

FRAME = """
import ctypes, gc, os, sys, threading, time, traceback
import numpy as np
import crossdock as xd
import crossdock.core as cx
from crossdock.core import _core, exchange
from crossdock.errors import AsyncDeviceError, AsyncIndexError, DeviceError, OutOfMemoryError

driver = ctypes.CDLL('libcuda.so.1')
driver.fake_cuda_counter.restype = driver.fake_cuda_calls.restype = ctypes.c_longlong
def counter(name): return driver.fake_cuda_counter(name.encode())
def calls(name): return driver.fake_cuda_calls(name.encode())
def fail(name, result, after=0, times=1):
    driver.fake_cuda_fail(name.encode(), ctypes.c_longlong(after), result, ctypes.c_longlong(times))
hold, heal, delay_us = driver.fake_cuda_hold, driver.fake_cuda_heal, driver.fake_cuda_delay
def let_go(*failure):
    hold(0)  # a failed test must not wait at its end
    sys.__excepthook__(*failure)
sys.excepthook = let_go
def get(name, *arguments):
    out = ctypes.c_void_p()
    assert getattr(driver, name)(ctypes.byref(out), *map(ctypes.c_void_p, arguments)) == 0
    return out.value
def error_of(act, kind=Exception):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError('no error')
def send(a, device='cuda:0'): return xd.get_device(device).send(a)
def same(x, a):
    got = xd.to_numpy(x)
    assert got.shape == np.shape(a) and got.dtype == np.asarray(a).dtype and (got == a).all(), got
    return True
MIB = 2**20
"""


def framed(code: str) -> str:
    """The code after the frame; it prints 'sane' when it gets to its end."""
    return f'{FRAME}\n{code}\nprint("sane")\n'
