"""Loading without a target: nested dicts, flat ones, prefixes, files of other writers."""

from types import MappingProxyType

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError, UnknownArrayError, UnsupportedFileError
from crossdock.serializers import load, load_npz, save_npz


def test_nested_dicts_as_saved(file):
    tree = load(file({'a': {'b': np.arange(3), 'l': [1, (2.5, None)]}, 'x/y': 'text'}))
    assert list(tree) == ['a', 'x']
    assert tree['a']['b'].tolist() == [0, 1, 2]
    assert tree['a']['l']['0'] == 1
    assert tree['a']['l']['1']['0'].dtype == float
    assert tree['a']['l']['1']['1'] is None
    assert tree['x']['y'].item() == 'text'


def test_lists_are_in_order_with_none_among_them(file):
    tree = load(file({'l': [None, *range(10), None], 'd': {'b': None, 'a': 1}, 'gap': {'0': 1, '10': 2, '2': 3}}))
    assert list(tree['l']) == [str(i) for i in range(12)]
    assert tree['l']['0'] is tree['l']['11'] is None
    assert list(tree['d']) == ['a', 'b']
    assert list(tree['gap']) == ['0', '10', '2']


def test_lists_are_in_order_whatever_the_order_of_the_file(tmp_path):
    np.savez(tmp_path / 'x.npz', **{name: np.zeros(1) for name in ('l/10/b', *(f'l/{i}/b' for i in range(9, -1, -1)))})
    assert list(load(tmp_path / 'x.npz')['l']) == [str(i) for i in range(11)]
    assert list(load(tmp_path / 'x.npz', prefix='l')) == [str(i) for i in range(11)]


def test_flat(file):
    assert list(load(file({'a': {'b': 1}, 'c': 2}), flat=True)) == ['a/b', 'c']


def test_arrays_are_the_callers_own(file):
    path = file({'a': np.zeros(3), 'F': np.asfortranarray(np.zeros((2, 3)))})
    for value in load(path).values():
        value[...] = 1
    assert not any(value.any() for value in load(path).values())


def test_prefix(file):
    path = file({'model': {'l1': {'W': np.ones(2)}, 'b': 1}, 'models': 3})
    assert set(load(path, prefix='model')) == {'l1', 'b'}
    assert set(load(path, prefix='/model/l1/')) == {'W'}
    assert set(load(path, prefix='model', flat=True)) == {'l1/W', 'b'}
    target = {'l1': {'W': np.zeros(2)}, 'b': 0}
    load(path, target, prefix='model')
    assert target['b'] == 1
    assert target['l1']['W'].all()
    with pytest.raises(StrictLoadError) as caught:
        load(path, prefix='nope')
    assert caught.value.missing == ('nope',)
    assert load(path, prefix='nope', strict=False) == {}
    with pytest.raises(ValueError):
        load(path, prefix='a//b')


def test_ignore_without_a_target(file):
    assert set(load(file({'a': {'b': 1, 'c': 2}, 'd': 3}), ignore='a/b', flat=True)) == {'a/c', 'd'}


def test_files_of_numpy(tmp_path):
    path = tmp_path / 'plain.npz'
    arrays = {
        'a': np.arange(6).reshape(2, 3).T,
        'b/c': np.array('x'),
        'd': np.zeros((0, 2)),
        't': np.array('2020', 'M8[D]'),
    }
    for write in (np.savez, np.savez_compressed):
        write(path, **arrays)
        got = load(path, flat=True)
        assert list(got) == list(arrays)
        for key, value in arrays.items():
            np.testing.assert_array_equal(got[key], value, strict=True)


def test_big_endian_files(tmp_path):
    np.savez(
        tmp_path / 'x.npz', a=np.array([1.5, -2], '>f4'), F=np.asfortranarray(np.arange(6, dtype='>i8').reshape(2, 3))
    )
    with pytest.warns(UserWarning, match="'a', 'F'"):
        got = load(tmp_path / 'x.npz')
    assert got['a'].dtype == np.dtype('<f4')
    assert got['a'].tolist() == [1.5, -2]
    assert got['F'].tolist() == [[0, 1, 2], [3, 4, 5]]
    target = {'a': np.zeros(2, 'f4'), 'F': np.zeros((2, 3), 'i8')}
    with pytest.warns(UserWarning, match='byte order'):
        load(tmp_path / 'x.npz', target)
    assert target['a'].tolist() == [1.5, -2]


def test_the_warning_points_at_the_caller(tmp_path):
    path = tmp_path / 'x.npz'
    np.savez(path, a=np.ones(1, '>f4'))
    calls = [
        lambda: save_npz(tmp_path / 'y.npz', {'a': np.ones(1, '>f4')}),
        lambda: load(path),
        lambda: load(path, {'a': np.ones(1)}),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match='byte order') as caught:
            call()
        assert [w.filename for w in caught] == [__file__]


def test_none_of_older_files(tmp_path):
    path = tmp_path / 'x.npz'
    np.savez(path, a=np.array(None, dtype=object), b=np.ones(1))
    assert load(path)['a'] is None
    target = {'a': None, 'b': np.zeros(1)}
    load(path, target)
    assert target == {'a': None, 'b': [1]}


def test_a_leaf_that_is_a_group_needs_flat(tmp_path):
    path = tmp_path / 'x.npz'
    np.savez(path, **{'a': np.ones(1), 'a/b': np.ones(2)})
    with pytest.raises(CorruptFileError, match='flat=True'):
        load(path)
    assert set(load(path, flat=True)) == {'a', 'a/b'}


def test_mapped_arrays_are_views_of_the_file(file):
    path = file({'a': np.arange(1000.0), 'F': np.asfortranarray(np.ones((2, 3))), 'b': True, 'n': None})
    got = load(path, mmap=True)
    assert not got['a'].flags.writeable
    assert got['a'].flags.aligned
    assert got['F'].flags.f_contiguous
    assert (got['b'].item(), got['n']) == (True, None)
    path.write_bytes(path.read_bytes().replace(np.float64(500).tobytes(), np.float64(-1).tobytes()))
    assert got['a'][500] in (500, -1)  # the same file, or the one that took its place
    np.testing.assert_array_equal(load(path, mmap=True)['a'][:500], np.arange(500.0))
    assert load(path, mmap=True)['a'][500] == -1  # damage is not looked for


def test_any_suffix_by_name(tmp_path):
    save_npz(tmp_path / 'x.weights', {'a': 1})
    assert load_npz(tmp_path / 'x.weights')['a'] == 1
    with pytest.raises(UnsupportedFileError, match="load_npz or format='npz' reads it, or name it"):
        load(tmp_path / 'x.weights')
    (tmp_path / 'x.weights').write_bytes(bytes(9))
    with pytest.raises(ValueError, match='known formats'):
        load(tmp_path / 'x.weights')


@pytest.mark.parametrize(
    ('value', 'target'),
    [(1e300, 'float32'), (-7e4, 'float16'), (1e300 + 1j, 'complex64'), (2**40, 'float16'), (1e5, 'float8_e4m3fn')],
)
def test_a_finite_number_never_becomes_infinite(tmp_path, value, target):
    dtype = np.dtype(getattr(ml_dtypes, target) if target.startswith('float8') else target)
    save_npz(tmp_path / 'a.npz', {'a': np.array([1, value])})
    into = {'a': np.zeros(2, dtype)}
    with pytest.raises(StrictLoadError, match='values that do not fit'):
        load_npz(tmp_path / 'a.npz', into)
    assert not into['a'].astype('complex64').any()


def test_infinity_and_nan_stay_what_they_are(tmp_path):
    save_npz(tmp_path / 'a.npz', {'a': np.array([np.inf, -np.inf, np.nan, 1.5])})
    into = {'a': np.zeros(4, 'float16')}
    load_npz(tmp_path / 'a.npz', into)
    np.testing.assert_array_equal(into['a'], [np.inf, -np.inf, np.nan, 1.5])


def test_none_in_a_target_takes_a_group(file):
    """As a load without a target has it; a leaf, an empty container and what is ignored as ever."""
    path = file({'hist': [1.5, {'a': np.ones(2), 'b': []}], 'none': [], 'W': np.ones(1), 'left': {'x': 1}})
    target = {'hist': None, 'none': None, 'W': None, 'left': None}
    loaded = load_npz(path, target, ignore=['left'], device='sim:0')
    assert loaded is target
    hist = target['hist']
    assert list(hist) == ['0', '1']
    assert (float(hist['0']), hist['1']['b'], target['none'], target['left']) == (1.5, {}, {}, None)
    assert [str(xd.get_device_from_array(x)) for x in (hist['1']['a'], target['W'])] == ['sim:0', 'sim:0']
    whole = xd.to_numpy(load_npz(path))
    assert whole['hist']['1']['a'].tolist() == xd.to_numpy(hist['1']['a']).tolist()
    target = {'hist': (None, None), 'none': None, 'W': None, 'left': None}
    assert load_npz(path, target)['hist'][1].keys() == {'a', 'b'}


def test_none_that_nothing_can_take_the_place_of(file):
    target = MappingProxyType({'hist': None})
    with pytest.raises(TypeError, match='cannot be changed'):
        load_npz(file({'hist': [1.5]}), target)


def test_none_beside_what_lies_in_the_group_of_its_name(file):
    with pytest.raises(StrictLoadError, match="missing in the file: 'a'"):
        load_npz(file({'a': {'x': 1, 'y': 2}}), {'a': None, 'a/x': 0})


def test_an_object_takes_a_group_for_none(file):
    class Model:
        hist = n = late = None

        def serialize(self, s):
            self.n = s('n', self.n)
            self.hist = s('hist', self.hist)
            if self.n is not None:
                self.late = s('late', self.late)

    model = load_npz(file({'n': 2, 'hist': [1.5], 'late': {'x': 7}}), Model(), strict=False)
    assert (int(model.n), float(model.hist['0']), int(model.late['x'])) == (2, 1.5, 7)


def test_what_describes_an_array_is_nothing_to_load_into(file):
    class Shape:
        shape, dtype = (2,), np.dtype('float32')

    path = file({'W': np.ones(2, 'float32')})
    with pytest.raises(UnknownArrayError, match=r"load into 'W': Shape has a shape .* have None in its place"):
        load(path, {'W': Shape()})
    with pytest.raises(UnknownArrayError, match=r"save 'W': Shape has a shape .* that can be read$"):
        save_npz(path, {'W': Shape()})


def test_shapes_of_jax_and_none_in_their_place(file):
    jax = pytest.importorskip('jax', reason='JAX is not installed')
    path = file({'W': np.ones(2, 'float32'), 'l': [np.zeros(1, 'float32')]})
    shapes = jax.eval_shape(lambda: {'W': jax.numpy.ones(2), 'l': [jax.numpy.ones(1)]})
    with pytest.raises(UnknownArrayError, match='ShapeDtypeStruct has a shape and a data type'):
        load(path, shapes)
    loaded = load(path, jax.tree.map(lambda _: None, shapes), device='@jax:0')
    assert jax.tree.structure(loaded) == jax.tree.structure(shapes)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(loaded))


def test_a_module_without_memory(file):
    torch = pytest.importorskip('torch', reason='PyTorch is not installed')
    path = file(torch.nn.Linear(2, 1).state_dict())
    model = torch.nn.Linear(2, 1, device='meta')
    with pytest.raises(
        UnknownArrayError, match=r"'weight': a meta tensor has no memory; .*model\.to_empty\(device='cpu'\)"
    ):
        load(path, model)
    model.to_empty(device='cpu')
    assert torch.equal(load(path, model).weight, torch.from_numpy(load(path)['weight']))
