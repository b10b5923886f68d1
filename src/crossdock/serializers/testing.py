"""The public test suite of a file format. Instantiate it in a test file of pytest's::

from crossdock.serializers.testing import FormatContract
from my_package.my_format import FORMAT

class TestMyFormat(FormatContract):
    format = FORMAT
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from crossdock.errors import CorruptFileError

from ._dtypes import TAGGED
from ._format import CONTRACT_VERSION, PIECE_NBYTES, Format, Reader, Writer
from ._leaf import Leaf
from ._place import blank, marks_of
from ._testing_faults import FaultContract

__all__ = ['FormatContract']

Array = np.ndarray[Any, Any]

NATIVE = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32']
NATIVE += ['float64', 'complex64', 'complex128', 'U5', 'S5']


def example(dtype: str, shape: tuple[int, ...] = (3, 4)) -> Array:
    """An array of varied bits: every value of a small type, text for a text type."""
    size = int(np.prod(shape))
    if dtype in TAGGED:
        bits = np.arange(size) * 37 % (16 if dtype.endswith('int4') else 256)
        tagged: Array = bits.astype(TAGGED[dtype]).view(getattr(ml_dtypes, dtype)).reshape(shape)
        return tagged
    if dtype in ('U5', 'S5'):
        return np.array([f'{i}é'[: 2 if dtype[0] == 'U' else 1] for i in range(size)]).astype(dtype).reshape(shape)
    return (np.arange(size) * 3 % 7 - (0 if dtype[0] == 'u' else 2)).astype(dtype).reshape(shape)


def layouts() -> dict[str, Array]:
    """One array in every way that memory can be laid out."""
    base = np.arange(48.0).reshape(6, 8)
    return {
        'C': base,
        'F': np.asfortranarray(base),
        'transposed': base.reshape(2, 4, 6).transpose(1, 2, 0),
        'reversed': base[::-1, ::-2],
        'sliced': base[1::2, 3:5],
        'broadcast': np.broadcast_to(base[0], (4, 8)),
        'scalar': np.array(2.5),
        'empty': np.zeros((0, 3)),
        'empty inside': np.zeros((2, 0, 3)),
        'ones': np.ones((1, 1, 1)),
    }


INDICES: list[Any] = [
    (),
    ...,
    0,
    -1,
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(5, 1, -2),
    slice(3, 3),
    slice(-100, 100),
    None,
    (1, 2),
    (slice(None), 0),
    (slice(None), slice(1, None, 3)),
    (..., -2),
    (..., slice(None, None, -3)),
    (slice(2, 4), ..., slice(0, 2)),
    (None, 1, ..., None),
    (slice(None, None, -2), slice(None, None, -1)),
    np.int64(2),
]


def same(got: Any, want: Array, name: object) -> None:
    """Compare type, shape and bits."""
    assert isinstance(got, np.ndarray), name
    assert (got.dtype, got.shape) == (want.dtype, want.shape), name
    assert got.tobytes() == want.tobytes(), name


def joined(reader: Reader, key: str) -> Array:
    """All pieces of a leaf, after looking at each."""
    entry = reader.entries[key]
    assert entry.dtype is not None
    out = np.empty(entry.nbytes // entry.dtype.itemsize, entry.dtype)
    done = 0
    for start, piece in reader.pieces(key):
        assert (start, piece.ndim, piece.dtype) == (done, 1, entry.dtype)
        assert 0 < piece.nbytes <= PIECE_NBYTES
        assert piece.flags.c_contiguous
        out[start : start + piece.size] = piece
        done += piece.size
    assert done == out.size
    return out.reshape(entry.shape)


class FormatContract(FaultContract):
    """What every format keeps. Set `format`, and name in `lacks` the data types that the format cannot hold.

    A format without a way to say that a container is empty sets `keeps_empty` to False. `spoils` says how a leaf of the
    format is made unreadable, for the tests of what is read then.
    """

    format: Format
    lacks: tuple[str, ...] = ()
    keeps_empty = True

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        """Where a file may be created; an empty one is there already."""
        place = str(tmp_path / f'file{self.format.suffixes[0]}')
        blank(place, self.format)
        return place

    def files(self, path: str) -> list[Path]:
        """The file; of a folder, every file in it."""
        place = Path(path)
        return [place] if place.is_file() else sorted(part for part in place.rglob('*') if part.is_file())

    def write(self, path: str, values: Mapping[str, Any], compression: str | None = None, metadata: Any = None) -> None:
        """Write a file of some values by their keys."""
        with self.create(path, compression, metadata) as writer:
            for key, value in values.items():
                writer.add(key, Leaf(value, key))

    def create(self, path: str, compression: str | None = None, metadata: Any = None) -> Writer:
        """Start a file where one may be already."""
        if os.path.isdir(path):
            shutil.rmtree(path)
            blank(path, self.format)
        return self.format.create(path, compression=compression, metadata=metadata or {})

    def read(self, path: str) -> dict[str, Any]:
        """Read all of a file."""
        with self.format.open(path) as reader:
            return {key: reader.read(key) for key in reader.entries}

    def every_compression(self) -> Iterator[str | None]:
        """No compression, and each that the format has."""
        yield None
        yield from self.format.compressions

    def dtypes(self) -> list[str]:
        """The data types that the format holds."""
        return [name for name in [*NATIVE, *TAGGED] if name not in self.lacks]

    def test_says_what_it_is(self) -> None:
        assert self.format.contract_version == CONTRACT_VERSION
        assert self.format.name.isidentifier()
        assert self.format.suffixes
        assert all(s.startswith('.') and s == s.lower() for s in self.format.suffixes)
        assert all(isinstance(name, str) and name for name in self.format.compressions)
        assert isinstance(self.format.can_mmap, bool)

    def test_every_dtype_comes_back_bit_for_bit(self, path: str) -> None:
        values = {name: example(name) for name in self.dtypes()}
        for compression in self.every_compression():
            self.write(path, values, compression)
            got = self.read(path)
            for name, value in values.items():
                assert got[name].dtype == value.dtype, name
                assert got[name].shape == value.shape, name
                assert got[name].tobytes() == value.tobytes(), name

    def test_every_layout_comes_back(self, path: str) -> None:
        values = layouts()
        for compression in self.every_compression():
            self.write(path, values, compression)
            got = self.read(path)
            for name, value in values.items():
                np.testing.assert_array_equal(got[name], value, err_msg=name, strict=True)

    def test_large_arrays_of_any_layout(self, path: str) -> None:
        base = np.arange(3_000_000.0)
        values = {'C': base, 'strided': base[::2], 'turned': base.reshape(1000, 3000).T, 'deep': base.reshape(1, -1, 3)}
        self.write(path, values)
        got = self.read(path)
        for name, value in values.items():
            np.testing.assert_array_equal(got[name], value, err_msg=name, strict=True)

    def test_entries_tell_without_reading(self, path: str) -> None:
        self.write(path, {'a/b': example('float32'), 'a/c': np.array(1), 'z': None})
        with self.format.open(path) as reader:
            assert set(reader.entries) == {'a/b', 'a/c', 'z'}
            assert (reader.entries['a/b'].shape, reader.entries['a/b'].dtype) == ((3, 4), np.dtype('float32'))
            assert (reader.entries['a/c'].shape, reader.entries['a/c'].nbytes) == ((), 8)
            assert reader.entries['z'].dtype is None
            assert reader.read('z') is None
            with pytest.raises(KeyError):
                reader.read('nope')

    def test_what_is_read_is_fresh_and_writable(self, path: str) -> None:
        self.write(path, {'a': np.zeros(3)})
        with self.format.open(path) as reader:
            first, second = reader.read('a'), reader.read('a')
        assert first is not None
        assert second is not None
        first[...] = 1
        assert not second.any()

    def every_value(self) -> dict[str, Array]:
        """An array of every type and of every layout."""
        return {**{name: example(name) for name in self.dtypes()}, **layouts()}

    def test_read_into_memory_that_is_there(self, path: str) -> None:
        values = self.every_value()
        for compression in self.every_compression():
            self.write(path, values, compression)
            with self.format.open(path) as reader:
                for name, value in values.items():
                    out = np.full(value.shape, example('uint8', (1,))[0]).astype(value.dtype)
                    reader.read_into(name, out)
                    same(out, value, name)

    def test_pieces_make_the_whole(self, path: str) -> None:
        base = np.arange(3_000_000.0)
        values = {**self.every_value(), 'large': base, 'large and turned': base.reshape(1000, 3000).T}
        for compression in self.every_compression():
            self.write(path, {**values, 'nothing': None}, compression)
            with self.format.open(path) as reader:
                assert list(reader.pieces('nothing')) == []
                for name, value in values.items():
                    same(joined(reader, name), value, name)

    def test_a_map_is_a_view_that_cannot_be_written(self, path: str) -> None:
        values = self.every_value()
        for compression in self.every_compression():
            self.write(path, {**values, 'nothing': None}, compression)
            with self.format.open(path) as reader:
                assert reader.map('nothing') is None
                views = {name: reader.map(name) for name in values}
                reasons = {name: reader.why_no_view(name) for name, view in views.items() if view is None}
            assert all(reasons.values())
            for name, view in views.items():
                if view is not None:
                    assert not view.flags.writeable
                    same(view, values[name], name)
            if self.format.can_mmap and compression is None:
                assert views['float32'] is not None
            elif not self.format.can_mmap:
                assert all(view is None for view in views.values())

    def test_slices_are_those_of_numpy(self, path: str) -> None:
        base = np.arange(48, dtype='int32').reshape(6, 8)
        values = {'C': base, 'F': np.asfortranarray(base), 'deep': np.arange(360.0).reshape(4, 5, 6, 3)}
        values |= {'flat': np.arange(7), 'none': np.zeros((0, 3)), 'one': np.array(2.5)}
        values |= {name: example(name, (6, 8)) for name in self.dtypes()}
        for compression in self.every_compression():
            self.write(path, values, compression)
            with self.format.open(path) as reader:
                for name, value in values.items():
                    for index in INDICES:
                        try:
                            want = np.array(value[index], value.dtype)
                        except IndexError:
                            with pytest.raises(IndexError):
                                reader.slice(name, index)
                            continue
                        got = reader.slice(name, index)
                        same(got, want, (name, index))
                        assert got.flags.writeable

    def test_slices_of_large_arrays(self, path: str) -> None:
        value = np.arange(2_400_000.0).reshape(300, 80, 100)
        self.write(path, {'C': value, 'F': np.asfortranarray(value)})
        some: list[Any] = [7, (..., 3), np.s_[::-50], np.s_[:, ::9, 5:90:7], np.s_[10:290], np.s_[:, 3], np.s_[::-1]]
        with self.format.open(path) as reader:
            for name in ('C', 'F'):
                for index in some:
                    same(reader.slice(name, index), np.array(value[index]), (name, index))

    def test_other_indices_are_refused(self, path: str) -> None:
        self.write(path, {'a': np.arange(12).reshape(3, 4)})
        others: list[Any] = [[0, 1], np.array([0, 1]), True, 1.0, 'a', (0, [1]), np.ones((3, 4), bool)]
        with self.format.open(path) as reader:
            for index in others:
                with pytest.raises(TypeError):
                    reader.slice('a', index)
            for index in (3, -4, (0, 4), (0, 0, 0), (..., 0, ...)):
                with pytest.raises(IndexError):
                    reader.slice('a', index)

    def test_a_key_that_is_not_there(self, path: str) -> None:
        self.write(path, {'a': np.zeros(3)})
        with self.format.open(path) as reader:
            for ask in (
                lambda: reader.read_into('no', np.zeros(3)),
                lambda: list(reader.pieces('no')),
                lambda: reader.map('no'),
                lambda: reader.slice('no', 0),
            ):
                with pytest.raises(KeyError):
                    ask()

    def test_damage_is_found_by_whatever_reads_the_whole(self, path: str) -> None:
        value = np.arange(2000.0)
        self.write(path, {'a': value})
        some = value.tobytes()[8000:8064]
        file = next((file for file in self.files(path) if some in file.read_bytes()), None)
        if file is None:
            pytest.skip('the data is not in the file as it is in memory')
        whole = bytearray(file.read_bytes())
        whole[whole.index(some)] ^= 1
        file.write_bytes(whole)
        with self.format.open(path) as reader:
            for ask in (
                lambda: reader.read('a'),
                lambda: reader.read_into('a', np.empty(2000)),
                lambda: list(reader.pieces('a')),
            ):
                with pytest.raises(CorruptFileError) as caught:
                    ask()
                assert caught.value.key == 'a'

    def test_without_checksums_that_lie_beside_the_data(self, path: str) -> None:
        unchecked = getattr(self.format, 'unchecked', None)
        if unchecked is None:
            return  # they are part of the format
        self.write(path, {'a': np.arange(3.0), 'none': None})
        with self.format.open(path) as reader:
            compared = reader.checksum
        with unchecked().open(path) as reader:
            assert reader.read('a').tolist() == [0, 1, 2]
            assert reader.checksum is None
        with self.format.open(path) as reader:
            assert reader.checksum == compared, 'the format itself is as it was'

    def test_keys(self, path: str) -> None:
        keys = ['a', 'b/0', 'b/1/c', 'ключ/é', 'with space', 'dot.ted.weight', '-1', 'A', 'x' * 200]
        self.write(path, {key: np.array(i) for i, key in enumerate(keys)})
        assert {key: int(value) for key, value in self.read(path).items()} == {key: i for i, key in enumerate(keys)}

    def test_metadata_comes_back(self, path: str) -> None:
        metadata = {'epoch': 3, 'note': 'é', 'nested': {'list': [1, 2.5, None, True]}}
        self.write(path, {'a': np.zeros(1)}, metadata=metadata)
        with self.format.open(path) as reader:
            assert dict(reader.metadata) == metadata
        self.write(path, {'a': np.zeros(1)})
        with self.format.open(path) as reader:
            assert not reader.metadata

    def test_nothing_at_all(self, path: str) -> None:
        self.write(path, {})
        assert self.read(path) == {}

    def test_only_none(self, path: str) -> None:
        self.write(path, {'a': None, 'b/c': None})
        assert self.read(path) == {'a': None, 'b/c': None}

    def test_empty_containers_come_back(self, path: str) -> None:
        for compression in self.every_compression():
            with self.create(path, compression) as writer:
                for key, value in {'a/W': np.ones(2), 'b/n': None}.items():
                    writer.add(key, Leaf(value, key))
                for key in ('a/none', 'x', 'y/z'):
                    writer.add_empty(key)
            with self.format.open(path) as reader:
                assert set(reader.entries) == {'a/W', 'b/n'}
                assert sorted(reader.empty) == (['a/none', 'x', 'y/z'] if self.keeps_empty else [])

    def test_an_error_while_writing_passes_through(self, path: str) -> None:
        class Stop(Exception):
            pass

        def stop_midway() -> None:
            with self.format.create(path, compression=None, metadata={}) as writer:
                writer.add('a', Leaf(np.zeros(3), 'a'))
                raise Stop

        with pytest.raises(Stop):
            stop_midway()

    def test_a_missing_file_is_an_os_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            self.format.open(str(tmp_path / 'nope'))

    @pytest.mark.parametrize('content', [b'', b'\0' * 100, b'text that is no file of arrays', b'\x80\x04N.'])
    def test_another_kind_of_file(self, path: str, content: bytes) -> None:
        marks = marks_of(self.format)
        Path(path, *marks[:1]).write_bytes(content)
        with pytest.raises(CorruptFileError) as caught:
            self.read(path)
        assert caught.value.path == path
        assert path in str(caught.value)
        assert caught.value.reason

    def test_every_truncation_is_found(self, path: str) -> None:
        self.write(path, {'a/b': example('float32'), 'c': None, 'd': example('bfloat16')})
        for file in self.files(path):
            whole = file.read_bytes()
            for length in range(len(whole)):
                file.write_bytes(whole[:length])
                with pytest.raises(CorruptFileError):
                    self.read(path)
            file.write_bytes(whole)

    def test_a_flipped_bit_is_found_or_harmless(self, path: str) -> None:
        values = {'a/b': example('float32'), 'c': None, 'd': example('bool')}
        self.write(path, values)
        for file in self.files(path):
            whole = file.read_bytes()
            for i in range(len(whole)):
                broken = bytearray(whole)
                broken[i] ^= 1 << i % 8
                file.write_bytes(broken)
                try:
                    got = self.read(path)
                except CorruptFileError:
                    continue
                # Else a byte without a meaning, such as a date.
                same = {key: repr(value) for key, value in got.items()} == {key: repr(values[key]) for key in values}
                assert same, f'byte {i} of {len(whole)} in {file.name}'
            file.write_bytes(whole)
