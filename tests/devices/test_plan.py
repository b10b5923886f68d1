import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CopyRequiredError, UnknownArrayError

from ..accelerator import FIRST


def test_one_array():
    x = np.zeros((10, 10), 'float32')
    made = xd.plan(x, 'native:0')
    assert (made.route, made.zero_copy, made.nbytes_moved) == ('alias', True, 0)
    far = xd.plan(x, FIRST, dtype='float64')
    assert (far.route, far.nbytes_moved, far.nbytes_allocated) == ('staged', 400, 800)
    assert FIRST in str(far)
    assert xd.plan(x, '@numpy').route == 'same object'
    assert xd.plan(x, '@numpy', copy=True).route == 'device copy'


def test_a_tree():
    made = xd.plan({'w': [np.zeros(3), None], 'n': 1}, FIRST)
    assert [path for path, _ in made] == ["['w'][0]", "['n']"]
    assert (len(made), made.nbytes_moved, made.nbytes_allocated, made.zero_copy) == (2, 32, 264, False)
    assert str(made).splitlines()[0] == f'2 arrays -> {FIRST}: 32 bytes moved, 264 bytes allocated'
    assert "packed: ['w'][0], ['n']" in str(made)
    assert f"['w'][0]: packed: @numpy -> {FIRST}" in str(made)
    assert xd.plan([], FIRST).zero_copy


def test_moves_nothing():
    with xd.trace_transfers() as log:
        xd.plan([np.zeros(3)], FIRST)
    assert list(log) == []


def test_raises_what_send_would():
    with pytest.raises(CopyRequiredError) as caught:
        xd.plan(np.zeros(3), FIRST, copy=False)
    assert caught.value.plan.route == 'copy'
    with pytest.raises(UnknownArrayError, match=r'at \[0\]'):
        xd.plan(['text'], FIRST)
