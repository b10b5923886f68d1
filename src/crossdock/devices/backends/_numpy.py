"""``@numpy``: host memory, NumPy. Also the common currency: every view of host memory is a NumPy array."""

from __future__ import annotations

from crossdock.devices._host import HOST, HostBackend
from crossdock.devices._shorthands import CpuDevice
from crossdock.transfer import PlaceFacts

__all__ = ['BACKEND', 'NumpyBackend']


class NumpyBackend(HostBackend):
    """NumPy as it is."""

    kind = 'numpy'
    device_class = CpuDevice

    def place(self, suffix: str) -> PlaceFacts:
        return HOST


BACKEND = NumpyBackend()
