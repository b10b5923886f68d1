"""The elementwise kernels, copies and packing on the fake GPU, against the host's kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = (Path(__file__).parent / 'elementwise_agrees.py').read_text()
#: Functions that are tried together in one process, and how many results they are compared in at least.
PARTS = {
    'unary': ('negative abs sign square sqrt reciprocal floor ceil trunc round conj real imag bitwise_invert', 1500),
    'exponentials': ('exp expm1 log log1p log2 log10 sinh cosh tanh asinh acosh atanh', 700),
    'circular': ('sin cos tan asin acos atan atan2 hypot', 500),
    'questions': ('isnan isinf isfinite signbit logical_not equal not_equal', 900),
    'order': ('less less_equal greater greater_equal', 600),
    'arithmetic': ('add subtract multiply divide maximum minimum copysign nextafter', 1200),
    'whole': ('floor_divide remainder pow logaddexp', 600),
    'bits': ('logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor', 400),
    'shifts': ('bitwise_left_shift bitwise_right_shift', 200),
    'casts': ('casts', 4000),
    'moves': ('moves where', 450),
}


@pytest.mark.parametrize('part', PARTS)
def test_kernels_agree_with_the_hosts(on_fake_gpu: Callable[..., str], part: str) -> None:
    names, least = PARTS[part]
    printed = on_fake_gpu(f'import sys\nsys.argv[1:] = {names.split()}\n{after_future(SCRIPT)}')
    assert int(printed.split()[0]) >= least


def after_future(script: str) -> str:
    """The script without what must come first in a file."""
    return script.replace('from __future__ import annotations\n', '')


PACKED = """
import numpy as np
import crossdock as xd

rng = np.random.default_rng(3)
tree = {str(i): rng.integers(0, 255, n, dtype='u1') for i, n in enumerate([*range(200), 5000, 33_000, 70_001])}
tree['halves'], tree['wide'] = np.arange(77, dtype='f2'), np.arange(301, dtype='f8')
there = xd.get_device('cuda:0').send(tree)
again = xd.get_device('cuda:0').send({name: value[1:] for name, value in there.items()})
for trees, first in ((there, 0), (again, 1)):
    for name, value in xd.get_device('native:0').send(trees).items():
        assert (np.asarray(value) == tree[name][first:]).all(), name
print('same')
"""


def test_many_arrays_are_packed(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(PACKED).split() == ['same']
