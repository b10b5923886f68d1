"""A file that is open for reading: the same words for what cannot be read, whatever its format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from crossdock.errors import ClosedFileError, CorruptFileError

from ._format import Entry, Format, Reader
from ._kind import Kind, kind_of
from ._registry import format_for, format_named, format_of, is_builtin
from ._unreadable import unsupported

__all__ = ['OpenFile', 'format_at', 'open_file']

Host = np.ndarray[Any, Any]


def format_at(path: str, name: str | None, checksum: bool = True) -> Format:
    """As `format_of`, for a file that is to be read.

    Raises
    ------
    ValueError
        There is none. Where a file is there whose kind is known, it is an `UnsupportedFileError`, which says of which.
    """
    try:
        return format_of(path, name, checksum)
    except ValueError as error:
        kind = kind_of(path) if name is None and not _is_named(path) else None
        if kind is None:
            raise
        raise _wrong_kind(path, kind, 'and its suffix names no file format') from error


def open_file(format: Format, path: str) -> OpenFile:
    """Open a file, and say what it is where it is of another kind.

    Raises
    ------
    CorruptFileError, UnsupportedFileError, OSError
        As `Format.open`.
    """
    try:
        return OpenFile(format.open(path), path)
    except (CorruptFileError, IsADirectoryError) as error:
        # What a format of somebody else's begins with is not known here.
        tells = is_builtin(format) and getattr(error, 'key', None) is None
        kind = kind_of(path) if tells else None
        if kind is None or kind.format == format.name:
            raise
        raise _wrong_kind(path, kind, f'and not {format.name}') from error


def _is_named(path: str) -> bool:
    """Whether the suffix of a name tells a format."""
    try:
        format_for(path)
    except ValueError:
        return False
    return True


def _wrong_kind(path: str, kind: Kind, but: str) -> CorruptFileError:
    advice = kind.advice
    if kind.format is not None:
        suffixes = format_named(kind.format).suffixes
        rename = '' if path.lower().endswith(suffixes) else f', or name it {suffixes[0]}'
        advice = f'load_{kind.format} or format={kind.format!r} reads it{rename}'
    return unsupported(path, f'is {kind.what}, {but}' + (f': {advice}' if advice else ''))


class OpenFile(Reader):
    """A reader of any format; what cannot be read, and a file that is closed, are the same errors in all of them.

    Parameters
    ----------
    reader : Reader
    path : str
        The file, for messages.
    """

    def __init__(self, reader: Reader, path: str) -> None:
        self.path = path
        self.is_closed = False
        self._inner = reader

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every leaf by its key path, with those that cannot be read."""
        return self._reader.entries

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the writer was given as ``metadata``."""
        return self._reader.metadata

    @property
    def compression(self) -> str | None:
        """How the data is compressed, in words; None where it is not."""
        return self._reader.compression

    @property
    def checksum(self) -> str | None:
        """What finds damaged data; None where nothing does."""
        return self._reader.checksum

    @property
    def empty(self) -> Collection[str]:
        """The containers in which there is nothing."""
        return self._reader.empty

    def why_no_view(self, key: str) -> str:
        """Why `map` gives None for an array."""
        return self._asked(key).why_no_view(key)

    def read(self, key: str) -> Host | None:
        """The data of one leaf, or None."""
        return self._asked(key).read(key)

    def read_into(self, key: str, out: Host) -> None:
        """Read one leaf into `out`."""
        self._asked(key).read_into(key, out)

    def pieces(self, key: str) -> Iterator[tuple[int, Host]]:
        """The data of one leaf in pieces."""
        return self._pieces(self._asked(key), key)

    def verify(self, key: str) -> None:
        """Read one leaf for its checks alone."""
        self._asked(key).verify(key)

    def map(self, key: str) -> Host | None:
        """A view of one leaf, where there is one."""
        return self._asked(key).map(key)

    def slice(self, key: str, index: Any) -> Host:
        """A part of one leaf."""
        return self._asked(key).slice(key, index)

    def close(self) -> None:
        """Close the file."""
        self.__exit__(None, None, None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._inner.__exit__(kind, error, trace)

    @property
    def _reader(self) -> Reader:
        if self.is_closed:
            raise ClosedFileError(
                f'{self.path} is closed: read what you need while it is open, or open it again', path=self.path
            )
        return self._inner

    def _asked(self, key: str) -> Reader:
        self.entry(key)
        return self._inner

    def _pieces(self, reader: Reader, key: str) -> Iterator[tuple[int, Host]]:
        for item in reader.pieces(key):
            yield item
            self.entry(key)  # it may be closed meanwhile
