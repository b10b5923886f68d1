"""Run in a process with GPUs, real or fake: reductions, scans, orders and products give what the host's give.

Shapes, dtypes and layouts are Hypothesis'. Prints how many results were compared; names after the script choose parts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossdock.core as cx

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
REAL = ['float16', 'bfloat16', 'float32', 'float64']
COMPLEX = ['complex64', 'complex128']
NUMBERS = INTEGERS + REAL + COMPLEX
#: Of sums in another order, relative to the largest result.
TOLERANCE = {
    'float16': 2e-3,
    'bfloat16': 2e-2,
    'float32': 2e-6,
    'float64': 1e-12,
    'complex64': 4e-6,
    'complex128': 1e-12,
}

compared = 0
arrays = st.tuples(
    st.one_of(
        st.lists(st.integers(0, 6), min_size=1, max_size=4),
        st.tuples(st.integers(1, 3), st.integers(1, 6000)),
        st.tuples(st.integers(1, 300), st.integers(1, 40)),
    ),
    st.integers(0, 1 << 30),
    st.sampled_from(['as made', 'turned', 'backwards', 'every second']),
    st.sampled_from(['any', 'few', 'special']),
)


def values(shape: Any, dtype: str, seed: int, which: str) -> Any:
    """On the host."""
    rng = np.random.default_rng(seed)
    if dtype == 'bool':
        return cx.asarray(rng.random(shape) < 0.9)
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        low, high = (limits.min, limits.max) if which == 'any' else (0, 3)
        return cx.asarray(rng.integers(low, high, shape, dtype=dtype, endpoint=True))
    x = rng.integers(-3, 4, shape).astype('float64') if which == 'few' else rng.normal(size=shape)
    if which == 'special' and x.size:
        x.reshape(-1)[rng.integers(0, x.size, 3)] = rng.choice([np.nan, np.inf, -0.0, 0.0], 3)
    if dtype in COMPLEX:
        x = x + 1j * rng.integers(-2, 3, shape)
    return cx.astype(cx.asarray(x), dtype)


def laid_out(x: Any, layout: str) -> Any:
    if layout == 'turned':
        return cx.permute_dims(x, tuple(range(x.ndim))[::-1])
    if layout == 'backwards':
        return x[..., ::-1]
    return x[..., ::2] if layout == 'every second' else x


def pair(drawn: Any, dtype: str) -> tuple[Any, Any]:
    """An array on the host and on the GPU."""
    shape, seed, layout, which = drawn
    x = values(tuple(shape), dtype, seed, which)
    return laid_out(x, layout), laid_out(x.to_device('cuda:0'), layout)


def agree(function: Callable[..., Any], *both: tuple[Any, Any], close: bool = False) -> None:
    global compared
    want = function(*(host for host, _ in both))
    got = function(*(there for _, there in both))
    again = function(*(there for _, there in both))
    assert got.device != want.device and got.dtype == want.dtype and got.shape == want.shape, (got, want)
    wide = 'complex128' if cx.isdtype(want.dtype, 'complex floating') else 'float64'
    exact = not cx.isdtype(want.dtype, ('real floating', 'complex floating'))
    name = str(want.dtype).rpartition('.')[2]
    a, b, c = (
        np.asarray(cx.astype(r.to_device('native:0'), str(r.dtype) if exact else wide)) for r in (want, got, again)
    )
    assert np.array_equal(b, c, equal_nan=not exact), ('not the same twice', name)
    if not close or exact:
        assert np.array_equal(a, b, equal_nan=not exact), (name, a, b)
    else:
        finite = np.abs(a[np.isfinite(a)])
        limit = TOLERANCE[name] * max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(b, a, rtol=TOLERANCE[name], atol=limit)
    compared += 1


def example(count: int) -> Any:
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def axes_of(draw: Any, ndim: int) -> Any:
    return draw(
        st.one_of(
            st.none(), st.integers(0, ndim - 1), st.permutations(range(ndim)).map(lambda p: tuple(p[: (ndim + 1) // 2]))
        )
    )


@example(300)
@given(
    arrays, st.sampled_from(['bool', *NUMBERS]), st.sampled_from(['sum', 'prod', 'any', 'all', 'max', 'min']), st.data()
)
def reductions(drawn: Any, dtype: str, name: str, data: Any) -> None:
    if name in ('max', 'min') and (dtype in ('bool', *COMPLEX) or 0 in drawn[0]):
        return
    if name == 'prod' and dtype in REAL + COMPLEX:
        drawn = (*drawn[:2], 'as made', 'few') if 0 in drawn[0] or np.prod(drawn[0]) > 40 else drawn
        if np.prod(drawn[0]) > 40:
            return
    x = pair(drawn, dtype)
    axis = axes_of(data.draw, x[0].ndim)
    agree(lambda a: getattr(cx, name)(a, axis=axis), x, close=name in ('sum', 'prod'))


@example(200)
@given(arrays, st.sampled_from(INTEGERS + REAL), st.sampled_from(['argmax', 'argmin', 'var', 'std', 'mean']), st.data())
def places(drawn: Any, dtype: str, name: str, data: Any) -> None:
    if 0 in drawn[0] or (dtype in INTEGERS and name in ('var', 'std', 'mean')):
        return
    if name in ('var', 'std', 'mean'):
        drawn = (*drawn[:3], 'any')
    x = pair(drawn, dtype)
    axis = data.draw(st.one_of(st.none(), st.integers(0, x[0].ndim - 1)))
    agree(lambda a: getattr(cx, name)(a, axis=axis), x, close=True)


@example(200)
@given(arrays, st.sampled_from(['bool', *NUMBERS]), st.booleans(), st.data())
def scans(drawn: Any, dtype: str, products: bool, data: Any) -> None:
    x = pair((*drawn[:3], 'any' if drawn[3] == 'special' else drawn[3]), dtype)
    axis = data.draw(st.integers(0, x[0].ndim - 1))
    wider = data.draw(st.sampled_from([None, 'float64' if dtype not in COMPLEX else 'complex128']))
    if products:
        wider = None
    scan = cx.cumulative_prod if products else cx.cumulative_sum
    agree(lambda a: scan(a, axis=axis, dtype=wider), x, close=True)


@example(150)
@given(arrays, st.sampled_from(['bool', *INTEGERS, *REAL]), st.booleans(), st.booleans(), st.data())
def orders(drawn: Any, dtype: str, descending: bool, places: bool, data: Any) -> None:
    x = pair(drawn, dtype)
    axis = data.draw(st.integers(0, x[0].ndim - 1))
    sort = cx.argsort if places else cx.sort
    agree(lambda a: sort(a, axis=axis, descending=descending), x)


@example(100)
@given(arrays, st.integers(0, 300), st.sampled_from(INTEGERS + REAL), st.sampled_from(['left', 'right']))
def searches(drawn: Any, size: int, dtype: str, side: str) -> None:
    x = pair(drawn, dtype)
    ordered = pair(((size,), drawn[1] + 1, 'as made', drawn[3]), dtype)
    agree(lambda a, v: cx.searchsorted(cx.sort(a), v, side=side), ordered, x)


@example(200)
@given(
    st.tuples(*[st.one_of(st.integers(1, 20), st.integers(0, 150))] * 3),
    st.sampled_from([((), ()), ((3,), ()), ((2, 1), (3,)), ((2, 3), (2, 3))]),
    st.sampled_from(NUMBERS),
    st.sampled_from(['as made', 'turned', 'backwards', 'every second']),
    st.integers(0, 1000),
)
def products(sizes: Any, batches: Any, dtype: str, layout: str, seed: int) -> None:
    m, n, k = sizes

    def some(batch: Any, rows: int, columns: int) -> Any:
        x = values((*batch, columns, rows) if layout == 'turned' else (*batch, rows, columns), dtype, seed, 'any')
        both = (x, x.to_device('cuda:0'))
        if layout == 'turned':
            return tuple(cx.matrix_transpose(one) for one in both)
        if layout == 'every second':
            return tuple(cx.concat([one, one], axis=-1)[..., ::2] for one in both)
        return tuple(one[..., ::-1, :] if layout == 'backwards' else one for one in both)

    agree(cx.matmul, some(batches[0], m, k), some(batches[1], k, n), close=True)


def without_cublas() -> None:
    """The own kernel's products: the fake cuBLAS says that it does not do them."""
    import ctypes

    ctypes.CDLL('libcuda.so.1').fake_cuda_fail(b'cublas:gemm', ctypes.c_longlong(0), 15, ctypes.c_longlong(0))
    products()


def long_ones() -> None:
    """Parts that are merged, long scans and rows."""
    for dtype in ('float32', 'float64', 'int8', 'complex64'):
        x = pair(((70_000,), 1, 'as made', 'any'), dtype)
        agree(cx.sum, x, close=True)
        agree(cx.cumulative_sum, x, close=True)
        agree(lambda a: cx.sum(cx.reshape(a, (7000, 10)), axis=0), x, close=True)
        agree(lambda a: cx.cumulative_sum(cx.reshape(a, (7000, 10)), axis=0), x, close=True)
        if dtype in ('float64', 'int8'):  # the fake cuBLAS adds up float32 one by one
            agree(lambda a: cx.matmul(a, a), x, close=True)
        if dtype != 'complex64':
            agree(cx.argsort, x)
    x = pair(((70_000,), 1, 'as made', 'special'), 'float32')
    for function in (cx.max, cx.argmax, cx.argmin, cx.all, cx.any):
        agree(function, x)


def zeros_before_overflow() -> None:
    """Products of a part alone would be infinite, and 0 times that no number; an infinite element is another matter."""
    many = np.full(1_300_000, 2.0)  # with many multiprocessors more parts than a block has threads
    many[5000] = 0
    here = cx.asarray(many)
    agree(cx.cumulative_prod, (here, here.to_device('cuda:0')))
    for dtype in REAL + COMPLEX:
        for place, infinite in ((0, None), (5, None), (2500, None), (0, 4000), (3, 1)):
            x = np.full(6000, -2.0)
            x[place] = 0
            if infinite is not None and dtype in REAL:
                x[infinite] = np.inf
            here = cx.astype(cx.asarray(x), dtype)
            both = (here, here.to_device('cuda:0'))
            agree(cx.cumulative_prod, both)
            agree(lambda a: cx.cumulative_prod(cx.reshape(a, (3000, 2)), axis=0), both)


if __name__ == '__main__':
    for part in sys.argv[1:] or [
        'reductions',
        'places',
        'scans',
        'orders',
        'searches',
        'products',
        'long_ones',
        'zeros_before_overflow',
    ]:
        globals()[part]()
    print(compared)
