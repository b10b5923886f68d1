"""A new array on a device, to be filled piece by piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossdock.devices._device import Device

__all__ = ['fresh']


def fresh(device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A new array on `device`, its values undefined; None where arrays cannot be written once they are made.

    Raises
    ------
    DtypeError
        The device has no such data type.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock import get_device
    >>> fresh(get_device('sim:0'), (2, 3), np.dtype('int8')).shape
    (2, 3)
    """
    device.send(np.empty(0, dtype))  # says what is wrong with the data type
    if device._place.immutable:
        return None
    return device._backend.allocate(shape, dtype, device._place)
