"""Elementary functions of complex numbers, against NumPy's of longer numbers where the platform has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import crossdock.core as cx

LONGER = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant


def log1p(z: Any) -> Any:
    """From |1 + z|^2 - 1 as a fraction: NumPy's cancels."""
    x, y = Fraction(float(z.real)), Fraction(float(z.imag))
    above = 2 * x + x * x + y * y
    size = np.log1p(np.longdouble(float(above))) if above > -0.5 else np.log(np.longdouble(float(1 + above)))
    return size / 2 + 1j * np.arctan2(z.imag, 1 + z.real)


FUNCTIONS: dict[str, Any] = {
    'sqrt': np.sqrt,
    'exp': np.exp,
    'log': np.log,
    'log2': lambda z: np.log(z) / np.log(np.longdouble(2)),
    'log10': np.log10,
    'log1p': lambda z: log1p(z) if abs(z) < 3 else np.log(1 + z),
    'sin': np.sin,
    'cos': np.cos,
    'tan': np.tan,
    'asin': np.arcsin,
    'acos': np.arccos,
    'atan': np.arctan,
    'sinh': np.sinh,
    'cosh': np.cosh,
    'tanh': np.tanh,
    'asinh': np.arcsinh,
    'acosh': np.arccosh,
    'atanh': np.arctanh,
}
BOUNDED = {'exp', 'sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh'}  # large arguments overflow, or say little


def arguments(dtype: Any, largest: float, bounded: bool) -> Any:
    """Everywhere in the plane, near 1, i and the unit circle, and of very different parts."""
    rng = np.random.default_rng(7)
    n = 400

    def sign() -> Any:
        return rng.choice([-1.0, 1.0], n)

    angle, near = rng.uniform(-np.pi, np.pi, n), 10.0 ** rng.uniform(-15, -1, n) * sign()
    small = 10.0 ** rng.uniform(-18, -1, n) * sign()
    parts = [
        rng.normal(size=n) + 1j * rng.normal(size=n),
        np.cos(angle) + 1j * np.sin(angle),
        1 + near + 1j * small,
        small + 1j * (1 + near),
        rng.uniform(-30, 30, n) + 1j * rng.uniform(-30, 30, n),
        10.0 ** rng.uniform(-12, 1, n) * sign() + 1j * 10.0 ** rng.uniform(-12, 1, n) * sign(),
    ]
    if not bounded:
        wide = 10.0 ** rng.uniform(-largest, largest, (2, n)) * np.array([sign(), sign()])
        parts.append(wide[0] + 1j * wide[1])
    return np.concatenate(parts).astype(dtype)


def units(got: Any, want: Any, dtype: Any) -> Any:
    """How many units in its last place a number is off."""
    last = np.spacing(np.maximum(np.abs(want).astype(dtype), np.finfo(dtype).tiny))
    return np.abs(got.astype(np.longdouble) - want) / last


@pytest.mark.parametrize('op', FUNCTIONS)
def test_complex64(op: str) -> None:
    z = arguments(np.complex64, 37, op in BOUNDED)
    check(op, z, np.float32)


@pytest.mark.skipif(not LONGER, reason='long double is double here, and can tell nothing')
@pytest.mark.parametrize('op', FUNCTIONS)
def test_complex128(op: str) -> None:
    z = arguments(np.complex128, 300, op in BOUNDED)
    check(op, z, np.float64)


def check(op: str, z: Any, dtype: Any) -> None:
    wide = z.astype(np.clongdouble if LONGER else np.complex128)
    with np.errstate(all='ignore'):
        want = np.array([FUNCTIONS[op](one) for one in wide])
    got = np.asarray(getattr(cx, op)(cx.asarray(z)))
    for name in ('real', 'imag'):
        off = units(getattr(got, name), getattr(want, name), dtype)
        worst = int(np.argmax(off))
        assert off[worst] < 5, (name, z[worst], got[worst], want[worst], off[worst])


@pytest.mark.parametrize('dtype', ['complex64', 'complex128'])
def test_small_whole_powers_are_products(dtype: str) -> None:
    z = cx.asarray([1 + 2j, -3 + 0.5j, 1j, 2 + 0j], dtype=dtype)
    assert (z**2).tolist() == [(-3 + 4j), (8.75 - 3j), (-1 + 0j), (4 + 0j)]
    assert (z**3).tolist() == [(-11 - 2j), (-24.75 + 13.375j), -1j, (8 + 0j)]
    assert (cx.asarray([2 + 0j, 2j], dtype=dtype) ** -1).tolist() == [0.5 + 0j, -0.5j]


def test_powers_that_overflow_keep_their_direction() -> None:
    z = cx.asarray([1e200 + 0j, 1e200j, 1e-200 + 0j])
    got = (z ** cx.asarray([2 + 0j, 3 + 0j, 3 + 0j])).tolist()
    assert got[0].real == np.inf and got[1].imag == -np.inf and got[2] == 0


def test_roots_of_the_largest_and_the_smallest() -> None:
    z = np.array([1.7e308 + 1.7e308j, 5e-324 + 0j, -1e-310 + 1e-310j, 1e308j])
    want = np.array([np.sqrt(one) for one in z.astype(np.clongdouble)]).astype(np.complex128)
    got = np.asarray(cx.sqrt(cx.asarray(z)))
    np.testing.assert_allclose(got.real, want.real, rtol=1e-15)
    np.testing.assert_allclose(got.imag, want.imag, rtol=1e-15)
