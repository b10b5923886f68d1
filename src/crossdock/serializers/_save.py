"""`save`: any tree of arrays into one file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from crossdock.transfer import Progress, tracking

from ._bare import bare
from ._collect import collect
from ._compression import compression_named
from ._format import Format
from ._leaf import Leaf
from ._metadata import why_not_json
from ._place import replacing_for
from ._registry import format_of
from ._swapped import warn_swapped
from ._tree import is_container

__all__ = ['Path', 'save', 'save_as', 'file_path', 'write_leaves']

Path = str | os.PathLike[str]


def save(
    path: Path,
    obj: Any,
    *,
    format: str | None = None,
    compression: str | None = None,
    progress: Progress = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save a model, or any tree of arrays, from whatever devices its arrays live on.

    Each array is brought to the host by itself and piece by piece, and stays on its device. The file takes the place of
    an old one only when it is complete and on the disk; after an error the old file is as it was.

    Parameters
    ----------
    path : str or path-like
        The file. A symbolic link is followed.
    obj : object
        A mapping, list, tuple, dataclass, an object with ``serialize(serializer)`` or with
        ``state_dict()``/``load_state_dict()``, a `crossdock.devices.DeviceResident`, nested in any way. Leaves are
        arrays of any library, whatever ``get_device('@numpy').send(x)`` reads, Python and NumPy scalars, strings and
        None. Arrays of the other byte order are converted, with a warning.
    format : str, optional
        The format's name, whatever the suffix of `path`; by default the suffix tells.
    compression : str, optional
        For npz ``'zstd'`` (fast; before Python 3.14 it needs the extra ``zstd``) or ``'deflate'`` (which all programs
        read); for HDF5 ``'gzip'`` or ``'lzf'``; for Zarr ``'zstd'``, ``'blosc'`` or ``'gzip'``. ``'gzip'`` and
        ``'deflate'`` are the same method, and either name will do. There are no levels. Not compressed by default.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
    metadata : mapping, optional
        Anything that JSON can hold, under string keys; `open_archive` has it as ``metadata``.

    Raises
    ------
    TypeError
        A key that is neither string nor int; a value that is no array (`UnknownArrayError`) or an array that no file
        can hold (`DtypeError`), with its key path; an array of an unknown library that takes part in a differentiable
        graph (`GraphError`); an object without parts; a compression that is no name.
    ValueError
        A refused key, two values with the same key, an unknown format or compression; compression that makes the file
        so small that `load` would take it for a bomb.
    OSError
        The folder is missing, the disk is full, and the like.

    Examples
    --------
    >>> import numpy as np
    >>> save('model.npz', {'l1': {'W': np.ones((2, 3))}, 'step': 12})
    >>> with np.load('model.npz') as plain:
    ...     sorted(plain)
    ['l1/W', 'step']
    """
    where = file_path(path)
    save_as(where, obj, format_of(where, format), compression, progress, metadata)


def save_as(
    path: str,
    obj: Any,
    format: Format,
    compression: str | None,
    progress: Progress,
    metadata: Mapping[str, Any] | None,
) -> None:
    """Save in a format; the rest is as for `save`."""
    packing = compression_named(format, compression)
    if not is_container(obj):
        raise bare(obj, 'save')
    checked = _checked_metadata(metadata)
    leaves, empty = collect(obj)
    warn_swapped(path, [key for key, leaf in leaves.items() if leaf.swapped])
    write_leaves(path, leaves, format, packing, progress, checked, empty)


def file_path(path: Path | bytes) -> str:
    """The path as a string.

    Raises
    ------
    TypeError
        It is an open file, or something else that is no path.
    """
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f'a path is a string or path-like, not {type(path).__name__}') from None


def write_leaves(
    path: str,
    leaves: Mapping[str, Leaf],
    format: Format,
    compression: str | None,
    progress: Progress,
    metadata: Mapping[str, Any],
    empty: Iterable[str] = (),
    what: str = 'save',
) -> None:
    """Write a file that takes the place of `path` once it is complete and on the disk."""
    total = sum(leaf.nbytes for leaf in leaves.values())
    with (
        tracking(progress, total, what) as track,
        replacing_for(path, format, before=track.finish) as temporary,
        format.create(temporary, compression=compression, metadata=metadata) as writer,
    ):
        writer.expect(total)
        for key, leaf in leaves.items():
            leaf.watch = track.advance
            writer.add(key, leaf)
        for key in empty:
            writer.add_empty(key)


def _checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise TypeError('metadata is a mapping with string keys')
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(metadata), allow_nan=False))
    except (TypeError, ValueError) as error:
        contains_itself = str(error).startswith('Circular')
        why = error if contains_itself else why_not_json(dict(metadata)) or error
        raise type(error)(f'metadata is not JSON: {why}') from error
    return copied
