"""Loading into a target: everything is read and checked before anything changes."""

import copy
import dataclasses
import tracemalloc
from collections import OrderedDict, namedtuple
from types import MappingProxyType

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.serializers import _stage, load

Pair = namedtuple('Pair', 'a b')


@pytest.fixture(autouse=True, params=[_stage.STAGED_NBYTES, 0], ids=['held', 'read twice'])
def staged_nbytes(request, monkeypatch):
    """Every load of these is small; half of the time it is made as if it were large."""
    monkeypatch.setattr(_stage, 'STAGED_NBYTES', request.param)
    return request.param


def frozen(array):
    array.flags.writeable = False
    return array


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


def test_progress_reaches_the_end(file, staged_nbytes):
    path = file({'a': np.zeros(1000), 'b': np.zeros(500)})
    for target in (None, {'a': np.ones(1000), 'b': np.ones(500)}):
        seen = []
        load(path, target, progress=lambda done, total: seen.append((done, total)))  # noqa: B023
        if target is None or staged_nbytes:
            assert seen == [(8000, 12000), (12000, 12000)]
        else:  # all is checked, then all is put into place
            assert seen == [(8000, 24000), (12000, 24000), (20000, 24000), (24000, 24000)]
    load(path, progress=True)


def test_a_large_load_takes_little_memory(file):
    tree = {str(i): np.full((500, 1000), i, 'float64') for i in range(40)}
    path = file({**tree, 'turned': np.ones((1000, 1500))})
    target = {key: np.zeros_like(value) for key, value in tree.items()}
    target['turned'] = np.zeros((1500, 1000)).T
    target['0'] = np.zeros((500, 1000), 'float32')
    target['1'] = xd.get_device('native:0').send(target['1'])
    tracemalloc.start()
    try:
        load(path, target)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < _stage.STAGED_NBYTES + 2**25
    assert all((xd.to_numpy(target[key]) == value).all() for key, value in tree.items())
    assert target['turned'].all()


@pytest.mark.parametrize('spec', ['@numpy', 'native:0', 'sim:0'])
def test_every_kind_of_target(file, spec):
    rng = np.random.default_rng(0)
    values = {
        'W': rng.standard_normal((300, 50)),
        'b': rng.integers(0, 9, 7),
        'one': np.array(3.5),
        'empty': np.ones((0, 2)),
    }
    place = xd.get_device(spec)
    whole = place.send(np.zeros((600, 150)), copy=True)
    strided = whole[::2, ::-3]
    turned = place.send(np.zeros((50, 300)), copy=True).T
    narrow = place.send(np.zeros((300, 50), 'float32'), copy=True)
    path = file({**values, 'turned': values['W'], 'narrow': values['W'], 'strided': values['W']})
    target = place.send({key: np.zeros_like(value) for key, value in values.items()}, copy=True)
    load(path, {**target, 'strided': strided, 'turned': turned, 'narrow': narrow})
    got = xd.to_numpy({**target, 'strided': strided, 'turned': turned})
    for key, value in {**values, 'strided': values['W'], 'turned': values['W']}.items():
        np.testing.assert_array_equal(got[key], value, err_msg=key, strict=True)
    np.testing.assert_array_equal(xd.to_numpy(narrow), values['W'].astype('float32'))


def test_nothing_changes_on_a_device_when_the_last_member_is_damaged(file):
    path = file({'a': np.ones(3), 'z': np.ones(2_000_000)})
    data = bytearray(path.read_bytes())
    data[-300] ^= 1
    path.write_bytes(data)
    target = xd.get_device('sim:0').send({'a': np.zeros(3), 'z': np.zeros(2_000_000)}, copy=True)
    with pytest.raises(CorruptFileError, match="'z'"):
        load(path, target)
    assert not any(value.any() for value in xd.to_numpy(target).values())


def test_a_file_written_to_while_it_is_loaded_is_told(file, staged_nbytes, monkeypatch):
    path = file({'a': np.ones(3), 'z': np.ones(1000)})
    stage = _stage.Loader.stage

    def stage_and_damage(self, *arguments, **options):
        staged = stage(self, *arguments, **options)
        data = bytearray(path.read_bytes())
        data[data.index(b'z.npy') + 500] ^= 1
        path.write_bytes(data)
        return staged

    monkeypatch.setattr(_stage.Loader, 'stage', stage_and_damage)
    target = {'a': np.zeros(3), 'z': np.zeros(1000)}
    if staged_nbytes:
        load(path, target)
        assert target['z'].all()
    else:
        with pytest.raises(CorruptFileError) as caught:
            load(path, target)
        assert 'A part has been loaded' in caught.value.__notes__[0]
