"""Containers that hold nothing come back, from every format."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections import deque, namedtuple
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.serializers import convert, save_npz
from crossdock.serializers._empty import contradiction, empty_among

from .faults.formats import EACH, NAMES, suffix_of

State = namedtuple('State', '')


@dataclasses.dataclass
class Bare:
    pass


class Module:
    """As a PyTorch module without parameters."""

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        assert state == {}


class Silent:
    def serialize(self, s):
        pass


class Outer:
    def __init__(self):
        self.activation, self.rest = Silent(), {}

    def serialize(self, s):
        self.activation.serialize(s['activation'])
        s['/more/'](0, self.rest)


class Resident(xd.DeviceResident):
    def __init__(self):
        self.layers, self.rate = [], 0.1


EMPTY = {
    'dict': {},
    'list': [],
    'tuple': (),
    'deque': deque(),
    'named tuple': State(),
    'fixed': MappingProxyType({}),
    'dataclass': Bare(),
    'module': Module(),
    'silent': Silent(),
    'resident': Resident(),
}


@pytest.fixture(params=EACH)
def path(request, tmp_path):
    return tmp_path / f'x{suffix_of(request.param)}'


def test_of_every_kind(path):
    xd.save(path, {**EMPTY, 'outer': Outer(), 'deep': {'er': {'still': []}}, 'x': np.ones(2), 'n': None})
    got = xd.load(path)
    assert got.pop('x').tolist() == [1, 1]
    assert got == {
        **{key: {} for key in EMPTY},
        'outer': {'activation': {}, 'more': {'0': {}}},
        'deep': {'er': {'still': {}}},
        'n': None,
    }
    assert list(xd.load(path, flat=True)) == ['x', 'n']


def test_nothing_else_at_all(path):
    for tree in ({'a': {}}, {}, [], [(), {}]):
        xd.save(path, tree)
        assert xd.load(path) == ({'0': {}, '1': {}} if isinstance(tree, list) and tree else dict(tree))


def test_in_a_list_they_keep_their_position(path):
    xd.save(path, {'l': [{}, np.ones(1), None, [], 3]})
    assert list(xd.load(path)['l']) == ['0', '1', '2', '3', '4']


def test_into_a_target_they_ask_for_nothing(path):
    xd.save(path, {'a': {}, 'b': np.ones(2), 'c': []})
    for target in (
        {'a': {}, 'b': np.zeros(2), 'c': []},
        {'b': np.zeros(2)},
        {'b': np.zeros(2), 'd': (), 'a': Module()},
    ):
        xd.load(path, target)
        assert target['b'].all()
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, {'b': np.zeros(2), 'a': {'x': 1}})
    assert caught.value.missing == ('a/x',)


def test_groups_of_a_file(path):
    xd.save(path, {'a': {'b': {}, 'c': {'d': ()}}, 'e': {}, 'x': 1})
    assert xd.load(path, prefix='a') == {'b': {}, 'c': {'d': {}}}
    assert xd.load(path, prefix='a/b') == {}
    assert xd.load(path, prefix='a/b', flat=True) == {}
    assert xd.load(path, ignore=['a/c', 'x']) == {'a': {'b': {}}, 'e': {}}
    with pytest.raises(StrictLoadError, match="no group 'f'"):
        xd.load(path, prefix='f')
    with xd.open_archive(path) as archive:
        assert 'a' in archive and 'a/b' in archive and 'f' not in archive
        assert (len(archive['a']), list(archive)) == (0, ['x'])


@pytest.mark.parametrize('other', EACH)
def test_they_are_converted(path, other):
    xd.save(path, {'a': {'b': {}}, 'x': np.ones(1), 'l': []})
    there = path.with_name(f'y{suffix_of(other)}')
    convert(path, there)
    got = xd.load(there)
    assert (got.pop('x'), got) == (1, {'a': {'b': {}}, 'l': {}})


def test_other_programs_do_not_see_them(tmp_path):
    save_npz(tmp_path / 'x.npz', {'a': {}, 'x': np.ones(1)})
    with np.load(tmp_path / 'x.npz') as plain:
        assert sorted(plain) == ['__crossdock__', 'x']
        said = json.loads(plain['__crossdock__'].tobytes())
    assert said == {'version': 1, 'empty': ['a']}


def test_groups_in_hdf5_and_zarr_are_what_those_programs_have(tmp_path):
    h5py, zarr = pytest.importorskip('h5py'), pytest.importorskip('zarr')
    tree = {'a': {'b': []}, 'x': np.ones(1)}
    xd.save(tmp_path / 'x.h5', tree)
    xd.save(tmp_path / 'x.zarr', tree)
    with h5py.File(tmp_path / 'x.h5') as plain:
        assert len(plain['a/b']) == 0
    assert not list(zarr.open_group(str(tmp_path / 'x.zarr'), mode='r')['a/b'])
    with h5py.File(tmp_path / 'y.h5', 'w') as file:
        file.create_group('g/h')
        file['x'] = 1
        xd.serializers.HDF5Serializer(file.create_group('model')).save({'w': np.ones(1), 'act': Silent(), 'l': []})
        assert sorted(file['model']) == ['act', 'l', 'w']
    group = zarr.open_group(str(tmp_path / 'y.zarr'), mode='w')
    group.create_group('g/h')
    group.create_array('x', data=np.ones(1))
    for name in ('y.h5', 'y.zarr'):
        assert xd.load(tmp_path / name)['g'] == {'h': {}}
    assert xd.load(tmp_path / 'y.h5', prefix='model').keys() == {'w', 'act', 'l'}


def test_a_group_of_zarr_where_we_have_said_none(tmp_path):
    zarr = pytest.importorskip('zarr')
    xd.save(tmp_path / 'x.zarr', {'a': None, 'b': {'c': None}})
    group = zarr.open_group(str(tmp_path / 'x.zarr'), mode='r+')
    group.create_group('b')
    assert xd.load(tmp_path / 'x.zarr') == {'a': None, 'b': {'c': None}}
    group.create_group('a')
    with pytest.raises(CorruptFileError, match="'a': is an empty container, and a value as well"):
        xd.load(tmp_path / 'x.zarr')


def test_an_empty_container_where_a_value_is(path):
    for tree in ({'a': 1, 'a/b': {}}, {'a/b/c': [], 'a': {'b': 2}}):
        with pytest.raises(ValueError, match='is an empty container inside of a value'):
            xd.save(path, tree)
    assert not path.exists()
    xd.save(path, {'a/b': 1, 'a': {}})
    assert xd.load(path) == {'a': {'b': 1}}


def test_what_is_empty():
    assert empty_among(['', 'a', 'b', 'b/c', 'd/e', 'a/f'], {'a/W': 1, 'd/e': 2}) == ['b/c', 'a/f']
    assert contradiction(['a', 'b/c'], {'d', 'b/e'}) is None


names = st.sampled_from(['a', 'b', 'c', '0', '1', 'é'])
parts = st.recursive(
    st.integers(0, 3) | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples() | st.tuples(inner) | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=8,
)


def as_loaded(tree):
    if isinstance(tree, list | tuple):
        tree = dict(enumerate(tree))
    return {str(key): as_loaded(value) for key, value in tree.items()} if isinstance(tree, dict) else tree


@settings(deadline=None, max_examples=60)
@pytest.mark.parametrize('name', EACH)
@given(tree=st.dictionaries(names, parts, max_size=4))
def test_any_tree(name, tree):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f'x{suffix_of(name)}')
        xd.save(path, tree)
        assert xd.load(path) == as_loaded(tree)
        assert xd.load(path, as_zeros(tree)) == tree


def as_zeros(tree):
    """A target of the same structure."""
    if isinstance(tree, dict):
        return {key: as_zeros(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(map(as_zeros, tree))
    return None if tree is None else 7


def test_all_formats_are_tried():
    assert len(EACH) == len(NAMES)
