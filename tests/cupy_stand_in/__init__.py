"""A stand-in for CuPy, for machines without a GPU. It copies CuPy's manners, those that hurt included.

Work on a device that is not the current one is refused. Copies from and to page-locked memory are put off until
somebody waits for their stream, so that memory that is read or reused too early shows. A test compares its names and
their arguments with those of the real one, where that is installed.
"""

from __future__ import annotations

import functools
import sys
import types

from . import _array, _cuda, _kernels

N_DEVICES = 2


@functools.cache
def make_module() -> types.ModuleType:
    """The stand-in, as the module `cupy`."""
    cupy = types.ModuleType('cupy')
    cupy.__spec__ = __spec__
    for name in _array.__all__:
        setattr(cupy, name, getattr(_array, name))
    for name in _kernels.__all__:
        setattr(cupy, name, getattr(_kernels, name))
    cuda = types.ModuleType('cupy.cuda')
    for name in _cuda.__all__:
        setattr(cuda, name, getattr(_cuda, name))
    cupy.cuda = cuda
    cupy.get_default_memory_pool = _cuda.get_default_memory_pool
    cupy.get_default_pinned_memory_pool = _cuda.get_default_pinned_memory_pool
    return cupy


def lend(monkeypatch):
    """For a fixture: crossdock finds the stand-in in CuPy's place, and two GPUs, until the test is over."""
    from crossdock.devices import _lookup, _nvidia, cuda
    from crossdock.devices.backends import _cupy

    module = make_module()
    cuda.pinned_memory_pool.free_all_blocks()
    monkeypatch.setitem(sys.modules, 'cupy', module)
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(N_DEVICES, ''))
    _reset()
    yield module
    left = _cuda.runtime.getDevice(), _cuda.Device._stack(), _cuda.get_current_stream(0), _cuda.get_current_stream(1)
    _reset()
    cuda.clear_memo()
    cuda.pinned_memory_pool.free_all_blocks()
    _lookup._forget('cupy')
    assert left == (0, [], _cuda.Stream.null, _cuda.Stream.null), 'the current device or stream was left changed'


def _reset() -> None:
    _cuda.reset()
    _array.from_dlpack_streams.clear()
