"""One dataset of an HDF5 file: where its data lies, and of what type, all compared with the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from .._dtypes import TAGGED
from .._format import Entry
from .._selection import Selection, pieces_of
from .._unreadable import corrupt, unsupported
from ..archive._dense import Dense
from ..archive._grid import Grid
from ..archive._json import read_object
from ..archive._stored import Storage, TagError, storage_from
from ..archive._zip import is_bomb
from ._hdf5_chunks import Chunks
from ._hdf5_file import ATTRIBUTE, HDF5File

__all__ = ['Dataset']

_ATTRIBUTE_NBYTES = 1024
_ELEMENTS_MAX = 2**63 - 1
_H5PY = 'h5py reads it'

Host = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that has been checked.

    Attributes
    ----------
    shape : tuple of int
    storage : Storage or None
        None when the leaf is None, which is a dataset without a place for elements.
    crc : int or None
        The CRC-32 of the data, where the file has it.
    node : h5py.h5d.DatasetID
    dense : Dense or None
        Where the data lies in the file as it does in memory, apart from the byte order.
    grid : Grid or None
        What it is made of, where it is in chunks, or nowhere at all.
    packing : tuple of str
        What compresses it.
    """

    shape: tuple[int, ...]
    storage: Storage | None
    crc: int | None
    node: Any
    dense: Dense | None = None
    grid: Grid | None = None
    packing: tuple[str, ...] = ()

    @property
    def entry(self) -> Entry:
        """What the reader says of it."""
        if self.storage is None:
            return Entry((), None)
        return Entry(self.shape, self.storage.dtype, self.storage.swapped)

    @property
    def nbytes(self) -> int:
        """Size of the data, in bytes."""
        return prod(self.shape) * self.storage.stored.itemsize if self.storage is not None else 0

    @classmethod
    def read(cls, file: HDF5File, key: str, node: Any) -> Dataset:
        """Read and check what the file says of a dataset.

        Raises
        ------
        CorruptFileError, UnsupportedFileError
            And whatever the library raises.
        """
        tag, crc = _attribute(file, key, node)
        space = node.get_space()
        if space.get_simple_extent_type() == file.h5py.h5s.NULL:
            return cls((), None, None, node)
        shape = tuple(int(n) for n in space.shape)
        stored = _stored_dtype(file, key, node)
        if prod(n for n in shape if n) * stored.itemsize > _ELEMENTS_MAX:
            raise corrupt(file.path, f'its shape {shape} has more elements than can be counted', key)
        try:
            storage = storage_from(stored, tag)
        except TagError as error:
            raise corrupt(file.path, str(error), key) from error
        return _located(file, key, cls(shape, storage, crc, node))

    def pieces(self, nbytes: int) -> Iterator[tuple[int, Host]]:
        """The data as it is stored, in pieces."""
        assert self.storage is not None
        if self.dense is not None:
            yield from self.dense.pieces(nbytes)
        elif self.grid is not None:
            yield from self.grid.pieces(nbytes)
        else:
            yield from pieces_of(self._whole().reshape(-1), nbytes)

    def take(self, selection: Selection) -> Host:
        """What a selection takes of the data as it is stored."""
        if self.dense is not None:
            return self.dense.take(selection)
        if self.grid is not None:
            return self.grid.take(selection)
        block = self._whole()[selection.slices()][selection.flips()]
        return np.array(block.reshape(selection.shape), order='C')

    def _whole(self) -> Host:
        """All of a small dataset, by the library."""
        from ._hdf5_file import library

        assert self.storage is not None
        out = np.empty(self.shape, self.storage.stored)
        h5s = library().h5s
        self.node.read(h5s.ALL, h5s.ALL, out, self.node.get_type())
        return out


def _attribute(file: HDF5File, key: str, node: Any) -> tuple[str | None, int | None]:
    """Tag and CRC-32 of a dataset."""
    content = file.attribute(node, _ATTRIBUTE_NBYTES, key)
    if content is None:
        return None, None
    try:
        said = read_object(content)
        tag, crc = said.pop('dtype', None), said.pop('crc32', None)
        if said or type(tag) not in (str, type(None)) or type(crc) not in (int, type(None)):
            raise ValueError('unknown fields, or wrong ones')
    except ValueError as error:
        raise corrupt(file.path, f'its attribute {ATTRIBUTE.decode()!r} is wrong: {error}', key) from error
    return tag, crc


def _stored_dtype(file: HDF5File, key: str, node: Any) -> np.dtype[Any]:
    """The NumPy type of a dataset, whose bits are exactly those of that type."""
    h5t = file.h5py.h5t
    kind = node.get_type()
    names = {
        h5t.COMPOUND: 'a compound',
        h5t.OPAQUE: 'opaque',
        h5t.REFERENCE: 'references',
        h5t.VLEN: 'arrays of varying length',
        h5t.ARRAY: 'arrays',
        h5t.BITFIELD: 'bit fields',
        h5t.TIME: 'times',
        h5t.ENUM: 'an enumeration',
    }
    kind_class = kind.get_class()
    if kind_class == h5t.STRING:
        if kind.is_variable_str():
            raise unsupported(file.path, f'its data type is text of varying length, which is not read: {_H5PY}', key)
        if kind.get_strpad() == h5t.STR_SPACEPAD:
            raise unsupported(file.path, f'its data type is text padded with spaces, which is not read: {_H5PY}', key)
        return np.dtype(f'S{kind.get_size()}')
    dtype = None
    if kind_class in (h5t.INTEGER, h5t.FLOAT, h5t.ENUM, h5t.COMPOUND) or kind_class == getattr(h5t, 'COMPLEX', None):
        dtype = _equal_dtype(h5t, kind)
    if dtype is None:
        what = names.get(kind_class, 'numbers of an unusual kind')
        raise unsupported(file.path, f'its data type is {what}, which is not read: {_H5PY}', key)
    return dtype


def _equal_dtype(h5t: Any, kind: Any) -> np.dtype[Any] | None:
    """The NumPy type that the library would write as `kind`, or None."""
    try:
        dtype = np.dtype(kind.dtype)
    except (TypeError, ValueError):
        return None
    if dtype.hasobject or dtype.kind not in 'biufc' or dtype.name in TAGGED:
        return None
    # A type of the library may have padding, other names or signs: then it is another one.
    plain = np.dtype(dtype.str)
    return plain if kind == h5t.py_create(plain, logical=True) else None


def _located(file: HDF5File, key: str, data: Dataset) -> Dataset:
    """The dataset with where its data lies."""
    assert data.storage is not None
    h5d = file.h5py.h5d
    plan = data.node.get_create_plist()
    layout, stored = plan.get_layout(), data.storage.stored
    if plan.get_external_count():
        raise corrupt(file.path, 'its data is in another file, which is never opened', key)
    if layout == h5d.CHUNKED:
        chunk = tuple(int(n) for n in plan.get_chunk())
        if is_bomb(prod(chunk) * stored.itemsize, file.size):
            raise corrupt(file.path, f'a chunk of shape {chunk} is far larger than the file', key)
        chunks = Chunks(file, key, data.node, plan, chunk, stored)
        grid = Grid(data.shape, chunk, stored, chunks.fetch, _fill(plan, stored), chunks)
        return replace(data, grid=grid, packing=chunks.packing)
    if layout not in (h5d.COMPACT, h5d.CONTIGUOUS):
        raise corrupt(file.path, 'is a virtual dataset, whose sources are never opened', key)
    if plan.get_nfilters():
        raise corrupt(file.path, 'has filters without chunks', key)
    there = data.node.get_storage_size()
    offset = data.node.get_offset() if layout == h5d.CONTIGUOUS else None
    if layout == h5d.CONTIGUOUS and not there and data.nbytes:
        # Never written: all of it has the value to fill with.
        fill = _fill(plan, stored)
        return replace(data, grid=Grid(data.shape, tuple(max(1, n) for n in data.shape), stored, _nothing, fill, ()))
    if there != data.nbytes:
        reason = f'{stored} of shape {data.shape} takes {data.nbytes} bytes; {there} are there'
        raise corrupt(file.path, reason, key)
    if offset is None or file.descriptor is None:
        return data
    if offset + there > file.size:
        raise corrupt(file.path, f'its {there} bytes at {offset} reach beyond the end of the file', key)
    return replace(data, dense=Dense(file.descriptor, offset, data.shape, stored))


def _nothing(cell: tuple[int, ...]) -> None:
    return None


def _fill(plan: Any, stored: np.dtype[Any]) -> Host:
    value = np.zeros((), stored)
    if plan.fill_value_defined() != 0:
        plan.get_fill_value(value)
    return value
