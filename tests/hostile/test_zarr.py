"""Zarr stores made to do harm. Each is made here; each must be refused by name."""

import json
import os
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import load, load_zarr, save_zarr

pytest.importorskip('google_crc32c', reason='zarr is not installed')
numcodecs = pytest.importorskip('numcodecs', reason='zarr is not installed')

BYTES = {'name': 'bytes', 'configuration': {'endian': 'little'}}
GROUP = {'zarr_format': 3, 'node_type': 'group', 'attributes': {}}
DATA = np.arange(3.0).tobytes()


def array(**changes):
    """``zarr.json`` of three numbers of somebody else's."""
    content = {
        'zarr_format': 3,
        'node_type': 'array',
        'shape': [3],
        'data_type': 'float64',
        'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': [3]}},
        'chunk_key_encoding': {'name': 'default', 'configuration': {'separator': '/'}},
        'fill_value': 0.0,
        'codecs': [BYTES],
        'attributes': {},
        **changes,
    }
    return {name: value for name, value in content.items() if value is not None}


def write(root, name, content):
    place = Path(root, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def store(root, content, data=DATA):
    """A store with an array `a`."""
    write(root, 'zarr.json', GROUP)
    write(root, 'a/zarr.json', content)
    if data is not None:
        write(root, 'a/c/0', data)


def said(data=DATA, **changes):
    return lambda root: store(root, array(**changes), data)


def chunked(*shape):
    return {'name': 'regular', 'configuration': {'chunk_shape': list(shape)}}


def packed(name, data, **options):
    return said(data, codecs=[BYTES, {'name': name, 'configuration': options}])


def file(name, content):
    """A good store, with one more or another file."""

    def make(root):
        store(root, array())
        write(root, name, content)

    return make


def link(name, target):
    def make(root):
        store(root, array())
        place = Path(root, name)
        if place.exists():
            place.unlink()
        place.symlink_to(target)

    return make


def ours(change):
    """A store of ours, changed afterwards."""

    def make(root):
        save_zarr(root, {'a': np.arange(3.0), 'x': np.arange(3, dtype='u2'), 'none': None}, metadata={'m': 1})
        change(Path(root))

    return make


def edit(name, act):
    """Change ``zarr.json`` of a store of ours."""

    def change(root):
        content = json.loads((root / name / 'zarr.json').read_bytes())
        act(content)
        (root / name / 'zarr.json').write_text(json.dumps(content))

    return ours(change)


def old_inside(root):
    store(root, array())
    Path(root, 'a/zarr.json').rename(Path(root, 'a/.zarray'))


def fifo(root):
    store(root, array())
    os.mkfifo(Path(root, 'a/c/1'))


def deep(root):
    write(root, 'zarr.json', GROUP)
    folder = 'g/' * 140
    for i in range(1, 141):
        write(root, 'g/' * i + 'zarr.json', GROUP)
    write(root, folder + 'a/zarr.json', array())


ZSTD = bytes(numcodecs.zstd.compress(DATA, 1))
BLOSC = bytes(numcodecs.blosc.compress(DATA, b'lz4', 5, 1))


def gzipped(data):
    squeeze = zlib.compressobj(9, wbits=31)
    return squeeze.compress(data) + squeeze.flush()


ATTACKS = {
    # the folder
    'no zarr.json': lambda root: write(root, 'a/c/0', DATA),
    'an array as the root': lambda root: write(root, 'zarr.json', array()),
    'a group without zarr.json': file('g/x', b''),
    'Zarr 2': lambda root: write(root, '.zgroup', {'zarr_format': 2}),
    'Zarr 2 inside': old_inside,
    'a link to a chunk': link('a/c/0', '/etc/passwd'),
    'a link to a folder': link('b', '/etc'),
    'a link to zarr.json': link('a/zarr.json', '/etc/passwd'),
    'a link to nothing': link('x', 'nowhere'),
    'a link inside': link('b', 'a'),
    'a pipe': fifo,
    'nested deeply': deep,
    'reserved name': file('__crossdock__/zarr.json', array()),
    'ends in .npy': file('a.npy/zarr.json', array()),
    # zarr.json
    'empty': lambda root: store(root, b''),
    'not JSON': lambda root: store(root, b'{'),
    'not UTF-8': lambda root: store(root, b'{"\xff": 1}'),
    'a list': lambda root: store(root, b'[]'),
    'nested JSON': lambda root: store(root, b'{"a":' + b'[' * 200_000 + b']' * 200_000 + b'}'),
    'large JSON': lambda root: store(root, b' ' * (17 << 20)),
    'key twice': lambda root: store(root, json.dumps(array()).encode()[:-1] + b', "shape": [3]}'),
    'NaN': lambda root: store(root, json.dumps(array()).encode().replace(b': 0.0', b': NaN')),
    'version 4': said(zarr_format=4),
    'version true': said(zarr_format=True),
    'neither': said(node_type='thing'),
    'unknown member': said(code='x'),
    'unknown member that matters': said(code={'must_understand': True}),
    'storage transformers': said(storage_transformers=[{'name': 'x'}]),
    'attributes: a list': said(attributes=[]),
    # sizes
    'no shape': said(shape=None),
    'shape: a number': said(shape=3),
    'shape: negative': said(shape=[-3]),
    'shape: float': said(shape=[3.0]),
    'shape: bool': said(shape=[True]),
    'shape: text': said(shape=['3']),
    'shape of 1e15': said(shape=[10**15]),
    'shape of 1e15, in one chunk': said(shape=[10**15], chunk_grid=chunked(10**15)),
    'shape of 1e15, nothing there': said(None, shape=[10**15]),
    'shape that overflows': said(shape=[2**62, 4], chunk_grid=chunked(1, 1)),
    'huge beside zero': said(shape=[0, 2**62], chunk_grid=chunked(1, 1)),
    'beyond 64 bits': said(shape=[10**30]),
    'digits without end': lambda root: store(
        root, json.dumps(array()).encode().replace(b'[3]', b'[' + b'9' * 8000 + b']')
    ),
    'seventy axes': said(shape=[1] * 70, chunk_grid=chunked(*[1] * 70)),
    'chunks of nothing': said(chunk_grid=chunked(0)),
    'chunks of other axes': said(chunk_grid=chunked(3, 1)),
    'chunk of 1e12': said(chunk_grid=chunked(10**12)),
    'unknown grid': said(chunk_grid={'name': 'rectangular', 'configuration': {'chunk_shape': [3]}}),
    'no grid': said(chunk_grid=None),
    'unknown names of chunks': said(chunk_key_encoding={'name': 'default', 'configuration': {'separator': '/../'}}),
    'short chunk': said(DATA[:-1]),
    'long chunk': said(DATA + b'\0'),
    'empty chunk': said(b''),
    # data types
    'objects': said(data_type='object'),
    'text of varying length': said(data_type='string', codecs=[{'name': 'vlen-utf8'}]),
    'structured': said(data_type={'name': 'structured', 'configuration': {'fields': []}}),
    'raw bits': said(data_type='r64'),
    'text of 4 GB': said(data_type={'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 2**32}}),
    'text of two bytes': said(data_type={'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 6}}),
    'text of nothing': said(data_type={'name': 'null_terminated_bytes', 'configuration': {'length_bytes': 0}}),
    'times of no unit': said(data_type={'name': 'numpy.datetime64', 'configuration': {'unit': 'x', 'scale_factor': 1}}),
    'a type by code': said(data_type='__import__("os")'),
    'fill value of text': said(fill_value='x'),
    'fill value too large': said(data_type='int8', fill_value=300, codecs=[{'name': 'bytes'}], data=bytes(3)),
    'no fill value': said(fill_value=None),
    # codecs
    'no codecs': said(codecs=None),
    'no bytes': said(codecs=[]),
    'bytes twice': said(codecs=[BYTES, BYTES]),
    'no byte order': said(codecs=[{'name': 'bytes'}]),
    'pickle': said(codecs=[{'name': 'numcodecs.pickle'}]),
    'pickle after bytes': said(codecs=[BYTES, {'name': 'pickle'}]),
    'json2': said(codecs=[{'name': 'numcodecs.json2'}]),
    'shards': said(codecs=[{'name': 'sharding_indexed', 'configuration': {}}]),
    'codec without a name': said(codecs=[{}]),
    'a hundred codecs': said(codecs=[BYTES, *[{'name': 'gzip'}] * 100]),
    'transposed twice over': said(codecs=[{'name': 'transpose', 'configuration': {'order': [0, 0]}}, BYTES]),
    'transposed by text': said(codecs=[{'name': 'transpose', 'configuration': {'order': 'F'}}, BYTES]),
    'no gzip': packed('gzip', b'hello'),
    'gzip cut short': packed('gzip', gzipped(DATA)[:-9]),
    'gzip of more': packed('gzip', gzipped(DATA + b'\0')),
    'gzip of less': packed('gzip', gzipped(DATA[:-1])),
    'gzip bomb': packed('gzip', gzipped(bytes(200 << 20))),
    'no zstd': packed('zstd', b'hello'),
    'zstd cut short': packed('zstd', ZSTD[:-3]),
    'zstd header only': packed('zstd', ZSTD[:5]),
    'zstd of 1 TB': packed('zstd', b'\x28\xb5\x2f\xfd\xe0' + (1 << 40).to_bytes(8, 'little') + ZSTD[6:]),
    'zstd of unknown size': packed('zstd', b'\x28\xb5\x2f\xfd\x00\x58' + ZSTD[6:]),
    'zstd bomb': packed('zstd', bytes(numcodecs.zstd.compress(bytes(200 << 20), 1))),
    'no blosc': packed('blosc', b'hello'),
    'blosc of 2 GB': packed('blosc', BLOSC[:4] + (2**31 - 1).to_bytes(4, 'little') + BLOSC[8:]),
    'blosc that lies of its size': packed('blosc', BLOSC[:12] + (10**6).to_bytes(4, 'little') + BLOSC[16:]),
    'blosc of noise': packed('blosc', BLOSC[:2] + bytes([BLOSC[2] & ~2]) + BLOSC[3:16] + b'\xff' * len(BLOSC[16:])),
    'wrong CRC-32C': packed('crc32c', DATA + b'\0\0\0\0'),
    'no CRC-32C': packed('crc32c', DATA[:3]),
    # what we say
    'a chunk is gone': ours(lambda root: (root / 'a/c/0').unlink()),
    'a chunk more': ours(lambda root: write(root, 'a/c/1', DATA)),
    'a chunk of another array': ours(lambda root: write(root, 'a/c/0', (root / 'x/c/0').read_bytes())),
    'an array is gone': ours(lambda root: os.rename(root / 'a', root / 'other')),
    'the root says nothing': ours(lambda root: write(root, 'zarr.json', GROUP)),
    'an array says nothing': edit('a', lambda content: content.update(attributes={})),
    'an array where None is': ours(lambda root: write(root, 'none/zarr.json', array())),
    'another shape': edit('a', lambda content: content.update(shape=[2])),
    'another type': edit('x', lambda content: content.update(data_type='int16')),
    'a type beside': edit('x', lambda content: content['attributes']['__crossdock__'].update(dtype='bfloat16')),
    'a type of code': edit('x', lambda content: content['attributes']['__crossdock__'].update(dtype='O')),
    'a list beside': edit('x', lambda content: content['attributes'].update(__crossdock__=[1])),
    'a field more': edit('x', lambda content: content['attributes']['__crossdock__'].update(code='x')),
    'a CRC-32 of text': edit('x', lambda content: content['attributes']['__crossdock__'].update(crc32='x')),
    'root: another version': edit('', lambda content: content['attributes']['__crossdock__'].update(version=2)),
    'root: other keys': edit('', lambda content: content['attributes']['__crossdock__'].update(keys=['../a'])),
    'root: other metadata': edit('', lambda content: content['attributes']['__crossdock__'].update(metadata={})),
    'root: a list': edit('', lambda content: content['attributes'].update(__crossdock__=[])),
    'root: a field less': edit('', lambda content: content['attributes']['__crossdock__'].pop('none')),
    'group: says what the root says': ours(
        lambda root: write(root, 'g/zarr.json', {**GROUP, 'attributes': {'__crossdock__': {'version': 1}}})
    ),
}

# Those in which nothing may be wrong, and no harm is.
UNSUPPORTED = {
    *('no zarr.json', 'an array as the root', 'Zarr 2', 'Zarr 2 inside', 'version 4', 'unknown member'),
    *('unknown member that matters', 'storage transformers', 'unknown grid', 'unknown names of chunks', 'objects'),
    *('text of varying length', 'structured', 'raw bits', 'a type by code', 'pickle', 'pickle after bytes', 'json2'),
    'shards',
}
# What a target that does not ask for it never meets.
ASIDE = {
    *('a group without zarr.json', 'a link to a folder', 'a link to nothing', 'a link inside'),
    *('another type', 'a type beside', 'a type of code', 'a list beside'),
    *('a field more', 'a CRC-32 of text', 'group: says what the root says'),
}


@pytest.mark.parametrize('attack', ATTACKS)
def test_attack_is_refused_by_name(tmp_path, attack):
    root = str(tmp_path / 'hostile.zarr')
    os.mkdir(root)
    ATTACKS[attack](root)
    target = {'a': np.ones(3)}
    for attempt in (lambda: load(root), lambda: load_zarr(root, target, strict=False)):
        tracemalloc.start()
        try:
            with pytest.raises(CorruptFileError) as caught:
                attempt()
            assert tracemalloc.get_traced_memory()[1] < 64 << 20
        finally:
            tracemalloc.stop()
        assert isinstance(caught.value, UnsupportedFileError) == (attack in UNSUPPORTED)
        assert caught.value.path == root
        assert root in str(caught.value)
        assert caught.value.reason
        assert len(str(caught.value)) < 1000
        if attack in ASIDE:
            assert load_zarr(root, {'a': np.ones(3)}, strict=False)['a'].tolist() == [0, 1, 2]
            break
    assert (target['a'] == 1).all()


def test_keys_of_the_root_are_checked(tmp_path):
    """With a checksum that is right."""
    from crossdock.serializers.formats._zarr_root import write_root

    for keys, none in ((['../a'], []), (['a', 'a'], []), (['a'], ['b']), ([1], []), (['a'], [1]), ('a', [])):
        root = tmp_path / 'hostile.zarr'
        write(root, 'zarr.json', write_root(keys, none, {}))
        with pytest.raises(CorruptFileError):
            load(root)


def test_an_attribute_of_ours_with_a_damaged_name(tmp_path):
    root = tmp_path / 'm.zarr'
    save_zarr(root, {'none': None}, metadata={'epoch': 3})
    content = (root / 'zarr.json').read_bytes()
    (root / 'zarr.json').write_bytes(content.replace(b'__crossdock__', b'__crossdocl__'))
    with pytest.raises(CorruptFileError, match='__crossdocl__'):
        load(root)


def test_the_parts_are_good_where_nothing_is_wrong(tmp_path):
    """The attacks above fail for their own reason, not for a fault of how they are made."""
    good = [
        said(),
        packed('gzip', gzipped(DATA)),
        packed('zstd', ZSTD),
        packed('blosc', BLOSC),
        ours(lambda root: None),
    ]
    for i, make in enumerate(good):
        root = tmp_path / f'{i}.zarr'
        root.mkdir()
        make(root)
        assert load(root)['a'].tolist() == [0, 1, 2]


def test_not_a_store_at_all(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / 'nope.zarr')
    (tmp_path / 'file.zarr').write_bytes(b'x')
    with pytest.raises(UnsupportedFileError, match='is text, and not zarr'):
        load(tmp_path / 'file.zarr')
    (tmp_path / 'file.zarr').write_bytes(bytes(9))
    with pytest.raises(UnsupportedFileError, match='a Zarr store is a folder'):
        load(tmp_path / 'file.zarr')
    with pytest.raises(NotADirectoryError):
        save_zarr(tmp_path / 'file.zarr', {'a': 1})
    (tmp_path / 'documents').mkdir()
    (tmp_path / 'documents' / 'thesis').write_text('all of it')
    with pytest.raises(OSError, match='would be lost'):
        save_zarr(tmp_path / 'documents', {'a': 1})
    assert (tmp_path / 'documents' / 'thesis').read_text() == 'all of it'
    assert sorted(os.listdir(tmp_path)) == ['documents', 'file.zarr']
