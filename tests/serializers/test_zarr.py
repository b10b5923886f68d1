"""Zarr beside the package of that name: what it reads of ours, and what we read of its."""

import subprocess
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.serializers import load_zarr, save_zarr

zarr = pytest.importorskip('zarr', reason='zarr is not installed')
ml_dtypes = pytest.importorskip('ml_dtypes')

# zarr says so of text and times, which its specification does not have.
pytestmark = pytest.mark.filterwarnings('ignore::Warning:zarr', 'ignore:.*Zarr V3 specification.*')


@pytest.mark.parametrize('compression', [None, 'zstd', 'blosc', 'gzip'])
def test_zarr_reads_ours(tmp_path, compression):
    path = tmp_path / 'm.zarr'
    base = np.arange(12.0).reshape(3, 4)
    bf = base.astype(ml_dtypes.bfloat16)
    tree = {
        'l1': {'W': np.asfortranarray(base), 'b': base[0] > 1},
        'c': base * 1j,
        'bf': bf,
        'none': None,
        't': 'é',
        'n': 7,
    }
    tree |= {'s': b'ab', 'time': np.arange(3).astype('M8[10ns]'), 'empty': np.zeros((0, 3))}
    tree['large'] = np.arange(3_000_000, dtype='i4').reshape(3, 1000, 1000)
    save_zarr(path, tree, compression=compression, metadata={'epoch': 3})
    group = zarr.open_group(path, mode='r')
    assert sorted(group) == sorted(set(tree) - {'none'})
    for key in ('c', 'n', 't', 's', 'time', 'empty', 'large'):
        got = np.asarray(group[key][...])
        want = np.asarray(tree[key])
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes()), key
    np.testing.assert_array_equal(group['l1/W'][...], base, strict=True)
    assert group['bf'][...].tobytes() == bf.tobytes()
    got = load_zarr(path)
    assert list(got) == list(tree), 'the order of saving'
    np.testing.assert_array_equal(got['large'], tree['large'], strict=True)


def test_stores_of_zarr(tmp_path):
    path = tmp_path / 'm.zarr'
    value = np.random.default_rng(0).standard_normal((70, 50))
    group = zarr.open_group(path, mode='w', attributes={'of': 'somebody'})
    codecs = zarr.codecs
    blosc = codecs.BloscCodec(cname='zstd', clevel=3, shuffle='bitshuffle')
    group.create_array('zstd', data=value)
    group.create_array('g/blosc', data=value, chunks=(32, 7), compressors=blosc)
    group.create_array('g/gzip', data=value, chunks=(70, 3), compressors=[codecs.GzipCodec(), codecs.Crc32cCodec()])
    group.create_array('g/plain', data=value, chunks=(7, 50), compressors=None)
    group.create_array('g/odd', data=value, chunks=(33, 33), compressors=None)
    group.create_array('g/turned', data=value, chunks=(30, 20), filters=codecs.TransposeCodec(order=(1, 0)))
    group.create_array('g/dots', data=value, chunks=(30, 50), chunk_key_encoding={'name': 'v2', 'separator': '.'})
    group.create_array('big', data=value.astype('>f4'), serializer=codecs.BytesCodec(endian='big'))
    group.create_array('holes', shape=(100, 100), dtype='i2', chunks=(10, 10), fill_value=7)[20:25, 3] = 1
    group.create_array('flat holes', shape=(100, 10), dtype='f8', chunks=(10, 10), fill_value=np.nan, compressors=None)[
        45
    ] = 1
    group.create_array('scalar', data=np.array(2.5))
    group.create_array('text', data=np.array(['é', 'ab']))
    holes, flat = np.full((100, 100), 7, 'i2'), np.full((100, 10), np.nan)
    holes[20:25, 3] = 1
    flat[45] = 1
    want = {'zstd': value, 'big': value.astype('f4'), 'holes': holes, 'flat holes': flat, 'scalar': np.array(2.5)}
    want |= {'text': np.array(['é', 'ab'])} | {
        f'g/{k}': value for k in ('blosc', 'gzip', 'plain', 'odd', 'turned', 'dots')
    }
    with pytest.warns(UserWarning, match='big'):
        got = load_zarr(path, flat=True)
    assert got.keys() == want.keys()
    with xd.open_archive(path) as archive:
        for key, array in want.items():
            np.testing.assert_array_equal(got[key], array, err_msg=key, strict=True)
            index = (slice(None, None, -3), slice(1, 7))[: array.ndim]
            np.testing.assert_array_equal(archive[key][index], array[index], err_msg=key, strict=True)


def test_zarr_may_change_data_and_add_to_ours(tmp_path):
    path = tmp_path / 'm.zarr'
    save_zarr(path, {'a': np.zeros((3, 4)), 'b': None})
    group = zarr.open_group(path, mode='a')
    group['a'][1] = 5
    group['a'].attrs['note'] = 'mine'
    group.create_array('more/x', data=np.ones(2))
    got = load_zarr(path, flat=True)
    assert list(got) == ['a', 'b', 'more/x']
    assert got['a'].sum() == 20


def test_a_map_is_a_place_in_the_file(tmp_path):
    path = tmp_path / 'm.zarr'
    save_zarr(path, {'a': np.arange(1000.0)})
    with xd.open_archive(path, mmap=True) as archive:
        view = archive['a'][...]
        assert not view.flags.owndata
    save_zarr(path, {'a': np.zeros(1)})
    assert view.sum() == 499500, 'the old store, still'


def test_what_it_cannot_hold(tmp_path):
    with pytest.raises(TypeError, match=r"'a'.*float128"):
        save_zarr(tmp_path / 'm.zarr', {'a': np.zeros(2, 'longdouble')})
    with pytest.raises(ValueError, match=r"'zarr\.json'"):
        save_zarr(tmp_path / 'm.zarr', {'g': {'zarr.json': 1}})
    with pytest.raises(ValueError, match='without compression'):
        save_zarr(tmp_path / 'm.zarr', {'a': np.zeros(40_000_000)}, compression='zstd')
    assert list(tmp_path.iterdir()) == []


def test_a_slash_at_the_end(tmp_path):
    xd.save(f'{tmp_path}/m.zarr/', {'a': np.ones(2)})
    xd.save(f'{tmp_path}/m.zarr/', {'a': np.ones(3)})
    assert xd.load(f'{tmp_path}/m.zarr/')['a'].shape == (3,)
    assert [p.name for p in tmp_path.iterdir()] == ['m.zarr']


def test_importing_is_light():
    code = 'import sys, crossdock as xd; xd.save; print([m for m in ("zarr", "h5py", "numcodecs") if m in sys.modules])'
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert out.stdout == '[]\n'


def test_without_the_libraries(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'google_crc32c', None)
    with pytest.raises(ImportError, match=r"pip install 'crossdock\[zarr\]'"):
        save_zarr(tmp_path / 'm.zarr', {'a': 1})
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_zarr_has_migrated(tmp_path):
    """Metadata of version 2 stays beside that of version 3."""
    zarr = pytest.importorskip('zarr', reason='zarr is not installed')
    migrate = pytest.importorskip('zarr.metadata.migrate_v3', reason='a zarr without migrate')
    path = tmp_path / 'x.zarr'
    group = zarr.open_group(str(path), mode='w', zarr_format=2)
    group.create_array('a/W', data=np.arange(12.0).reshape(3, 4), chunks=(2, 2))
    group.create_array('plain', data=np.arange(3), compressors=None)
    migrate.migrate_v2_to_v3(input_store=group.store)
    assert {'.zgroup', 'zarr.json'} <= {entry.name for entry in path.iterdir()}
    assert {'.zarray', 'zarr.json'} <= {entry.name for entry in (path / 'a/W').iterdir()}
    loaded = xd.load(path)
    np.testing.assert_array_equal(loaded['a']['W'], np.arange(12.0).reshape(3, 4))
    assert loaded['plain'].tolist() == [0, 1, 2]
