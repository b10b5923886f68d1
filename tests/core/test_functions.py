"""Creation, manipulation, reductions and products against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_reshape_as_numpy(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    a = np.arange(np.prod(shape)).reshape(shape)[data.draw(hnp.basic_indices(shape, allow_ellipsis=False))]
    a = np.asarray(a).transpose(data.draw(st.permutations(range(np.ndim(a)))))
    sizes = [1]
    rest = a.size
    for factor in (2, 3):
        while rest and rest % factor == 0:
            rest //= factor
            sizes.append(factor)
    target = (*data.draw(st.permutations(sizes)), rest)
    same(cx.reshape(cx.asarray(a), target), a.reshape(target))
    view = cx.reshape(cx.asarray(a), target)
    assert (view.data_ptr == a.ctypes.data) == np.shares_memory(a.reshape(target), a) or a.size == 0


def test_manipulation(device: str) -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    x = cx.asarray(a, device=device)
    same(x.reshape(4, -1), a.reshape(4, -1))
    same(x.reshape((6, 4)), a.reshape(6, 4))
    same(cx.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1))
    same(cx.moveaxis(x, 0, -1), np.moveaxis(a, 0, -1))
    same(cx.moveaxis(x, (0, 1), (2, 0)), np.moveaxis(a, (0, 1), (2, 0)))
    same(cx.matrix_transpose(x), a.swapaxes(1, 2))
    same(cx.expand_dims(x, axis=(0, -1)), np.expand_dims(a, (0, -1)))
    same(cx.squeeze(cx.expand_dims(x, axis=1), 1), a)
    same(cx.flip(x), np.flip(a))
    same(cx.flip(x, axis=-1), np.flip(a, -1))
    same(cx.broadcast_to(x[:, :1], (2, 3, 4)), np.broadcast_to(a[:, :1], (2, 3, 4)))
    same(cx.broadcast_arrays(x[0], x[:, :1])[1], np.broadcast_arrays(a[0], a[:, :1])[1])
    same(cx.concat([x, x[:, :1]], axis=1), np.concatenate([a, a[:, :1]], axis=1))
    same(cx.concat([x, x], axis=None), np.concatenate([a, a], axis=None))
    same(cx.concat([x.astype('float32'), x]), np.concatenate([a.astype('float32'), a]))
    same(cx.stack([x, x], axis=-1), np.stack([a, a], axis=-1))
    same(cx.astype(x, 'int8'), a.astype('int8'))
    assert x.astype('float64', copy=False).data_ptr == x.data_ptr and x.astype('float64').data_ptr != x.data_ptr


@pytest.mark.parametrize(
    'bad',
    [
        lambda x: x.reshape(5, 5),
        lambda x: x.reshape(-1, -1),
        lambda x: x.reshape(-1, 0),
        lambda x: cx.permute_dims(x, (0, 0)),
        lambda x: cx.permute_dims(x, (0,)),
        lambda x: cx.squeeze(x, 0),
        lambda x: cx.expand_dims(x, axis=(0, 0)),
        lambda x: cx.broadcast_to(x, (2, 4)),
        lambda x: cx.concat([x, x.T]),
        lambda x: cx.stack([x, x.T]),
        lambda x: cx.concat([]),
        lambda x: x @ x,
        lambda x: cx.matmul(x, cx.ones((), device=x.device)),
    ],
)
def test_bad_manipulation(bad, device: str) -> None:
    with pytest.raises(ValueError):
        bad(cx.ones((2, 3), device=device))


def test_astype_drops_no_imaginary_parts(device: str) -> None:
    x = cx.ones(3, dtype='complex64', device=device)
    for act in (lambda: x.astype('float32'), lambda: cx.astype(x, 'int8'), lambda: cx.astype(x, 'bool')):
        with pytest.raises(DtypeError) as caught:
            act()
        assert 'real' in str(caught.value)
    assert x.astype('complex128').dtype == 'complex128' and cx.real(x).astype('int8').tolist() == [1, 1, 1]


def test_reshape_copy_flag(device: str) -> None:
    x = cx.ones((3, 4), device=device)
    assert cx.reshape(x, (12,), copy=True).data_ptr != x.data_ptr
    with pytest.raises(CopyRequiredError):
        cx.reshape(x.T, (12,), copy=False)


AXES = [None, 0, 1, -1, (0, 2), (), (0, 1, 2)]


@pytest.mark.parametrize('axis', AXES, ids=str)
@pytest.mark.parametrize('keepdims', [False, True])
def test_reductions(axis, keepdims: bool, device: str, rng: np.random.Generator) -> None:
    a = rng.integers(-5, 5, (3, 4, 5))
    for dtype in ('int16', 'uint8', 'float32', 'float64', 'complex64'):
        b = a.astype(dtype).transpose(2, 0, 1)
        x = cx.asarray(b, device=device)
        wide = {'int16': 'int64', 'uint8': 'uint64'}.get(dtype, dtype)
        same(cx.sum(x, axis=axis, keepdims=keepdims), b.sum(axis=axis, keepdims=keepdims, dtype=wide))
        small = (b != 0).astype(dtype) + np.asarray(1, dtype)
        same(
            cx.prod(cx.asarray(small, device=device), axis=axis, keepdims=keepdims),
            small.prod(axis=axis, keepdims=keepdims, dtype=wide),
        )
        same(cx.any(x, axis=axis, keepdims=keepdims), np.any(b, axis=axis, keepdims=keepdims))
        same(cx.all(x, axis=axis, keepdims=keepdims), np.all(b, axis=axis, keepdims=keepdims))
        if dtype != 'complex64':
            same(x.max(axis=axis, keepdims=keepdims), b.max(axis=axis, keepdims=keepdims))
            same(x.min(axis=axis, keepdims=keepdims), b.min(axis=axis, keepdims=keepdims))
        if dtype.startswith('float'):
            got = exchange.as_numpy(cx.mean(x, axis=axis, keepdims=keepdims).to_device('native:0'))
            np.testing.assert_allclose(got, b.mean(axis=axis, keepdims=keepdims), rtol=1e-6)
        if (axis is None or isinstance(axis, int)) and dtype != 'complex64':
            same(cx.argmax(x, axis=axis, keepdims=keepdims), b.argmax(axis=axis, keepdims=keepdims))
            same(cx.argmin(x, axis=axis, keepdims=keepdims), b.argmin(axis=axis, keepdims=keepdims))


def test_reductions_of_nothing(device: str) -> None:
    x = cx.zeros((0, 3), device=device)
    same(x.sum(), np.array(0.0))
    same(x.prod(axis=0), np.ones(3))
    same(cx.all(x, axis=0), np.ones(3, bool))
    same(x.max(axis=1), np.zeros(0))
    assert np.isnan(float(x.mean()))
    for bad in (lambda: x.max(), lambda: x.min(axis=0), lambda: cx.argmax(x)):
        with pytest.raises(ValueError):
            bad()


def test_reductions_refuse(device: str) -> None:
    x = cx.ones((2, 3), device=device)
    for bad in (lambda: x.sum(axis=5), lambda: x.sum(axis=-3)):
        with pytest.raises(IndexError) as caught:
            bad()
        assert '2' in str(caught.value)
    with pytest.raises(DimensionError):
        x.sum(axis=(0, 0))
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='int32', device=device).mean()
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='complex64', device=device).max()
    with pytest.raises(DtypeError):
        cx.ones(3, dtype='bool', device=device).mean()


def test_true_ones_are_counted(device: str) -> None:
    x = cx.arange(10, device=device) > 3
    assert int(x.sum()) == 6 and x.sum().dtype == 'int64' and int(cx.sum(cx.reshape(x, (2, 5)), 1)[1]) == 5
    assert int(cx.prod(x)) == 0


def test_nan_wins(device: str) -> None:
    x = cx.asarray(np.array([1, np.nan, 3, np.nan]), device=device)
    assert np.isnan(float(x.max())) and np.isnan(float(x.min())) and int(cx.argmax(x)) == 1 and int(cx.argmin(x)) == 1


@pytest.mark.parametrize(('dtype', 'rel'), [('float32', 1e-6), ('float64', 1e-14), ('float16', 1e-3)])
def test_long_sums_stay_exact(dtype: str, rel: float, device: str) -> None:
    n = 10**7 if dtype != 'float16' else 10**5
    x = cx.full(n, 0.1, dtype=dtype, device=device)
    exact = float(np.asarray(0.1, dtype)) * n
    assert float(x.sum()) == pytest.approx(exact, rel=rel)
    assert float(x.reshape(100, -1).sum(axis=0).sum()) == pytest.approx(exact, rel=rel)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'complex64', 'complex128', 'int32', 'uint8', 'float16'])
def test_matmul(dtype: str, device: str, rng: np.random.Generator) -> None:
    def make(*shape: int) -> np.ndarray:
        return rng.integers(0, 4, shape).astype(dtype)

    pairs = [
        ((3, 4), (4, 5)),
        ((4,), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((1, 4), (4, 1)),
    ]
    for s, t in pairs:
        a, b = make(*s), make(*t)
        same(cx.matmul(cx.asarray(a, device=device), cx.asarray(b, device=device)), np.matmul(a, b))
    a, b = make(6, 8), make(10, 7)
    for left, right in (
        (a.T, a),
        (a[::2, ::-1], b[:8]),
        (a[:, ::2], b[1:8:2, ::3]),
        (np.broadcast_to(a[0], (5, 8)), b[:8]),
    ):
        if left.shape[-1] == right.shape[0]:
            x, y = cx.asarray(left, device=device), cx.asarray(right, device=device)
            same(x @ y, left @ right)
    big = make(70, 130)
    same(cx.asarray(big, device=device) @ cx.asarray(big, device=device).T, big @ big.T)


def test_matmul_names_both_shapes(device: str) -> None:
    with pytest.raises(DimensionError) as caught:
        cx.matmul(cx.ones((2, 3), device=device), cx.ones((4, 5), device=device))
    assert '(2, 3)' in str(caught.value) and '(4, 5)' in str(caught.value)
