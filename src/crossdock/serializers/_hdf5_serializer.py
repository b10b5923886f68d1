"""`HDF5Serializer`: the visitor protocol into an open HDF5 file."""

from __future__ import annotations

from typing import Any

from crossdock.transfer import Progress

from ._format import Writer
from ._leaf import Leaf
from ._taking import Taking
from ._visitor import Serializer

__all__ = ['HDF5Serializer']


class _Writing(Taking):
    def __init__(self, writer: Writer, progress: Progress) -> None:
        super().__init__(progress, 'save')
        self.writer = writer

    def take(self, path: str, leaf: Leaf) -> None:
        self.writer.add(path, leaf)

    def group(self, path: str, node: Any = None) -> None:
        if path:
            self.writer.add_empty(path)


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
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
        Each object or value that is given to be saved is followed by itself.

    Examples
    --------
    >>> import h5py
    >>> import numpy as np
    >>> with h5py.File('run.h5', 'w') as file:
    ...     HDF5Serializer(file.create_group('model')).save({'l1': {'W': np.zeros((2, 3))}, 'step': 7})
    ...     print(list(file['model']), file['model/l1/W'].shape)
    ['l1', 'step'] (2, 3)
    """

    def __init__(self, group: Any, compression: str | int | None = None, *, progress: Progress = False) -> None:
        from .formats._hdf5 import writer_of

        super().__init__(_Writing(writer_of(group, compression), progress))
