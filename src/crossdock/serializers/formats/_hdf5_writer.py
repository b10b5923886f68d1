"""Writes leaves as datasets of an HDF5 file."""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.errors import DtypeError

from .._checksum import crc32
from .._format import Writer
from .._path import shown
from ..archive._grid import run_shape, runs
from ..archive._manifest import Manifest
from ..archive._ordered import ordered
from ..archive._stored import Storage, encoded, storage_for
from ..archive._zip import MAX_RATIO, is_bomb
from ._hdf5_chunks import LZF, shuffled
from ._hdf5_file import ATTRIBUTE, library

if TYPE_CHECKING:
    from .._leaf import Leaf

__all__ = ['HDF5Writer']

_AXES_MAX = 32
_CHUNK_NBYTES = 1 << 20
_PART_NBYTES = 1 << 20
_LEVEL = 4
_ALIGNMENT = 64

Host = np.ndarray[Any, Any]


class HDF5Writer(Writer):
    """Writes one dataset per leaf, below a group of an open file."""

    def __init__(self, group: Any, compression: str | None, metadata: Mapping[str, Any], owned: bool = False) -> None:
        self.h5py = library()
        self._group = group
        self._file = group.file if owned else None
        self._packing = compression
        # Where the library itself keeps the data elsewhere than in one file, it writes it as well.
        self._descriptor = group.file.id.get_vfd_handle() if group.file.driver == 'sec2' else None
        self._groups = {'': group.id}
        self._nbytes = 0
        self._lists = self._properties()
        content = Manifest(metadata=metadata).encode()
        if content is not None:
            self._set_attribute(group.id, content)

    @classmethod
    def new(cls, path: str, compression: str | None, metadata: Mapping[str, Any]) -> HDF5Writer:
        """Start a file at `path`, which is there."""
        h5py = library()
        # Version 1.10 is the first that has checksums over all of its own structure.
        file = h5py.File(
            path,
            'w',
            libver=('v110', 'v110'),
            locking=False,
            track_order=True,
            alignment_threshold=_ALIGNMENT,
            alignment_interval=_ALIGNMENT,
        )
        try:
            return cls(file, compression, metadata, owned=True)
        except BaseException:
            file.close()
            raise

    def expect(self, nbytes: int) -> None:
        """Refuse what does not fit on the disk."""
        if self._packing is not None or self._descriptor is None:
            return
        disk = os.fstatvfs(self._descriptor)
        if disk.f_bavail * disk.f_frsize < nbytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._group.file.filename)

    def add(self, key: str, leaf: Leaf) -> None:
        """Write one dataset."""
        parent, _, name = key.rpartition('/')
        place = self._group_at(parent)
        if leaf.dtype is None:
            self._create(key, place, name, self.h5py.h5t.IEEE_F32LE, self.h5py.h5s.create(self.h5py.h5s.NULL))
            return
        if len(leaf.shape) > _AXES_MAX:
            raise ValueError(f'cannot save {key!r}: HDF5 has at most {_AXES_MAX} axes, not {len(leaf.shape)}')
        storage = storage_for(leaf.dtype)
        leaf.fortran = False
        pieces = (encoded(piece, storage) for piece in leaf.chunks())
        self._nbytes += leaf.nbytes
        kind = self._kind(key, storage)
        if self._packing is not None and leaf.nbytes > leaf.dtype.itemsize:
            node, crc = self._write_chunks(key, place, name, kind, storage, leaf.shape, pieces)
        else:
            node, crc = self._write_dense(key, place, name, kind, leaf.shape, pieces)
        said: dict[str, Any] = {'crc32': crc}
        if storage.tag is not None:
            said = {'dtype': storage.tag, **said}
        self._set_attribute(node, json.dumps(said, ensure_ascii=False).encode())

    def add_empty(self, key: str) -> None:
        """Make a group."""
        self._group_at(key)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._groups = {}
        if self._file is None:
            return
        path = self._file.filename
        if error is not None:
            with suppress(OSError, RuntimeError):
                self._file.close()
            return
        try:
            self._file.close()
        except RuntimeError as wrong:
            raise OSError(errno.EIO, str(wrong), path) from wrong
        if is_bomb(self._nbytes, os.path.getsize(path)):
            raise ValueError(
                f'compression makes the file less than 1/{MAX_RATIO} of its {self._nbytes} bytes, which no load '
                'accepts; save without compression'
            )

    def _properties(self) -> tuple[Any, Any]:
        h5p, h5t = self.h5py.h5p, self.h5py.h5t
        group = h5p.create(h5p.GROUP_CREATE)
        group.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
        link = h5p.create(h5p.LINK_CREATE)
        link.set_char_encoding(h5t.CSET_UTF8)
        return group, link

    def _group_at(self, path: str) -> Any:
        found = self._groups.get(path)
        if found is None:
            parent, _, name = path.rpartition('/')
            above = self._group_at(parent)
            encoded_name = name.encode()
            if above.links.exists(encoded_name):
                found = self.h5py.h5g.open(above, encoded_name)
            else:
                found = self.h5py.h5g.create(above, encoded_name, lcpl=self._lists[1], gcpl=self._lists[0])
            self._groups[path] = found
        return found

    def _kind(self, key: str, storage: Storage) -> Any:
        h5t = self.h5py.h5t
        try:
            kind = h5t.py_create(storage.stored, logical=True)
        except TypeError as error:
            reason = f'cannot save {key!r}: HDF5 has no data type for {storage.dtype}'
            raise DtypeError(reason, dtype=storage.dtype, path=key) from error
        if storage.dtype.kind == 'U':
            kind.set_cset(h5t.CSET_UTF8)
        return kind

    def _create(self, key: str, place: Any, name: str, kind: Any, space: Any, plan: Any = None) -> Any:
        encoded_name = name.encode()
        if place.links.exists(encoded_name):
            raise ValueError(f'{shown(key)} is in the file already')
        return self.h5py.h5d.create(place, encoded_name, kind, space, dcpl=plan, lcpl=self._lists[1])

    def _space(self, shape: tuple[int, ...]) -> Any:
        h5s = self.h5py.h5s
        return h5s.create_simple(shape) if shape else h5s.create(h5s.SCALAR)

    def _plan(self) -> Any:
        h5p, h5d = self.h5py.h5p, self.h5py.h5d
        plan = h5p.create(h5p.DATASET_CREATE)
        plan.set_fill_time(h5d.FILL_TIME_NEVER)
        plan.set_obj_track_times(False)
        return plan

    def _write_dense(
        self, key: str, place: Any, name: str, kind: Any, shape: tuple[int, ...], pieces: Iterable[Host]
    ) -> tuple[Any, int]:
        plan = self._plan()
        plan.set_alloc_time(self.h5py.h5d.ALLOC_TIME_EARLY)
        node = self._create(key, place, name, kind, self._space(shape), plan)
        offset = node.get_offset()
        crc = 0
        if self._descriptor is None or offset is None:
            whole = [np.array(piece) for piece in pieces]
            for piece in whole:
                crc = crc32(piece.view(np.uint8), crc)
            if whole:
                all_space = self.h5py.h5s.ALL
                node.write(all_space, all_space, np.concatenate(whole).reshape(shape), kind)
            return node, crc
        for piece in pieces:
            data = piece.view(np.uint8).data
            for begin in range(0, len(data), _PART_NBYTES):
                part = data[begin : begin + _PART_NBYTES]
                crc = crc32(part, crc)
                _write_at(self._descriptor, part, offset)
                offset += len(part)
        return node, crc

    def _write_chunks(
        self,
        key: str,
        place: Any,
        name: str,
        kind: Any,
        storage: Storage,
        shape: tuple[int, ...],
        pieces: Iterable[Host],
    ) -> tuple[Any, int]:
        plan, itemsize = self._plan(), storage.stored.itemsize
        chunk = run_shape(shape, itemsize, _CHUNK_NBYTES) or (1,)
        plan.set_chunk(chunk)
        if itemsize > 1:
            plan.set_shuffle()
        if self._packing == 'gzip':
            plan.set_deflate(_LEVEL)
        else:
            plan.set_filter(LZF, self.h5py.h5z.FLAG_OPTIONAL)
        node = self._create(key, place, name, kind, self._space(shape), plan)
        crc = 0

        def summed() -> Iterator[Host]:
            nonlocal crc
            for piece in pieces:
                crc = crc32(piece.view(np.uint8), crc)
                yield piece

        cells = runs(shape, chunk, storage.stored, summed())
        if self._packing == 'gzip':

            def packed(item: tuple[tuple[int, ...], Host]) -> tuple[tuple[int, ...], bytes]:
                data = item[1].tobytes()
                return item[0], zlib.compress(shuffled(data, itemsize) if itemsize > 1 else data, _LEVEL)

            for cell, data in ordered(packed, cells):
                node.write_direct_chunk(tuple(at * n for at, n in zip(cell, chunk)), data)
        else:
            for cell, block in cells:
                self._write_block(node, kind, cell, chunk, shape, block)
        return node, crc

    def _write_block(
        self, node: Any, kind: Any, cell: tuple[int, ...], chunk: tuple[int, ...], shape: tuple[int, ...], block: Host
    ) -> None:
        h5s = self.h5py.h5s
        begin = tuple(at * n for at, n in zip(cell, chunk))
        count = tuple(min(n, end - at) for n, end, at in zip(chunk, shape, begin))
        space, memory = node.get_space(), h5s.create_simple(chunk)
        space.select_hyperslab(begin, count)
        memory.select_hyperslab((0,) * len(count), count)
        node.write(memory, space, block, kind)

    def _set_attribute(self, node: Any, content: bytes) -> None:
        h5a, h5s, h5t = self.h5py.h5a, self.h5py.h5s, self.h5py.h5t
        text = np.array(content)
        kind = h5t.py_create(text.dtype)
        kind.set_cset(h5t.CSET_UTF8)
        if h5a.exists(node, ATTRIBUTE):
            h5a.delete(node, ATTRIBUTE)
        h5a.create(node, ATTRIBUTE, kind, h5s.create(h5s.SCALAR)).write(text, kind)


def _write_at(descriptor: int, data: memoryview, offset: int) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, data[done:], offset + done)
