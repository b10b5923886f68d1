"""Creation functions and asarray against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import CopyRequiredError, DimensionError, DtypeError, OutOfMemoryError, UnknownArrayError


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
    for k in range(-5, 6):
        same(cx.eye(3, 4, k=k, device=device), np.eye(3, 4, k=k))
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
    for bad in (lambda: cx.asarray(a, dtype='float32', copy=False), lambda: cx.asarray(a, device='sim:0', copy=False)):
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


def test_asarray_of_core_arrays_says_stack(device: str) -> None:
    # tensorflow/tensorflow#27692: a list of device arrays was pulled element by element.
    with pytest.raises(DtypeError) as caught:
        cx.asarray([cx.ones(3, device=device)] * 4)
    assert 'stack' in str(caught.value)
