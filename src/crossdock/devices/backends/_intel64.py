"""``@intel64``: NumPy's arrays, with functions accelerated by oneDNN, where that is installed."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys
from pathlib import Path

from crossdock.devices._host import HOST, HostBackend
from crossdock.devices._shorthands import Intel64Device
from crossdock.transfer import PlaceFacts

__all__ = ['BACKEND', 'Intel64Backend', 'has_onednn', 'wrong_machine']

_PLACE = PlaceFacts(device='@intel64', suffix='', library='numpy', physical='host', home=HOST.device)
_FOLDERS = ('/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/local/lib')
_MACHINES = ('x86_64', 'amd64')


class Intel64Backend(HostBackend):
    """Host memory and NumPy's arrays, under a name of its own: NumPy's arrays themselves belong to ``@numpy``."""

    kind = 'intel64'
    device_class = Intel64Device

    def unavailable(self) -> str:
        return _missing()

    def place(self, suffix: str) -> PlaceFacts:
        return _PLACE

    def owns(self, array_type: type) -> bool:
        return False


def wrong_machine() -> str:
    """Why the libraries cannot be here; '' if they can."""
    machine = platform.machine().lower()
    return '' if machine in _MACHINES else f'it needs an x86-64 processor, and this machine is {machine}'


def has_onednn() -> bool:
    """Whether libdnnl lies where its packages or the system puts it. Loads nothing."""
    folders = [Path(sys.prefix) / 'lib', *map(Path, _FOLDERS)]
    return any(folder.is_dir() and next(folder.glob('libdnnl.so*'), None) is not None for folder in folders)


@functools.cache
def _missing() -> str:
    wrong = wrong_machine()
    if wrong:
        return wrong
    if importlib.util.find_spec('ideep4py') is not None or has_onednn():
        return ''
    return 'neither oneDNN (libdnnl) nor iDeep (ideep4py) is installed; pip install onednn-cpu-gomp, or use @numpy'


BACKEND = Intel64Backend()
