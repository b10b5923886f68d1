"""What people try first is answered with what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

import crossdock.core as cx

from ..accelerator import FIRST


@pytest.mark.parametrize(
    ('attempt', 'words'),
    [
        (lambda x: cx.concat([x, np.ones(3)]), FIRST),
        (lambda x: cx.stack([np.ones(3), x]), FIRST),
        (lambda x: cx.where(np.ones(3) > 0, x, 0), FIRST),
        (lambda x: cx.sqrt(2.0), 'asarray'),
        (lambda x: cx.linspace(x[0], x[1], 5), 'float'),
        (lambda x: cx.where(x > 1, 1, 0), 'astype'),
        (lambda x: cx.max(x > 1), 'astype'),
        (lambda x: cx.argmax(x > 1), 'astype'),
        (lambda x: cx.asarray([x, np.ones(3)]), 'asarray'),
        (lambda x: x == [1.0, 2.0, 3.0], 'asarray'),
        (lambda x: x != (1, 2), 'asarray'),
        (lambda x: [1, 2, 3] + x, 'asarray'),
        (lambda x: f'{x:.2f}', r'\(3,\)'),
        (lambda x: cx.astype(x, 'int64').__setitem__(0, 1.5), 'convert'),
    ],
)
def test_type_errors(attempt, words):
    with pytest.raises(TypeError, match=words):
        attempt(cx.ones(3, device=FIRST))


def test_names_of_numpy():
    with pytest.raises(AttributeError, match=r'concat$'):
        cx.concatenate
    with pytest.raises(AttributeError, match=r"'foo'$"):
        cx.foo


def test_names_here_exist():
    from crossdock.core import _numpy_names

    for name in ' '.join(_numpy_names._HERE.values()).replace(',', '').replace('(', ' ').split():
        if name.isidentifier() and name not in ('x', 'a', 'b', 'arrays', 'tolerance', 'or', 'copy'):
            assert hasattr(cx, name), name


def test_sizes_may_be_arrays(device):
    extent = cx.asarray(3, device=device)
    assert cx.zeros(extent, device=device).shape == (3,)
    assert cx.roll(cx.arange(4, device=device), extent).tolist() == [1, 2, 3, 0]


def test_one_element_formats(device):
    assert f'{cx.full((1, 1), 2.5, device=device):.2f}' == '2.50'


@pytest.mark.parametrize('shape', [(2000,), (50, 50), (3, 1000), (10, 20, 30), (2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)])
def test_a_large_array_shows_its_edges_and_pulls_no_more(device, shape, transfers):
    a = np.random.default_rng(0).standard_normal(shape)
    x = cx.asarray(a, device=device)
    transfers.clear()
    assert np.array2string(a, separator=', ', prefix='array(') in repr(x)
    assert sum(row[1] for row in transfers) <= 8 * min(a.size, 7 ** len(shape))
