"""Elementary functions of real numbers: exact where they have to be, and the same wherever an element lies."""

from __future__ import annotations

import numpy as np
import pytest

import crossdock.core as cx

UNARY = ['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cos', 'cosh', 'exp', 'expm1', 'log', 'log1p', 'log2']
UNARY += ['log10', 'sin', 'sinh', 'tan', 'tanh']
BINARY = ['atan2', 'floor_divide', 'hypot', 'logaddexp', 'pow', 'remainder']
# Angles of many turns, some of them near to multiples of pi / 2; sin, cos and tan from 400 digits.
ANGLES = [
    (1e6, -0.34999350217129294, 0.9367521275331447, -0.373624453987599),
    (1048576.5, 0.7425208640927718, 0.669822936593637, 1.1085330518373078),
    (1e7, 0.4205477931907825, -0.9072703861817396, -0.46353082785018906),
    (1e22, -0.8522008497671888, 0.523214785395139, -1.6287782256068988),
    (1.7e308, -0.5952560848632077, 0.803536056087918, -0.7407957369844252),
    (355.0, -3.014435335948845e-05, -0.999999999545659, 3.0144353373184265e-05),
    (710.0, 6.0288706691585265e-05, 0.999999998182636, 6.0288706801151796e-05),
    (1.5707963267948966 * 524287, -1.0, -8.774769781344126e-11, 11396310386.6962),
]


def numbers(dtype: str, seed: int) -> np.ndarray:
    """Of all sizes, some beyond what the vectorised forms serve."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(1111) * 10.0 ** rng.integers(-3, 3, 1111)
    values[::97] *= 1e15
    values[5::101] = np.nan
    return values.astype(dtype)


@pytest.mark.parametrize('op', [*UNARY, *BINARY])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_an_element_gives_the_same_wherever_it_lies(op: str, dtype: str) -> None:
    function = getattr(cx, op)
    arrays = [cx.asarray(numbers(dtype, seed), device='native:0') for seed in range(2 if op in BINARY else 1)]
    together = np.asarray(function(*arrays))
    backwards = np.asarray(function(*(array[::-1] for array in arrays)))
    np.testing.assert_array_equal(backwards[::-1], together)
    for i in range(0, 1111, 13):
        np.testing.assert_array_equal(function(*(array[i : i + 3] for array in arrays)), together[i : i + 3])


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_powers_of_the_base_have_whole_logarithms(dtype: str) -> None:
    least, most = (-149, 127) if dtype == 'float32' else (-1074, 1023)
    exponents = np.arange(least, most + 1)
    x = cx.asarray(np.ldexp(np.ones(exponents.size, dtype), exponents), device='native:0')
    np.testing.assert_array_equal(cx.log2(x), exponents)
    tens = np.arange(11 if dtype == 'float32' else 23)
    powers = [float(f'1e{ten}') for ten in tens]
    np.testing.assert_array_equal(cx.log10(cx.asarray(powers, dtype=dtype, device='native:0')), tens)


def test_angles_of_many_turns() -> None:
    angle, sine, cosine, tangent = zip(*ANGLES, strict=True)
    x = cx.asarray(angle, device='native:0')
    np.testing.assert_allclose(cx.sin(x), sine, rtol=2.3e-16)
    np.testing.assert_allclose(cx.cos(x), cosine, rtol=2.3e-16)
    np.testing.assert_allclose(cx.tan(x), tangent, rtol=4.5e-16)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_powers_of_zeros_keep_their_sign(dtype: str) -> None:
    x = cx.asarray([-0.0, 0.0] * 40, dtype=dtype, device='native:0')
    for exponent in (1, 3, 7, 2, 2.5, 0.25, -1, -3, -2):
        with np.errstate(divide='ignore'):
            want = np.asarray(x) ** np.asarray(exponent, dtype)
        got = np.asarray(x ** cx.full(80, exponent, dtype=dtype, device='native:0')), np.asarray(x**exponent)
        for values in got:
            np.testing.assert_array_equal(values, want)
            np.testing.assert_array_equal(np.signbit(values), np.signbit(want))
    assert not np.signbit(np.asarray(x**0.5)).any()  # where NumPy has the root's -0.0
