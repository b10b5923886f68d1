"""An HDF5 file, or a group of one, read with suspicion: links are looked at before they are followed."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from crossdock.errors import ClosedFileError, CorruptFileError

from .._path import fault_of_path
from .._unreadable import Unsupported, again, corrupt, unsupported
from ..archive._dense import Dense
from ..archive._gulp import ShortFileError
from ..archive._manifest import MAX_NBYTES, Manifest, ManifestError
from ..archive._zip import MAX_RATIO, is_bomb

__all__ = ['ATTRIBUTE', 'HDF5File', 'library']

ATTRIBUTE = b'__crossdock__'
_SIGNATURE = b'\x89HDF\r\n\x1a\n'


def library() -> Any:
    """h5py.

    Raises
    ------
    ImportError
        It is not installed; the message says what to do.
    """
    try:
        import h5py
    except ImportError as error:
        raise ImportError("HDF5 files need h5py: pip install 'crossdock[hdf5]'", name='h5py') from error
    return h5py


class HDF5File:
    """The group that key paths begin in, and the file that it belongs to.

    Attributes
    ----------
    path : str
    group : h5py.Group
    size : int
        Of the file, in bytes.
    descriptor : int or None
        Of the file, belonging to the library; None where the library keeps the data elsewhere.
    empty : list of str
        Groups in which `walk` has found nothing.
    """

    def __init__(self, path: str, group: Any, owned: bool) -> None:
        self.path = path
        self.group = group
        self._owned = owned
        self.h5py = library()
        self.descriptor: int | None = None
        self.empty: list[str] = []
        file = group.file
        if file.driver == 'sec2':
            if file.mode != 'r':
                file.flush()
            self.descriptor = file.id.get_vfd_handle()
        self.size = os.fstat(self.descriptor).st_size if self.descriptor is not None else file.id.get_filesize()

    @classmethod
    def opened(cls, path: str) -> HDF5File:
        """Open the file at `path`.

        Raises
        ------
        CorruptFileError
            It is no HDF5 file, or its beginning is damaged.
        OSError
            It cannot be read.
        """
        h5py = library()
        with open(path, 'rb') as file:
            if not os.fstat(file.fileno()).st_size:
                raise corrupt(path, 'the file is empty')
            if not _has_signature(file.fileno()):
                raise corrupt(path, 'is no HDF5 file: it has no signature')
        try:
            return cls(path, _open(h5py, path), True)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise corrupt(path, f'cannot be opened: {_said(error)}') from error

    @classmethod
    def of(cls, group: Any) -> HDF5File:
        """The file of a group that its owner closes."""
        return cls(str(group.file.filename), group, False)

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._owned:
            self.group.file.close()

    def guarded(self, key: str | None, act: Callable[..., Any], *arguments: Any) -> Any:
        """Call, and turn what the library says about damage into a `CorruptFileError`."""
        try:
            return act(*arguments)
        except (CorruptFileError, ClosedFileError):
            raise
        except ShortFileError as error:
            raise corrupt(self.path, str(error), key) from error
        except (OSError, RuntimeError, ValueError, KeyError, OverflowError) as error:
            if not self.group:
                raise ClosedFileError(f'{self.path} has been closed by whom it was opened', path=self.path) from error
            raise corrupt(self.path, f'cannot be read: {_said(error)}', key) from error

    def guarding(self, key: str, items: Iterator[Any]) -> Iterator[Any]:
        """Iterate, as `guarded`."""
        end = object()
        while (item := self.guarded(key, next, items, end)) is not end:
            yield item

    def metadata(self) -> dict[str, Any]:
        """What was saved as metadata."""
        content = self.guarded(None, self.attribute, self.group.id, MAX_NBYTES)
        if content is None:
            return {}
        try:
            manifest = Manifest.decode(content)
        except Unsupported as error:
            raise unsupported(self.path, f'the attribute {ATTRIBUTE.decode()!r} of the root: {error}') from error
        except ManifestError as error:
            raise corrupt(self.path, f'the attribute {ATTRIBUTE.decode()!r} of the root is wrong: {error}') from error
        if manifest.none or manifest.dtypes:
            raise corrupt(self.path, f'the attribute {ATTRIBUTE.decode()!r} of the root says what a dataset has to say')
        return dict(manifest.metadata)

    def attribute(self, node: Any, limit: int, key: str | None = None) -> bytes | None:
        """The attribute of ours that an object has; text of a fixed length.

        Raises
        ------
        CorruptFileError
        """
        h5a, h5t = self.h5py.h5a, self.h5py.h5t
        if not h5a.exists(node, ATTRIBUTE):
            return None
        found = h5a.open(node, ATTRIBUTE)
        kind = found.get_type()
        if kind.get_class() != h5t.STRING or kind.is_variable_str() or found.shape != () or kind.get_size() > limit:
            reason = f'an attribute {ATTRIBUTE.decode()!r} is no text, or longer than {limit} bytes'
            raise corrupt(self.path, reason, key)
        out = np.empty((), f'S{kind.get_size()}')
        found.read(out, kind)
        content: bytes = out.item()
        return content

    def walk(self) -> Iterator[tuple[str, Any]]:
        """Every dataset by its key path, in the order of creation where the file knows it.

        In place of what cannot be read, as a link that leads elsewhere, a group inside itself, or a damaged object, it
        gives a `CorruptFileError`.

        Raises
        ------
        CorruptFileError
            A name that is no key; a root that cannot be read.
        """
        seen = {self.guarded(None, self.h5py.h5o.get_info, self.group.id).addr}
        stack = [iter(self._links(self.group.id, ''))]
        where = [self.group.id]
        while stack:
            key, name, kind = next(stack[-1], ('', None, 0))
            if name is None:
                stack.pop()
                where.pop()
                continue
            try:
                found, is_group = self._object(where[-1], key, name, kind, seen)
                below = self._links(found, key + '/') if is_group else None
            except CorruptFileError as error:
                if error.key != key:
                    raise
                yield key, again(error)
                continue
            if below is None:
                yield key, found
            else:
                if not below:
                    self.empty.append(key)
                where.append(found)
                stack.append(iter(below))

    def _object(self, group: Any, key: str, name: bytes, kind: int, seen: set[Any]) -> tuple[Any, bool]:
        """A dataset or a group, and whether it is a group."""
        h5l, h5o = self.h5py.h5l, self.h5py.h5o
        if kind != h5l.TYPE_HARD:
            links = {h5l.TYPE_SOFT: 'a soft link', h5l.TYPE_EXTERNAL: 'an external link'}
            raise corrupt(self.path, f'is {links.get(kind, "a link of an unknown kind")}, which is never followed', key)
        info = self.guarded(key, h5o.get_info, group, name)
        if info.type == h5o.TYPE_DATASET:
            return self.guarded(key, self.h5py.h5d.open, group, name), False
        if info.type != h5o.TYPE_GROUP:
            raise unsupported(self.path, 'is neither a dataset nor a group, but perhaps a named data type', key)
        if info.addr in seen:
            raise corrupt(self.path, 'is a group that is in the file under another name as well', key)
        seen.add(info.addr)
        return self.guarded(key, self.h5py.h5g.open, group, name), True

    def _links(self, group: Any, prefix: str) -> list[tuple[str, bytes, int]]:
        """Key path, name and kind of every link of a group."""
        h5 = self.h5py.h5
        key = prefix.removesuffix('/') or None
        # A file does not know it of its root, and the root does.
        ordered = self.guarded(
            key, lambda: self.h5py.h5g.open(group, b'.').get_create_plist().get_link_creation_order()
        )
        kinds: list[tuple[bytes, int]] = []
        index = h5.INDEX_CRT_ORDER if ordered & self.h5py.h5p.CRT_ORDER_TRACKED else h5.INDEX_NAME
        self.guarded(
            key,
            lambda: group.links.iterate(lambda name, info: kinds.append((name, info.type)), info=True, idx_type=index),
        )
        return [(self._key(name, prefix), name, kind) for name, kind in kinds]

    def _key(self, name: bytes, prefix: str) -> str:
        try:
            key = prefix + name.decode()
        except UnicodeDecodeError as error:
            raise corrupt(self.path, 'its name is not UTF-8', prefix + repr(name)) from error
        why = fault_of_path(key)
        if why:
            raise corrupt(self.path, f'is no key: {why}', key)
        return key

    def check_total(self, nbytes: int, key: str | None = None) -> None:
        """Refuse data that would take far more memory than the file is long."""
        if is_bomb(nbytes, self.size):
            ratio = nbytes // max(1, self.size)
            raise corrupt(
                self.path,
                f'expands to {nbytes} bytes, {ratio} times the size of the file; at most {MAX_RATIO} times is accepted',
                key,
            )

    def mapped(self, dense: Dense) -> np.ndarray[Any, Any]:
        """The bytes of an array in the file, read-only."""
        nbytes = int(np.prod(dense.shape, dtype=object)) * dense.dtype.itemsize
        before = dense.offset % mmap.ALLOCATIONGRANULARITY
        view = mmap.mmap(dense.descriptor, before + nbytes, access=mmap.ACCESS_READ, offset=dense.offset - before)
        return np.frombuffer(view, np.uint8, nbytes, before)


def _open(h5py: Any, path: str) -> Any:
    """Open without a lock, since files are replaced and never changed; else as this process has it open already.

    HDF5 refuses to have one file open in two ways.
    """
    first: OSError | None = None
    for locking in (False, 'best-effort', True):
        try:
            return h5py.File(path, 'r', locking=locking, rdcc_nbytes=0)
        except OSError as error:
            first = first or error
    assert first is not None
    raise first


def _has_signature(descriptor: int) -> bool:
    """Whether the signature is at the beginning, or after a block of the user's of 512, 1024, ... bytes."""
    size = os.fstat(descriptor).st_size
    at = 0
    while at < size:
        if os.pread(descriptor, len(_SIGNATURE), at) == _SIGNATURE:
            return True
        at = at * 2 or 512
    return False


def _said(error: BaseException) -> str:
    """What the library says, in a line."""
    text = str(error.args[0] if error.args else error) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + '...'
