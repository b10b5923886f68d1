"""The folder of a Zarr store, read with suspicion: nothing in it leads out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crossdock.errors import CorruptFileError

from .._atomic_folder import close_folder, open_folder
from .._path import MAX_DEPTH, RESERVED, fault_of_path, shown
from .._unreadable import again, corrupt, unsupported
from ..archive._json import read_object
from ._zarr_root import is_ours

__all__ = ['METADATA', 'Node', 'ZarrStore']

METADATA = 'zarr.json'
_METADATA_NBYTES = 16 * 2**20
_OLD = ('.zarray', '.zgroup', '.zmetadata', '.zattrs')
_OLDER = (
    'is of Zarr version 2, and only version 3 is read: zarr reads it, and its command "zarr migrate v3 STORE" converts'
    " it in place; the command needs pip install 'zarr[cli]'"
)


@dataclass(slots=True)
class Node:
    """An array as it lies in the folder.

    Attributes
    ----------
    content : dict
        What its ``zarr.json`` says.
    folder : str
        Where it is, relative to the store; ends in a slash unless empty.
    files : dict of str to int
        Sizes of all files in it but metadata, by their names below it.
    """

    content: dict[str, Any]
    folder: str
    files: dict[str, int] = field(default_factory=dict)


class ZarrStore:
    """An open store; it can be read when another has taken its place.

    Attributes
    ----------
    path : str
    size : int
        Of all files in it, in bytes.
    root : dict
        What ``zarr.json`` of the root says.
    arrays : dict of str to Node
        By key path; in the order of the names.
    empty : list of str
        Groups in which there is none.
    faults : dict of str to CorruptFileError
        What of arrays and groups cannot be read, by key path.

    Raises
    ------
    CorruptFileError, UnsupportedFileError
        The root cannot be read; or a name is no key.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = 0
        self.arrays: dict[str, Node] = {}
        self.empty: list[str] = []
        self.faults: dict[str, CorruptFileError] = {}
        if os.path.isfile(path):
            raise unsupported(path, 'is a file; a Zarr store is a folder')
        self._descriptor = open_folder(path)
        try:
            self.root = self._metadata('', None)
            if self.root['node_type'] != 'group':
                raise unsupported(path, 'is an array by itself, without a key: zarr.open_array reads it')
            self._walk('')
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the folder."""
        if self._descriptor >= 0:
            close_folder(self._descriptor)
            self._descriptor = -1

    def open(self, name: str) -> int:
        """A descriptor of a file in the store.

        Raises
        ------
        OSError
            It is not there any more, or a symbolic link.
        """
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=self._descriptor)

    def read(self, name: str, limit: int) -> bytes:
        """All of a file of at most `limit` bytes, or its beginning."""
        with open(self.open(name), 'rb') as file:
            return file.read(limit)

    def _walk(self, folder: str) -> None:
        """Take in what lies below a group."""
        inner = [row for row in self._rows(folder) if not stat.S_ISREG(row.stat(follow_symlinks=False).st_mode)]
        if not inner and folder:
            self.empty.append(folder[:-1])
        for row in inner:
            key = folder + row.name
            why = fault_of_path(key)
            if why:
                raise corrupt(self.path, f'is no key: {why}', key)
            try:
                self._check(row, key, key)
                content = self._metadata(key + '/', key)
                if content['node_type'] == 'group':
                    if self.said(content, key):
                        raise corrupt(self.path, f'its attribute {RESERVED!r} belongs to the root', key)
                else:
                    node = Node(content, key + '/', dict(self._files(key, key + '/', 0)))
                    for name in (METADATA, *_OLD):
                        node.files.pop(name, None)
                    self.arrays[key] = node
                    continue
            except CorruptFileError as error:
                self.faults[key] = again(error)
                continue
            self._walk(key + '/')

    def said(self, content: dict[str, Any], key: str | None) -> Any:
        """The attribute of ours that a group has."""
        attributes = content.get('attributes', {})
        if not isinstance(attributes, dict):
            raise corrupt(self.path, "'attributes' is no object", key)
        return attributes.get(RESERVED)

    def _rows(self, folder: str) -> list[os.DirEntry[str]]:
        """Everything in a folder, in the order of the names."""
        descriptor = os.open(folder or '.', os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._descriptor)
        try:
            with os.scandir(descriptor) as rows:
                found = sorted(rows, key=lambda row: row.name)
                for row in found:
                    row.stat(follow_symlinks=False)  # while the folder is open
        finally:
            os.close(descriptor)
        return found

    def _check(self, row: os.DirEntry[str], place: str, key: str | None) -> None:
        """Refuse what is neither a file nor a folder."""
        mode = row.stat(follow_symlinks=False).st_mode
        what = '' if place == key else f'its file {shown(row.name)} '
        if stat.S_ISLNK(mode):
            raise corrupt(self.path, what + 'is a symbolic link, which is never followed', key)
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise corrupt(self.path, what + 'is neither a file nor a folder', key)

    def _files(self, key: str, folder: str, depth: int) -> Iterator[tuple[str, int]]:
        """Files below the folder of an array, with their sizes."""
        if depth > MAX_DEPTH:
            raise corrupt(self.path, f'nested deeper than {MAX_DEPTH} levels', key)
        for row in self._rows(folder):
            self._check(row, folder + row.name, key)
            if row.is_dir(follow_symlinks=False):
                yield from self._files(key, f'{folder}{row.name}/', depth + 1)
            else:
                nbytes = row.stat(follow_symlinks=False).st_size
                self.size += nbytes
                yield f'{folder}{row.name}'[len(key) + 1 :], nbytes

    def _metadata(self, folder: str, key: str | None) -> dict[str, Any]:
        rows = {row.name: row for row in self._rows(folder)}
        if METADATA not in rows:
            # Beside it they are what a conversion has left, and zarr itself does not look at them.
            if any(name in rows for name in _OLD):
                raise unsupported(self.path, _OLDER, key)
            raise self._without_metadata(folder, key)
        self._check(rows[METADATA], folder + METADATA, key)
        data = self.read(folder + METADATA, _METADATA_NBYTES + 1)
        self.size += len(data)
        if len(data) > _METADATA_NBYTES:
            raise corrupt(self.path, f'its {METADATA} is larger than {_METADATA_NBYTES} bytes', key)
        try:
            content = read_object(data)
        except ValueError as error:
            raise corrupt(self.path, f'its {METADATA} is wrong: {error}', key) from error
        version = content.get('zarr_format')
        if type(version) is int and version > 3 and not is_ours(content):
            raise unsupported(self.path, f'is of Zarr version {version}, and only version 3 is read', key)
        if type(version) is not int or version != 3:
            raise corrupt(self.path, f'its {METADATA} is not of Zarr version 3', key)
        if content.get('node_type') not in ('group', 'array'):
            raise corrupt(self.path, 'is neither a group nor an array', key)
        return content

    def _without_metadata(self, folder: str, key: str | None) -> CorruptFileError:
        if key is not None or any(
            METADATA in (inner.name for inner in self._rows(f'{row.name}/'))
            for row in self._rows(folder)
            if row.is_dir(follow_symlinks=False)
        ):
            return corrupt(self.path, f'has no {METADATA}', key)
        return unsupported(self.path, f'is a folder without {METADATA}, and no Zarr store')
