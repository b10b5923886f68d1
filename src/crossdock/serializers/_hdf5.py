"""`save_hdf5` and `load_hdf5`: HDF5 files by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossdock.transfer import Progress

from ._compression import gzip_or_none
from ._ignore import Ignore
from ._load import load_as
from ._save import Path, save
from ._view import Mapped

__all__ = ['save_hdf5', 'load_hdf5']


def save_hdf5(
    path: Path,
    obj: Any,
    *,
    compression: str | int | None = None,
    progress: Progress = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save in the HDF5 format, whatever the suffix; the parameters are those of `save`. It needs h5py.

    Any program that reads HDF5 from version 1.10 on reads the file: one dataset per leaf, in groups by its key path.

    Parameters
    ----------
    compression : str or int, optional
        ``'gzip'`` or ``'lzf'``, both with bytes shuffled. A number, a level of gzip in older programs, is
        ``'gzip'``, and 0 none.

    Examples
    --------
    >>> import h5py
    >>> import numpy as np
    >>> save_hdf5('model.h5', {'l1': {'W': np.ones((2, 3))}, 'best': None}, compression='gzip')
    >>> with h5py.File('model.h5') as plain:
    ...     print(plain['l1/W'].shape, plain['best'].shape)
    (2, 3) None
    """
    save(path, obj, format='hdf5', compression=gzip_or_none(compression), progress=progress, metadata=metadata)


def load_hdf5(
    path: Path,
    obj: Any = None,
    *,
    device: Any = None,
    strict: bool = True,
    ignore: Ignore = None,
    prefix: str = '',
    mmap: Mapped = None,
    progress: Progress = False,
    flat: bool = False,
    checksum: bool = True,
) -> Any:
    """Load an HDF5 file, whatever its suffix; the parameters are those of `load`. It needs h5py.

    Files of other programs are read too, if they hold arrays of numbers, bools or text of fixed length, and no links
    other than hard ones.

    Parameters
    ----------
    checksum : bool
        Whether the CRC-32 that each array of our files has is compared. False reads a file that another program has
        changed in place.

    Examples
    --------
    >>> import h5py
    >>> import numpy as np
    >>> with h5py.File('plain.h5', 'w') as plain:
    ...     plain['l1/W'] = np.ones(2)
    >>> load_hdf5('plain.h5')
    {'l1': {'W': array([1., 1.])}}
    """
    return load_as(path, obj, 'hdf5', device, strict, ignore, prefix, mmap, progress, flat, checksum)
