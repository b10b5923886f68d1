"""What to do with an object that stands alone, where a file wants keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossdock.devices import get_device
from crossdock.errors import CrossdockError, DeviceUnavailableError, DtypeError, GraphError

from . import _arrays
from ._advice import PARTS
from ._leaf import SCALARS

__all__ = ['bare']


def bare(obj: Any, verb: str) -> TypeError:
    """The error for an object without parts of its own, with what would work."""
    name = type(obj).__name__
    if isinstance(obj, type):
        return TypeError(f'cannot {verb} the type {obj.__name__}: give an object of that type')
    loads = verb != 'save'
    if loads and _names_device(obj):
        spec = obj if isinstance(obj, str | int) else str(obj)
        return TypeError(f'cannot {verb} a bare {name}: to say where the arrays go, write device={spec!r}')
    if loads and isinstance(obj, str):
        return TypeError(f'cannot {verb} a bare {name}: put it in a container; a device is given as device=')
    if obj is None or isinstance(obj, (*SCALARS, np.generic)) or _is_array(obj):
        return TypeError(f'cannot {verb} a bare {name}: put it in a container, such as {{"x": x}}')
    return TypeError(f'cannot {verb} a bare {name}, whose parts are not known: {PARTS}')


def _names_device(obj: Any) -> bool:
    try:
        get_device(obj)
    except DeviceUnavailableError:
        pass
    except (CrossdockError, ValueError, TypeError):
        return False
    return True


def _is_array(obj: Any) -> bool:
    try:
        _arrays.known(obj)
    except (DtypeError, GraphError):
        pass
    except CrossdockError:
        return False
    return True
