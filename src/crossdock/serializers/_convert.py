"""`convert`: a file of one format into one of another, piece by piece."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from crossdock.errors import FormatError
from crossdock.transfer import Progress

from ._compression import compression_named
from ._format import Format, Reader
from ._leaf import Leaf
from ._open import format_at, open_file
from ._path import shown
from ._place import blank
from ._registry import format_of
from ._save import Path, file_path, write_leaves
from ._swapped import warn_swapped
from ._unreadable import refused

__all__ = ['convert']


class StoredLeaf(Leaf):
    """A leaf whose data is in an open file."""

    def __init__(self, reader: Reader, key: str) -> None:
        super().__init__(None, key)
        entry = reader.entries[key]
        self.shape, self.dtype, self.swapped = entry.shape, entry.dtype, entry.swapped
        self._reader = reader

    def chunks(self) -> Iterator[np.ndarray[Any, Any]]:
        """The data as one-dimensional contiguous pieces of their own; all of it has been checked before the last."""
        for piece in _checked_first(self._reader, self.path):
            if self.watch is not None:
                self.watch(piece.nbytes)
            yield piece

    def host(self) -> np.ndarray[Any, Any] | None:
        """The whole value as a NumPy array."""
        return self._reader.read(self.path)


def _checked_first(reader: Reader, key: str) -> Iterator[np.ndarray[Any, Any]]:
    """Copies of the pieces of a leaf, the last of them once all are known to be right.

    A writer knows how much it wants, and does not ask again after the last one.
    """
    held = None
    for _, piece in reader.pieces(key):
        if held is not None:
            yield held
        held = piece.copy()  # the memory of the piece is used again
    if held is not None:
        yield held


def convert(
    source: Path,
    target: Path,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    compression: str | None = None,
    progress: Progress = False,
) -> None:
    """Write what a file holds in another format: the same keys, data types and bits, None, empty groups and metadata.

    Never more than some pieces of the data are in memory. The target takes the place of an old one only when all of
    the source has been read and checked, and the new file is complete and on the disk.

    Parameters
    ----------
    source, target : str or path-like
        Their suffixes tell the formats.
    from_format, to_format : str, optional
        The formats' names, in place of the suffixes.
    compression : str, optional
        As for `save`. Not compressed by default, whatever the source is.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Raises
    ------
    FormatError
        The target's format cannot hold all of it; each key that it refuses is listed, and nothing has been written.
    ValueError
        Both are the same file, or there is no such format or compression.
    CorruptFileError, UnsupportedFileError
        The source is damaged, or something in it is of a kind that is not read; each such key is named. The old target
        is as it was.
    OSError
        The source cannot be read, or the target cannot be written.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import load, save
    >>> save('model.npz', {'enc': {'W': np.ones((2, 3), 'float32')}}, metadata={'epoch': 3})
    >>> convert('model.npz', 'small.npz', compression='deflate')
    >>> load('small.npz')['enc']['W'].shape
    (2, 3)
    """
    here, there = file_path(source), file_path(target)
    reads, writes = format_at(here, from_format), format_of(there, to_format)
    packing = compression_named(writes, compression)
    if os.path.exists(there) and os.path.samefile(here, there):
        raise ValueError(f'{here} and {there} are the same file; convert into another, then rename it')
    with open_file(reads, here) as reader:
        faults = [entry.fault for entry in reader.entries.values() if entry.fault is not None]
        if faults:
            raise refused(faults)
        why = refusals(reader, writes, packing)
        if why:
            lines = [f'{here} holds what a {writes.name} file cannot; nothing has been written']
            raise FormatError('\n'.join(lines + [f'  {line}' for line in why]), refusals=tuple(why))
        leaves = {key: StoredLeaf(reader, key) for key in reader.entries}
        warn_swapped(here, [key for key, leaf in leaves.items() if leaf.swapped])
        write_leaves(there, leaves, writes, packing, progress, reader.metadata, reader.empty, 'convert')


def refusals(reader: Reader, format: Format, compression: str | None) -> list[str]:
    """What of an open file another format cannot hold, a line for each key, found by writing it without its data."""
    why: list[str] = []
    left = {key: _hollow(reader, key) for key in reader.entries}
    with tempfile.TemporaryDirectory() as folder:
        while left:
            bad = _rehearse(format, folder, compression, {}, left)
            if bad is None:
                break
            key, reason = bad
            why.append(reason)
            if key is None:
                return why  # it is of no key, and would come again
            # What has been taken before it will be taken again, and need not be tried.
            for other in list(left):
                del left[other]
                if other == key:
                    break
        bad = _rehearse(format, folder, compression, reader.metadata, {})
    return why if bad is None else [*why, f'the metadata: {bad[1]}']


def _hollow(reader: Reader, key: str) -> Leaf:
    """A leaf of the same data type and as many axes, without elements."""
    entry = reader.entries[key]
    if entry.dtype is None:
        return Leaf(None, key)
    return Leaf(np.empty((0, *entry.shape[1:]) if entry.shape else (), entry.dtype), key)


def _rehearse(
    format: Format, folder: str, compression: str | None, metadata: Mapping[str, Any], leaves: Mapping[str, Leaf]
) -> tuple[str | None, str] | None:
    """Write leaves into a file that nobody needs; the key that was refused, if it was one, and the reason."""
    name = os.path.join(folder, os.urandom(8).hex() + format.suffixes[0])
    key = None
    try:
        blank(name, format)
        with format.create(name, compression=compression, metadata=metadata) as writer:
            for key, leaf in leaves.items():
                writer.add(key, leaf)
            key = None
    except (TypeError, ValueError) as error:
        return key, _without_verb(str(error), key)
    return None


def _without_verb(message: str, key: str | None) -> str:
    """What a writer says of a key, which speaks of saving it."""
    if key is None:
        return message
    reason = message.removeprefix(f'cannot save {shown(key)}: ')
    return f'{shown(key)}: {reason}'
