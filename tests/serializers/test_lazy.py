"""`open_archive`: nothing is read before it is asked for."""

import os

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError
from crossdock.serializers import LazyArchive, LazyArray, open_archive


@pytest.fixture
def path(file):
    tree = {'enc': {'W': np.arange(12.0).reshape(3, 4), 'b': np.ones(3, 'float16'), 'n': None}, 'step': 7, 'name': 'x'}
    return file(tree, metadata={'epoch': 3})


def test_keys_shapes_and_types(path):
    with open_archive(path) as archive:
        assert isinstance(archive, LazyArchive)
        assert sorted(archive) == ['enc/W', 'enc/b', 'enc/n', 'name', 'step']
        assert len(archive) == 5
        w = archive['enc/W']
        assert isinstance(w, LazyArray)
        assert (w.key, w.shape, w.dtype, w.nbytes, w.size, w.ndim, len(w)) == ('enc/W', (3, 4), 'f8', 96, 12, 2, 3)
        assert archive['enc/n'] is None
        assert archive['step'].shape == ()
        assert archive.metadata == {'epoch': 3}
        assert 'enc/W' in repr(w) and 'float64' in repr(w) and '(3, 4)' in repr(w)
        assert str(path) in repr(archive) and '5' in repr(archive)
        with pytest.raises(TypeError, match='without axes'):
            len(archive['step'])


def test_groups(path):
    with open_archive(path) as archive:
        group = archive['enc']
        assert (sorted(group), len(group), group.prefix) == (['W', 'b', 'n'], 3, 'enc')
        assert group['W'].key == 'enc/W'
        assert group['/W/'].shape == (3, 4)
        assert 'enc' in archive and 'W' in group and 'enc/W' in archive
        for bad in ('en', 'W', 'enc/W/x', '..', '', 'enc//W', 3):
            assert bad not in archive
            with pytest.raises(KeyError):
                archive[bad]


def test_slices_and_the_whole(path):
    want = np.arange(12.0).reshape(3, 4)
    for mmap in (False, True):
        with open_archive(path, mmap=mmap) as archive:
            w = archive['enc/W']
            for index in (0, np.s_[::2, -1], ..., np.s_[:, ::-1], (1, 2)):
                np.testing.assert_array_equal(w[index], np.array(want[index]), strict=True)
            np.testing.assert_array_equal(np.asarray(w), want, strict=True)
            np.testing.assert_array_equal(np.asarray(w, 'float32'), want.astype('float32'), strict=True)
            np.testing.assert_array_equal(np.stack(list(w)), want, strict=True)
            assert float((w.read() + w).sum()) == 132
            assert archive['step'][()] == 7
            assert archive['name'][()] == 'x'


@pytest.mark.parametrize('spec', ['@numpy', 'native:1', 'sim:0', None])
def test_straight_to_a_device(file, spec):
    big = np.arange(3_000_000.0).reshape(1500, 2000)
    values = {'C': big, 'F': np.asfortranarray(big), 'small': np.arange(3), 'text': 'x', 'none': None}
    with open_archive(file(values)) as archive:
        for key in ('C', 'F', 'small'):
            there = archive[key].to(spec)
            assert str(xd.get_device_from_array(there)) == (spec or '@numpy')
            np.testing.assert_array_equal(xd.to_numpy(there), values[key], strict=True)
        assert archive['text'].to(spec).item() == 'x'


def test_large_arrays_go_to_a_device_in_pieces(file):
    path = file({'a': np.arange(5_000_000, dtype='float32')})
    with xd.trace_transfers() as log:
        got = xd.load(path, device='sim:0')['a']
    assert max(row.nbytes for row in log) <= 8 * 2**20
    assert sum(row.nbytes for row in log) == 20_000_000
    np.testing.assert_array_equal(xd.to_numpy(got), np.arange(5_000_000, dtype='float32'))


def test_a_device_that_lacks_the_type(file):
    path = file({'wide': np.ones(2_000_000, np.longdouble)})
    with open_archive(path) as archive, pytest.raises(xd.errors.DtypeError):
        archive['wide'].to('sim:0')


def test_damage_is_found_on_the_way_to_a_device(file):
    path = file({'a': np.arange(3_000_000.0)})
    data = bytearray(path.read_bytes())
    data[-5_000_000] ^= 1
    path.write_bytes(data)
    with open_archive(path) as archive:
        for spec in (None, 'sim:0'):
            with pytest.raises(CorruptFileError, match="'a'"):
                archive['a'].to(spec)


def test_the_old_file_is_read_on_when_another_takes_its_place(path):
    with open_archive(path) as archive:
        xd.save(path, {'other': np.zeros(2)})
        assert archive['enc/W'][2].tolist() == [8, 9, 10, 11]
        assert archive['enc/b'].read().tolist() == [1, 1, 1]
    with open_archive(path) as archive:
        assert list(archive) == ['other']


# JAX warns of every fork, where another test has imported it; the child does not use it.
@pytest.mark.filterwarnings('ignore:os.fork:RuntimeWarning')
def test_a_forked_child_reads_as_well(path):
    with open_archive(path) as archive:
        child = os.fork()
        if not child:
            os._exit(0 if archive['enc/W'].read().sum() == 66 else 1)
        for _ in range(50):
            assert archive['enc/W'].read().sum() == 66
        assert os.waitpid(child, 0)[1] == 0


def test_copy_false_says_what_it_needs(path):
    with open_archive(path) as archive, pytest.raises(ValueError, match='copy'):
        np.asarray(archive['enc/W'], copy=False)
    with open_archive(path) as archive, pytest.raises(ValueError, match='unknown'):
        open_archive(path, format='unknown').close()


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_archive(tmp_path / 'no.npz')
    (tmp_path / 'x.npz').write_bytes(b'PK\3\4no archive')
    with pytest.raises(CorruptFileError):
        open_archive(tmp_path / 'x.npz')
