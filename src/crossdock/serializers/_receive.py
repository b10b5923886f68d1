"""One leaf of a file onto a device, without a copy of the whole on the host."""

from __future__ import annotations

from typing import Any

from crossdock.devices._fresh import fresh

from . import _arrays
from ._format import PIECE_NBYTES, Reader
from ._pour import pour

__all__ = ['receive']


def receive(reader: Reader, key: str, device: Any) -> Any:
    """The data of a leaf as a new array on `device`; on the host for None, and for what no device holds.

    Raises
    ------
    UnreadableFileError
        The data is damaged, or of a kind that is not read.
    DtypeError
        The device has no such data type.
    """
    entry = reader.entry(key)
    if entry.dtype is None:
        return None
    straight = device is not None and device.physical != 'host' and entry.dtype.kind not in 'SUmM'
    target = fresh(device, entry.shape, entry.dtype) if straight and entry.nbytes > PIECE_NBYTES else None
    if target is None:
        host = reader.read(key)
        assert host is not None
        return _arrays.send(device, host, key)
    pour(reader.pieces(key), target)
    return target
