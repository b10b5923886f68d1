"""`save_npz` and `load_npz`: npz files by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossdock.transfer import Progress

from ._ignore import Ignore
from ._load import load_as
from ._save import Path, save
from ._view import Mapped

__all__ = ['save_npz', 'load_npz']


def save_npz(
    path: Path,
    obj: Any,
    *,
    compression: str | None = None,
    progress: Progress = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save in the npz format, whatever the suffix; the parameters are those of `save`.

    The file can be read by `numpy.load`: one member per leaf, named by its key path.

    Examples
    --------
    >>> import numpy as np
    >>> save_npz('weights', [np.zeros(3), None], compression='deflate')
    """
    save(path, obj, format='npz', compression=compression, progress=progress, metadata=metadata)


def load_npz(
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
    """Load an npz file, whatever its suffix; the parameters are those of `load`.

    Files of `numpy.savez` and `numpy.savez_compressed` are read too, unless they hold Python objects.

    Examples
    --------
    >>> import numpy as np
    >>> np.savez('plain.npz', **{'l1/W': np.ones(2), 'l1/b': np.zeros(1)})
    >>> sorted(load_npz('plain.npz')['l1'])
    ['W', 'b']
    """
    return load_as(path, obj, 'npz', device, strict, ignore, prefix, mmap, progress, flat)
