"""CuPy as it is here: the module, or the reason why there is none."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any, NoReturn

from crossdock.devices._backend import Backend
from crossdock.devices._registry import backend_of, entry_of_head
from crossdock.errors import DeviceUnavailableError

__all__ = ['Absent', 'absent_class', 'backend', 'check', 'is_available', 'library', 'module', 'refuse']


def backend() -> Backend:
    """The back-end of ``@cupy:N``."""
    entry = entry_of_head('@cupy')
    assert entry is not None, 'it is one of ours'
    return backend_of(entry)


def is_available() -> bool:
    """Whether CuPy and a GPU are here. Imports nothing and leaves CUDA alone."""
    return not backend().unavailable()


def check() -> None:
    """Raise the one error of this room unless CuPy and a GPU are here."""
    reason = backend().unavailable()
    if reason:
        refuse(reason)


def library() -> Any:
    """The module `cupy`, for use on a GPU."""
    check()
    try:
        return backend().xp
    except ImportError as error:
        # A CUDA library that CuPy needs is missing, or CuPy was built for another NumPy.
        raise DeviceUnavailableError(
            f'CUDA utilities need CuPy, and its import fails: {error}', reason=f'CuPy cannot be imported: {error}'
        ) from error


def module() -> ModuleType | Absent:
    """The module `cupy` where it is installed, GPU or not; else an object that says so when it is used."""
    if not _is_installed():
        return _ABSENT
    try:
        return backend().xp
    except ImportError:
        return _ABSENT


def _is_installed() -> bool:
    return 'cupy' in sys.modules or importlib.util.find_spec('cupy') is not None


def refuse(reason: str) -> NoReturn:
    """Raise the one error of this room."""
    raise DeviceUnavailableError(
        f'CUDA utilities need CuPy and a CUDA GPU: {reason} (crossdock.devices.cuda.available tells beforehand)',
        reason=reason,
    )


class Absent:
    """Stands for `cupy`, or something that is inside it, where that is not here: every use raises the reason."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__') and name.endswith('__'):
            raise AttributeError(name)  # Python itself asks for such names, and takes no other answer
        self._use()

    def _use(self, *arguments: Any, **named: Any) -> NoReturn:
        library()
        refuse(f'{self._name} was taken before it was here')

    # Python looks for these in the class alone.
    __call__ = __enter__ = __iter__ = __getitem__ = __int__ = __index__ = _use

    def __exit__(self, *exception: object) -> None:
        """Never reached, and asked for by ``with`` before `__enter__`."""

    def __repr__(self) -> str:
        return f'<{self._name}, which is not here>'


class _AbsentClass(type):
    """A class whose attributes, such as ``Stream.null``, can be named, for defaults and the like, and not used."""

    def __getattr__(cls, name: str) -> Absent:
        if name.startswith('_'):
            raise AttributeError(f'type object {cls.__name__!r} has no attribute {name!r}')
        return Absent(f'crossdock.devices.cuda.{cls.__name__}.{name}')


def absent_class(name: str) -> type:
    """A class for ``isinstance``, which says no; making an object of it raises the reason, and so does any method."""
    absent = Absent(f'crossdock.devices.cuda.{name}')
    return _AbsentClass(name, (), {'__new__': absent._use, '__doc__': f'Stands for cupy.{name}, which is not here.'})


_ABSENT = Absent('cupy')
