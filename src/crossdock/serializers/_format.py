"""What a file format is: the contract between `save`, `load` and the files in ``formats/``.

A format is one object with a `create` that returns a `Writer` and an `open` that returns a `Reader`. It knows
files and host memory only: no device, no tree, no target. Its public test suite is
`crossdock.serializers.testing.FormatContract`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

if TYPE_CHECKING:
    from ._leaf import Leaf

__all__ = ['CONTRACT_VERSION', 'Entry', 'Writer', 'Reader', 'Format']

CONTRACT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says about one leaf, known without reading its data.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype or None
        In native byte order; ml_dtypes' types under their own names. None when the leaf is the value None.
    swapped : bool
        Whether the file holds the other byte order.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    swapped: bool = False

    @property
    def nbytes(self) -> int:
        """Size of the data in memory, in bytes."""
        count = 1
        for n in self.shape:
            count *= n
        return count * self.dtype.itemsize if self.dtype is not None else 0


class Writer(Protocol):
    """Writes leaves one after the other. Leaving the context without an error completes the file."""

    def add(self, key: str, leaf: Leaf) -> None:
        """Write one leaf under a key path; its data comes from ``leaf.chunks()``, piece by piece."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Reader(Protocol):
    """An open file whose structure has been checked. The data of a leaf is checked when it is read."""

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path, in the order of the file."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as `metadata`."""

    def read(self, key: str) -> np.ndarray[Any, Any] | None:
        """The data of one leaf as a fresh, writable host array in native byte order, or None.

        Raises
        ------
        CorruptFileError
            The data is damaged; the error names the file, the key and the reason.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Format(Protocol):
    """One file format, named in the entry point group ``crossdock.formats``.

    Importing its file must not import the library that reads it; `create` and `open` do.

    Attributes
    ----------
    contract_version : int
        The version of this contract that it was written for, at present 1.
    name : str
        What ``save(..., format=name)`` asks for.
    suffixes : tuple of str
        File name endings, in lower case with the dot.
    compressions : tuple of str
        Names that ``save(..., compression=name)`` may give; none is always allowed.
    can_mmap : bool
        Whether ``load(..., mmap=True)`` works.
    """

    @property
    def contract_version(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    @property
    def compressions(self) -> tuple[str, ...]: ...

    @property
    def can_mmap(self) -> bool: ...

    def create(self, path: str, *, compression: str | None, metadata: Mapping[str, Any]) -> Writer:
        """Start a file at `path`, where an empty file is already; nothing else may be touched."""

    def open(self, path: str) -> Reader:
        """Open `path` and check its structure, sizes against the real file first.

        Raises
        ------
        CorruptFileError
            The file is not what it claims to be.
        OSError
            The file cannot be read.
        """
