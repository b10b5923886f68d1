"""HDF5 beside other programs: what h5py reads of ours, and what we read of h5py's."""

import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.serializers import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5

h5py = pytest.importorskip('h5py', reason='h5py is not installed')
ml_dtypes = pytest.importorskip('ml_dtypes')


def test_h5py_reads_ours(tmp_path):
    path = tmp_path / 'm.h5'
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
    save_hdf5(path, tree, metadata={'epoch': 3})
    with h5py.File(path) as f:
        assert list(f) == ['l1', 'c', 'bf', 'none', 't', 'n'], 'the order of saving'
        assert list(load_hdf5(path, flat=True)) == ['l1/W', 'l1/b', 'c', 'bf', 'none', 't', 'n']
        np.testing.assert_array_equal(f['l1/W'][...], base, strict=True)
        assert f['l1/b'].dtype == bool
        assert f['c'].dtype == complex
        assert f['bf'][...].tobytes() == bf.tobytes()
        assert f['none'].shape is None
        assert f['t'][()].decode() == 'é'
        assert f['n'][()] == 7


@pytest.mark.parametrize('compression', ['gzip', 'lzf', 4, 0])
def test_h5py_unpacks_ours(tmp_path, compression):
    path = tmp_path / 'm.h5'
    value = np.arange(600_000, dtype='i4').reshape(3, 200_000)
    save_hdf5(path, {'a': value, 's': value[0, 0]}, compression=compression)
    with h5py.File(path) as f:
        assert f['a'].compression == {4: 'gzip', 0: None}.get(compression, compression)
        np.testing.assert_array_equal(f['a'][...], value, strict=True)
    np.testing.assert_array_equal(load_hdf5(path)['a'], value, strict=True)


@pytest.mark.parametrize('version', ['earliest', 'v108', 'latest'])
def test_files_of_h5py(tmp_path, version):
    path = tmp_path / 'm.h5'
    value = np.random.default_rng(0).standard_normal((70, 50))
    with h5py.File(path, 'w', libver=version, userblock_size=512) as f:
        f['plain'] = value
        f.create_dataset('big', data=value.astype('>f4'))
        f.create_dataset('g/gzip', data=value, chunks=(32, 7), compression=9)
        f.create_dataset('g/all', data=value, chunks=(9, 50), compression='gzip', shuffle=True, fletcher32=True)
        f.create_dataset('g/lzf', data=value, chunks=(33, 33), compression='lzf', shuffle=True, fletcher32=True)
        f.create_dataset('g/sum', data=value.astype('f4')[:3, :3], chunks=(3, 3), fletcher32=True)
        f.create_dataset('holes', (100, 100), 'i2', chunks=(10, 10), fillvalue=7)[20:25, 3] = 1
        f.create_dataset('late', (3, 4), 'f8', fillvalue=2.5)
        f['twice'] = f['plain']
    with pytest.warns(UserWarning, match='big'):
        got = load_hdf5(path, flat=True)
    holes = np.full((100, 100), 7, 'i2')
    holes[20:25, 3] = 1
    want = {'plain': value, 'twice': value, 'big': value.astype('f4'), 'holes': holes, 'late': np.full((3, 4), 2.5)}
    want |= {'g/gzip': value, 'g/all': value, 'g/lzf': value, 'g/sum': value.astype('f4')[:3, :3]}
    assert got.keys() == want.keys()
    for key, array in want.items():
        np.testing.assert_array_equal(got[key], array, err_msg=key, strict=True)
    with xd.open_archive(path) as archive:
        for key, array in want.items():
            np.testing.assert_array_equal(archive[key][::-3, 1:7], array[::-3, 1:7], err_msg=key, strict=True)


def test_files_of_the_ancestor_load_into_targets(tmp_path):
    path = tmp_path / 'm.h5'
    W = np.arange(30_000, dtype='f4').reshape(300, 100)
    with h5py.File(path, 'w') as f:
        group = f.require_group('//l1')
        group.create_dataset('W', data=W, compression=4)
        group.create_dataset('b', data=h5py.Empty('f'))
        f.create_dataset('/step', data=np.asarray(7))
    target = xd.get_device('sim:0').send({'l1': {'W': np.zeros((300, 100), 'f4'), 'b': None}, 'step': 0})
    held = target['l1']['W']
    assert load_hdf5(path, target) is target
    np.testing.assert_array_equal(xd.to_numpy(held), W)
    assert target['step'] == 7
    assert target['l1']['b'] is None


@pytest.mark.parametrize('locking', [None, True, False])
def test_a_file_that_this_process_has_open(tmp_path, locking):
    path = tmp_path / 'm.h5'
    save_hdf5(path, {'a': np.arange(3.0)})
    with h5py.File(path, 'r', locking=locking) as held:
        assert load_hdf5(path)['a'].tolist() == [0, 1, 2]
        assert held['a'][1] == 1


def test_another_program_changes_ours(tmp_path):
    path = tmp_path / 'm.h5'
    save_hdf5(path, {'a': np.zeros(3), 'b': np.ones((300, 300))}, compression='gzip')
    with h5py.File(path, 'a') as f:
        f['a'][1] = 5
    with pytest.raises(ValueError, match='CRC-32'):
        load_hdf5(path)
    assert load_hdf5(path, checksum=False)['a'].tolist() == [0, 5, 0]


class Model:
    def __init__(self, value):
        self.W, self.step = np.full((2, 3), value), int(value)

    def serialize(self, s):
        self.W = s('W', self.W)
        self.step = s('step', self.step)


@pytest.mark.parametrize('driver', [{}, {'driver': 'core', 'backing_store': False}])
def test_groups_of_an_open_file(tmp_path, driver):
    with h5py.File(tmp_path / 'run.h5', 'w', **driver) as f:
        f['other'] = 1.0
        HDF5Serializer(f.create_group('model'), compression='gzip').save(Model(3.0))
        HDF5Serializer(f['model'])['extra']('text', 'é')
        with pytest.raises(ValueError, match='already'):
            HDF5Serializer(f['model'])('W', 1)
        model = Model(0.0)
        with HDF5Deserializer(f['model'], ignore='extra') as d:
            d.load(model)
        assert (model.W == 3).all()
        assert model.step == 3
        assert HDF5Deserializer(f['model'])['extra']('text', '') == 'é'
        assert f['other'][()] == 1, 'it is still open'
    with pytest.raises(TypeError, match=r'h5py\.Group'):
        HDF5Deserializer(3)
    with pytest.raises(TypeError, match=r'h5py\.Group'):
        HDF5Serializer(tmp_path / 'x.h5')


def test_a_map_is_a_place_in_the_file(tmp_path):
    path = tmp_path / 'm.h5'
    save_hdf5(path, {'a': np.arange(1000.0), 'text': 'é'})
    with xd.open_archive(path, mmap=True) as archive:
        view = archive['a'][...]
        assert not view.flags.owndata
        assert view.ctypes.data % 64 == 0
    save_hdf5(path, {'a': np.zeros(1)})
    assert view.sum() == 499500, 'the old file, still'


def test_what_it_cannot_hold(tmp_path):
    with pytest.raises(ValueError, match='32 axes'):
        save_hdf5(tmp_path / 'm.h5', {'a': np.zeros([1] * 40)})
    with pytest.raises(ValueError, match='between 0 and 9'):
        save_hdf5(tmp_path / 'm.h5', {'a': 1}, compression=11)
    with pytest.raises(ValueError, match='no compression'):
        save_hdf5(tmp_path / 'm.h5', {'a': 1}, compression='zstd')
    with pytest.raises(ValueError, match='without compression'):
        save_hdf5(tmp_path / 'm.h5', {'a': np.zeros(40_000_000)}, compression='gzip')
    assert list(tmp_path.iterdir()) == []


def test_without_h5py(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'h5py', None)
    with pytest.raises(ImportError, match=r"pip install 'crossdock\[hdf5\]'"):
        save_hdf5(tmp_path / 'm.h5', {'a': 1})
    assert list(tmp_path.iterdir()) == []
