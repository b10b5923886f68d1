"""HDF5 files made to do harm. Each is made here; each must be refused by name."""

import json
import os
import subprocess
import sys
import tracemalloc
import zlib

import numpy as np
import pytest

from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import HDF5Deserializer, load, load_hdf5, open_archive, save_hdf5

h5py = pytest.importorskip('h5py', reason='h5py is not installed')


def attribute(node, content):
    text = np.array(content if isinstance(content, bytes) else json.dumps(content).encode())
    node.attrs.create('__crossdock__', text, dtype=text.dtype)


def dataset(f, kind=None, shape=(3,), filters=lambda plan: None, chunk=None, external=False):
    """A dataset `a` by the library's own calls, with nothing written to it."""
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if chunk:
        plan.set_chunk(chunk)
    filters(plan)
    space = h5py.h5s.create_simple(shape)
    return h5py.h5d.create(f.id, b'a', kind or h5py.h5t.IEEE_F64LE, space, dcpl=plan)


def soft_link(f):
    f['x'] = np.zeros(3)
    f['a'] = h5py.SoftLink('/x')


def external_link(f):
    with h5py.File('other.h5', 'w') as other:
        other['x'] = np.zeros(3)
    f['a'] = h5py.ExternalLink('other.h5', '/x')


def external_storage(f):
    f.create_dataset('a', (3,), 'f8', external=[('/etc/passwd', 0, h5py.h5f.UNLIMITED)])


def virtual(f):
    layout = h5py.VirtualLayout((3,), 'f8')
    layout[:] = h5py.VirtualSource('/etc/passwd', 'x', (3,))
    f.create_virtual_dataset('a', layout)


def cycle(f):
    group = f.create_group('a')
    group['b'] = group


def cycle_to_the_root(f):
    f.create_group('a')['b'] = f['/']


def deep(f):
    group = f
    for _ in range(140):
        group = group.create_group('a')
    group['x'] = np.zeros(3)


def bad_name(name):
    def make(f):
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(f.id, name, h5py.h5t.IEEE_F64LE, space)

    return make


def of_type(kind):
    return lambda f: dataset(f, kind())


def opaque():
    kind = h5py.h5t.create(h5py.h5t.OPAQUE, 8)
    kind.set_tag(b'x')
    return kind


def padded():
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_precision(30)
    return kind


def other_bool():
    kind = h5py.h5t.enum_create(h5py.h5t.STD_I8LE)
    kind.enum_insert(b'NO', 0)
    kind.enum_insert(b'YES', 1)
    return kind


def said(content, value=None):
    def make(f):
        f['a'] = np.zeros(3, 'u2') if value is None else value
        attribute(f['a'], content)

    return make


def said_of_all(content):
    def make(f):
        f['a'] = np.zeros(3)
        attribute(f, content)

    return make


def long_text(f):
    f['a'] = np.zeros(3)
    f['a'].attrs['__crossdock__'] = 'text of varying length'


def numeric_attribute(f):
    f['a'] = np.zeros(3)
    f['a'].attrs['__crossdock__'] = np.zeros(1000)


def packed(data, shape=(1000,), chunk=(1000,), shuffle=False):
    """A chunk packed by gzip of whatever is in `data`."""

    def make(f):
        def filters(plan):
            if shuffle:
                plan.set_shuffle()
            plan.set_deflate(4)

        node = dataset(f, shape=shape, chunk=chunk, filters=filters)
        node.write_direct_chunk((0,) * len(shape), data() if callable(data) else data)

    return make


def bomb():
    squeeze = zlib.compressobj(9)
    return b''.join([*(squeeze.compress(bytes(1 << 20)) for _ in range(300)), squeeze.flush()])


def raw_chunk(data):
    def make(f):
        dataset(f, chunk=(3,)).write_direct_chunk((0,), data)

    return make


def fletcher(f):
    node = f.create_dataset('a', data=np.arange(100.0), chunks=(100,), fletcher32=True).id
    mask, data = node.read_direct_chunk((0,))
    node.write_direct_chunk((0,), data[:-1] + bytes([data[-1] ^ 1]), mask)


def lzf(f):
    node = f.create_dataset('a', data=np.arange(1000.0), chunks=(1000,), compression='lzf').id
    node.write_direct_chunk((0,), b'\xff' * 100)


def lzf_longer_than_a_chunk(f):
    node = f.create_dataset('a', data=np.arange(4.0), chunks=(4,), compression='lzf').id
    node.write_direct_chunk((0,), b'\xff' * 1000)


ATTACKS = {
    'soft link': soft_link,
    'soft link to nothing': lambda f: f.__setitem__('a', h5py.SoftLink('/nope')),
    'soft link to itself': lambda f: f.__setitem__('a', h5py.SoftLink('/a')),
    'external link': external_link,
    'external link out of here': lambda f: f.__setitem__('a', h5py.ExternalLink('/etc/passwd', '/')),
    'data in another file': external_storage,
    'virtual dataset': virtual,
    'a group in itself': cycle,
    'the root in itself': cycle_to_the_root,
    'nested deeply': deep,
    'parent folder in a name': bad_name(b'..'),
    'not UTF-8': bad_name(b'\xff'),
    'ends in .npy': bad_name(b'a.npy'),
    'reserved': bad_name(b'__crossdock__'),
    # data types
    'named type': lambda f: f.__setitem__('a', np.dtype('f4')),
    'text of varying length': lambda f: f.__setitem__('a', 'text'),
    'objects': lambda f: f.create_dataset('a', (3,), h5py.vlen_dtype('i4')),
    'references': lambda f: f.create_dataset('a', (3,), h5py.ref_dtype),
    'region references': lambda f: f.create_dataset('a', (3,), h5py.regionref_dtype),
    'compound': lambda f: f.create_dataset('a', (3,), 'i4,f8'),
    'compound of 2 GB': lambda f: f.create_dataset('a', (1,), 'i4,S2000000000', chunks=(1,)),
    'almost complex': lambda f: f.create_dataset('a', (3,), [('r', 'f4'), ('i', 'f8')]),
    'arrays': lambda f: f.create_dataset('a', (3,), '(2,2)f4'),
    'opaque': of_type(opaque),
    'bit field': of_type(lambda: h5py.h5t.STD_B8LE),
    'integers of 30 bits': of_type(padded),
    'another enumeration': of_type(other_bool),
    'text with spaces': of_type(lambda: h5py.h5t.FORTRAN_S1),
    # sizes
    'shape of 1e15': lambda f: f.create_dataset('a', (10**15,), 'f8', chunks=(1000,)),
    'shape that overflows': lambda f: f.create_dataset('a', (2**31, 2**31), 'f8', chunks=(1, 1)),
    'huge beside zero': lambda f: dataset(f, shape=(0, 2**62)),
    'chunk of 2 GB': lambda f: dataset(f, chunk=(2**28,), shape=(2**28,)),
    'never written, 1e12': lambda f: f.create_dataset('a', (10**12,), 'f8'),
    'gzip bomb': packed(bomb),
    # chunks
    'chunk that is no gzip': packed(b'hello'),
    'chunk cut short': packed(zlib.compress(bytes(8000))[:-8]),
    'chunk too small': packed(zlib.compress(bytes(7992))),
    'chunk too large': packed(zlib.compress(bytes(8008))),
    'shuffled chunk of half elements': packed(zlib.compress(bytes(7999)), shuffle=True),
    'bare chunk too small': raw_chunk(bytes(23)),
    'bare chunk too large': raw_chunk(bytes(32)),
    'wrong Fletcher-32': fletcher,
    'damaged lzf': lzf,
    'lzf longer than a chunk': lzf_longer_than_a_chunk,
    'scale and offset': lambda f: f.create_dataset('a', (9,), 'i4', chunks=(9,), scaleoffset=0),
    'unknown filter': lambda f: dataset(f, chunk=(3,), filters=lambda p: p.set_filter(32015, h5py.h5z.FLAG_OPTIONAL)),
    # what the attribute says
    'tag that is no type': said({'dtype': '__class__'}),
    'tag of a path': said({'dtype': '../x'}),
    'tag that is long': said({'dtype': 'x' * 900}),
    'tag of another size': said({'dtype': 'float8_e5m2'}),
    'tag of objects': said({'dtype': 'O'}),
    'tag of floats': said({'dtype': 'bfloat16'}, np.zeros(3, 'f2')),
    'tag of text': said({'dtype': 'U5'}, np.zeros(3, 'S21')),
    'tag of much text': said({'dtype': 'U9999999'}, np.zeros(3, 'S21')),
    'tag of times': said({'dtype': 'M8[nope]'}, np.zeros(3, 'i8')),
    'tag that is a number': said({'dtype': 3}),
    'wrong CRC-32': said({'crc32': 1}),
    'CRC-32 of text': said({'crc32': 'x'}),
    'CRC-32 that is true': said({'crc32': True}),
    'unknown field': said({'code': 'x'}),
    'a list': said([1]),
    'not JSON': said(b'{'),
    'nested JSON': said(b'[' * 900),
    'not UTF-8 in it': said(b'{"dtype": "\xff"}'),
    'attribute of varying length': long_text,
    'attribute of numbers': numeric_attribute,
    'metadata: not JSON': said_of_all(b'{'),
    'metadata: no version': said_of_all({}),
    'metadata: a newer version': said_of_all({'version': 2}),
    'metadata: None': said_of_all({'version': 1, 'none': ['a']}),
    'metadata: types': said_of_all({'version': 1, 'dtypes': {'a': 'bfloat16'}}),
    'metadata: no object': said_of_all({'version': 1, 'metadata': 3}),
}

# Those in which nothing may be wrong, and no harm is.
UNSUPPORTED = {
    *('named type', 'text of varying length', 'objects', 'references', 'region references', 'compound'),
    *('compound of 2 GB', 'almost complex', 'arrays', 'opaque', 'bit field', 'integers of 30 bits'),
    *('another enumeration', 'text with spaces', 'scale and offset', 'unknown filter', 'metadata: a newer version'),
}
# What is about all of the file.
OF_ALL = {'nested deeply', 'parent folder in a name', 'not UTF-8', 'ends in .npy', 'reserved'}
OF_ALL |= {attack for attack in ATTACKS if attack.startswith('metadata')}
# Data is compared when it is read.
OF_DATA = {
    *('gzip bomb', 'chunk that is no gzip', 'chunk cut short', 'chunk too small', 'chunk too large', 'damaged lzf'),
    *('shuffled chunk of half elements', 'bare chunk too small', 'bare chunk too large', 'wrong Fletcher-32'),
    *('lzf longer than a chunk', 'wrong CRC-32'),
}


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('attack', ATTACKS)
def test_attack_is_refused_by_name(tmp_path, monkeypatch, attack):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'hostile.h5'
    with h5py.File(path, 'w') as f:
        ATTACKS[attack](f)
        if 'b' not in f:
            f['b'] = np.zeros(3)
    target = {'a': np.ones(3), 'b': np.ones(3)}

    def part_by_part():
        with HDF5Deserializer(path) as d:
            for key in target:
                target[key] = d(key, target[key])
            load(path)  # what asks for floats may find that integers are there before it looks at their data

    for attempt in (
        lambda: load(path),
        lambda: load_hdf5(path, target),
        part_by_part,
    ):
        tracemalloc.start()
        try:
            with pytest.raises(ValueError) as caught:
                attempt()
            assert tracemalloc.get_traced_memory()[1] < 64 << 20
        finally:
            tracemalloc.stop()
    assert (target['a'] == 1).all()
    with pytest.raises(CorruptFileError) as caught:
        load(path)
    assert isinstance(caught.value, UnsupportedFileError) == (attack in UNSUPPORTED)
    assert caught.value.path == str(path)
    assert str(path) in str(caught.value)
    assert caught.value.reason
    assert len(str(caught.value)) < 1000
    if attack not in OF_ALL:
        with open_archive(path) as archive:
            assert ('b' in archive.unreadable) is False
            assert bool(archive.unreadable) is (attack not in OF_DATA)
            assert archive['b'].read().tolist() == [0, 0, 0]


@pytest.mark.parametrize('version', ['earliest', 'v110'])
def test_cut_anywhere(tmp_path, version):
    path = tmp_path / 'cut.h5'
    with h5py.File(path, 'w', libver=version) as f:
        f['g/a'] = np.arange(3.0)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 29):
        path.write_bytes(whole[:cut])
        with pytest.raises(CorruptFileError):
            load(path)


DAMAGE = """
import sys
import numpy as np
from crossdock.errors import StrictLoadError, CorruptFileError
from crossdock.serializers import load
path, whole = sys.argv[1], open(sys.argv[2], 'rb').read()
rng = np.random.default_rng(int(sys.argv[3]))
for _ in range(int(sys.argv[4])):
    data = bytearray(whole)
    for at in rng.integers(0, len(data), rng.integers(1, 4)):
        data[at] = rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.integers(256)])
    with open(path, 'wb') as file:
        file.write(data)
    try:
        load(path, flat=True)
    except CorruptFileError as error:
        assert error.reason
"""


@pytest.mark.parametrize('version', ['earliest', 'v110'])
def test_damage_at_random_is_an_error_or_another_value(tmp_path, version):
    """In a process of its own: what the library made of it would end this one."""
    good = tmp_path / 'good.h5'
    with h5py.File(good, 'w', libver=version) as f:
        f['g/a'] = np.arange(3.0)
        f.create_dataset('g/b', data=np.arange(100.0), chunks=(30,), compression='gzip', shuffle=True)
        f['c'] = np.array([True, False])
        f['d'] = h5py.Empty('f4')
        f['e'] = np.array([b'ab', b'c'])
    command = [sys.executable, '-W', 'ignore', '-c', DAMAGE, str(tmp_path / 'bad.h5'), str(good), '1', '400']
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])


def test_not_a_file_at_all(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / 'nope.h5')
    (tmp_path / 'folder.h5').mkdir()
    with pytest.raises(IsADirectoryError):
        load(tmp_path / 'folder.h5')
    with pytest.raises(IsADirectoryError):
        save_hdf5(tmp_path / 'folder.h5', {'a': 1})
    assert os.listdir(tmp_path) == ['folder.h5']


def test_bits_that_are_no_value(tmp_path):
    for name, value, tag in (('bool', np.array([1, 2], 'i1'), None), ('int4', np.array([16], 'u1'), 'int4')):
        path = tmp_path / f'{name}.h5'
        with h5py.File(path, 'w') as f:
            if tag:
                f['a'] = value
                attribute(f['a'], {'dtype': tag})
            else:
                node = h5py.h5d.create(
                    f.id, b'a', h5py.h5t.py_create(np.dtype(bool), logical=True), h5py.h5s.create_simple((2,))
                )
                kind = node.get_type()
                node.write(h5py.h5s.ALL, h5py.h5s.ALL, value.view(bool), kind)
        with pytest.raises(CorruptFileError) as caught:
            load(path)
        assert caught.value.key == 'a'
    path = tmp_path / 'text.h5'
    with h5py.File(path, 'w') as f:
        f['a'] = np.array([b'\xff'], 'S4')
        attribute(f['a'], {'dtype': 'U1'})
    with pytest.raises(CorruptFileError, match='not text'):
        load(path)
