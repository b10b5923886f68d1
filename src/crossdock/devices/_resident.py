"""`DeviceResident`: a mix-in for models, whose arrays live and move together."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Iterable
from types import MemberDescriptorType
from typing import Any, Self

from crossdock.devices import _registry
from crossdock.devices._context import current_device
from crossdock.devices._device import Device
from crossdock.devices._lookup import get_device
from crossdock.devices._modules import get_device_from_array
from crossdock.devices._tree import Named
from crossdock.errors import MixedDevicesError
from crossdock.transfer import Progress

__all__ = ['DeviceResident', 'Visitor']

_DEVICE = '_crossdock_resident_device'


class Visitor:
    """What `DeviceResident.device_resident_accept` shows the arrays to. Subclass it; use an instance for one walk."""

    def __new__(cls, *arguments: Any) -> Self:
        visitor = super().__new__(cls)
        visitor._entered = set()
        visitor._steps = []
        return visitor

    _entered: set[int]
    _steps: list[str]  # the way from the model to where the walk is, such as ['.layers', '[0]', '.W']

    def _enter(self, node: object) -> bool:
        """Whether `node`, which others may hold too, has not been walked yet."""
        new = id(node) not in self._entered
        self._entered.add(id(node))
        return new

    def visit_array(self, array: Any) -> Any:
        """Called for each array; what it returns takes the array's place."""
        return array

    def visit_device_resident(self, resident: DeviceResident) -> None:
        """Called for each model that is entered, before its arrays."""


class DeviceResident:
    """Mix-in for models: knows where the arrays live, and moves them together.

    The arrays are those among the attributes, in lists, tuples, deques, dicts and dataclasses among them, and in other
    `DeviceResident` objects among them. After `to_device`, an array that is set as an attribute is sent to the model's
    device.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> class Linear(xd.DeviceResident):
    ...     def __init__(self):
    ...         self.W, self.b = np.ones((2, 3)), np.zeros(2)
    >>> model = Linear()
    >>> model.device, model.to_device('sim:0').device
    (<CpuDevice (numpy)>, <CoreDevice sim:0>)
    >>> model.b = np.ones(2)
    >>> xd.get_device_from_array(model.b)
    <CoreDevice sim:0>
    """

    @property
    def device(self) -> Device:
        """The device of the contents.

        Returns
        -------
        Device
            Where the arrays live, found by looking at each. Without arrays: where `to_device` sent the model, else
            the current device.

        Raises
        ------
        MixedDevicesError
            They live on several devices; names the attributes that do.
        """
        found = _Gather()
        self.device_resident_accept(found)
        if found.arrays:
            try:
                return get_device_from_array(*found.arrays)
            except MixedDevicesError as error:
                raise _mixed(self, found.paths, error) from None
        return self.__dict__.get(_DEVICE) or current_device()

    def to_device(self, spec: Any, *, progress: Progress = False) -> Self:
        """Move all arrays.

        Parameters
        ----------
        spec : str, int, Device or a library's device object
            As for `get_device`.
        progress : bool or callable
            True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

        Returns
        -------
        DeviceResident
            The model itself.

        Raises
        ------
        CrossdockError
            As `Device.send`, with the attribute that the error is about; then nothing has changed.
        """
        device = get_device(spec)
        found = _Gather()
        self.device_resident_accept(found)
        sent = device.send(Named(found.paths, found.arrays), progress=progress)
        self.device_resident_accept(_Replace(found.arrays, sent, device))
        return self

    def device_resident_accept(self, visitor: Visitor) -> None:
        """Show all arrays to a visitor, and keep what it returns in their place.

        Override it to show arrays that are kept elsewhere, and call ``super().device_resident_accept(visitor)``.

        Parameters
        ----------
        visitor : Visitor
            Its ``visit_array(array)`` is called for each array.
        """
        if visitor._enter(self):
            visitor.visit_device_resident(self)
            _visit_attributes(self, functools.partial(object.__setattr__, self), visitor)

    def __setattr__(self, name: str, value: Any) -> None:
        device = self.__dict__.get(_DEVICE)
        if device is not None and name != _DEVICE:
            if isinstance(value, DeviceResident):
                value.to_device(device)
            else:
                value = _visit(value, _Send(device))
        super().__setattr__(name, value)


class _Gather(Visitor):
    """Collects every array once, and the path where it is first met."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.paths: list[str] = []
        self._seen: set[int] = set()

    def visit_array(self, array: Any) -> Any:
        if id(array) not in self._seen:
            self._seen.add(id(array))
            self.arrays.append(array)
            self.paths.append(''.join(self._steps))
        return array


class _Replace(Visitor):
    """Puts what was sent in the place of what was gathered."""

    def __init__(self, arrays: list[Any], sent: list[Any], device: Device) -> None:
        self._device = device
        self._kept = arrays
        self._sent = {id(array): new for array, new in zip(arrays, sent)}

    def visit_array(self, array: Any) -> Any:
        return self._sent.get(id(array), array)

    def visit_device_resident(self, resident: DeviceResident) -> None:
        resident.__dict__[_DEVICE] = self._device


class _Send(Visitor):
    """Sends each array."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def visit_array(self, array: Any) -> Any:
        return self._device.send(array)

    def visit_device_resident(self, resident: DeviceResident) -> None:
        resident.__dict__[_DEVICE] = self._device


def _visit(value: Any, visitor: Visitor) -> Any:
    """`value` with its arrays replaced. What can be changed is, in place, for others may hold it too."""
    if isinstance(value, DeviceResident):
        value.device_resident_accept(visitor)
    elif _registry.owner(type(value)) is not None:
        return visitor.visit_array(value)
    elif isinstance(value, tuple):
        changed = [_visit_below(f'[{i}]', item, visitor) for i, item in enumerate(value)]
        same = all(new is old for new, old in zip(changed, value))
        return value if same else getattr(type(value), '_make', type(value))(changed)
    elif isinstance(value, list | deque):
        if visitor._enter(value):
            _visit_items(enumerate(value), value.__setitem__, visitor)
    elif isinstance(value, dict):
        if visitor._enter(value):
            _visit_items(value.items(), value.__setitem__, visitor)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _visit_dataclass(value, visitor)
    return value


def _visit_dataclass(value: Any, visitor: Visitor) -> Any:
    if not type(value).__dataclass_params__.frozen:
        if visitor._enter(value):
            _visit_attributes(value, functools.partial(setattr, value), visitor)
        return value
    changed = copy.copy(value)
    _visit_attributes(value, functools.partial(object.__setattr__, changed), visitor)
    same = all(new is old for (_, new), (_, old) in zip(_attributes(changed), _attributes(value)))
    return value if same else changed


def _attributes(owner: object) -> list[tuple[str, Any]]:
    """Names and values of what an object has in its ``__dict__`` and its slots."""
    slots = [name for kind in type(owner).__mro__ for name in _slots_of(kind) if hasattr(owner, name)]
    return [*getattr(owner, '__dict__', {}).items(), *((name, getattr(owner, name)) for name in slots)]


def _slots_of(kind: type) -> list[str]:
    return [name for name, member in vars(kind).items() if isinstance(member, MemberDescriptorType)]


def _visit_attributes(owner: object, put: Callable[[str, Any], None], visitor: Visitor) -> None:
    for name, item in _attributes(owner):
        changed = _visit_below(f'.{name}', item, visitor)
        if changed is not item:
            put(name, changed)


def _visit_items(items: Iterable[tuple[Any, Any]], put: Callable[[Any, Any], None], visitor: Visitor) -> None:
    for key, item in list(items):
        changed = _visit_below(f'[{key!r}]', item, visitor)
        if changed is not item:
            put(key, changed)


def _visit_below(step: str, value: Any, visitor: Visitor) -> Any:
    visitor._steps.append(step)
    try:
        return _visit(value, visitor)
    finally:
        visitor._steps.pop()


def _mixed(model: DeviceResident, paths: list[str], error: MixedDevicesError) -> MixedDevicesError:
    """The error with attributes in the place of positions, a few for each device."""
    arguments = []
    names: dict[str, list[str]] = {}
    for position, device in error.arguments:
        number, bracket, rest = str(position).partition('[')
        path = (paths[int(number)] + bracket + rest).removeprefix('.') or 'an array'
        arguments.append((path, device))
        names.setdefault(device, []).append(path)
    listed = '; '.join(f'{_few(some)} on {device}' for device, some in names.items())
    return MixedDevicesError(
        f'the arrays of a {type(model).__name__} are on several devices: {listed}; '
        'bring them together with its to_device(...)',
        arguments=tuple(arguments),
        devices=error.devices,
    )


def _few(paths: list[str], most: int = 4) -> str:
    if len(paths) <= most:
        return ', '.join(paths)
    return f'{", ".join(paths[: most - 1])} and {len(paths) - most + 1} more'
