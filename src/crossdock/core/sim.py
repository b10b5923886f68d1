"""The simulated accelerator ``sim:N``: counters of what really moved, and faults on demand.

>>> import numpy as np
>>> import crossdock.core as cx
>>> before = cx.sim.counters(0)
>>> x = cx.asarray(np.ones(1000), device='sim:0')
>>> cx.sim.counters(0).host_to_device_nbytes - before.host_to_device_nbytes
8000
"""

from __future__ import annotations

from typing import NamedTuple

from . import _core

__all__ = ['Counters', 'clear_faults', 'counters', 'inject']


class Counters(NamedTuple):
    """What one simulated device has done since the process started.

    Attributes
    ----------
    host_to_device_nbytes, device_to_host_nbytes : int
        Bytes that crossed between host memory and the device.
    device_to_device_nbytes : int
        Bytes that came from another device.
    copies : int
        Copies of these three kinds.
    syncs : int
        Times the host has waited for the device.
    """

    host_to_device_nbytes: int
    device_to_host_nbytes: int
    device_to_device_nbytes: int
    copies: int
    syncs: int


def counters(index: int) -> Counters:
    """Return the exact counters of ``sim:index``; DeviceUnavailableError when there is no such device."""
    return Counters(*_core._sim_counters(index))


def inject(kind: str, *, index: int | None = None, after: int = 0) -> None:
    """Make a device fail, until `clear_faults`.

    Parameters
    ----------
    kind : {'oom', 'copy_error', 'device_lost'}
        ``'oom'``: an allocation fails with OutOfMemoryError (cached blocks count too). ``'copy_error'``: a copy fails,
        which is reported when its stream is next waited for. ``'device_lost'``: everything fails.
    index : int, optional
        The device; all of them when omitted.
    after : int
        How many requests still succeed first.

    Raises
    ------
    ValueError
        For another kind, or a negative ``after``.
    """
    _core._sim_inject(kind, index, after)


def clear_faults() -> None:
    """Let all devices work again."""
    _core._sim_clear_faults()
