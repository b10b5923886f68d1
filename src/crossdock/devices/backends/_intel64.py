"""``@intel64``: NumPy's arrays, with functions accelerated by oneDNN, where that is installed."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from crossdock.devices._backend import Backend, MemoryInfo
from crossdock.devices._shorthands import Intel64Device
from crossdock.transfer import ArrayFacts, PlaceFacts

__all__ = ['BACKEND', 'Intel64Backend']

_PLACE = PlaceFacts(device='@intel64', suffix='', library='numpy', physical='host', home='@numpy')
_FOLDERS = ('/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/local/lib')
_MACHINES = ('x86_64', 'amd64')


class Intel64Backend(Backend):
    """Host memory and NumPy's arrays, under a name of its own: NumPy's arrays themselves belong to ``@numpy``."""

    kind = 'intel64'
    library = 'numpy'
    module_name = 'numpy'
    device_class = Intel64Device

    def unavailable(self) -> str:
        return _missing()

    def fallback_spec(self, suffix: str) -> str:
        return '@numpy'

    @property
    def xp(self) -> ModuleType:
        return np

    def place(self, suffix: str) -> PlaceFacts:
        return _PLACE

    def memory_info(self, suffix: str) -> MemoryInfo:
        return _numpy().memory_info('')

    def array_types(self) -> tuple[type, ...]:
        return (np.ndarray,)

    def owns(self, array_type: type) -> bool:
        return False

    def facts(self, array: Any) -> ArrayFacts:
        return _numpy().facts(array)

    def device_of(self, array: Any) -> str:
        return _numpy().device_of(array)

    def alias_out(self, array: Any) -> np.ndarray[Any, Any]:
        return np.asarray(array)

    def alias_in(self, view: Any, place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.asarray(view)

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: PlaceFacts) -> np.ndarray[Any, Any]:
        return np.empty(shape, dtype)

    def copy(self, dst: Any, src: Any) -> None:
        np.copyto(dst, src, casting='unsafe')


def _numpy() -> Backend:
    from crossdock.devices._registry import backend_of, entry_of_head

    entry = entry_of_head('@numpy')
    assert entry is not None
    return backend_of(entry)


@functools.cache
def _missing() -> str:
    machine = platform.machine().lower()
    if machine not in _MACHINES:
        return f'it needs an x86-64 processor, and this machine is {machine}'
    if importlib.util.find_spec('ideep4py') is not None or _has_onednn():
        return ''
    return 'neither oneDNN (libdnnl) nor iDeep (ideep4py) is installed'


def _has_onednn() -> bool:
    """Whether libdnnl lies where the package `onednn` or the system puts it. Loads nothing."""
    folders = [Path(sys.prefix) / 'lib', *map(Path, _FOLDERS)]
    return any(folder.is_dir() and next(folder.glob('libdnnl.so*'), None) is not None for folder in folders)


BACKEND = Intel64Backend()
