"""Elementwise functions at infinities, signed zeros and NaN, as the array API standard's tables say."""

from __future__ import annotations

import cmath
import itertools
import math
from typing import Any

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError, MixedDevicesError

INF, NAN = math.inf, math.nan
REALS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 1e-300, 1e300, INF, -INF, NAN]


def identical(got: Any, want: Any) -> bool:
    """Equal with the sign of zero, or both NaN; parts of complex numbers each by itself."""
    if isinstance(want, complex):
        return identical(got.real, want.real) and identical(got.imag, want.imag)
    if math.isnan(want):
        return math.isnan(got)
    return bool(math.isclose(got, want, rel_tol=1e-13)) and math.copysign(1, got) == math.copysign(1, want)


def floor_divided(a: float, b: float) -> float:
    """floor(a / b), as the standard prefers it where an operand is infinite."""
    with np.errstate(all='ignore'):
        if math.isinf(a) or math.isinf(b) or b == 0 or a == 0:
            return float(np.float64(a) / np.float64(b))
        return float(np.floor_divide(a, b))


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16', 'float32', 'float64'])
def test_floor_divide(dtype: str, device: str) -> None:
    numbers = [v for v in REALS if dtype == 'float64' or abs(v) in (0, INF) or 0.1 < abs(v) < 10 or math.isnan(v)]
    a, b = np.array(list(itertools.product(numbers, numbers))).T
    x, y = (cx.asarray(v, device=device).astype(dtype) for v in (a, b))
    for got in (cx.floor_divide(x, y), x // y):
        for i, value in enumerate(got.astype('float64').tolist()):
            assert identical(value, floor_divided(a[i], b[i])), (a[i], b[i], value)
    assert cx.asarray(1.0) // INF == 0 and (cx.asarray([-1.0], device=device) // INF).tolist() == [-0.0]


@pytest.mark.parametrize('op', ['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cos', 'cosh', 'exp', 'log', 'sin'])
def test_complex_functions_have_the_values_of_annex_g(op: str, device: str) -> None:
    compare_complex(op, getattr(np, op.replace('a', 'arc', 1) if op.startswith('a') else op), device)


@pytest.mark.parametrize('op', ['log10', 'log2', 'round', 'sinh', 'sqrt', 'tan'])
def test_more_complex_functions(op: str, device: str) -> None:
    compare_complex(op, getattr(np, op), device)


def compare_complex(op: str, theirs: Any, device: str) -> None:
    z = np.array([complex(a, b) for a, b in itertools.product(REALS, REALS)])
    with np.errstate(all='ignore'):
        want = theirs(z).tolist()
    for i, value in enumerate(getattr(cx, op)(cx.asarray(z, device=device)).tolist()):
        assert identical(value, want[i]), (z[i], value, want[i])


# The standard's table, with what it leaves open (signs it calls unspecified) as it is here. NumPy departs from it.
EXPM1 = {
    (0.0, 0.0): 0j,
    (1.0, INF): complex(NAN, NAN),
    (1.0, NAN): complex(NAN, NAN),
    (INF, 0.0): complex(INF, 0.0),
    (-INF, 2.0): 0.0 * cmath.rect(1, 2.0) - 1.0,
    (INF, 2.0): complex(-INF, INF),
    (-INF, INF): complex(-1, 0),
    (INF, INF): complex(INF, NAN),
    (-INF, NAN): complex(-1, 0),
    (INF, NAN): complex(INF, NAN),
    (NAN, 0.0): complex(NAN, 0),
    (NAN, 1.0): complex(NAN, NAN),
    (NAN, NAN): complex(NAN, NAN),
}
LOG1P = {
    (-1.0, 0.0): complex(-INF, 0.0),
    (1.0, INF): complex(INF, math.pi / 2),
    (1.0, NAN): complex(NAN, NAN),
    (-INF, 1.0): complex(INF, math.pi),
    (INF, 1.0): complex(INF, 0.0),
    (-INF, INF): complex(INF, 3 * math.pi / 4),
    (INF, INF): complex(INF, math.pi / 4),
    (INF, NAN): complex(INF, NAN),
    (-INF, NAN): complex(INF, NAN),
    (NAN, 1.0): complex(NAN, NAN),
    (NAN, INF): complex(INF, NAN),
    (NAN, NAN): complex(NAN, NAN),
}
TANH = {
    (INF, 1.0): complex(1, 0.0),
    (INF, 2.0): complex(1, 0.0),
    (INF, -2.0): complex(1, -0.0),
    (-INF, 2.0): complex(-1, 0.0),
    (INF, INF): complex(1, 0.0),
    (1.0, INF): complex(NAN, NAN),
    (NAN, 0.0): complex(NAN, 0.0),
    (0.5, 0.0): complex(math.tanh(0.5), 0.0),
}
SIGN = {
    (0.0, -0.0): 0j,
    (NAN, 1.0): complex(NAN, NAN),
    (1.0, NAN): complex(NAN, NAN),
    (INF, NAN): complex(NAN, NAN),
    (3.0, 4.0): 0.6 + 0.8j,
}


@pytest.mark.parametrize(('op', 'table'), [('expm1', EXPM1), ('log1p', LOG1P), ('sign', SIGN), ('tanh', TANH)])
@pytest.mark.parametrize('dtype', ['complex64', 'complex128'])
def test_complex_tables(op: str, table: dict[tuple[float, float], complex], dtype: str, device: str) -> None:
    for (a, b), want in table.items():
        got = getattr(cx, op)(cx.asarray(complex(a, b), dtype=dtype, device=device)).item()
        close = all(identical(g, w) or abs(g - w) < 1e-6 for g, w in ((got.real, want.real), (got.imag, want.imag)))
        assert close, (a, b, got, want)


def test_expm1_of_a_negative_zero(device: str) -> None:
    for b in (0.0, -0.0):
        assert identical(cx.expm1(cx.asarray([complex(-0.0, b)], device=device)).tolist()[0], complex(0.0, b))


def test_expm1_and_log1p_do_not_cancel_near_zero(device: str) -> None:
    z = cx.asarray([1e-20 + 1e-20j, -1e-9 + 1e-12j, 1e-300j], device=device)
    for op in (cx.expm1, cx.log1p):
        got = exchange.as_numpy(op(z).to_device('native:0'))
        np.testing.assert_allclose(got, exchange.as_numpy(z.to_device('native:0')), rtol=1e-8)


def test_clip(device: str) -> None:
    x = cx.asarray(np.arange(-3, 4), device=device)
    f = x.astype('float32')
    assert cx.clip(x, -1, max=2).tolist() == np.arange(-3, 4).clip(-1, 2).tolist()
    assert cx.clip(x).tolist() == x.tolist() and cx.clip(x).data_ptr != x.data_ptr
    assert cx.clip(f, min=0.5).dtype == 'float32' and cx.clip(f, 1, 2).dtype == 'float32'
    low = cx.asarray([[0], [1]], device=device)
    assert cx.clip(x, low, 2).tolist() == np.clip(np.arange(-3, 4), [[0], [1]], 2).tolist()
    for bounds in ((NAN, None), (None, NAN), (NAN, 1.0)):
        assert np.isnan(cx.clip(f, *bounds).tolist()).all()
    assert math.isnan(cx.clip(cx.asarray([NAN], device=device), 0, 1).tolist()[0])
    other = 'native:1' if device != 'native:1' else 'native:0'
    for bad, kind in (
        (lambda: cx.clip(x, 0.5), DtypeError),
        (lambda: cx.clip(x > 0, False), DtypeError),
        (lambda: cx.clip(f.astype('complex64'), 0), DtypeError),
        (lambda: cx.clip(x, cx.ones(3, dtype='int64', device=device)), DimensionError),
        (lambda: cx.clip(x, cx.ones(7, dtype='int64', device=other)), MixedDevicesError),
        (lambda: cx.clip(x, np.zeros(7)), TypeError),
    ):
        with pytest.raises(kind) as caught:
            bad()
        assert 'clip' in str(caught.value)
