"""The public test suite of a file format. Instantiate it in a test file of pytest's::

from crossdock.serializers.testing import FormatContract
from my_package.my_format import FORMAT

class TestMyFormat(FormatContract):
    format = FORMAT
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from crossdock.errors import CorruptFileError

from ._dtypes import TAGGED
from ._format import CONTRACT_VERSION, Format
from ._leaf import Leaf

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


class FormatContract:
    """What every format keeps. Set `format`, and name in `lacks` the data types that the format cannot hold."""

    format: Format
    lacks: tuple[str, ...] = ()

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        """Where a file may be created; an empty one is there already."""
        place = tmp_path / f'file{self.format.suffixes[0]}'
        place.touch()
        return str(place)

    def write(self, path: str, values: Mapping[str, Any], compression: str | None = None, metadata: Any = None) -> None:
        """Write a file of some values by their keys."""
        with self.format.create(path, compression=compression, metadata=metadata or {}) as writer:
            for key, value in values.items():
                writer.add(key, Leaf(value, key))

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
        Path(path).write_bytes(content)
        with pytest.raises(CorruptFileError) as caught:
            self.read(path)
        assert caught.value.path == path
        assert path in str(caught.value)
        assert caught.value.reason

    def test_every_truncation_is_found(self, path: str) -> None:
        self.write(path, {'a/b': example('float32'), 'c': None, 'd': example('bfloat16')})
        whole = Path(path).read_bytes()
        for length in range(len(whole)):
            Path(path).write_bytes(whole[:length])
            with pytest.raises(CorruptFileError):
                self.read(path)

    def test_a_flipped_bit_is_found_or_harmless(self, path: str) -> None:
        values = {'a/b': example('float32'), 'c': None, 'd': example('bool')}
        self.write(path, values)
        whole = Path(path).read_bytes()
        for i in range(len(whole)):
            broken = bytearray(whole)
            broken[i] ^= 1 << i % 8
            Path(path).write_bytes(broken)
            try:
                got = self.read(path)
            except CorruptFileError:
                continue
            # Else a byte without a meaning, such as a date.
            same = {key: repr(value) for key, value in got.items()} == {key: repr(values[key]) for key in values}
            assert same, f'byte {i} of {len(whole)}'
