"""What users of other libraries have reported, and the right behaviour here."""

import os

import numpy as np
import pytest

import crossdock as xd

from ..accelerator import FIRST, SECOND


def test_a_view_saves_its_own_bytes_only(tmp_path):
    """pytorch/pytorch#1995: a slice was saved with the whole storage behind it."""
    big = np.zeros(10**6)
    for spec in ('@numpy', 'native:0', FIRST):
        xd.save(tmp_path / 'x.npz', {'a': xd.get_device(spec).send(big)[:3]})
        assert os.path.getsize(tmp_path / 'x.npz') < 1000


@pytest.mark.parametrize('view', [np.s_[:, ::2], np.s_[::-1], np.s_[:, 1], np.s_[2:2]])
def test_views_keep_their_values(tmp_path, view):
    """safetensors/safetensors#825: arrays that were not C-contiguous were saved with wrong values."""
    base = np.arange(24.0).reshape(4, 6)
    for array in (base[view], base.T[view], np.asfortranarray(base)[view]):
        for spec in ('@numpy', 'native:0', FIRST):
            xd.save(tmp_path / 'x.npz', {'a': xd.get_device(spec).send(array)})
            np.testing.assert_array_equal(xd.load(tmp_path / 'x.npz')['a'], array)


def test_the_other_byte_order_keeps_its_values(tmp_path):
    """safetensors/safetensors#193: the byte order was lost on loading."""
    np.savez(tmp_path / 'x.npz', a=np.array([1.5, -2.0, 3e10], '>f4'))
    with pytest.warns(UserWarning, match='byte order'):
        got = xd.load(tmp_path / 'x.npz')['a']
    assert got.dtype.isnative
    np.testing.assert_array_equal(got, np.array([1.5, -2.0, 3e10], 'f4'))
    with pytest.warns(UserWarning, match='byte order'):
        xd.save(tmp_path / 'y.npz', {'a': np.array([1.5, -2.0], '>f4')})
    assert xd.load(tmp_path / 'y.npz')['a'].tolist() == [1.5, -2.0]


def test_a_file_never_names_a_device(tmp_path):
    """pytorch/pytorch#16797, ray-project/ray#50134: a file saved on a GPU did not load on a machine without one."""
    for spec in ('native:1', SECOND):
        tree = {'a': xd.get_device(spec).send(np.arange(5)), 'n': None}
        xd.save(tmp_path / 'there.npz', tree)
        xd.save(tmp_path / 'here.npz', xd.to_numpy(tree))
        assert (tmp_path / 'there.npz').read_bytes() == (tmp_path / 'here.npz').read_bytes()


def test_however_an_array_was_made(tmp_path):
    """chainer/chainer#7974: an array could be pickled only when it had been made in a certain way."""
    core = xd.core
    made = [
        core.asarray([1.0, 2.0]),
        core.zeros(2),
        core.full(2, 3.0, device=FIRST),
        core.arange(4.0)[::2],
        core.asarray(np.arange(2.0)),
        core.from_dlpack(np.arange(2.0)),
        xd.get_device(SECOND).send(np.ones((2, 1)))[:, 0],
    ]
    xd.save(tmp_path / 'x.npz', made)
    got = xd.load(tmp_path / 'x.npz')
    for i, array in enumerate(made):
        np.testing.assert_array_equal(got[str(i)], xd.to_numpy(array))
