"""sort, argsort and searchsorted against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import AsyncDeviceError, DimensionError, DtypeError, MixedDevicesError

from ..accelerator import FIRST

INTEGERS = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64')
FLOATS = ('float16', 'bfloat16', 'float32', 'float64')
DTYPES = ('bool', *INTEGERS, *FLOATS)
# Around the sizes where one method of sorting takes over from another.
SIZES = (0, 1, 2, 3, 31, 48, 49, 63, 64, 65, 97, 128, 129, 300, 5000)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.nan, -np.nan, np.inf, -np.inf, 2.5)

Host = Callable[[cx.Array], np.ndarray[Any, Any]]


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = cx.get_num_threads()
    cx.set_num_threads(request.param)
    yield request.param
    cx.set_num_threads(before)


def values(rng: np.random.Generator, dtype: str, size: Any, few: bool) -> np.ndarray[Any, Any]:
    """Any bits at all, or few values with many equal ones, zeros of both signs and NaNs among them."""
    wanted = np.dtype(ml_dtypes.bfloat16 if dtype == 'bfloat16' else dtype)
    if dtype == 'bool':
        return rng.integers(0, 2, size).astype(bool)
    if few:
        return (rng.choice(SPECIAL, size) if dtype in FLOATS else rng.integers(0, 4, size)).astype(wanted)
    count = int(np.prod(size)) * wanted.itemsize
    return rng.integers(0, 256, count, dtype='uint8').view(wanted).reshape(size)


def order(x: np.ndarray[Any, Any], descending: bool, axis: int = -1) -> np.ndarray[Any, Any]:
    """The stable order with NaN above all."""
    wide = x.astype('float32') if x.dtype.name in ('float16', 'bfloat16') else x
    if not descending:
        return np.argsort(wide, axis=axis, kind='stable')
    rank = np.unique(wide, return_inverse=True)[1].reshape(x.shape)  # NumPy's NaNs are one value here, the last
    return np.argsort(-rank, axis=axis, kind='stable')


def check(x: cx.Array, want: np.ndarray[Any, Any], host: Host, *, descending: bool = False, axis: int = -1) -> None:
    places = order(want, descending, axis)
    indices = cx.argsort(x, axis=axis, descending=descending)
    assert indices.dtype == 'int64' and indices.shape == want.shape and indices.device == x.device
    np.testing.assert_array_equal(host(indices), places)
    ordered = cx.sort(x, axis=axis, descending=descending)
    assert ordered.dtype == x.dtype and ordered.shape == want.shape and ordered.device == x.device
    assert host(ordered).tobytes() == np.take_along_axis(want, places, axis).tobytes()


@pytest.mark.parametrize('few', [False, True])
@pytest.mark.parametrize('dtype', DTYPES)
def test_every_dtype_and_size(dtype: str, few: bool, device: str, host: Host, rng: np.random.Generator) -> None:
    for size in SIZES:
        a = values(rng, dtype, size, few)
        x = cx.asarray(a, device=device)
        for descending in (False, True):
            check(x, a, host, descending=descending)


@pytest.mark.parametrize('dtype', ['int8', 'int16', 'bfloat16', 'float32', 'int64', 'float64'])
def test_long_rows(dtype: str, host: Host, rng: np.random.Generator, threads: int) -> None:
    for few in (False, True):
        a = values(rng, dtype, 150_000, few)
        for b in (a, np.sort(a)[::-1], a[::-3]):
            x = cx.asarray(b, device='native:0')
            check(x, b, host)
            check(x, b, host, descending=True)


def test_keys_that_agree_in_their_high_bits(host: Host, rng: np.random.Generator, threads: int) -> None:
    high = rng.integers(0, 3, 100_000).astype('uint64') << np.uint64(56)
    for low in (rng.integers(0, 2**48, 100_000), rng.integers(0, 10, 100_000), np.zeros(100_000, 'int64')):
        a = high | low.astype('uint64')
        check(cx.asarray(a, device='native:0'), a, host)
        check(cx.asarray(a.view('float64'), device='native:0'), a.view('float64'), host)


@pytest.mark.parametrize('shape', [(7, 5, 3), (2, 100, 4), (3, 0, 2), (0, 4), (1, 1), (40, 300)])
def test_axes_and_strides(shape: tuple[int, ...], device: str, host: Host, rng: np.random.Generator) -> None:
    a = values(rng, 'float32', shape, few=True)
    x = cx.asarray(a, device=device)
    for axis in range(-len(shape), len(shape)):
        check(x, a, host, axis=axis)
        check(x, a, host, axis=axis, descending=True)
    steps = (slice(None, None, -1),) * (len(shape) - 1) + (slice(None, None, 2),)
    check(x[steps], a[steps], host, axis=0)
    check(cx.permute_dims(x, tuple(range(len(shape)))[::-1]), a.T, host)
    check(cx.broadcast_to(x, (2, *shape)), np.broadcast_to(a, (2, *shape)), host, axis=0, descending=True)


def test_unaligned_and_readonly_input(host: Host, rng: np.random.Generator) -> None:
    for count in (20, 500):
        a = np.frombuffer(rng.bytes(4 * count + 1), 'uint8')[1:].view('int32')
        x = cx.asarray(a, device='native:0')
        assert x.readonly
        check(x, a, host)


def test_nan_is_above_all_and_equal_elements_keep_their_order(device: str, host: Host) -> None:
    x = cx.asarray([np.nan, 1.0, -0.0, np.inf, 0.0, np.nan, 1.0], device=device)
    assert host(cx.argsort(x)).tolist() == [2, 4, 1, 6, 3, 0, 5]
    assert host(cx.argsort(x, descending=True)).tolist() == [0, 5, 3, 1, 6, 2, 4]
    assert np.signbit(host(cx.sort(x)))[:2].tolist() == [True, False]
    assert host(cx.argsort(x, stable=False)).tolist() == [2, 4, 1, 6, 3, 0, 5]


@given(
    hnp.arrays(
        st.sampled_from(['bool', *INTEGERS, 'float16', 'float32', 'float64']),
        hnp.array_shapes(max_dims=3, max_side=20),
        unique=False,
    ),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_anything_sorts(a: np.ndarray[Any, Any], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2, -3]))) for _ in a.shape)
    device = data.draw(st.sampled_from(['native:0', FIRST]))
    x = cx.asarray(a, device=device)[steps]
    check(
        x,
        a[steps],
        lambda y: exchange.as_numpy(y.to_device('native:0')),
        axis=axis,
        descending=data.draw(st.booleans()),
    )


@pytest.mark.parametrize('call', [cx.sort, cx.argsort])
def test_bad_sorts(call: Callable[..., cx.Array], device: str) -> None:
    word = call.__name__
    x = cx.ones((2, 3), device=device)
    for bad, kind, text in (
        (lambda: call(cx.ones((), device=device)), DimensionError, '0-d'),
        (lambda: call(x, axis=2), IndexError, '2'),
        (lambda: call(x, axis=-3), IndexError, '-3'),
        (lambda: call(cx.astype(x, cx.complex64)), DtypeError, 'real'),
        (lambda: call(cx.astype(x, cx.float8_e5m2)), DtypeError, 'astype'),
        (lambda: call(np.ones(3)), TypeError, 'NumPy'),
        (lambda: call([1, 2]), TypeError, 'list'),
    ):
        with pytest.raises(kind, match=text) as caught:
            bad()
        assert word in str(caught.value)
    for misuse in (lambda: call(x, 0), lambda: call(x, axis=None), lambda: call(x, axis=1.0)):
        with pytest.raises(TypeError):
            misuse()


@pytest.mark.parametrize('dtype', DTYPES)
def test_searchsorted(dtype: str, device: str, host: Host, rng: np.random.Generator) -> None:
    for size in (0, 1, 2, 3, 100, 1000):
        a = values(rng, dtype, size, few=size < 1000)
        a = a[order(a, descending=False)]
        v = np.concatenate([a[::3], values(rng, dtype, 77, few=True), values(rng, dtype, 200, few=False)])
        wide = 'float32' if dtype in ('float16', 'bfloat16') else dtype
        for side in ('left', 'right'):
            got = cx.searchsorted(cx.asarray(a, device=device), cx.asarray(v, device=device), side=side)
            assert got.dtype == 'int64' and got.shape == v.shape and str(got.device) == device
            np.testing.assert_array_equal(host(got), np.searchsorted(a.astype(wide), v.astype(wide), side=side))


def test_searchsorted_of_any_layout(device: str, host: Host, rng: np.random.Generator) -> None:
    a, v = np.sort(rng.integers(0, 50, 120)), rng.integers(-5, 55, (6, 7, 8))
    x, y = cx.asarray(a, device=device), cx.asarray(v, device=device)
    turned, want = cx.permute_dims(y, (2, 0, 1))[::-2], v.transpose(2, 0, 1)[::-2]
    np.testing.assert_array_equal(host(cx.searchsorted(x[::3], turned)), np.searchsorted(a[::3], want))
    backwards = cx.asarray(a[::-1].copy(), device=device)[::-1]
    np.testing.assert_array_equal(host(cx.searchsorted(backwards, y, side='right')), np.searchsorted(a, v, 'right'))
    assert host(cx.searchsorted(x, y[0, 0, 0])).shape == ()
    assert cx.searchsorted(x, y[:0]).shape == (0, 7, 8)
    spread, want = cx.broadcast_to(y[0], (3, 7, 8)), np.broadcast_to(v[0], (3, 7, 8))
    np.testing.assert_array_equal(host(cx.searchsorted(x, spread)), np.searchsorted(a, want))


def test_searchsorted_promotes(device: str, host: Host) -> None:
    x = cx.asarray(np.array([1, 3], 'int8'), device=device)
    assert host(cx.searchsorted(x, cx.asarray(np.array([300, 2], 'int32'), device=device))).tolist() == [2, 1]
    with pytest.raises(DtypeError, match=r'searchsorted.*int8.*float32'):
        cx.searchsorted(x, cx.ones(2, dtype=cx.float32, device=device))


@pytest.mark.parametrize('dtype', INTEGERS)
def test_searchsorted_with_a_sorter(dtype: str, device: str, host: Host, rng: np.random.Generator) -> None:
    a, v = rng.integers(0, 90, 100).astype('float32'), rng.integers(-5, 99, 50).astype('float32')
    x, y = cx.asarray(a, device=device), cx.asarray(v, device=device)
    sorter = cx.astype(cx.argsort(x), getattr(cx, dtype))
    for side in ('left', 'right'):
        want = np.searchsorted(np.sort(a), v, side)
        np.testing.assert_array_equal(host(cx.searchsorted(x, y, side=side, sorter=sorter)), want)
        backwards = cx.searchsorted(x[::-1], y, side=side, sorter=99 - cx.astype(sorter, cx.int64))
        np.testing.assert_array_equal(host(backwards), want)
    assert host(cx.searchsorted(x[:0], y, sorter=sorter[:0])).tolist() == [0] * 50


def test_a_sorter_that_leads_outside() -> None:
    for place, device in ((2, 'native:0'), (-3, 'native:0'), (2, FIRST)):
        x = cx.asarray([1.0, 2.0], device=device)
        with pytest.raises(IndexError if device == 'native:0' else AsyncDeviceError, match=str(place)):
            cx.searchsorted(x, x, sorter=cx.asarray([0, place], device=device)).tolist()


def test_bad_searches(device: str) -> None:
    x = cx.asarray([1.0, 2.0], device=device)
    for bad, kind, text in (
        (lambda: cx.searchsorted(cx.ones((2, 2), device=device), x), DimensionError, r'\(2, 2\)'),
        (lambda: cx.searchsorted(cx.ones((), device=device), x), DimensionError, 'one-dimensional'),
        (lambda: cx.searchsorted(x, x, side='middle'), ValueError, "'middle'"),
        (lambda: cx.searchsorted(x, x, side=1), ValueError, '1'),
        (lambda: cx.searchsorted(x, x, sorter=x), DtypeError, 'float64'),
        (lambda: cx.searchsorted(x, x, sorter=cx.zeros(3, dtype=cx.int8, device=device)), DimensionError, r'\(3,\)'),
        (lambda: cx.searchsorted(x, 1.0), TypeError, 'float'),
        (lambda: cx.searchsorted(*[cx.astype(x, cx.complex64)] * 2), DtypeError, 'complex64'),
        (lambda: cx.searchsorted(x, cx.ones(1, device='native:1')), MixedDevicesError, 'native:1'),
    ):
        with pytest.raises(kind, match=text) as caught:
            bad()
        assert 'searchsorted' in str(caught.value)


def test_all_bytes_but_0_are_one_true(device: str, host: Host) -> None:
    x = cx.asarray(np.array([2, 0, 1, 255, 0, 4], 'uint8').view(bool), device=device)
    for descending, want in ((False, [1, 4, 0, 2, 3, 5]), (True, [0, 2, 3, 5, 1, 4])):
        np.testing.assert_array_equal(host(cx.argsort(x, descending=descending)), want)
        assert host(cx.sort(x, descending=descending)).tolist() == sorted(x.tolist(), reverse=descending)
    assert host(cx.searchsorted(cx.sort(x), x)).tolist() == [2, 0, 2, 2, 0, 2]
    assert host(cx.unique_all(x).indices).tolist() == [1, 0]
