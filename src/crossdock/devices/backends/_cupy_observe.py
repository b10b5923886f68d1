"""Hear of the copies that CuPy makes by itself, as ``float(x)``, ``x.get()`` and ``cupy.asarray`` do.

CuPy has no hook for them, so its functions are replaced while somebody listens, and only then.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from crossdock.errors import TransferForbiddenError

__all__ = ['listen_to', 'stop_listening']

Hook = Callable[..., None]

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
_SHOWS = ('__repr__', '__str__')
_MAKERS = ('array', 'asarray', 'asanyarray', 'ascontiguousarray', 'asfortranarray')

_lock = threading.Lock()
_undo: list[Callable[[], None]] = []
_pull = threading.local()


def listen_to(cupy: Any, hook: Hook) -> None:
    """Call `hook`, which `Backend.observe` describes, before each of CuPy's own copies from now on."""
    with _lock:
        _stop()
        array = cupy.ndarray
        for name, op in _PULLS.items():
            _replace(array, name, _pulling(getattr(array, name), op))
        for name in _SHOWS:
            _replace(array, name, _showing(getattr(array, name), name.strip('_')))
        _replace(array, 'get', _getting(array.get, hook))
        _replace(array, 'set', _setting(array.set, hook))
        for name in _MAKERS:
            _replace(cupy, name, _making(cupy, getattr(cupy, name), name, hook))


def stop_listening() -> None:
    """Have CuPy as it was."""
    with _lock:
        _stop()


def _stop() -> None:
    while _undo:
        _undo.pop()()


def _replace(place: Any, name: str, function: Callable[..., Any]) -> None:
    if name in vars(place):
        before = vars(place)[name]
        _undo.append(lambda: setattr(place, name, before))
    else:  # a method that the class inherits
        _undo.append(lambda: delattr(place, name))
    setattr(place, name, function)


def _pulling(original: Callable[..., Any], op: str) -> Callable[..., Any]:
    # CuPy's own methods get what they need by get(), which tells of it in their name.
    @functools.wraps(original)
    def pull(array: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(_pull, 'op', '')
        _pull.op = before or op
        try:
            return original(array, *args, **kwargs)
        finally:
            _pull.op = before

    return pull


def _showing(original: Callable[..., Any], op: str) -> Callable[..., Any]:
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


def _getting(original: Callable[..., Any], hook: Hook) -> Callable[..., Any]:
    @functools.wraps(original)
    def get(array: Any, *args: Any, **kwargs: Any) -> Any:
        op = getattr(_pull, 'op', '')
        hook(op or 'get', int(array.nbytes), _spec(array), '@numpy', bool(op), False)
        return original(array, *args, **kwargs)

    return get


def _setting(original: Callable[..., Any], hook: Hook) -> Callable[..., Any]:
    @functools.wraps(original)
    def set_values(array: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
        hook('set', int(array.nbytes), '@numpy', _spec(array), False, False)
        return original(array, arr, *args, **kwargs)

    return set_values


def _making(cupy: Any, original: Callable[..., Any], name: str, hook: Hook) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            hook(name, value.nbytes, '@numpy', f'@cupy:{cupy.cuda.runtime.getDevice()}', False, False)
        return original(value, *args, **kwargs)

    return make


def _spec(array: Any) -> str:
    return f'@cupy:{array.device.id}'
