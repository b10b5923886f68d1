import copy
import dataclasses
from collections import OrderedDict, namedtuple
from types import MappingProxyType

import ml_dtypes
import numpy as np
import pytest

from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.serializers import load, load_npz, save_npz

Pair = namedtuple('Pair', 'a b')


@pytest.fixture
def file(tmp_path):
    """A function that saves a tree and returns the path."""

    def write(tree, **options):
        path = tmp_path / 'x.npz'
        save_npz(path, tree, **options)
        return path

    return write


def frozen(array):
    array.flags.writeable = False
    return array


# without a target


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
    with pytest.raises(ValueError, match='flat'):
        load(file({'c': 2}), {'c': 1}, flat=True)


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


def test_mapping_memory_is_refused(file):
    with pytest.raises(ValueError, match='npz'):
        load(file({}), mmap=True)
    assert load(file({}), mmap=False) == {}


def test_any_suffix_by_name(tmp_path):
    save_npz(tmp_path / 'x.weights', {'a': 1})
    assert load_npz(tmp_path / 'x.weights')['a'] == 1
    with pytest.raises(ValueError, match='known formats'):
        load(tmp_path / 'x.weights')


# into a target


def test_filled_in_place(file):
    path = file({'a': np.arange(3.0), 'm': [np.ones((2, 2), 'f4'), {'x': np.arange(4)[::2]}], 'z': np.zeros((0, 2))})
    base = np.zeros(8, 'i8')
    target = {'a': np.zeros(3), 'm': [np.zeros((2, 2), 'f4', order='F'), {'x': base[::4]}], 'z': np.zeros((0, 2))}
    parts = target['a'], target['m'][0], target['m'][1]['x']
    assert load(path, target) is target
    assert parts == (target['a'], target['m'][0], target['m'][1]['x']) or all(
        a is b for a, b in zip(parts, (target['a'], target['m'][0], target['m'][1]['x']))
    )
    assert target['a'].tolist() == [0, 1, 2]
    assert base.tolist() == [0, 0, 0, 0, 2, 0, 0, 0]


def test_what_cannot_be_filled_is_replaced_in_its_container(file):
    path = file({'a': np.ones(2), 'p': [1, 2.5], 't': (np.ones(1), 'new'), 'n': np.float32(3)})
    old = frozen(np.zeros(2, 'f4'))
    target = {'a': old, 'p': Pair(0, 0.0), 't': [frozen(np.zeros(1)), 'old'], 'n': np.float32(0)}
    load(path, target)
    assert target['a'] is not old
    assert target['a'].dtype == np.float32
    assert target['a'].all()
    assert target['p'] == Pair(1, 2.5)
    assert type(target['p']) is Pair
    assert target['t'] == [1, 'new']
    assert type(target['n']) is np.float32
    assert not old.any()


def test_a_root_that_cannot_change_is_returned_anew(file):
    old = (0, np.zeros(1))
    new = load(file((7, np.ones(1))), old)
    assert old[0] == 0
    assert new[0] == 7
    assert new[1] is old[1]  # filled in place all the same


def test_dataclasses(file):
    @dataclasses.dataclass
    class Layer:
        W: np.ndarray
        n: int

    @dataclasses.dataclass(frozen=True, slots=True)
    class Fixed:
        layer: Layer
        name: str

    path = file(Fixed(Layer(np.ones(2), 3), 'new'))
    old = Fixed(Layer(np.zeros(2), 0), 'old')
    new = load(path, old)
    assert (new.name, old.name, new.layer is old.layer, old.layer.n) == ('new', 'old', True, 3)
    assert old.layer.W.all()


def test_scalars_take_the_targets_type(file):
    path = file({'b': True, 'i': 3, 'f': 4, 'c': 2.5, 's': 'text', 'y': b'raw', 'i0': np.array(5, 'u1')})
    target = {'b': False, 'i': 0, 'f': 0.0, 'c': 0j, 's': '', 'y': b'', 'i0': 0}
    load(path, target)
    assert target == {'b': True, 'i': 3, 'f': 4.0, 'c': 2.5, 's': 'text', 'y': b'raw', 'i0': 5}
    assert [type(v) for v in target.values()] == [bool, int, float, complex, str, bytes, int]


def test_none_in_the_target_takes_anything(file):
    target = {'a': None, 'b': None, 'c': None}
    load(file({'a': np.ones(2), 'b': 3, 'c': None}), target)
    assert target['a'].tolist() == [1, 1]
    assert target['b'] == 3
    assert target['c'] is None


@pytest.mark.parametrize(
    ('have', 'want'),
    [
        (np.ones(3), np.zeros(3, 'f4')),
        (np.ones(3, 'f4'), np.zeros(3, 'f8')),
        (np.ones(3, 'i4'), np.zeros(3, 'f4')),
        (np.ones(3, 'u1'), np.zeros(3, 'i1')),
        (np.ones(3, bool), np.zeros(3, 'i8')),
        (np.ones(3), np.zeros(3, 'c8')),
        (np.ones(3, 'f4'), np.zeros(3, ml_dtypes.bfloat16)),
        (np.ones(3, ml_dtypes.bfloat16), np.zeros(3, 'f4')),
        (np.array([1, 7, 1], 'i8'), np.zeros(3, ml_dtypes.int4)),
        (np.array([1, -7, 1], ml_dtypes.int4), np.zeros(3, 'i1')),
        (np.array([1, 15], ml_dtypes.uint4), np.zeros(2, 'f4')),
        (np.array([1, 7], ml_dtypes.int4), np.zeros(2, ml_dtypes.int4)),
        (np.array(['ab']), np.zeros(1, 'U3')),
    ],
)
def test_casts_that_are_made(file, have, want):
    target = {'a': want}
    load(file({'a': have}), target)
    assert target['a'] is want
    np.testing.assert_array_equal(want, have.astype(want.dtype))


@pytest.mark.parametrize(
    ('have', 'want', 'words'),
    [
        (np.ones((3, 1)), np.zeros((3, 4)), ['(3, 1)', '(3, 4)']),
        (np.ones(()), np.zeros(1), ['()', '(1,)']),
        (np.ones(2), np.zeros(2, 'i4'), ['float64', 'int32']),
        (np.ones(2, 'c8'), np.zeros(2), ['complex64', 'float64']),
        (np.ones(2, 'i4'), np.zeros(2, 'u4'), ['int32', 'uint32']),
        (np.ones(2, 'i4'), np.zeros(2, bool), ['int32', 'bool']),
        (np.array([300]), np.zeros(1, 'i1'), ['int64', 'int8']),
        (np.array([8]), np.zeros(1, ml_dtypes.int4), ['int64', 'int4']),
        (np.array([15], ml_dtypes.uint4), np.zeros(1, ml_dtypes.int4), ['uint4', 'int4']),
        (np.ones(2, ml_dtypes.bfloat16), np.zeros(2, 'i4'), ['bfloat16', 'int32']),
        (np.array(['long']), np.zeros(1, 'U2'), ['str']),
        (np.array(['1']), np.zeros(1), ['str', 'float64']),
        (None, np.zeros(2), ['None', 'float64 (2,)']),
        (2.5, 1, ['float64', 'int']),
        (2, True, ['int64', 'bool']),
        (2, 'text', ['int64', 'str']),
        (np.ones(2), 1.0, ['(2,)', 'float']),
    ],
)
def test_mismatches_are_errors_even_when_not_strict(file, have, want, words):
    before = copy.deepcopy(want)
    other = np.zeros(2)
    target = {'other': other, 'a': want}
    for strict in (True, False):
        with pytest.raises(StrictLoadError) as caught:
            load(file({'other': np.ones(2), 'a': have}), target, strict=strict)
        ((key, *both),) = caught.value.mismatched
        assert key == 'a'
        assert all(word in ' '.join(both) for word in words)
        assert all(word in str(caught.value) for word in words)
    assert not other.any()
    np.testing.assert_array_equal(target['a'], before)


def test_strict_lists_everything_at_once(file):
    path = file({'a': np.ones(3), 'b': np.ones((3, 1)), 'extra': 1, 'g': {'more': 2}, 'i': np.ones(2)})
    target = {'a': np.zeros(3), 'b': np.zeros((3, 4)), 'lost': 1, 'h': {'also': 2}, 'i': np.zeros(2, 'i4')}
    with pytest.raises(StrictLoadError) as caught:
        load(path, target)
    error = caught.value
    assert error.missing == ('lost', 'h/also')
    assert error.unexpected == ('extra', 'g/more')
    assert [row[0] for row in error.mismatched] == ['b', 'i']
    text = str(error)
    assert all(word in text for word in ('lost', 'h/also', 'extra', 'g/more', '(3, 1)', '(3, 4)', 'int32', str(path)))
    assert not target['a'].any()
    load(path, target, strict=False, ignore=['b', 'i'])
    assert target['a'].all()
    assert not target['b'].any()
    assert not target['i'].any()
    assert target['lost'] == 1


def test_not_strict_lists_only_what_is_an_error(file):
    path = file({'a': np.ones(3), 'b': np.ones(2), 'extra': 1})
    with pytest.raises(StrictLoadError) as caught:
        load(path, {'a': np.zeros(4), 'b': np.zeros(2), 'lost': 1}, strict=False)
    error = caught.value
    assert (error.missing, error.unexpected) == ((), ())
    assert [row[0] for row in error.mismatched] == ['a']
    assert not any(word in str(error) for word in ('lost', 'extra', 'strict=False'))


def test_ignore_makes_strict_content(file):
    target = {'a': 0, 'mine': {'x': 5}}
    load(file({'a': 1, 'theirs': 2}), target, ignore=['mine', 'theirs'])
    assert target == {'a': 1, 'mine': {'x': 5}}


def test_nothing_changes_when_the_last_member_is_damaged(file):
    path = file({'a': np.ones(3), 's': 7, 'z': np.ones(1000)})
    data = bytearray(path.read_bytes())
    data[data.index(b'z.npy') + 500] ^= 1
    path.write_bytes(data)
    target = {'a': np.zeros(3), 's': 0, 'z': np.zeros(1000)}
    with pytest.raises(CorruptFileError) as caught:
        load(path, target)
    assert caught.value.key == 'z'
    assert 'CRC' in caught.value.reason
    assert not target['a'].any()
    assert target['s'] == 0
    load(path, {'a': target['a'], 's': 0}, ignore='z')
    assert target['a'].all()


def test_a_mapping_that_cannot_change(file):
    path = file({'m': {'a': np.ones(2), 'n': 3}, 'x': np.ones(1)})
    x, a = np.zeros(1), np.zeros(2)
    with pytest.raises(TypeError, match="'m/n'"):
        load(path, {'x': x, 'm': MappingProxyType({'a': a, 'n': 0})})
    assert not x.any()
    assert not a.any()
    load(path, {'x': x, 'm': MappingProxyType({'a': a})}, ignore='m/n')
    assert a.all()


def test_other_targets(file):
    path = file({'a': 1})
    for bad in (np.zeros(1), 3.5, 'text'):
        with pytest.raises(TypeError, match='container'):
            load(path, bad)
    for leaf in (object(), np.zeros(2, 'i4,f8'), np.array([{}])):
        with pytest.raises(TypeError, match="cannot load into 'a'"):
            load(path, {'a': leaf})
    target = {'a': 2**99}  # a placeholder that no file could hold
    load(path, target)
    assert target['a'] == 1


def test_an_object_with_a_state_dict(file):
    class Module:
        def __init__(self):
            self.state = OrderedDict({'l1.weight': np.zeros((2, 2), 'f4'), 'n': [0, None]})
            self.state._metadata = 'kept'

        def state_dict(self):
            return self.state

        def load_state_dict(self, state):
            assert state is not self.state
            assert state._metadata == 'kept'
            self.state = state

    path = file({'net': {'l1.weight': np.ones((2, 2)), 'n': [3, None]}, 'x': 1})
    net = Module()
    before = net.state['l1.weight']
    load(path, {'net': net, 'x': 0})
    assert net.state['l1.weight'].dtype == np.float32
    assert net.state['l1.weight'].all()
    assert net.state['n'] == [3, None]
    assert not before.any()  # the object decides what to do with the values
    broken = Module()
    with pytest.raises(StrictLoadError):
        load(path, {'net': broken, 'y': 0})
    assert not broken.state['l1.weight'].any()


def test_progress_reaches_the_end(file):
    path = file({'a': np.zeros(1000), 'b': np.zeros(500)})
    for target in (None, {'a': np.ones(1000), 'b': np.ones(500)}):
        seen = []
        load(path, target, progress=lambda done, total: seen.append((done, total)))  # noqa: B023
        assert seen == [(8000, 12000), (12000, 12000)]
    load(path, progress=True)
