"""`open_archive`: a file whose arrays are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import numpy as np

from crossdock.errors import CorruptFileError
from crossdock.transfer import Progress, tracking

from . import _arrays
from ._open import OpenFile, format_at, open_file
from ._passed import following
from ._path import below, shown
from ._receive import receive
from ._save import Path, file_path
from ._unreadable import again
from ._view import Mapped, checked, view_of
from ._visitor import canonical

__all__ = ['LazyArchive', 'LazyArray', 'open_archive']


def open_archive(path: Path, *, format: str | None = None, mmap: Mapped = None, checksum: bool = True) -> LazyArchive:
    """Open a file without reading the data in it.

    Parameters
    ----------
    path : str or path-like
        The file; its suffix tells the format.
    format : str, optional
        The format's name, whatever the suffix.
    mmap : bool or 'where possible', optional
        Give views of the file in place of copies; of what has none, True raises an error when it is asked for, and
        ``'where possible'`` gives a copy. What is seen is not checked, and cutting the file short kills whoever looks;
        see `LazyArray.map`.
    checksum : bool
        As for `load`.

    Returns
    -------
    LazyArchive
        A mapping of key paths to lazy arrays; a context that closes the file. When another file takes its place
        meanwhile, this one is still read.

    Raises
    ------
    CorruptFileError
        The structure of the file is damaged. What is wrong with one key alone comes when it is read; see
        `LazyArchive.unreadable`.
    UnsupportedFileError
        The file is of a kind that is not read here; the message says of which.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save
    >>> save('model.npz', {'enc': {'W': np.arange(6.0).reshape(2, 3), 'b': None}})
    >>> with open_archive('model.npz') as archive:
    ...     print(list(archive), archive['enc/W'].shape, archive['enc']['W'][1, ::2])
    ['enc/W', 'enc/b'] (2, 3) [3. 5.]
    """
    where = file_path(path)
    choice = checked(mmap)
    return LazyArchive(open_file(format_at(where, format, checksum), where), where, mmap=choice)


class LazyArray:
    """One array of an open file: its shape and type are known, its data is read when it is asked for.

    Attributes
    ----------
    key : str
        Its whole key path.
    shape : tuple of int
    dtype : numpy.dtype
    nbytes : int
        Size of its data, in bytes.

    When the archive is closed, only these are left; reading is a `crossdock.errors.ClosedFileError`.
    """

    def __init__(self, reader: OpenFile, key: str, mmap: Mapped = None) -> None:
        entry = reader.entries[key]
        assert entry.dtype is not None, key
        self._reader = reader
        self._mmap = mmap
        self.key = key
        self.shape = entry.shape
        self.dtype = entry.dtype
        self.nbytes = entry.nbytes

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.nbytes // self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('len() of an array without axes')
        return self.shape[0]

    def __getitem__(self, index: Any) -> np.ndarray[Any, Any]:
        """Read what basic indexing takes; the rest need not be read, and a checksum over it is then not compared.

        Raises
        ------
        IndexError, TypeError
            The index does not fit, or holds something else than integers, slices, ``...`` and None.
        CorruptFileError
            What was read is damaged.
        """
        view = self._seen()
        if view is not None:
            taken = view[index]
            return taken if isinstance(taken, np.ndarray) else np.array(taken, view.dtype)
        return self._reader.slice(self.key, index)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        view = None if copy else self._seen()
        if view is None and copy is False:
            raise ValueError(f'{shown(self.key)} cannot be seen without reading a copy of it')
        host = self.read() if view is None else view
        if dtype is not None and copy is False and np.dtype(dtype) != host.dtype:
            raise ValueError(f'{shown(self.key)} is of {host.dtype}; {np.dtype(dtype)} needs a copy')
        return host if dtype is None else host.astype(dtype, copy=False)

    def __iter__(self) -> Iterator[np.ndarray[Any, Any]]:
        return (self[i] for i in range(len(self)))

    def read(self, *, progress: Progress = False) -> np.ndarray[Any, Any]:
        """All of the data as a fresh array on the host, checked.

        Parameters
        ----------
        progress : bool or callable
            True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
        """
        with self._followed(progress):
            host = self._reader.read(self.key)
        assert host is not None
        return host

    def map(self) -> np.ndarray[Any, Any]:
        """A read-only view of the data in the file.

        Nothing is checked. The view stays valid when the archive is closed. Another process that cuts the file short
        while it is mapped kills this one at the next access.

        Raises
        ------
        ValueError
            There is no such view, as of what is compressed; the message says why.
        """
        view = view_of(self._reader, self.key)
        if view is None:
            raise ValueError(
                f'{shown(self.key)} cannot be mapped: it {self._reader.why_no_view(self.key)}; read() gives a copy'
            )
        return view

    def _seen(self) -> np.ndarray[Any, Any] | None:
        """The view that this array is to be seen by, if it is."""
        return self.map() if self._mmap is True else view_of(self._reader, self.key) if self._mmap else None

    def to(self, device: Any, *, progress: Progress = False) -> Any:
        """Read all of the data straight to a device, piece by piece, checked; text, which no device has, to the host.

        Parameters
        ----------
        device : Device or str
            As for `get_device`.
        progress : bool or callable
            True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

        Examples
        --------
        >>> import numpy as np
        >>> from crossdock import save
        >>> save('x.npz', {'x': np.arange(3.0)})
        >>> with open_archive('x.npz') as archive:
        ...     str(archive['x'].to('sim:0').device)
        'sim:0'
        """
        there = _arrays.device_named(device)
        with self._followed(progress):
            return receive(self._reader, self.key, there)

    @contextmanager
    def _followed(self, progress: Progress) -> Iterator[None]:
        with tracking(progress, self.nbytes, 'read') as track, following(track, self.nbytes):
            yield

    def __repr__(self) -> str:
        return f'<LazyArray {shown(self.key)}: {self.dtype} {self.shape}>'


class UnreadableArray(LazyArray):
    """A leaf that cannot be read: whatever is asked of it but its `key` raises why."""

    def __init__(self, reader: OpenFile, key: str, fault: CorruptFileError) -> None:
        self._reader = reader
        self._mmap = False
        self._fault = fault
        self.key = key

    def __getattr__(self, name: str) -> Any:
        if name in ('shape', 'dtype', 'nbytes'):
            raise again(self._fault)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def __repr__(self) -> str:
        return f'<LazyArray {shown(self.key)}: cannot be read: {self._fault.reason}>'


class LazyArchive(Mapping[str, Any]):
    """An open file, or a group of it: lazy arrays by their key paths, None for what was saved as None.

    ``archive['enc']`` is the group below ``'enc'``, with keys that begin there; iteration is over arrays alone, in the
    order of the file. When it is closed, all but its `path` and `prefix` is a `crossdock.errors.ClosedFileError`.

    Attributes
    ----------
    path : str
        The file.
    prefix : str
        The group, ``''`` for the whole file.
    """

    def __init__(self, reader: OpenFile, path: str, prefix: str = '', *, mmap: Mapped = None) -> None:
        self._reader = reader
        self._mmap = mmap
        self.path = path
        self.prefix = prefix

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What was given to `save` as ``metadata``."""
        return self._reader.metadata

    @property
    def unreadable(self) -> dict[str, CorruptFileError]:
        """Why each key that cannot be read cannot: it is damaged, or of a kind that is not supported."""
        entries = self._reader.entries
        return {key: again(fault) for key in self if (fault := entries[self._whole(key)].fault)}

    def __getitem__(self, key: str) -> Any:
        try:
            path = canonical(key)
        except (ValueError, AttributeError):
            path = ''
        if not path:
            raise KeyError(key)
        path = self._whole(path)
        entry = self._reader.entries.get(path)
        if entry is not None and entry.fault is not None:
            return UnreadableArray(self._reader, path, entry.fault)
        if entry is not None:
            return None if entry.dtype is None else LazyArray(self._reader, path, self._mmap)
        if not any(below(other, path) for other in (*self._reader.entries, *self._reader.empty)):
            raise KeyError(key)
        return LazyArchive(self._reader, self.path, path, mmap=self._mmap)

    def _whole(self, key: str) -> str:
        return f'{self.prefix}/{key}' if self.prefix else key

    def __iter__(self) -> Iterator[str]:
        start = len(self.prefix) + 1 if self.prefix else 0
        return (key[start:] for key in self._reader.entries if below(key, self.prefix) and key != self.prefix)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        """Whether there is an array, a None or a group of that name."""
        try:
            self[key]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def close(self) -> None:
        """Close the file; leaving the context does it too. Views of it stay valid."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        group = f' below {shown(self.prefix)}' if self.prefix else ''
        state = 'closed' if self._reader.is_closed else f'{len(self)} keys'
        return f'<LazyArchive {self.path}{group}: {state}>'
