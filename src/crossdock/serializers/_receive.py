"""One leaf of a file onto a device, without a copy of the whole on the host."""

from __future__ import annotations

from typing import Any

from crossdock.devices._fresh import fresh
from crossdock.errors import DtypeError

from . import _arrays
from ._format import PIECE_NBYTES, Reader
from ._path import shown
from ._pour import pour

__all__ = ['receive', 'receive_in_tree']


def receive(reader: Reader, key: str, device: Any) -> Any:
    """The data of a leaf as a new array on `device`; on the host for None, and for what no device holds.

    Raises
    ------
    CorruptFileError
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
    pour(reader, key, target)
    return target


def receive_in_tree(reader: Reader, path: str, key: str, device: Any) -> Any:
    """As `receive`, among others: a scalar of a type that the device lacks stays on the host, as text does.

    Raises
    ------
    CorruptFileError
        The data is damaged, or of a kind that is not read.
    DtypeError
        The device lacks the type of an array; the message names the file, and says what to do.
    """
    try:
        return receive(reader, key, device)
    except DtypeError as error:
        if not reader.entry(key).shape:
            return reader.read(key)
        said = str(error).removeprefix(f'at [{key!r}]: ').partition('; or convert on the way')[0]
        raise DtypeError(
            f'{path}: {shown(key)}: {said}; or load it to the host, without device=, and convert it there; or leave it'
            f' out by ignore={shown(key)}',
            dtype=error.dtype,
            path=key,
        ) from error
