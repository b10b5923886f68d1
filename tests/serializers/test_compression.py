"""Compressed members: deflate that everybody reads, zstd that is ours."""

import sys
import zipfile

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError
from crossdock.serializers import load, open_archive, save_npz
from crossdock.serializers.archive import _squeeze


@pytest.fixture
def tree():
    rng = np.random.default_rng(5)
    return {
        'large': rng.integers(0, 9, (1500, 2000), dtype='int16'),
        'turned': rng.integers(0, 9, (700, 1000), dtype='int32').T,
        'noise': rng.standard_normal(300_000),
        'small': np.arange(5),
        'empty': np.zeros((0, 3)),
        'text': 'x',
        'none': None,
    }


@pytest.mark.parametrize('compression', ['deflate', 'zstd'])
@pytest.mark.parametrize('cores', [1, 4])
def test_round_trip(tmp_path, tree, compression, cores, monkeypatch):
    monkeypatch.setattr(_squeeze, '_cores', lambda: cores)
    path = tmp_path / 'x.npz'
    save_npz(path, tree, compression=compression)
    plain = sum(np.asarray(value).nbytes for value in tree.values() if value is not None)
    assert path.stat().st_size < 0.7 * plain
    target = {key: np.zeros_like(value) for key, value in tree.items() if isinstance(value, np.ndarray)}
    load(path, target, ignore=['text', 'none'])
    for got in (load(path), target):
        for key in target:
            np.testing.assert_array_equal(got[key], tree[key], strict=True)
    with open_archive(path) as archive:
        assert archive['large'][3, ::7].tolist() == tree['large'][3, ::7].tolist()
        with pytest.raises(ValueError, match="'large' cannot be mapped: it is compressed"):
            archive['large'].map()
        np.testing.assert_array_equal(xd.to_numpy(archive['large'].to('sim:0')), tree['large'], strict=True)


def test_numpy_reads_deflate(tmp_path, tree):
    save_npz(tmp_path / 'x.npz', tree, compression='deflate')
    with np.load(tmp_path / 'x.npz') as plain:
        for key in ('large', 'turned', 'noise', 'small', 'empty'):
            np.testing.assert_array_equal(plain[key], tree[key], strict=True)
    with zipfile.ZipFile(tmp_path / 'x.npz') as z:
        assert z.testzip() is None
        assert {i.compress_type for i in z.infolist()} == {zipfile.ZIP_DEFLATED}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python's zipfile reads zstd from 3.14 on")
def test_python_reads_zstd(tmp_path, tree):
    save_npz(tmp_path / 'x.npz', tree, compression='zstd')
    with np.load(tmp_path / 'x.npz') as plain:
        np.testing.assert_array_equal(plain['large'], tree['large'], strict=True)


@pytest.mark.parametrize('compression', ['deflate', 'zstd'])
def test_from_a_device(tmp_path, compression):
    there = xd.get_device('sim:0').send(np.arange(3_000_000, dtype='int32'))
    save_npz(tmp_path / 'x.npz', {'a': there}, compression=compression)
    np.testing.assert_array_equal(load(tmp_path / 'x.npz')['a'], np.arange(3_000_000, dtype='int32'))


def test_what_to_install_is_said(tmp_path, monkeypatch):
    path = tmp_path / 'x.npz'
    save_npz(path, {'a': np.zeros(3)}, compression='zstd')
    monkeypatch.setitem(sys.modules, 'compression.zstd', None)
    monkeypatch.setitem(sys.modules, 'backports.zstd', None)
    old = path.read_bytes()
    for attempt in (lambda: load(path), lambda: save_npz(path, {'a': 1}, compression='zstd')):
        with pytest.raises(ImportError, match=r'crossdock\[zstd\]'):
            attempt()
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ['x.npz']


@pytest.mark.parametrize('compression', ['deflate', 'zstd'])
def test_every_flip_is_found(tmp_path, compression):
    path = tmp_path / 'x.npz'
    want = np.arange(300) % 7
    save_npz(path, {'a': want}, compression=compression)
    good = path.read_bytes()
    for i in range(len(good)):
        broken = bytearray(good)
        broken[i] ^= 1 << i % 8
        path.write_bytes(broken)
        try:
            got = load(path)
        except CorruptFileError:
            continue
        assert {key: value.tolist() for key, value in got.items()} == {'a': want.tolist()}, i
