"""What a file format is: the contract between `save`, `load` and the files in ``formats/``.

A format is one object with a `create` that returns a `Writer` and an `open` that returns a `Reader`. It knows
files and host memory only: no device, no tree, no target. Its public test suite is
`crossdock.serializers.testing.FormatContract`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from ._passed import passed
from ._selection import pieces_of, select
from ._unreadable import again

if TYPE_CHECKING:
    from crossdock.errors import CorruptFileError

    from ._leaf import Leaf

__all__ = ['CONTRACT_VERSION', 'PIECE_NBYTES', 'Host', 'Entry', 'Writer', 'Reader', 'Format']

CONTRACT_VERSION = 1
PIECE_NBYTES = 8 * 2**20


Host = np.ndarray[Any, Any]


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
    fault : CorruptFileError or None
        Why the leaf cannot be read, where it cannot; `shape` and `dtype` then say nothing.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None
    swapped: bool = False
    fault: CorruptFileError | None = None

    @property
    def nbytes(self) -> int:
        """Size of the data in memory, in bytes."""
        count = 1
        for n in self.shape:
            count *= n
        return count * self.dtype.itemsize if self.dtype is not None else 0


class Writer(Protocol):
    """Writes leaves one after the other. Leaving the context without an error completes the file.

    Derive from it, to have the methods that have a default.
    """

    def expect(self, nbytes: int) -> None:
        """Be told, before the first `add`, the size of all data that will come, in bytes before any compression.

        A format that writes the file by itself makes room for it, so that a full disk is found at once.
        """
        return

    @abstractmethod
    def add(self, key: str, leaf: Leaf) -> None:
        """Write one leaf under a key path; its data comes from ``leaf.chunks()``, piece by piece."""

    def add_empty(self, key: str) -> None:
        """Note a container that holds nothing, at a key path; a format without a way to say so leaves it out."""
        return

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Reader(Protocol):
    """An open file whose structure has been checked. The data of a leaf is checked when all of it is read.

    A leaf that cannot be read, as it is damaged or of a kind that is not known here, does not keep the others from
    being read: its entry has a `fault`, which whatever asks for its data raises; `entry` does it.

    Derive from it, to have the methods that have a default: each reads all of the leaf, and a format that can do better
    does. What is read is in native byte order, of the data type of the entry.
    """

    @property
    @abstractmethod
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path, in the order of the file."""

    @property
    def empty(self) -> Collection[str]:
        """Key paths of the containers that hold nothing."""
        return ()

    @property
    @abstractmethod
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as ``metadata``."""

    @property
    def compression(self) -> str | None:
        """How the data is compressed, in words; None where it is not."""
        return None

    @property
    def checksum(self) -> str | None:
        """What finds damaged data, as ``'CRC-32'``; None where nothing does."""
        return None

    def entry(self, key: str) -> Entry:
        """The entry of one leaf, which has no `fault`.

        Raises
        ------
        KeyError
            The file has no such leaf.
        CorruptFileError
            It has one.
        """
        found = self.entries[key]
        if found.fault is not None:
            raise again(found.fault)
        return found

    @abstractmethod
    def read(self, key: str) -> Host | None:
        """The data of one leaf as a fresh, writable host array, or None.

        Raises
        ------
        KeyError
            The file has no such leaf.
        CorruptFileError
            The data is damaged; the error names the file, the key and the reason.
        """

    def read_into(self, key: str, out: Host) -> None:
        """Read the data of one leaf, which is not None, into `out`.

        Parameters
        ----------
        out : numpy.ndarray
            Writable, dense in C order, of the data type and shape of the entry. After an error its content is
            undefined.

        Raises
        ------
        KeyError, CorruptFileError
            As for `read`.
        """
        out[...] = self.read(key)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """The data of one leaf in C order, in pieces of at most `PIECE_NBYTES`; none for None and for no elements.

        Yields
        ------
        start : int
            Position of the first element of the piece among all elements.
        piece : numpy.ndarray
            One-dimensional, dense, not to be written to, and valid until the next one is asked for.

        Raises
        ------
        KeyError, CorruptFileError
            As for `read`, but for damage perhaps only after the last piece: until the iterator has ended, nothing is
            known to be right.
        """
        host = self.read(key)
        if host is not None:
            yield from pieces_of(host.reshape(-1), PIECE_NBYTES)

    def verify(self, key: str) -> None:
        """Read the data of one leaf for its checks alone, as a load into a target does before it changes anything.

        Raises
        ------
        KeyError, CorruptFileError
            As for `read`.
        """
        for _, piece in self.pieces(key):
            passed(piece.nbytes)

    def map(self, key: str) -> Host | None:
        """A read-only view of one leaf in the file, or None where there is no such view, as for what is compressed.

        Nothing is checked beyond the structure: damaged data is not found. The view stays valid when the reader is
        closed. Another process that cuts the file short while it is mapped kills this one at the next access.

        Raises
        ------
        KeyError
            The file has no such leaf.
        """
        self.entry(key)
        return None

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array, as what can be said of it: ``'is compressed by zstd'``."""
        return 'does not lie in the file as it does in memory'

    def slice(self, key: str, index: Any) -> Host:
        """What basic indexing takes from one leaf, which is not None, as a fresh array; the rest need not be read.

        Checksums over the whole are not compared where the rest is not read; values that their type cannot have, such
        as a bool of 2, are still found.

        Parameters
        ----------
        index : int, slice, Ellipsis, None, or tuple of them
            See `select`, which gives it as one range per axis.

        Raises
        ------
        IndexError, TypeError
            The index does not fit, or is no basic one.
        KeyError, CorruptFileError
            As for `read`.
        """
        select(index, self.entry(key).shape)
        host = np.asarray(self.read(key))
        return np.array(host[index], host.dtype)

    def __enter__(self) -> Self:
        return self

    @abstractmethod
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
    unchecked : callable
        Not needed by formats whose checksums are part of the format. Gives the format that does not compare those that
        files have beside their data, which other programs leave as they are when they change the data.
    folder_marks : tuple of str
        Not needed by formats of single files. A format of folders names files here; a folder that is there is only
        replaced if it has one of them, or nothing.
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
        """Start a file at `path`, where an empty file, or folder, is already; nothing else may be touched."""

    def open(self, path: str) -> Reader:
        """Open `path` and check its structure, sizes against the real file first.

        What is wrong with one leaf alone is no error here, but the `fault` of its entry.

        Raises
        ------
        CorruptFileError
            The file is damaged, or not what it claims to be.
        UnsupportedFileError
            The file may be whole, and is of a kind that is not read.
        OSError
            The file cannot be read.
        """
