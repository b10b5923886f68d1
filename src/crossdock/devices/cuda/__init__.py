"""The CUDA utilities: devices, streams, kernels of one's own, memoized results and memory pools, through CuPy.

Importing this room imports neither CuPy nor anything of CUDA. Where CuPy or a GPU is not here, each name is here all
the same, and using it raises one `DeviceUnavailableError` with the reason; `available` says whether they are.

==================== ================================================
name here            is
==================== ================================================
`cupy`               the module `cupy`
`ndarray`            `cupy.ndarray`
`Device`             `cupy.cuda.Device`
`Event`              `cupy.cuda.Event`
`Stream`             `cupy.cuda.Stream`
`memory_pool`        `cupy.get_default_memory_pool()`
`pinned_memory_pool` the bounded `PinnedMemoryPool` of our transfers
==================== ================================================
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from crossdock.devices import _cuda_library as _library
from crossdock.devices import _cuda_pools
from crossdock.devices._modules import get_array_module as _get_array_module
from crossdock.devices.backends._cupy_pinned import PinnedMemoryPool, pinned_memory_pool
from crossdock.devices.cuda._copy import copy, to_cpu, to_gpu
from crossdock.devices.cuda._dummy import (
    DummyDevice,
    DummyDeviceType,
    get_device,
    get_device_from_array,
    get_device_from_id,
)
from crossdock.devices.cuda._kernels import elementwise, fuse, raw, reduce
from crossdock.devices.cuda._memoize import clear_memo, memoize
from crossdock.devices.cuda._workspace import get_max_workspace_size, set_max_workspace_size

if _TYPE_CHECKING:
    from types import ModuleType as _ModuleType

    available: bool
    cupy: _Any
    ndarray: _Any
    Device: _Any
    Event: _Any
    Stream: _Any
    memory_pool: _Any

__all__ = [
    'available',
    'check_cuda_available',
    'cupy',
    'ndarray',
    'Device',
    'Event',
    'Stream',
    'DummyDevice',
    'DummyDeviceType',
    'get_device_from_id',
    'get_device_from_array',
    'get_device',
    'to_gpu',
    'to_cpu',
    'copy',
    'memoize',
    'clear_memo',
    'elementwise',
    'reduce',
    'raw',
    'fuse',
    'get_array_module',
    'get_max_workspace_size',
    'set_max_workspace_size',
    'memory_pool',
    'pinned_memory_pool',
    'PinnedMemoryPool',
    'share_pool',
]

_CLASSES = {name: _library.absent_class(name) for name in ('ndarray', 'Device', 'Event', 'Stream')}


def check_cuda_available() -> None:
    """Raise unless CuPy and a GPU are here.

    Raises
    ------
    DeviceUnavailableError
        With the reason. It is a RuntimeError.
    """
    _library.library()


def get_array_module(*arrays: _Any) -> '_ModuleType':
    """The namespace of functions for some arrays, with NumPy's giving way to another library's.

    Parameters
    ----------
    *arrays : array, number, None, or list or tuple of these
        As for `crossdock.get_array_module`, which refuses the mixture.

    Returns
    -------
    module
        `numpy` if there is no array at all.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.devices import cuda
    >>> cuda.get_array_module(np.zeros(3), None) is np
    True
    """
    return _get_array_module(*arrays, mixed='device')


def share_pool(owner: str | None) -> str | None:
    """Have CuPy and the core's ``cuda`` devices take memory from one pool, so that neither hoards what the other needs.

    It happens by itself: once both are in use in a process, the core takes its memory from CuPy's allocator. This
    function is for having it the other way round, or not at all. Arrays that exist keep the memory they have.

    Parameters
    ----------
    owner : {'cupy', 'core', None}
        Whose pool it is; None: each has its own.

    Returns
    -------
    str or None
        Whose it was.

    Raises
    ------
    DeviceUnavailableError
        CuPy or a GPU is not here.
    ValueError
        `owner` is something else.
    """
    if owner not in ('cupy', 'core', None):
        raise ValueError(f"owner={owner!r}: it is 'cupy', 'core' or None")
    _library.check()
    return _cuda_pools.share(owner, _library.library)


def __getattr__(name: str) -> _Any:
    if name == 'available':
        return _library.is_available()
    if name == 'cupy':
        return _library.module()
    if name == 'memory_pool':
        if not _library.is_available():
            return _library.Absent('memory_pool')
        return _library.library().get_default_memory_pool()
    if name in _CLASSES:
        found = _library.module()
        if isinstance(found, _library.Absent):
            return _CLASSES[name]
        return found.ndarray if name == 'ndarray' else getattr(found.cuda, name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    return sorted(__all__)
