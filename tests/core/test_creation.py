"""Creation functions and asarray against NumPy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import CopyRequiredError, DimensionError, DtypeError, OutOfMemoryError, UnknownArrayError

from ..accelerator import FIRST


def same(got: cx.Array, want: np.ndarray) -> None:
    values = exchange.as_numpy(got.to_device('native:0'))
    want = np.asarray(want)
    assert values.dtype == want.dtype and values.shape == want.shape
    np.testing.assert_array_equal(values, want)


def test_creation(device: str) -> None:
    same(cx.zeros((2, 3), device=device), np.zeros((2, 3)))
    same(cx.ones(4, dtype='int8', device=device), np.ones(4, 'int8'))
    same(cx.full((), 2.5, device=device), np.full((), 2.5))
    same(cx.full(3, True, device=device), np.full(3, True))
    same(cx.full((2, 0), 7, device=device), np.full((2, 0), 7))
    same(cx.arange(5, device=device), np.arange(5))
    same(cx.arange(2, 11, 3, dtype='float32', device=device), np.arange(2, 11, 3, dtype='float32'))
    same(cx.arange(5, -3, -2, device=device), np.arange(5, -3, -2))
    same(cx.arange(0.5, 3, 0.25, device=device), np.arange(0.5, 3, 0.25))
    same(cx.linspace(0, 1, 11, device=device), np.linspace(0, 1, 11))
    same(cx.linspace(3, -3, 7, endpoint=False, device=device), np.linspace(3, -3, 7, endpoint=False))
    same(cx.linspace(1, 2, 1, device=device), np.linspace(1, 2, 1))
    for k in (*range(-5, 6), 2**63, -(2**63), -(2**70)):
        same(cx.eye(3, 4, k=k, device=device), np.eye(3, 4, k=max(-9, min(9, k))))
    x = cx.asarray(np.ones((2, 2), 'float32'), device=device)
    for like in (cx.zeros_like, cx.ones_like, cx.empty_like):
        assert like(x).dtype == 'float32' and like(x).shape == (2, 2) and str(like(x).device) == device
    same(cx.full_like(x, 3, dtype='int64'), np.full((2, 2), 3))


@pytest.mark.parametrize(
    ('call', 'kind', 'word'),
    [
        (lambda d: cx.zeros(-1, device=d), DimensionError, '-1'),
        (lambda d: cx.zeros((2**40, 2**40), device=d), DimensionError, str(2**40)),
        (lambda d: cx.zeros(2**62, device=d), DimensionError, str(2**62)),
        (lambda d: cx.zeros(2**50, device=d), OutOfMemoryError, str(2**53)),
        (lambda d: cx.zeros((1,) * 65, device=d), DimensionError, '64'),
        (lambda d: cx.zeros(1.5, device=d), TypeError, 'float'),
        (lambda d: cx.zeros(True, device=d), TypeError, 'bool'),
        (lambda d: cx.zeros('3', device=d), TypeError, 'str'),
        (lambda d: cx.zeros(2**70, device=d), DimensionError, str(2**70)),
        (lambda d: cx.full(2, 300, dtype='int8', device=d), OverflowError, '300'),
        (lambda d: cx.full(2, 1.5, dtype='int8', device=d), DtypeError, '1.5'),
        (lambda d: cx.full(2, 'x', device=d), TypeError, 'x'),
        (lambda d: cx.arange(0, 5, 0, device=d), ValueError, 'step'),
        (lambda d: cx.arange(0, 1, 1e-300, device=d), ValueError, 'count'),
        (lambda d: cx.linspace(0, 1, -2, device=d), ValueError, '-2'),
    ],
)
def test_bad_creation(call, kind: type[Exception], word: str, device: str) -> None:
    with pytest.raises(kind) as caught:
        call(device)
    assert word in str(caught.value)


@pytest.mark.parametrize(
    'value', [True, 3, 2.5, 1 + 2j, [1, 2], [[1.5], [2]], [[True, False]], np.float32(2), np.int8(3), [], [[], []]]
)
def test_asarray_of_numbers(value, device: str) -> None:
    want = np.asarray(value)
    same(cx.asarray(value, device=device), want)
    with pytest.raises(CopyRequiredError):
        cx.asarray(value, device=device, copy=False)


def test_asarray_aliases_and_copies() -> None:
    a = np.arange(4.0)
    x = cx.asarray(a, device='native:0')
    x[0] = 9
    assert (
        a[0] == 9 and cx.asarray(x).data_ptr == x.data_ptr and cx.asarray(x, device='native:1').data_ptr == x.data_ptr
    )
    assert cx.asarray(a, copy=True).data_ptr != a.ctypes.data
    assert cx.asarray(memoryview(a)).data_ptr == a.ctypes.data
    for bad in (lambda: cx.asarray(a, dtype='float32', copy=False), lambda: cx.asarray(a, device=FIRST, copy=False)):
        with pytest.raises(CopyRequiredError):
            bad()
    frozen = np.frombuffer(b'12345678', dtype='uint8')
    assert cx.asarray(frozen).readonly and cx.asarray(b'12').readonly


@pytest.mark.parametrize(
    ('bad', 'kind'),
    [
        ('text', UnknownArrayError),
        (object(), UnknownArrayError),
        (None, UnknownArrayError),
        ({1, 2}, UnknownArrayError),
        ([1, [2, 3]], DimensionError),
        (['a'], DtypeError),
        ([None], DtypeError),
        (2**70, DtypeError),
        (np.array(['a']), DtypeError),
        (np.ones(2, '>f4'), DtypeError),
        (np.ma.array([1, 2], mask=[0, 1]), DtypeError),
        (np.zeros(2, 'i4,i4'), DtypeError),
        (np.array([1], 'M8[s]'), DtypeError),
        (np.ones(2, 'longdouble'), DtypeError),
    ],
)
def test_asarray_refuses(bad, kind: type[Exception], device: str) -> None:
    with pytest.raises(kind):
        cx.asarray(bad, device=device)


NUMBERS = st.floats(-1e6, 1e6) | st.integers(-1000, 1000) | st.sampled_from([1.7e308, -1.7e308, 5e-324, 2**60])


SUBNORMAL = Fraction(5e-324)  # the smallest one


@given(start=NUMBERS, stop=NUMBERS, count=st.integers(0, 30), endpoint=st.booleans())
@example(start=0.0, stop=2.2250738585e-313, count=5, endpoint=False)  # its step loses digits
@settings(max_examples=150, deadline=None)
def test_linspace(start: float, stop: float, count: int, endpoint: bool) -> None:
    got = exchange.as_numpy(cx.linspace(start, stop, count, endpoint=endpoint))
    assert np.isfinite(got).all() and got.dtype == np.float64 and got.shape == (count,)
    first, span = Fraction(start), Fraction(stop) - Fraction(start)
    for i, value in enumerate(map(Fraction, got.tolist())):
        way = span * i / max(count - 1 if endpoint else count, 1)
        # The difference, the step and each way round to 53 bits, then the sum; subnormal steps and ways to halves of
        # the smallest one.
        rounded = (3 * abs(way) + abs(first + way)) / 2**53
        assert abs(value - (first + way)) <= rounded * Fraction(1.001) + (Fraction(i, 2) + 1) * SUBNORMAL
    if count:
        assert got[0] == start and (not endpoint or count == 1 or got[-1] == stop)
    single = cx.linspace(start, stop, count, endpoint=endpoint, dtype='float32')
    with np.errstate(over='ignore'):
        same(single, got.astype('float32'))


def test_linspace_of_complex_numbers(device: str) -> None:
    for start, stop in ((0, 1 + 2j), (1j, 3), (-1 - 1j, 1 + 1j)):
        for endpoint in (False, True):
            options = {'num': 5, 'endpoint': endpoint}
            a, b = complex(start), complex(stop)
            want = np.linspace(a.real, b.real, **options) + 1j * np.linspace(a.imag, b.imag, **options)
            same(cx.linspace(start, stop, device=device, **options), want)
    same(cx.linspace(0, 1, 3, dtype='complex64', device=device), np.linspace(0, 1, 3, dtype='complex64'))
    assert cx.linspace(0, 1j, 0, device=device).dtype == 'complex128'
    with pytest.raises(DtypeError):
        cx.linspace(0, 1j, 3, dtype='float64', device=device)
    with pytest.raises(DtypeError):
        cx.linspace(0, 1, 3, dtype='int32', device=device)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_arange_as_numpy(data: st.DataObject) -> None:
    whole = st.integers(-50, 50)
    number = data.draw(st.sampled_from([whole, whole.map(lambda i: i / 4)]))
    step = data.draw(number.filter(bool))
    dtype = data.draw(st.sampled_from([None, 'int16', 'int64', 'float32', 'float64']))
    if dtype in ('int16', 'int64'):
        start, stop, step = data.draw(whole), data.draw(whole), data.draw(whole.filter(bool))
    else:
        start, stop = data.draw(number), data.draw(number)
    same(cx.arange(start, stop, step, dtype=dtype), np.arange(start, stop, step, dtype=dtype))
    same(cx.arange(stop), np.arange(stop))


def test_arange_of_extremes(device: str) -> None:
    low, high = -(2**63), 2**63 - 1
    same(cx.arange(low, high, high, device=device), np.array([low, -1, high - 1]))
    same(cx.arange(high, low, low, device=device), np.array([high, -1]))
    assert cx.arange(0, device=device).shape == cx.arange(5, 1, device=device).shape == (0,)
    assert cx.arange(0.0, -1, device=device).dtype == 'float64'
    with pytest.raises(OverflowError):
        cx.arange(2**63, device=device)
    for bad in ((1j,), (0, 1j), (0, 1, 1j)):
        with pytest.raises(DtypeError):
            cx.arange(*bad, device=device)
    for dtype in ('bool', 'complex64', 'int4'):
        with pytest.raises(DtypeError):
            cx.arange(3, dtype=dtype, device=device)


@pytest.mark.parametrize('value', [True, 3, -3, 2.5, float('nan'), 1 - 2j, 2**63 - 1, np.float32(0.5), np.int8(3)])
@pytest.mark.parametrize('shape', [(), 4, (2, 0, 3), (2, 3)], ids=str)
def test_full_of_each_kind(value, shape, device: str) -> None:
    same(cx.full(shape, value, device=device), np.full(shape, value))
    x = cx.ones(shape, dtype='complex64', device=device)
    same(cx.full_like(x, value), np.full(shape, value, 'complex64'))
    assert cx.full_like(x, value, dtype='bool').dtype == 'bool'


def test_like_takes_all_from_the_array(device: str) -> None:
    x = cx.permute_dims(cx.ones((2, 3), dtype='bfloat16', device=device), (1, 0))
    for y in (cx.zeros_like(x), cx.ones_like(x), cx.empty_like(x), cx.full_like(x, 2)):
        assert y.shape == (3, 2) and y.dtype == 'bfloat16' and str(y.device) == device and y.strides == (4, 2)
    other = 'native:0' if device != 'native:0' else FIRST
    y = cx.full_like(x, 2, dtype='uint4', device=other)
    assert str(y.device) == other and y.dtype == 'uint4' and y.astype('int8').tolist() == [[2] * 2] * 3


def test_copies_refused_are_value_errors(device: str) -> None:
    # The array API standard's word in asarray and reshape; from_dlpack's is BufferError.
    for kind in (ValueError, BufferError):
        with pytest.raises(kind):
            cx.asarray([1, 2], device=device, copy=False)
        with pytest.raises(kind):
            cx.reshape(cx.ones((2, 3), device=device).T, (6,), copy=False)
