"""What safetensors files of ours are to other programs, and what theirs are to us."""

import json
import sys
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, DtypeError
from crossdock.serializers import load, load_safetensors, open_archive, save, save_safetensors
from crossdock.serializers.archive._tensor_types import TYPES
from crossdock.serializers.formats._safetensors import FORMAT, SafetensorsFormat
from crossdock.serializers.testing import FormatContract, example, layouts


class TestWithoutChecksums(FormatContract):
    format = SafetensorsFormat(checksum=False)

    # Nothing finds damaged data then.
    test_a_flipped_bit_is_found_or_harmless = None
    test_damage_is_found_by_whatever_reads_the_whole = None


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'x.safetensors'


def header(path) -> dict:
    data = path.read_bytes()
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], 'little')])


def words() -> dict[str, np.ndarray]:
    """An array of each type that the format has a word for."""
    return {name: example(dtype, (3, 4)) for name, dtype in TYPES.items()}


def test_types_by_their_words(path):
    values = words()
    save(path, values)
    rows = header(path)
    assert '__crossdock__' not in rows['__metadata__']
    for name in values:
        assert rows[name]['dtype'] == name
        assert rows[name]['shape'] == [3, 4]


def test_data_is_aligned_and_sorted(path):
    values = {**words(), 'B': np.zeros(3, bool), 'A': np.ones(5, bool)}
    save(path, values)
    rows = header(path)
    del rows['__metadata__']
    assert int.from_bytes(path.read_bytes()[:8], 'little') % 8 == 0
    ends = 0
    for key, row in rows.items():
        begin, end = row['data_offsets']
        assert begin == ends
        assert begin % values[key].dtype.itemsize == 0
        ends = end
    assert list(rows)[-3:] == ['A', 'B', 'BOOL']


def test_the_same_leaves_give_the_same_bytes(path):
    save(path, {'b': np.ones(3), 'a': np.zeros(2, 'u1')}, metadata={'x': [1]})
    first = path.read_bytes()
    save(path, {'a': np.zeros(2, 'u1'), 'b': np.ones(3)}, metadata={'x': [1]})
    assert path.read_bytes() == first


def test_types_without_a_word_are_bits_that_others_can_read(path):
    z = np.array([[1 + 2j, 3 - 4j]])
    values = {'z': z, 's': 'héé', 't': np.array([['a', 'bc']]), 'raw': b'xyz', 'i4': example('int4', (5,))}
    save(path, values)
    rows = header(path)
    assert {key: (row['dtype'], row['shape']) for key, row in rows.items() if key != '__metadata__'} == {
        'z': ('F64', [1, 2, 2]),
        's': ('U32', [3]),
        't': ('U32', [1, 2, 2]),
        'raw': ('U8', [3]),
        'i4': ('U8', [5]),
    }
    got = load(path)
    assert (str(got['s']), got['raw'].item(), got['t'].tolist()) == ('héé', b'xyz', [['a', 'bc']])
    np.testing.assert_array_equal(got['z'], z, strict=True)
    assert got['i4'].dtype == ml_dtypes.int4
    target = {'z': np.zeros((1, 2), complex), 's': '', 't': np.array([['xx', 'xx']]), 'raw': b'', 'i4': got['i4']}
    assert load(path, target)['s'] == 'héé'


@pytest.mark.parametrize('value', [np.zeros(3, np.longdouble), np.zeros(3, 'M8[s]'), np.zeros(3, np.clongdouble)])
def test_what_it_cannot_hold_is_refused_with_advice(path, value):
    save(path, {'a': np.zeros(3)})
    before = path.read_bytes()
    with pytest.raises(DtypeError) as caught:
        save(path, {'a': np.ones(3), 'b': {'c': value}})
    assert caught.value.path == 'b/c'
    assert caught.value.dtype == value.dtype
    assert 'npz' in str(caught.value) or 'int64' in str(caught.value)
    assert path.read_bytes() == before


def test_the_other_byte_order_is_converted_and_said(path):
    with pytest.warns(UserWarning, match='native byte order: .a.'):
        save_safetensors(path, {'a': np.arange(3, dtype='>i4')})
    np.testing.assert_array_equal(load(path)['a'], np.arange(3, dtype='i4'), strict=True)


def test_metadata_of_strings_is_plain(path):
    metadata = {'format': 'pt', 'epoch': 3, 'nested': {'é': [None, 1.5]}, 'note': 'a "b"\n'}
    save(path, {'a': np.zeros(1)}, metadata=metadata)
    assert header(path)['__metadata__']['format'] == 'pt'
    assert header(path)['__metadata__']['note'] == 'a "b"\n'
    assert all(isinstance(value, str) for value in header(path)['__metadata__'].values())
    with open_archive(path) as archive:
        assert dict(archive.metadata) == metadata


@pytest.mark.parametrize('name', ['__crossdock__', '__crossdock__.crc32', '__crossdock__x'])
def test_reserved_metadata_is_refused(path, name):
    with pytest.raises(ValueError, match='reserved'):
        save(path, {'a': np.zeros(1)}, metadata={name: 'x'})
    assert not path.exists()


def test_metadata_that_is_not_unicode_is_refused(path):
    with pytest.raises(ValueError, match='surrogate'):
        save(path, {'a': np.zeros(1)}, metadata={'x': '\ud800'})
    assert not path.exists()


def test_metadata_beyond_the_cap_is_refused(path):
    with pytest.raises(ValueError, match='at most'):
        save(path, {'a': np.zeros(1)}, metadata={'x': 'x' * 100_000_001})
    assert not path.exists()


def test_checksums_can_be_left_out(path):
    save_safetensors(path, {'a': np.zeros(3)}, checksum=False)
    assert '__metadata__' not in header(path)
    with FORMAT.open(str(path)) as reader:
        assert reader.checksum is None
    save_safetensors(path, {'a': np.zeros(3)})
    with FORMAT.open(str(path)) as reader:
        assert reader.checksum == 'CRC-32'
    with SafetensorsFormat(checksum=False).open(str(path)) as reader:
        assert reader.checksum is None
        assert not reader.metadata


def rewritten(path, change) -> None:
    """The file as a program writes it that changes the content and keeps the metadata."""
    rows, data = header(path), bytearray(path.read_bytes())
    body = bytearray(data[8 + int.from_bytes(data[:8], 'little') :])
    change(rows, body)
    text = json.dumps(rows).encode()
    path.write_bytes(len(text).to_bytes(8, 'little') + text + body)


def test_a_header_written_anew_is_not_damaged(path):
    save(path, {'a': np.arange(3.0), 'b': np.arange(4.0), 'c': None})

    def turn(rows, body):
        for key in ('b', '__metadata__'):
            rows[key] = rows.pop(key)

    rewritten(path, turn)
    assert load(path)['b'].tolist() == [0, 1, 2, 3]


def test_data_changed_under_old_checksums(path):
    save(path, {'a': np.arange(3.0)})
    rewritten(path, lambda rows, body: body.__setitem__(slice(0, 8), np.array(7.0).tobytes()))
    with pytest.raises(CorruptFileError, match='checksum=False') as caught:
        load(path)
    assert caught.value.key == 'a'
    assert load_safetensors(path, checksum=False)['a'].tolist() == [7, 1, 2]


def test_a_tensor_renamed_under_old_checksums(path):
    save(path, {'a': np.arange(3.0)})
    rewritten(path, lambda rows, body: rows.__setitem__('b', rows.pop('a')))
    with pytest.raises(CorruptFileError, match='checksum=False'):
        load(path)
    assert list(load_safetensors(path, checksum=False)) == ['b']


def test_views_of_the_file(path):
    values = {**words(), **layouts(), 'text': np.array(['ab', 'c']), 'nothing': None}
    save(path, values)
    got = load(path, mmap=True, flat=True)
    assert got.pop('nothing') is None
    for key, view in got.items():
        assert not view.flags.writeable, key
        assert view.tobytes() == np.ascontiguousarray(values[key]).tobytes(), key
    save(path, {'C': np.zeros((6, 8))})  # another file takes its place; the views stay those of the old one
    assert got['C'].tobytes() == values['C'].tobytes()


def test_views_cost_no_memory(path):
    save(path, {'a': np.zeros(4_000_000)})
    tracemalloc.start()
    try:
        assert load(path, mmap=True)['a'].size == 4_000_000
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_no_second_copy(path):
    save(path, {'a': np.zeros(4_000_000), 'b': np.zeros(4_000_000)})
    target = {'a': np.ones(4_000_000)}
    tracemalloc.start()
    try:
        load(path)
        assert tracemalloc.get_traced_memory()[1] < 66 << 20
        with FORMAT.open(str(path)) as reader:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            reader.read_into('a', target['a'])
            assert tracemalloc.get_traced_memory()[1] - before < 1 << 20
    finally:
        tracemalloc.stop()
    assert not target['a'].any()


def test_data_off_its_alignment_is_read_and_not_mapped(path):
    value = np.arange(5.0)
    text = b'{"a":{"dtype":"F64","shape":[5],"data_offsets":[0,40]}}'
    for blanks in range(8):
        path.write_bytes((len(text) + blanks).to_bytes(8, 'little') + text + b' ' * blanks + value.tobytes())
        with open_archive(path) as archive:
            assert archive['a'][::-2].tolist() == [4, 2, 0]
            if (len(text) + blanks) % 8:
                with pytest.raises(ValueError, match='is not aligned'):
                    archive['a'].map()
            else:
                archive['a'].map()
        assert load(path, mmap='where possible')['a'].tolist() == [0, 1, 2, 3, 4]


def test_from_and_to_devices(path):
    tree = {'W': np.arange(6.0).reshape(2, 3), 'h': example('bfloat16')}
    save_safetensors(path, xd.get_device('sim:0').send(tree))
    got = load_safetensors(path, device='sim:1')
    assert str(xd.get_device_from_array(got['W'])) == 'sim:1'
    assert xd.to_numpy(got['h']).tobytes() == tree['h'].tobytes()


def test_big_endian_machines_are_told(path, monkeypatch):
    save(path, {'a': np.zeros(1)})
    monkeypatch.setattr(sys, 'byteorder', 'big')
    with pytest.raises(NotImplementedError, match='npz'):
        load(path)


class TestBesideThePackage:
    """The package reads our files, and we read those that it writes."""

    @pytest.fixture(autouse=True)
    def package(self):
        pytest.importorskip('safetensors', reason='the safetensors package is not installed')

    def numpy_values(self) -> dict[str, np.ndarray]:
        """Those types that the package's NumPy interface has."""
        names = ('BOOL', 'U8', 'I8', 'I16', 'U16', 'F16', 'I32', 'U32', 'F32', 'C64', 'F64', 'I64', 'U64')
        values = {name: value for name, value in words().items() if name in names}
        return {
            **values,
            'one': np.array(2.5),
            'none': np.zeros((0, 3)),
            'x/y.z': np.ones((1, 1, 2), 'f4'),
            'é"': np.ones(2),
        }

    def test_it_reads_ours(self, path):
        from safetensors import safe_open
        from safetensors.numpy import load_file

        values = {**self.numpy_values(), **layouts()}
        save(path, values, metadata={'format': 'np', 'epoch': 3})
        got = load_file(path)
        assert set(got) == set(values)
        for key, value in values.items():
            np.testing.assert_array_equal(got[key], value, err_msg=key, strict=True)
        with safe_open(path, framework='np') as file:
            assert file.metadata()['format'] == 'np'

    def test_we_read_its(self, path):
        from safetensors.numpy import save_file

        values = self.numpy_values()
        save_file(values, path, metadata={'format': 'np', 'other': 'é'})
        for got in (load(path, flat=True), load(path, flat=True, mmap=True)):
            assert set(got) == set(values)
            for key, value in values.items():
                np.testing.assert_array_equal(got[key], value, err_msg=key, strict=True)
        with open_archive(path) as archive:
            assert dict(archive.metadata) == {'format': 'np', 'other': 'é'}

    def test_without_checksums_the_bytes_are_its(self, path, tmp_path):
        from safetensors.numpy import save_file

        values = self.numpy_values()
        save_file(values, tmp_path / 'its', metadata={'format': 'np'})
        save_safetensors(path, values, metadata={'format': 'np'}, checksum=False)
        assert path.read_bytes() == (tmp_path / 'its').read_bytes()
        save_file({}, tmp_path / 'its')
        save(path, {})
        assert load_safetensors(tmp_path / 'its') == load(path) == {}

    def test_torch_tensors_both_ways(self, path):
        torch = pytest.importorskip('torch', reason='torch is not installed')
        from safetensors.torch import load_file, save_file

        values = {name: value for name, value in words().items() if name != 'F8_E8M0'}
        tensors = {
            name: torch.from_numpy(v.view('u1').copy()).view(named(torch, v.dtype)) for name, v in values.items()
        }
        save(path, tensors)
        for name, tensor in load_file(path).items():
            assert tensor.dtype == tensors[name].dtype
            assert torch.equal(tensor.view(torch.uint8), tensors[name].view(torch.uint8)), name
        save_file(tensors, path)
        for name, value in load(path).items():
            assert value.dtype == values[name].dtype
            assert value.tobytes() == values[name].tobytes(), name

    def test_it_reads_what_stands_for_types_that_the_format_lacks(self, path):
        from safetensors.numpy import load_file

        save(path, {'z': np.array([1 + 2j]), 's': 'ab', 'i4': np.array([3, -1]).astype(ml_dtypes.int4), 'n': None})
        got = load_file(path)
        assert got['z'].tolist() == [[1, 2]]
        assert got['s'].tolist() == [97, 98]
        assert set(got) == {'z', 's', 'i4'}

    def test_its_own_damage_checks_find_nothing_in_ours(self, path):
        from safetensors import deserialize

        for tree in (
            {},
            {'a': None},
            {'a': np.zeros((0,))},
            {'k' * 5000: np.zeros(1)},
            {str(i): i for i in range(300)},
        ):
            save(path, tree)
            assert len(deserialize(path.read_bytes())) == sum(value is not None for value in tree.values())


def named(torch, dtype):
    return getattr(torch, dtype.name)


@pytest.mark.parametrize('tree', [{'a': np.arange(3.0), 'b': None}, {'b': None}])
def test_checksums_whose_name_is_damaged_are_not_taken_for_none(path, tree):
    save(path, tree, metadata={'note': 'x'})

    def rename(rows, body):
        metadata = rows['__metadata__']
        metadata['__crossdock_]'] = metadata.pop('__crossdock__.crc32')

    rewritten(path, rename)
    with pytest.raises(CorruptFileError, match='damaged'):
        load(path)
    assert load_safetensors(path, checksum=False)['b'] is None
