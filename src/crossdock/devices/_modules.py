"""Whose arrays are these, and where do they live."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

from crossdock.devices import _registry
from crossdock.devices._backend import Backend
from crossdock.devices._device import Device
from crossdock.devices._foreign import shown
from crossdock.devices._leaf import unwrap
from crossdock.devices._lookup import get_device
from crossdock.errors import MixedDevicesError, UnknownArrayError

__all__ = ['get_array_module', 'get_device_from_array']

Mixed = Literal['error', 'device']

_SCALARS = (bool, int, float, complex, np.generic, type(None))
_NOTHING: Any = object()

# Types that never need a second look. Filled as arrays are met, emptied when a back-end is replaced.
_module_of: dict[type, ModuleType] = {}
_registry.on_replaced(lambda kind: _module_of.clear())


def get_array_module(array: Any = _NOTHING, /, *arrays: Any, mixed: Mixed = 'error') -> ModuleType:
    """The namespace of functions for some arrays, so that code is written once for every library.

    Parameters
    ----------
    *arrays : array, number, None, or list or tuple of these
        Arrays decide, those inside lists and tuples too. Numbers and None do not.
    mixed : {'error', 'device'}
        What to do when NumPy arrays stand beside arrays of one other library: refuse, or take the other library's.

    Returns
    -------
    module
        `numpy` if there is no array at all.

    Raises
    ------
    UnknownArrayError
        An argument is no array of a known library, number, list or tuple.
    MixedDevicesError
        The arrays belong to several libraries; names each argument's device.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> def sum_of_squares(x):
    ...     xp = xd.get_array_module(x)
    ...     return xp.sum(x * x)
    >>> float(sum_of_squares(np.arange(3.0))), float(sum_of_squares(xd.get_device('sim:0').send(np.arange(3.0))))
    (5.0, 5.0)
    """
    if not arrays:
        try:
            return _module_of[type(array)]
        except KeyError:
            pass
    return _vote_on_module((array, *arrays), mixed)


def get_device_from_array(*arrays: Any, mixed: Mixed = 'error') -> Device:
    """The device where some arrays live.

    Parameters
    ----------
    *arrays : array, number, None, or list or tuple of these
        Arrays decide, those inside lists and tuples too. Numbers and None do not.
    mixed : {'error', 'device'}
        What to do when NumPy arrays stand beside arrays of one other device: refuse, or take the other device.

    Returns
    -------
    Device
        ``@numpy`` if there is no array at all.

    Raises
    ------
    UnknownArrayError
        An argument is no array of a known library, number, list or tuple.
    MixedDevicesError
        The arrays live on several devices; names each argument's.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> xd.get_device_from_array(np.zeros(3), 1.0)
    <CpuDevice (numpy)>
    """
    device_wins = _device_wins(mixed)
    votes = list(_votes(arrays))
    names = {vote.backend.device_of(vote.array) for vote in votes}
    if len(names) == 1:
        return get_device(names.pop())
    if not names:
        return get_device('@numpy')
    others = names - {'@numpy'}
    if device_wins and len(others) == 1:
        return get_device(others.pop())
    raise _mixed_devices(votes, 'several devices')


def _vote_on_module(arrays: tuple[Any, ...], mixed: Mixed) -> ModuleType:
    device_wins = _device_wins(mixed)
    votes = list(_votes(arrays))
    libraries = {vote.backend.library: vote.backend for vote in votes}
    if device_wins and len(libraries) == 2:
        libraries.pop('numpy', None)
    if not libraries:
        return np
    if len(libraries) > 1:
        raise _mixed_devices(votes, 'several libraries')
    (backend,) = libraries.values()
    if len(arrays) == 1 and votes[0].position == '0' and _registry.owner(type(arrays[0])) is backend:
        _module_of[type(arrays[0])] = backend.xp
    return backend.xp


class _Vote(NamedTuple):
    position: str
    backend: Backend
    array: Any


def _votes(arrays: tuple[Any, ...]) -> Iterator[_Vote]:
    """Each array, with its position and its back-end."""
    pending: deque[tuple[str, Any, tuple[Any, ...]]] = deque(
        (str(i), array, ()) for i, array in enumerate(arrays) if array is not _NOTHING
    )
    while pending:
        position, value, around = pending.popleft()
        value = unwrap(value)
        backend = _registry.owner(type(value))
        if backend is not None:
            yield _Vote(position, backend, value)
        elif isinstance(value, list | tuple):
            if any(value is outer for outer in around):
                raise TypeError(f'argument {position} contains itself')
            inside = [(f'{position}[{i}]', item, (*around, value)) for i, item in enumerate(value)]
            pending.extendleft(reversed(inside))
        elif not isinstance(value, _SCALARS) or isinstance(value, np.character):
            raise _unknown_argument(position, value)


def _unknown_argument(position: str, value: Any) -> UnknownArrayError:
    if hasattr(type(value), '__dlpack__'):
        return UnknownArrayError(
            f'argument {position} is {shown(value)}, of a library that is not known here; '
            "bring it to a known one with send, as in get_device('@numpy').send(x)"
        )
    return UnknownArrayError(
        f'argument {position} is {shown(value)}, not an array of a known library; allowed beside arrays are numbers, '
        'None, and lists and tuples of these'
    )


def _mixed_devices(votes: list[_Vote], what: str) -> MixedDevicesError:
    arguments = tuple(
        (int(position) if position.isdecimal() else position, backend.device_of(array))
        for position, backend, array in votes
    )
    listed = ', '.join(f'argument {position} on {name}' for position, name in arguments)
    first = arguments[0][1]
    return MixedDevicesError(
        f'the arrays are on {what}: {listed}; bring them together with get_device({first!r}).send(...)',
        arguments=arguments,
        devices=tuple(dict.fromkeys(name for _, name in arguments)),
    )


def _device_wins(mixed: str) -> bool:
    if mixed not in ('error', 'device'):
        raise ValueError(f"mixed={mixed!r}: it is 'error' or 'device'")
    return mixed == 'device'
