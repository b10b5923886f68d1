"""Hear of the copies that CuPy makes by itself, as ``float(x)``, ``x.get()`` and ``cupy.asarray`` do.

CuPy has no hook for them, so its functions are replaced while somebody listens, and only then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from crossdock.devices._replaced import Hook, Replaced, called, calling, told
from crossdock.errors import TransferForbiddenError

__all__ = ['listen_to', 'stop_listening']

Method = Callable[..., Any]

#: What pulls values to the host without being asked for a copy, and what a trace calls it.
_PULLS = {
    '__float__': 'float',
    '__int__': 'int',
    '__bool__': 'bool',
    '__complex__': 'complex',
    '__format__': 'format',
    'item': 'item',
    'tolist': 'tolist',
}
_SHOWS = {'__repr__': 'repr', '__str__': 'str'}
_MAKERS = ('array', 'asarray', 'asanyarray', 'ascontiguousarray', 'asfortranarray')

_replaced = Replaced()


def listen_to(cupy: Any, hook: Hook) -> None:
    """Call `hook`, which `Backend.observe` describes, before each of CuPy's own copies from now on."""
    _replaced.put_back()
    array = cupy.ndarray
    new = {name: _pulling(getattr(array, name), op) for name, op in _PULLS.items()}
    new |= {name: _showing(getattr(array, name), op) for name, op in _SHOWS.items()}
    new |= {'get': _getting(array.get, hook), 'set': _setting(array.set, hook)}
    _replaced.replace(array, new)
    _replaced.replace(cupy, {name: _making(cupy, getattr(cupy, name), name, hook) for name in _MAKERS})


def stop_listening() -> None:
    """Have CuPy as it was."""
    _replaced.put_back()


def _pulling(original: Method, op: str) -> Method:
    # CuPy's own methods get what they need by get(), which tells of it in their name.
    @functools.wraps(original)
    def pull(array: Any, *args: Any, **kwargs: Any) -> Any:
        with calling(op):
            return original(array, *args, **kwargs)

    return pull


def _showing(original: Method, op: str) -> Method:
    # Debuggers call it, which a guard must not stop.
    pull = _pulling(original, op)

    @functools.wraps(original)
    def show(array: Any) -> Any:
        try:
            return pull(array)
        except TransferForbiddenError:
            return (
                f'<cupy.ndarray of shape {array.shape}, {array.dtype}, on {_spec(array)}; a guard forbids its values>'
            )

    return show


def _getting(original: Method, hook: Hook) -> Method:
    @functools.wraps(original)
    def get(array: Any, *args: Any, **kwargs: Any) -> Any:
        op = called('')
        with told(hook, (op or 'get', int(array.nbytes), _spec(array), '@numpy', bool(op), False)):
            return original(array, *args, **kwargs)

    return get


def _setting(original: Method, hook: Hook) -> Method:
    @functools.wraps(original)
    def set_values(array: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
        with told(hook, ('set', int(array.nbytes), '@numpy', _spec(array), False, False)):
            return original(array, arr, *args, **kwargs)

    return set_values


def _making(cupy: Any, original: Method, name: str, hook: Hook) -> Method:
    @functools.wraps(original)
    def make(value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, np.ndarray | np.generic):
            return original(value, *args, **kwargs)
        target = f'@cupy:{cupy.cuda.runtime.getDevice()}'
        with told(hook, (name, value.nbytes, '@numpy', target, False, False)):
            return original(value, *args, **kwargs)

    return make


def _spec(array: Any) -> str:
    return f'@cupy:{array.device.id}'
