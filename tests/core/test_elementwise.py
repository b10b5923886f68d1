"""Elementwise functions against NumPy: values, dtypes, broadcasting, promotion, errors."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError, DtypeError, MixedDevicesError, ReadOnlyError

from ..accelerator import FIRST, SECOND

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
FLOATS = ['float16', 'float32', 'float64']
COMPLEX = ['complex64', 'complex128']
NUMPY_NAMES = {'acos': 'arccos', 'acosh': 'arccosh', 'asin': 'arcsin', 'asinh': 'arcsinh', 'atan': 'arctan'}
NUMPY_NAMES |= {'atanh': 'arctanh', 'atan2': 'arctan2', 'pow': 'power', 'bitwise_invert': 'bitwise_not'}
NUMPY_NAMES |= {'bitwise_left_shift': 'left_shift', 'bitwise_right_shift': 'right_shift'}

UNARY = {
    'abs': INTEGERS + FLOATS + COMPLEX,
    'negative': INTEGERS + FLOATS + COMPLEX,
    'square': INTEGERS + FLOATS + COMPLEX,
    'sign': INTEGERS + FLOATS,
    'floor': FLOATS,
    'ceil': FLOATS,
    'trunc': FLOATS,
    'round': FLOATS,
    'isnan': FLOATS + COMPLEX,
    'isinf': FLOATS + COMPLEX,
    'isfinite': FLOATS + COMPLEX,
    'signbit': FLOATS,
    'logical_not': ['bool'],
    'bitwise_invert': ['bool', *INTEGERS],
    'conj': COMPLEX,
    'real': COMPLEX,
    'imag': COMPLEX,
    'sqrt': FLOATS,
    'exp': FLOATS,
    'expm1': FLOATS,
    'log': FLOATS,
    'log1p': FLOATS,
    'log2': FLOATS,
    'log10': FLOATS,
    'sin': FLOATS,
    'cos': FLOATS,
    'tan': FLOATS,
    'asin': FLOATS,
    'acos': FLOATS,
    'atan': FLOATS,
    'sinh': FLOATS,
    'cosh': FLOATS,
    'tanh': FLOATS,
    'asinh': FLOATS,
    'acosh': FLOATS,
    'atanh': FLOATS,
    'reciprocal': FLOATS,
}
BINARY = {
    'add': INTEGERS + FLOATS + COMPLEX,
    'subtract': INTEGERS + FLOATS + COMPLEX,
    'multiply': INTEGERS + FLOATS + COMPLEX,
    'divide': FLOATS + COMPLEX,
    'floor_divide': INTEGERS + FLOATS,
    'remainder': INTEGERS + FLOATS,
    'maximum': INTEGERS + FLOATS,
    'minimum': INTEGERS + FLOATS,
    'equal': ['bool', *INTEGERS, *FLOATS, *COMPLEX],
    'not_equal': ['bool', *INTEGERS, *FLOATS, *COMPLEX],
    'less': INTEGERS + FLOATS,
    'less_equal': INTEGERS + FLOATS,
    'greater': INTEGERS + FLOATS,
    'greater_equal': INTEGERS + FLOATS,
    'logical_and': ['bool'],
    'logical_or': ['bool'],
    'logical_xor': ['bool'],
    'bitwise_and': ['bool', *INTEGERS],
    'bitwise_or': ['bool', *INTEGERS],
    'bitwise_xor': ['bool', *INTEGERS],
    'bitwise_left_shift': INTEGERS,
    'bitwise_right_shift': INTEGERS,
    'atan2': FLOATS,
    'hypot': FLOATS,
    'copysign': FLOATS,
    'logaddexp': FLOATS,
    'nextafter': ['float32', 'float64'],
    'pow': FLOATS,
}
# Where NumPy departs from the standard (infinities), or a float16 result is rounded once more than here.
TOLERANCE = {'float16': 2e-3, 'float32': 2e-6, 'float64': 1e-14, 'complex64': 2e-6, 'complex128': 1e-14}


def samples(dtype: str, rng: np.random.Generator) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind == 'b':
        return np.array([True, False, True, True])
    if kind.kind in 'iu':
        info = np.iinfo(kind)
        return np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 1], dtype=kind)
    values = np.array([0.0, -0.0, 0.5, -1.5, 2.5, 7.0, -33.25, np.inf, -np.inf, np.nan, 1e-3, 1e-45, 60000.0])
    if kind.kind == 'c':
        return (rng.standard_normal(9) + 1j * rng.standard_normal(9)).astype(kind)
    with np.errstate(all='ignore'):
        return values.astype(kind)


def check(got: cx.Array, want: np.ndarray, dtype: str, host) -> None:
    values = host(got)
    assert values.dtype == want.dtype
    if values.dtype.kind in 'fc':
        np.testing.assert_allclose(values, want, rtol=TOLERANCE[dtype], atol=0)
    else:
        np.testing.assert_array_equal(values, want)


@pytest.mark.parametrize('op', UNARY)
def test_unary(op: str, device: str, rng: np.random.Generator, host) -> None:
    for dtype in UNARY[op]:
        a = samples(dtype, rng)
        with np.errstate(all='ignore'):
            want = np.asarray(getattr(np, NUMPY_NAMES.get(op, op))(a))
        check(getattr(cx, op)(cx.asarray(a, device=device)), want, dtype, host)


@pytest.mark.parametrize('op', BINARY)
def test_binary(op: str, device: str, rng: np.random.Generator, host) -> None:
    for dtype in BINARY[op]:
        a = samples(dtype, rng)[:, None]
        b = samples(dtype, rng)[None, :]
        if op in ('floor_divide', 'remainder') and np.dtype(dtype).kind == 'f':
            b = b[:, np.isfinite(b[0])]
            a = a[np.isfinite(a[:, 0])]
        if 'shift' in op:
            b = b.clip(0, 7)
        with np.errstate(all='ignore'):
            want = np.asarray(getattr(np, NUMPY_NAMES.get(op, op))(a, b))
        check(getattr(cx, op)(cx.asarray(a, device=device), cx.asarray(b, device=device)), want, dtype, host)


@pytest.mark.parametrize('dtype', INTEGERS)
def test_integer_division_by_zero_does_not_trap(dtype: str, device: str, host) -> None:
    a = cx.asarray(np.array([5, 0, np.iinfo(dtype).min], dtype=dtype), device=device)
    zero = cx.zeros_like(a)
    np.testing.assert_array_equal(host(a // zero), np.zeros(3, dtype))
    np.testing.assert_array_equal(host(a % zero), np.zeros(3, dtype))
    if dtype.startswith('int'):
        minus = cx.full_like(a, -1)
        assert int((a // minus)[2]) == np.iinfo(dtype).min and int((a % minus)[2]) == 0


def test_powers_by_a_number(device: str, host) -> None:
    a = np.array([-3.0, -0.0, 0.5, np.inf, np.nan], 'float32')
    x = cx.asarray(a, device=device)
    for exponent in (2, 2.0, 3, -1, 0.5, 0):
        with np.errstate(all='ignore'):
            np.testing.assert_allclose(host(x**exponent), a**exponent, rtol=1e-6)
        assert (x**exponent).dtype == 'float32'
    i = cx.asarray(np.array([-3, 0, 7], 'int8'), device=device)
    assert (i**2).tolist() == [9, 0, 49] and (i**2).dtype == 'int8' and (2 ** i[2:]).tolist() == [-128]
    assert (i ** np.int16(2)).dtype == 'int16'
    for bad in (lambda: i**-1, lambda: cx.pow(i, -2)):
        with pytest.raises(ValueError) as caught:
            bad()
        assert 'int8' in str(caught.value)


def test_bfloat16_computes_in_float(device: str, host) -> None:
    import ml_dtypes

    a = np.linspace(-3, 3, 50).astype(ml_dtypes.bfloat16)
    x = cx.asarray(a, device=device)
    assert x.dtype == 'bfloat16'
    np.testing.assert_array_equal(host(x * x), a * a)
    np.testing.assert_array_equal(host(x + 1), a + ml_dtypes.bfloat16(1))


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_layouts_and_broadcasting(data: st.DataObject) -> None:
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4))
    arrays = []
    for shape in shapes.input_shapes:
        padded = tuple(2 * side for side in shape)
        base = np.arange(np.prod(padded, dtype=int), dtype='float64').reshape(padded)
        step = data.draw(st.sampled_from([2, -2]))
        view = base[tuple(slice(None, None, step) for _ in shape)]
        arrays.append(view)
    a, b = arrays
    for device in ('native:0', FIRST):
        got = cx.asarray(a, device=device) + cx.asarray(b, device=device)
        want = np.asarray(a + b)
        assert got.shape == want.shape and got.c_contiguous
        np.testing.assert_array_equal(exchange.as_numpy(got.to_device('native:0')), want)


def test_weak_scalars_take_the_arrays_dtype(device: str) -> None:
    f, i, b = (
        cx.ones(2, dtype='float32', device=device),
        cx.ones(2, dtype='int8', device=device),
        cx.ones(2, dtype='bool', device=device),
    )
    c = cx.ones(2, dtype='complex64', device=device)
    for got, want in [
        (f + 1, 'float32'),
        (2.5 * f, 'float32'),
        (i - 1, 'int8'),
        (c * 2.5, 'complex64'),
        (f + 1j, 'complex64'),
        (b & True, 'bool'),
    ]:
        assert got.dtype == want
    for bad in (lambda: i + 2.5, lambda: i + 1j, lambda: b + 1, lambda: f + True, lambda: i & 1.0):
        with pytest.raises(DtypeError):
            bad()
    for bad in (lambda: i + 300, lambda: i + 2**70, lambda: i * -129):
        with pytest.raises(OverflowError):
            bad()


def test_numpy_scalars_are_strong(device: str) -> None:
    f = cx.ones(2, dtype='float32', device=device)
    assert (f + np.float32(1)).dtype == 'float32' and (f * np.float64(2)).dtype == 'float64'
    assert (np.float64(2) * f).dtype == 'float64' and type(np.float32(2) - f) is cx.Array
    with pytest.raises(DtypeError):
        f + np.int32(1)


@pytest.mark.parametrize(
    'pair', [('int8', 'uint8', 'int16'), ('int32', 'uint32', 'int64'), ('float32', 'float64', 'float64')]
)
def test_promotion(pair: tuple[str, str, str], device: str) -> None:
    a, b, want = pair
    assert (cx.ones(2, dtype=a, device=device) + cx.ones(2, dtype=b, device=device)).dtype == want


@pytest.mark.parametrize('pair', [('int64', 'uint64'), ('int32', 'float32'), ('bool', 'int8'), ('float16', 'bfloat16')])
def test_no_promotion_across_kinds(pair: tuple[str, str], device: str) -> None:
    with pytest.raises(DtypeError) as caught:
        cx.ones(2, dtype=pair[0], device=device) + cx.ones(2, dtype=pair[1], device=device)
    assert pair[0] in str(caught.value) and pair[1] in str(caught.value)


@pytest.mark.parametrize('call', [operator.add, operator.matmul, lambda a, b: cx.where(a > 0, a, b)])
def test_devices_never_mix(call) -> None:
    places = ['native:0', 'native:1', FIRST, SECOND]
    for p in places:
        for q in places:
            if p == q:
                continue
            with pytest.raises(MixedDevicesError) as caught:
                call(cx.ones(3, device=p), cx.ones(3, device=q))
            assert p in str(caught.value) and q in str(caught.value)
            assert {spec for _, spec in caught.value.arguments} == {p, q}


@pytest.mark.parametrize(
    'call', [lambda x, a: x + a, lambda x, a: a + x, lambda x, a: x @ a, lambda x, a: x == a, lambda x, a: cx.add(x, a)]
)
def test_numpy_arrays_do_not_mix_in(call, device: str) -> None:
    # pytorch/pytorch#46829, pydata/xarray#9952: the result's type depended on the order of the operands.
    with pytest.raises(TypeError) as caught:
        call(cx.ones(3, device=device), np.ones(3))
    assert 'send' in str(caught.value) and device in str(caught.value)


def test_in_place_keeps_the_object_and_refuses_what_would_change_it(device: str, host) -> None:
    x = cx.asarray(np.arange(6.0).reshape(2, 3), device=device, copy=True)
    y = x
    y += 1
    y *= cx.asarray(np.array([1.0, 2.0, 3.0]), device=device)
    assert y is x
    np.testing.assert_array_equal(host(x), (np.arange(6.0).reshape(2, 3) + 1) * [1, 2, 3])
    x[:, 1:] -= x[:, :-1]  # overlapping operands
    with pytest.raises(DimensionError):
        x += cx.ones((4, 2, 3), device=device)
    with pytest.raises(DtypeError):
        x += 1j
    frozen = x._as_readonly()
    with pytest.raises(ReadOnlyError):
        frozen += 1


def test_overlap_in_place(device: str, host) -> None:
    a = np.arange(10.0)
    x = cx.asarray(a, device=device, copy=True)
    x[1:] += x[:-1]
    a[1:] += a[:-1].copy()
    np.testing.assert_array_equal(host(x), a)


def test_errors_name_both_shapes(device: str) -> None:
    with pytest.raises(DimensionError) as caught:
        cx.ones((2, 3), device=device) * cx.ones((4, 5), device=device)
    assert '(2, 3)' in str(caught.value) and '(4, 5)' in str(caught.value)


@pytest.mark.parametrize('name', ['float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4'])
def test_storage_dtypes_are_not_computed_with(name: str, device: str) -> None:
    x = cx.ones(3, dtype=name, device=device)
    for bad in (lambda: x + x, lambda: cx.exp(x), lambda: x.sum(), lambda: x == x):
        with pytest.raises(DtypeError) as caught:
            bad()
        assert name in str(caught.value)


def test_where_and_clip(device: str, host) -> None:
    a = np.arange(-3.0, 4.0)
    x = cx.asarray(a, device=device)
    np.testing.assert_array_equal(host(cx.where(x > 0, x, 0.0)), np.where(a > 0, a, 0.0))
    np.testing.assert_array_equal(host(cx.clip(x, -1, 2.5)), a.clip(-1, 2.5))
    np.testing.assert_array_equal(host(cx.clip(x, None, cx.ones(7, device=device))), a.clip(None, 1))
    with pytest.raises(DtypeError):
        cx.where(x, x, x)


def test_results_follow_their_inputs_not_the_default_device() -> None:
    # scipy/scipy#22680, data-apis/array-api-compat#299: temporaries were made on the default device.
    x = cx.ones(4, device=SECOND)
    before = exchange.set_default_device(lambda: cx.device(FIRST))
    try:
        assert cx.ones(2).device == cx.device(FIRST)
        for y in (x + 1, x.sum(), cx.zeros_like(x), cx.where(x > 0, x, 1.0), cx.mean(x), x @ x, cx.concat([x, x])):
            assert y.device == cx.device(SECOND)
    finally:
        exchange.set_default_device(before)
