"""floor_divide and remainder against NumPy: every dtype, arrays and numbers as divisors, all layouts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']


def integers(dtype: str) -> st.SearchStrategy[int]:
    """All of them, and often those around powers of two and the ends."""
    info = np.iinfo(dtype)
    edges = {sign * (1 << bit) + more for bit in range(64) for more in (-1, 0, 1) for sign in (1, -1)}
    edges |= {info.min, info.min + 1, info.max, info.max - 1}
    within = sorted(edge for edge in edges if info.min <= edge <= info.max)
    return st.sampled_from(within) | st.integers(int(info.min), int(info.max))


@pytest.mark.parametrize('dtype', INTEGERS)
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_integers(dtype: str, data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(max_dims=1, max_side=40))
    a = data.draw(hnp.arrays(dtype, shape, elements=integers(dtype)))
    b = data.draw(hnp.arrays(dtype, shape, elements=integers(dtype)))
    number = data.draw(integers(dtype))
    step = data.draw(st.sampled_from([1, 2, -1]))
    x, y = (cx.asarray(array, device='native:0', copy=True) for array in (a, b))
    with np.errstate(all='ignore'):
        np.testing.assert_array_equal(x[::step] // y[::step], a[::step] // b[::step])
        np.testing.assert_array_equal(x[::step] % y[::step], a[::step] % b[::step])
        np.testing.assert_array_equal(x[::step] // number, a[::step] // np.asarray(number, dtype))
        np.testing.assert_array_equal(x[::step] % number, a[::step] % np.asarray(number, dtype))
        x //= number
        np.testing.assert_array_equal(x, a // np.asarray(number, dtype))


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_real_numbers(dtype: str, data: st.DataObject) -> None:
    finite = st.floats(allow_nan=False, allow_infinity=False, width=32 if dtype == 'float32' else 64)
    numbers = finite | st.integers(-9, 9).map(float)
    shape = data.draw(hnp.array_shapes(max_dims=1, max_side=40))
    a = data.draw(hnp.arrays(dtype, shape, elements=numbers))
    b = data.draw(hnp.arrays(dtype, shape, elements=numbers))
    x, y = (cx.asarray(array, device='native:0', copy=True) for array in (a, b))
    with np.errstate(all='ignore'):
        rests = np.remainder(a, b)
        np.testing.assert_array_equal(x % y, rests)
        np.testing.assert_array_equal(np.signbit(np.asarray(x % y)), np.signbit(rests))
        quotients = np.floor_divide(a, b)
        small = np.isfinite(a / b) & (abs(a / b) < (2**28 if dtype == 'float32' else 2**52))
    # From 2^50 on NumPy's are off by one at times.
    quotients[small] = [float(math.floor(Fraction(float(i)) / Fraction(float(j)))) for i, j in zip(a[small], b[small])]
    np.testing.assert_array_equal(x // y, quotients)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_quotients_that_round_up_to_a_whole_number(dtype: str) -> None:
    b = np.linspace(0.1, 3, 5000, dtype=dtype)
    for steps in (3, 1000, 65537):
        a = np.nextafter(b * steps, np.array([0], dtype))
        x, y = (cx.asarray(array, device='native:0', copy=True) for array in (a, b))
        np.testing.assert_array_equal(x // y, a // b)
        np.testing.assert_array_equal(x % y, a % b)


@pytest.mark.parametrize('dtype', INTEGERS)
def test_integer_powers_by_a_number(dtype: str) -> None:
    a = np.array([0, 1, 2, 3, 7, np.iinfo(dtype).max, np.iinfo(dtype).min] * 80, dtype=dtype)
    x = cx.asarray(a, device='native:0')
    for exponent in (0, 1, 3, 5, 31, 64):
        np.testing.assert_array_equal(x**exponent, a ** np.asarray(exponent, dtype))
        np.testing.assert_array_equal(x[::-2] ** exponent, a[::-2] ** np.asarray(exponent, dtype))
