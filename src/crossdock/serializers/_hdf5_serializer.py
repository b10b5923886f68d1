"""`HDF5Serializer`: the visitor protocol into an open HDF5 file."""

from __future__ import annotations

from typing import Any

from ._format import Writer
from ._leaf import Leaf
from ._tree import Hand
from ._visitor import Serializer

__all__ = ['HDF5Serializer']


class _Writing(Hand):
    def __init__(self, writer: Writer) -> None:
        super().__init__()
        self.writer = writer

    def leaf(self, path: str, value: Any) -> Any:
        self.writer.add(path, Leaf(value, path))
        return value

    def group(self, path: str, node: Any = None) -> None:
        if path:
            self.writer.add_empty(path)

    def serializer(self, path: str) -> Serializer:
        return Serializer(self, path)


class HDF5Serializer(Serializer):
    """Saves into a group of an HDF5 file that is open for writing, beside what else it holds.

    Nothing here is all or nothing: an error leaves in the file what has been saved before. `save_hdf5` replaces
    files as a whole.

    Parameters
    ----------
    group : h5py.Group
        Where key paths begin; the file itself is its root group. Its owner closes it.
    compression : str or int, optional
        As for `save_hdf5`.

    Examples
    --------
    >>> import h5py
    >>> import numpy as np
    >>> with h5py.File('run.h5', 'w') as file:
    ...     HDF5Serializer(file.create_group('model')).save({'l1': {'W': np.zeros((2, 3))}, 'step': 7})
    ...     print(list(file['model']), file['model/l1/W'].shape)
    ['l1', 'step'] (2, 3)
    """

    def __init__(self, group: Any, compression: str | int | None = None) -> None:
        from .formats._hdf5 import writer_of

        super().__init__(_Writing(writer_of(group, compression)))
