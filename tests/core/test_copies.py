"""Copies of every layout into every layout, within one dtype and between two, with NumPy as the oracle."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock.core as cx
from crossdock.core import exchange

PLAIN = ['bool', 'uint8', 'int16', 'float32', 'int64', 'complex64', 'complex128']
REALS = ['bool', 'uint8', 'int8', 'int16', 'uint16', 'int32', 'int64', 'float16', 'bfloat16', 'float32', 'float64']
STEPS = [1, 2, 3, 4, 5, 8, -1, -2, -3]
DEVICES = st.sampled_from(['native:0', 'sim:0'])


def numpy_dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Small whole numbers, the same in every dtype."""
    count = int(np.prod(shape))
    values = (np.arange(count) * 7 % 113).reshape(shape)
    return (values % 2 if dtype == 'bool' else values).astype(numpy_dtype(dtype))


def values(x: cx.Array) -> np.ndarray:
    return exchange.as_numpy(x.to_device('native:0'))


@st.composite
def view_plans(draw: st.DrawFn, most: int = 40_000) -> tuple[tuple[int, ...], tuple[slice, ...], tuple[int, ...]]:
    """A base's shape, what is taken of it, and the order of its axes."""
    ndim = draw(st.integers(1, 5))
    lengths: list[int] = []
    slices: list[slice] = []
    for _ in range(ndim):
        room = max(1, most // max(1, int(np.prod(lengths))))
        n = min(draw(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 260])), room)
        start, step = draw(st.integers(0, 2)), draw(st.sampled_from(STEPS))
        lengths.append(n)
        slices.append(slice(min(start, n - 1), None, step) if step > 0 else slice(None, None, step))
    return tuple(lengths), tuple(slices), tuple(draw(st.permutations(range(ndim))))


def same_view(array: Any, plan: tuple[Any, ...]) -> Any:
    _, slices, order = plan
    taken = array[slices]
    return taken.transpose(order) if isinstance(array, np.ndarray) else cx.permute_dims(taken, order)


@settings(max_examples=150, deadline=None)
@given(plan=view_plans(), dtype=st.sampled_from(PLAIN), device=DEVICES)
def test_any_view_is_copied(plan: tuple[Any, ...], dtype: str, device: str) -> None:
    base = numbers(plan[0], dtype)
    got = cx.asarray(same_view(cx.asarray(base, device=device), plan), copy=True)
    want = same_view(base, plan)
    assert got.shape == want.shape
    np.testing.assert_array_equal(values(got), want)


@settings(max_examples=150, deadline=None)
@given(plan=view_plans(), source=st.sampled_from(REALS), target=st.sampled_from(REALS), device=DEVICES)
def test_any_view_is_converted(plan: tuple[Any, ...], source: str, target: str, device: str) -> None:
    base = numbers(plan[0], source)
    got = cx.astype(same_view(cx.asarray(base, device=device), plan), getattr(cx, target))
    np.testing.assert_array_equal(values(got), same_view(base, plan).astype(numpy_dtype(target)))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), source=st.sampled_from(REALS), target=st.sampled_from(REALS), device=DEVICES)
def test_any_view_is_copied_into_any_view(data: st.DataObject, source: str, target: str, device: str) -> None:
    plan = data.draw(view_plans(10_000))
    base = numbers(plan[0], target)
    shape = same_view(base, plan).shape
    order = data.draw(st.permutations(range(len(shape))))
    inverse = np.argsort(order)
    x = numbers(tuple(shape[i] for i in order), source).transpose(inverse)
    whole = cx.asarray(base, device=device, copy=True)
    exchange.copy_into(same_view(whole, plan), cx.asarray(x, device=device))
    want = base.copy()
    same_view(want, plan)[...] = x.astype(want.dtype)
    np.testing.assert_array_equal(values(whole), want)


@settings(max_examples=100, deadline=None)
@given(
    offset=st.integers(0, 17),
    to_offset=st.integers(0, 17),
    shape=st.tuples(st.integers(1, 70), st.integers(1, 70)),
    dtypes=st.sampled_from([('float32',) * 2, ('int16', 'float32'), ('float64', 'float16'), ('uint8',) * 2]),
    transposed=st.booleans(),
)
def test_unaligned_memory(
    offset: int, to_offset: int, shape: tuple[int, int], dtypes: tuple[str, str], transposed: bool
) -> None:
    source, target = map(np.dtype, dtypes)
    count = shape[0] * shape[1]
    x = np.zeros(count * source.itemsize + 17, 'uint8')[offset : offset + count * source.itemsize].view(source)
    x[...] = numbers((count,), dtypes[0])
    x = x.reshape(shape)
    memory = np.full(count * target.itemsize + 40, 77, 'uint8')
    y = memory[to_offset : to_offset + count * target.itemsize].view(target)
    x, y = (x.T, y.reshape(shape[::-1])) if transposed else (x, y.reshape(shape))
    exchange.copy_into(exchange.from_numpy(y), exchange.from_numpy(x))
    np.testing.assert_array_equal(y, x.astype(target))
    assert (memory[:to_offset] == 77).all()
    assert (memory[to_offset + count * target.itemsize :] == 77).all()


@settings(max_examples=100, deadline=None)
@given(
    n=st.sampled_from([5, 64, 300]),
    shift=st.integers(-9, 9),
    step=st.sampled_from([1, 2, -1]),
    dtype=st.sampled_from(['uint8', 'float32', 'complex128']),
    device=DEVICES,
)
def test_overlapping_views(n: int, shift: int, step: int, dtype: str, device: str) -> None:
    base = numbers((4 * n + 40,), dtype)
    first = n + 20 + shift
    target, source = slice(n + 10, 2 * n + 10), slice(first, first + n * step, step)
    x = cx.asarray(base, device=device, copy=True)
    exchange.copy_into(x[target], x[source])
    want = base.copy()
    want[target] = base[source].copy()
    np.testing.assert_array_equal(values(x), want)


@pytest.mark.parametrize('dtype', ['uint8', 'int16', 'float32', 'float64', 'complex128'])
def test_a_square_is_transposed_in_place(dtype: str, device: str) -> None:
    base = numbers((130, 130), dtype)
    x = cx.asarray(base, device=device, copy=True)
    exchange.copy_into(x, x.T)
    np.testing.assert_array_equal(values(x), base.T)


@pytest.mark.parametrize('threads', [1, 2])
def test_what_no_cache_holds(threads: int) -> None:
    """Written past the caches; the seams between threads do not show."""
    before = cx.get_num_threads()
    cx.set_num_threads(threads)
    try:
        base = np.arange(4112 * 4111, dtype='float32').reshape(4112, 4111)
        x = exchange.from_numpy(base)
        pairs = [(x[:, 1:], base[:, 1:]), (x[:, ::-1], base[:, ::-1]), (x.T, base.T), (cx.astype(x, cx.int32), base)]
        for ours, theirs in pairs:
            assert (exchange.as_numpy(cx.asarray(ours, copy=True)) == theirs).all()
    finally:
        cx.set_num_threads(before)


def test_double_to_half_rounds_once(device: str) -> None:
    """Doubles next to the middle between two halves, in rows long enough for vectors."""
    halves = np.arange(1 << 15, dtype='uint16').view('float16')
    halves = halves[np.isfinite(halves)].astype('float64')
    middles = (halves[1:] + halves[:-1]) / 2
    x = np.concatenate([middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf), [65519.9, 65520, 1e40]])
    x = np.concatenate([x, -x, [np.inf, -np.inf, 1e-300, -1e-300, 0.0, -0.0]])
    with np.errstate(over='ignore', under='ignore'):
        want = x.astype('float16')
    got = values(cx.astype(cx.asarray(x, device=device), cx.float16))
    np.testing.assert_array_equal(got.view('uint16'), want.view('uint16'))
