"""Read arrays of libraries that nobody here knows, by what they promise about themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from crossdock import core
from crossdock.core import exchange
from crossdock.devices._registry import backends, owner
from crossdock.errors import CrossdockError, DtypeError, GraphError, UnknownArrayError

__all__ = ['read_foreign', 'shown', 'unknown']

_DLPACK_CPU = 1
_TEXT = (str, bytes, np.str_, np.bytes_)
_REASONS: dict[type, str] = {
    str: 'no device holds text; leave it out, or encode it as numbers',
    bytes: "bytes may be text, which no device holds; if they are numbers, send np.frombuffer(data, dtype='uint8')",
}


def read_foreign(value: Any, *, detach: bool = False) -> Any:
    """An array of a known library over the memory of an unknown object.

    Asks for DLPack, ``__cuda_array_interface__``, ``__array_interface__``, the buffer protocol and ``__array__``, in
    this order.

    Parameters
    ----------
    value : object
        Anything that is no array of a known library.
    detach : bool
        Leave a differentiable graph behind, by the object's own ``detach()``, instead of refusing.

    Returns
    -------
    array
        A NumPy array for host memory (from ``__array__`` it may be a copy), else one of the library that can reach it.

    Raises
    ------
    UnknownArrayError
        It offers none of them, or what it offers cannot be read.
    GraphError
        It takes part in a differentiable graph and ``detach=False``, or it cannot be detached.
    """
    if detach and _has_graph(value) and callable(getattr(value, 'detach', None)):
        value = value.detach()
        if owner(type(value)) is not None:
            return value
    kind = type(value)
    if issubclass(kind, _TEXT) or isinstance(value, type):
        raise unknown(value)
    if _has_graph(value):
        raise GraphError(f'a {_full_name(kind)} takes part in a differentiable graph; call its detach() first')
    if hasattr(kind, '__dlpack__') and hasattr(kind, '__dlpack_device__'):
        return _from_dlpack(value)
    if hasattr(value, '__cuda_array_interface__'):
        return _ask_back_ends(value)
    if hasattr(value, '__array_interface__') or hasattr(kind, '__array__'):
        return _from_numpy_protocols(value)
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError, BufferError) as error:
        raise unknown(value, '' if isinstance(error, TypeError) else str(error)) from None


def shown(value: Any) -> str:
    """An object in words: short text as it is, all else by its type."""
    return repr(value) if isinstance(value, _TEXT) and len(value) < 40 else _with_article(type(value))


def unknown(value: Any, why: str = '') -> UnknownArrayError:
    """The error for an object that is no array."""
    if why:
        return UnknownArrayError(f'{shown(value)} cannot be read as an array: {why}')
    for kind, reason in _REASONS.items():
        if isinstance(value, kind):
            return UnknownArrayError(f'{shown(value)} is no array: {reason}')
    if hasattr(type(value), 'device_resident_accept'):
        return UnknownArrayError(
            f'{shown(value)} is a model, which is moved in place: call its to_device(...), as in '
            "model.to_device('@numpy')"
        )
    return UnknownArrayError(
        f'{shown(value)} is no array: it offers no DLPack, array interface, buffer or __array__. Allowed are arrays, '
        'numbers, None, and lists, tuples, dicts, dataclasses and optree-registered types of them'
    )


def _has_graph(value: Any) -> bool:
    return getattr(value, 'requires_grad', False) is True


def _from_dlpack(value: Any) -> Any:
    try:
        on_host = int(value.__dlpack_device__()[0]) == _DLPACK_CPU
        # The core's reader, for it checks what a producer says before it believes it.
        host = exchange.as_numpy(core.from_dlpack(value)) if on_host else None
    except Exception as error:  # a producer may raise anything
        raise unknown(value, f'{type(error).__name__}: {error}') from error
    return _ask_back_ends(value) if host is None else host


def _ask_back_ends(value: Any) -> Any:
    error: Exception | None = None
    for backend in backends():
        try:
            array = backend.adopt(value)
        except CrossdockError:
            raise
        except Exception as refusal:  # what it was that failed is told below
            error = error or refusal
            continue
        if array is not None:
            return array
    if error is not None:
        raise unknown(value, f'{type(error).__name__}: {error}') from error
    raise unknown(value, f'no library here reaches its memory ({_memory(value)})')


def _memory(value: Any) -> str:
    if hasattr(value, '__dlpack_device__'):
        return f'DLPack device {tuple(int(part) for part in value.__dlpack_device__())}'
    return 'a CUDA device'


def _from_numpy_protocols(value: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('error', np.exceptions.VisibleDeprecationWarning)
            array = np.asanyarray(value)  # a mask is refused by whoever looks at the array, not dropped here
    except Exception as error:  # an __array__ may raise anything
        raise unknown(value, f'{type(error).__name__}: {error}') from error
    if array.dtype == object:
        raise DtypeError(
            f'a {_full_name(type(value))} turns into an object array, which does not travel', dtype=array.dtype
        )
    return array


def _with_article(kind: type) -> str:
    name = _full_name(kind)
    return f'{"an" if name[0] in "aeiouAEIO" else "a"} {name}'


def _full_name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
