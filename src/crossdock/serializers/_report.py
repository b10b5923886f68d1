"""What is in a file, for people and programs that look at it: `report`, and `damage` for what is broken."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from crossdock.errors import CorruptFileError
from crossdock.transfer import Progress, tracking

from ._dtypes import name_of
from ._format import Reader
from ._passed import following, passed

__all__ = ['Row', 'Report', 'report', 'damage', 'size_of_file']


@dataclass(frozen=True, slots=True)
class Row:
    """One leaf; `dtype` and `shape` are None where the value is None, or cannot be read.

    Attributes
    ----------
    unreadable : str or None
        Why it cannot be read, where it cannot.
    """

    key: str
    dtype: str | None
    shape: tuple[int, ...] | None
    nbytes: int
    unreadable: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A file as its structure tells, without its data.

    Attributes
    ----------
    path, format : str
    file_nbytes : int
        Size on the disk; of a folder, of all files in it.
    compression, checksum : str or None
    metadata : dict
    rows : tuple of Row
        In the order of the file.
    empty : tuple of str
        Key paths of the containers that hold nothing.
    """

    path: str
    format: str
    file_nbytes: int
    compression: str | None
    checksum: str | None
    metadata: dict[str, Any]
    rows: tuple[Row, ...]
    empty: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """Size of all data in memory."""
        return sum(row.nbytes for row in self.rows)


def report(reader: Reader, path: str, format: str) -> Report:
    """Describe an open file."""
    rows = []
    for key, entry in reader.entries.items():
        if entry.fault is not None:
            rows.append(Row(key, None, None, 0, entry.fault.reason))
        elif entry.dtype is None:
            rows.append(Row(key, None, None, 0))
        else:
            rows.append(Row(key, name_of(entry.dtype), entry.shape, entry.nbytes))
    facts = reader.compression, reader.checksum, dict(reader.metadata)
    return Report(path, format, size_of_file(path), *facts, tuple(rows), tuple(reader.empty))


def damage(reader: Reader, progress: Progress = False) -> list[CorruptFileError]:
    """Read all data piece by piece and throw it away; what is wrong with each key that is damaged.

    A key whose entry says already that it cannot be read is not among them.
    """
    found = []
    total = sum(entry.nbytes for entry in reader.entries.values())
    with tracking(progress, total, 'check') as track:
        for key, entry in reader.entries.items():
            if entry.fault is not None:
                continue
            with following(track, entry.nbytes):
                try:
                    for _, piece in reader.pieces(key):
                        passed(piece.nbytes)
                except CorruptFileError as error:
                    found.append(error)
    return found


def size_of_file(path: str) -> int:
    """Bytes of a file; of a folder, of all files in it."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)
