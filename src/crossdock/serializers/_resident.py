"""Models that move as a whole, `crossdock.devices.DeviceResident`, name their arrays by their attributes."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

import numpy as np

from crossdock.devices import DeviceResident

from . import _arrays
from ._leaf import SCALARS

__all__ = ['is_resident', 'names_all', 'attributes', 'stays_with']


def is_resident(node: object) -> bool:
    """Whether `node` is such a model."""
    return isinstance(node, DeviceResident)


def names_all(model: Any) -> bool:
    """Whether all arrays of a model are among its attributes: it shows no others by a method of its own."""
    return type(model).device_resident_accept is DeviceResident.device_resident_accept


def attributes(model: Any) -> list[tuple[str, Any]]:
    """Names and values of the attributes of a model, those in slots too."""
    slots = [
        name
        for base in type(model).__mro__
        for name, member in vars(base).items()
        if isinstance(member, MemberDescriptorType) and hasattr(model, name)
    ]
    return [*vars(model).items(), *((name, getattr(model, name)) for name in slots)]


def stays_with(value: object) -> bool:
    """Whether a leaf among the attributes of a model is an array of it, and no number, text or anything else."""
    if value is None or isinstance(value, (*SCALARS, np.generic)):
        return False
    return _arrays.is_known(value) or hasattr(type(value), '__dlpack__')
