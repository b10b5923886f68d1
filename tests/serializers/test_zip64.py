"""Archives beyond 4 GB or 65,535 members have other records; here they are made small."""

import numpy as np
import pytest

from crossdock.errors import CorruptFileError
from crossdock.serializers import load, save_npz
from crossdock.serializers.archive import _zip_writer


@pytest.fixture(params=['sizes', 'count', 'everything'])
def limits(request, monkeypatch):
    if request.param != 'count':
        monkeypatch.setattr(_zip_writer, '_ZIP64_FROM', 100)
    if request.param != 'sizes':
        monkeypatch.setattr(_zip_writer, '_MANY', 1)


def test_round_trip(tmp_path, limits):
    path = tmp_path / 'x.npz'
    tree = {'a': np.arange(1000.0), 'b': np.ones(3), 'c': np.zeros(50, 'u1')}
    save_npz(path, tree)
    assert b'PK\x06\x06' in path.read_bytes()
    for got in (load(path), dict(np.load(path))):
        for key, value in tree.items():
            np.testing.assert_array_equal(got[key], value, strict=True)


def test_every_flip_in_the_records(tmp_path, limits):
    path = tmp_path / 'x.npz'
    save_npz(path, {'a': np.ones(3), 'b': np.ones(50, 'u1')})
    good = path.read_bytes()
    for i in range(good.index(b'PK\x01\x02'), len(good)):
        broken = bytearray(good)
        broken[i] ^= 1 << i % 8
        path.write_bytes(broken)
        try:
            got = load(path)
        except CorruptFileError:
            continue
        assert got['a'].tolist() == [1, 1, 1]
        assert got['b'].all()
        assert len(got) == 2
