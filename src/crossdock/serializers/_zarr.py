"""`save_zarr` and `load_zarr`: Zarr stores by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossdock.transfer import Progress

from ._ignore import Ignore
from ._load import load_as
from ._save import Path, save
from ._view import Mapped

__all__ = ['save_zarr', 'load_zarr']


def save_zarr(
    path: Path,
    obj: Any,
    *,
    compression: str | None = None,
    progress: Progress = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save as a Zarr store, version 3, whatever the suffix; the parameters are those of `save`.

    It is a folder that the package zarr reads: one array per leaf, in groups by its key path. An old store is replaced
    as a whole; a folder that is no store is left alone, and an error.

    Parameters
    ----------
    path : str or path-like
        The folder.
    compression : str, optional
        ``'zstd'``, ``'blosc'`` (LZ4, with bytes shuffled) or ``'gzip'``.

    Examples
    --------
    >>> import numpy as np
    >>> import zarr
    >>> save_zarr('model.zarr', {'l1': {'W': np.ones((2, 3))}}, compression='zstd')
    >>> zarr.open_group('model.zarr', mode='r')['l1/W'].shape
    (2, 3)
    """
    save(path, obj, format='zarr', compression=compression, progress=progress, metadata=metadata)


def load_zarr(
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
) -> Any:
    """Load a Zarr store, version 3, whatever the suffix; the parameters are those of `load`.

    Stores of the package zarr are read too, if they are folders of arrays of numbers, bools, times or text of fixed
    length, without shards.

    Examples
    --------
    >>> import numpy as np
    >>> import zarr
    >>> array = zarr.open_group('plain.zarr', mode='w').create_array('l1/W', data=np.ones(2))
    >>> load_zarr('plain.zarr')
    {'l1': {'W': array([1., 1.])}}
    """
    return load_as(path, obj, 'zarr', device, strict, ignore, prefix, mmap, progress, flat)
