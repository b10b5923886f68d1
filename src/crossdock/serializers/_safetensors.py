"""`save_safetensors` and `load_safetensors`: safetensors files by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossdock.transfer import Progress

from ._ignore import Ignore
from ._load import load_as
from ._save import Path, file_path, save_as
from ._view import Mapped

__all__ = ['save_safetensors', 'load_safetensors']


def save_safetensors(
    path: Path,
    obj: Any,
    *,
    checksum: bool = True,
    progress: Progress = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save in the safetensors format, whatever the suffix; the parameters are those of `save`.

    Programs that read safetensors read the file: one tensor per leaf, named by its key path.

    Parameters
    ----------
    checksum : bool
        Whether the metadata gets a CRC-32 of each tensor, which `load` compares. Without them, a program that keeps the
        metadata of a file that it changes may keep it whole.

    Examples
    --------
    >>> import numpy as np
    >>> save_safetensors('model.safetensors', {'W': np.ones((2, 3), 'float32')}, metadata={'format': 'pt'})
    """
    from .formats._safetensors import SafetensorsFormat

    save_as(file_path(path), obj, SafetensorsFormat(checksum), None, progress, metadata)


def load_safetensors(
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
    """Load a safetensors file, whatever its suffix; the parameters are those of `load`.

    Parameters
    ----------
    checksum : bool
        Whether the checksums that our files have in their metadata are compared. False reads a file that another
        program has changed without removing them.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save_safetensors
    >>> save_safetensors('model.safetensors', {'l1': {'W': np.ones(2), 'b': np.zeros(1)}})
    >>> sorted(load_safetensors('model.safetensors')['l1'])
    ['W', 'b']
    """
    return load_as(path, obj, 'safetensors', device, strict, ignore, prefix, mmap, progress, flat, checksum)
