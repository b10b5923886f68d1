"""`HDF5Deserializer`: the visitor protocol out of an HDF5 file or group."""

from __future__ import annotations

import os
from typing import Any

from ._file_deserializer import FileDeserializer
from ._open import OpenFile, open_file
from ._registry import format_named
from ._save import file_path

__all__ = ['HDF5Deserializer']


class HDF5Deserializer(FileDeserializer):
    """Loads an HDF5 file into objects, part by part; `load_hdf5` is the short way when there is one object.

    Its ``metadata`` is what was given to `save` as ``metadata``.

    Parameters
    ----------
    file : str, path-like, or h5py.Group
        The file; or the group, also the root, of one that is open, which its owner closes.
    prefix : str
        The group below it to begin in.
    strict, ignore, device
        As for `crossdock.serializers.load`.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
        Each object or value that is asked for is followed by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save_hdf5
    >>> save_hdf5('model.h5', {'W': np.arange(3.0), 'step': 7})
    >>> W = np.zeros(3)
    >>> with HDF5Deserializer('model.h5') as d:
    ...     step = d('step', 0)
    ...     W = d('W', W)
    >>> step, W.tolist()
    (7, [0.0, 1.0, 2.0])
    """

    @staticmethod
    def opened(file: Any) -> OpenFile:
        """The file at a path, or that of an open group."""
        if isinstance(file, str | bytes | os.PathLike):
            return open_file(format_named('hdf5'), file_path(file))
        from .formats._hdf5 import reader_of

        reader = reader_of(file)
        return OpenFile(reader, str(file.file.filename))
