"""Arrays on devices: each is brought to the host by itself, and what is loaded goes where its target lives."""

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.serializers import _leaf

from ..accelerator import FIRST, SECOND

SPECS = ['@numpy', 'native:0', 'native:1', FIRST, SECOND]


def device_of(x):
    return str(xd.get_device_from_array(x))


def sample(rng):
    base = rng.standard_normal((6, 8))
    return {
        'W': base.astype('float32'),
        'turned': base.T,
        'reversed': base[::-1, ::-2],
        'one': np.array(3.5),
        'none': np.zeros((0, 4), 'int64'),
        'b': base > 0,
        'bf': base.astype(ml_dtypes.bfloat16),
        'u': np.arange(5, dtype='uint64'),
    }


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize('target', SPECS)
@pytest.mark.parametrize('source', SPECS)
def test_saved_anywhere_loaded_anywhere(tmp_path, rng, source, target):
    tree = sample(rng)
    there = xd.get_device(source).send({'deep': [tree], 'step': 3})['deep'][0]
    xd.save_npz(tmp_path / 'x.npz', there)
    assert {device_of(x) for x in there.values()} == {source}

    new = xd.load_npz(tmp_path / 'x.npz', device=target)
    slots = xd.get_device(target).send({key: np.zeros_like(value) for key, value in tree.items()}, copy=True)
    before = dict(slots)
    xd.load_npz(tmp_path / 'x.npz', slots)
    for got in (new, slots):
        assert {device_of(x) for x in got.values()} == {target}
        for key, value in xd.to_numpy(got).items():
            assert value.dtype == tree[key].dtype
            np.testing.assert_array_equal(value, tree[key], err_msg=key)
    assert all(slots[key] is before[key] for key in slots)


def test_a_read_only_array_is_replaced_by_one_of_its_kind(tmp_path):
    locked = np.zeros(3, 'float32')
    locked.flags.writeable = False
    target = {'a': xd.get_device('native:0').send(locked), 'n': None, 's': 'text'}
    xd.save(tmp_path / 'x.npz', {'a': np.arange(3.0), 'n': np.ones(2), 's': 'new'})
    xd.load(tmp_path / 'x.npz', target, device=SECOND)
    assert not locked.any()
    assert (device_of(target['a']), str(target['a'].dtype)) == ('native:0', 'float32')
    assert xd.to_numpy(target['a']).tolist() == [0, 1, 2]
    assert device_of(target['n']) == SECOND
    assert target['s'] == 'new'


def test_text_stays_on_the_host(tmp_path):
    xd.save(tmp_path / 'x.npz', {'s': 'text', 'n': None, 'x': 1.5})
    got = xd.load(tmp_path / 'x.npz', device=FIRST)
    assert got['s'].item() == 'text'
    assert got['n'] is None
    assert device_of(got['x']) == FIRST


def test_what_a_device_cannot_hold_is_named(tmp_path):
    xd.save(tmp_path / 'x.npz', {'a': np.ones(1), 'wide': np.ones(2, np.longdouble)})
    with pytest.raises(TypeError, match='wide'):
        xd.load(tmp_path / 'x.npz', device=FIRST)
    assert xd.load(tmp_path / 'x.npz')['wide'].dtype == np.longdouble


def test_strict_names_both_sides_of_a_device_array(tmp_path):
    target = xd.get_device(FIRST).send({'a': np.zeros((3, 4), 'float32'), 'b': np.zeros(2, 'int8')}, copy=True)
    xd.save(tmp_path / 'x.npz', {'a': np.ones((3, 1)), 'b': np.array([1000, 1])})
    with pytest.raises(xd.errors.StrictLoadError) as caught:
        xd.load(tmp_path / 'x.npz', target)
    assert caught.value.mismatched == (('a', 'float64 (3, 1)', 'float32 (3, 4)'),)
    with pytest.raises(xd.errors.StrictLoadError, match='int8'):
        xd.load(tmp_path / 'x.npz', target, ignore='a')
    assert not xd.to_numpy(target['b']).any()


@pytest.mark.parametrize('shape', [(1000,), (3, 400), (1, 1, 900), (2, 3, 5, 40), (7, 1, 150)])
def test_large_arrays_come_piece_by_piece(tmp_path, monkeypatch, rng, shape):
    monkeypatch.setattr(_leaf, 'CHUNK_NBYTES', 1024)
    host = rng.standard_normal(shape)
    there = xd.get_device(FIRST).send({'a': host})
    with xd.trace_transfers() as log:
        xd.save(tmp_path / 'x.npz', there)
    assert xd.load(tmp_path / 'x.npz')['a'].tobytes() == host.tobytes()
    pulled = [row.nbytes for row in log if row.source == FIRST]
    assert sum(pulled) == host.nbytes
    assert max(pulled) <= 1024


def test_each_array_is_pulled_once_and_by_itself(tmp_path):
    there = xd.get_device(FIRST).send({'a': np.zeros(10), 'b': [np.zeros(20)]})
    with xd.trace_transfers() as log:
        xd.save(tmp_path / 'x.npz', there)
    assert [(row.source, row.target, row.nbytes) for row in log] == [
        (FIRST, '@numpy', 80),
        (FIRST, '@numpy', 160),
    ]
    with xd.trace_transfers() as log:
        xd.save(tmp_path / 'x.npz', xd.get_device('native:0').send({'a': np.zeros(10)}))
    assert not [row for row in log if row.nbytes]


def test_the_visitor_protocol_on_devices(tmp_path):
    class Model:
        def __init__(self, spec, value):
            self.w = xd.get_device(spec).send(np.full(3, value), copy=True)
            self.late = None

        def serialize(self, s):
            self.w = s['inner']('w', self.w)
            self.late = s('late', self.late)

    xd.save_npz(tmp_path / 'v.npz', Model(FIRST, 2.0))
    model = Model('native:0', 0.0)
    w = model.w
    xd.load_npz(tmp_path / 'v.npz', model)
    assert model.w is w
    assert xd.to_numpy(w).tolist() == [2, 2, 2]
    assert model.late is None


def test_a_scalar_that_a_device_cannot_hold_stays_on_the_host(tmp_path):
    xd.save(tmp_path / 'x.npz', {'wide': np.longdouble(1.5), 'a': np.ones(2)})
    got = xd.load(tmp_path / 'x.npz', device=FIRST)
    assert isinstance(got['wide'], np.ndarray)
    assert (got['wide'].dtype, float(got['wide'])) == (np.dtype(np.longdouble), 1.5)
    assert device_of(got['a']) == FIRST
    got = xd.load(tmp_path / 'x.npz', {'wide': None, 'a': None}, device=FIRST)
    assert isinstance(got['wide'], np.ndarray)


def test_what_jax_and_python_have_saved_loads_onto_jax(tmp_path):
    jax = pytest.importorskip('jax', reason='JAX is not installed')
    if jax.config.jax_enable_x64:
        pytest.skip('JAX has 64 bits here')
    path = tmp_path / 'x.npz'
    xd.save(path, {'W': jax.numpy.ones(2), 'count': jax.numpy.int32(7), 'epoch': 3, 'rate': 0.5, 'done': True})
    got = xd.load(path, device='@jax:0')
    assert [isinstance(got[key], jax.Array) for key in ('W', 'count', 'done')] == [True] * 3
    assert [type(got[key]) for key in ('epoch', 'rate')] == [np.ndarray] * 2
    assert (int(got['epoch']), got['epoch'].dtype, float(got['rate'])) == (3, np.int64, 0.5)
    xd.save(path, {'W': jax.numpy.ones(2), 'sums': np.ones(2)})
    with pytest.raises(TypeError, match=r"x\.npz: 'sums': .*float64.* without device=.* by ignore='sums'") as caught:
        xd.load(path, device='@jax:0')
    assert caught.value.path == 'sums'
    assert xd.load(path, device='@jax:0', ignore='sums').keys() == {'W'}
