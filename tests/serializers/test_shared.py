"""What is in a target more than once."""

from collections import deque

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import StrictLoadError

from .faults.formats import EACH, suffix_of


@pytest.fixture(params=EACH)
def path(request, tmp_path):
    return tmp_path / f'x{suffix_of(request.param)}'


def locked(*values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def test_a_container_whose_values_are_replaced_is_parted_where_the_file_differs(path):
    """As the zeros that both moments of an optimizer begin with, in a library without writable arrays."""
    old = {
        'mu': {'W': locked(1.0, 2.0), 'n': 1},
        'nu': {'W': locked(3.0, 4.0), 'n': 2},
        'xi': {'W': locked(1.0, 2.0), 'n': 1},
    }
    xd.save(path, old)
    zeros = {'W': locked(0.0, 0.0), 'n': 0}
    target = xd.load(path, {'mu': zeros, 'nu': zeros, 'xi': zeros})
    assert {key: (part['W'].tolist(), part['n']) for key, part in target.items()} == {
        'mu': ([1, 2], 1),
        'nu': ([3, 4], 2),
        'xi': ([1, 2], 1),
    }
    assert target['mu'] is zeros
    assert target['xi'] is zeros, 'the file has the same values for both'
    assert target['nu'] is not zeros


def test_a_part_of_a_list_and_of_a_tuple(path):
    xd.save(path, {'a': ([1, [2]], deque([3])), 'b': [[1, [4]], deque([5])]})
    inner, line = [0, [0]], deque([0])
    target = xd.load(path, {'a': (inner, line), 'b': [inner, line]})
    assert target == {'a': ([1, [2]], deque([3])), 'b': [[1, [4]], deque([5])]}
    assert target['a'][0] is inner


@pytest.mark.parametrize('n', [3, 12_000_000])
def test_one_array_for_two_values_is_refused(path, n):
    first, other = np.zeros(n), np.zeros(n)
    other[-1] = 1
    xd.save(path, {'a': first, 'b': first, 'c': other})
    shared = np.full(n, 7.0)
    assert xd.load(path, {'a': shared, 'b': shared}, ignore='c')['b'] is shared
    assert not shared.any()
    shared[:] = 7
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, {'a': shared, 'b': shared, 'c': shared})
    assert "'c': other values than those of 'a' in the file, the same array as 'a' in the target" in str(caught.value)
    assert (shared == 7).all()


def test_one_array_that_is_given_two_types(path):
    xd.save(path, {'a': np.ones(3), 'b': np.ones(3, 'float32')})
    shared = np.zeros(3)
    with pytest.raises(StrictLoadError, match='the same array'):
        xd.load(path, {'a': shared, 'b': shared})
