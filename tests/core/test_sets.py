"""unique_all, unique_counts, unique_inverse and unique_values against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DtypeError

from ..accelerator import FIRST

INTEGERS = ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64')
FLOATS = ('float16', 'bfloat16', 'float32', 'float64')
COMPLEX = ('complex64', 'complex128')
FUNCTIONS = (cx.unique_all, cx.unique_counts, cx.unique_inverse, cx.unique_values)

Host = Callable[[cx.Array], np.ndarray[Any, Any]]


def values(rng: np.random.Generator, dtype: str, size: Any) -> np.ndarray[Any, Any]:
    """Few different ones, zeros of both signs and NaNs among them."""
    wanted = np.dtype(ml_dtypes.bfloat16 if dtype == 'bfloat16' else dtype)
    special = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 2.5]
    if dtype in FLOATS:
        return rng.choice(special, size).astype(wanted)
    if dtype in COMPLEX:
        out = np.empty(size, wanted)
        out.real, out.imag = rng.choice(special[:5], size), rng.choice(special[:5], size)
        return out
    return rng.integers(0, 2 if dtype == 'bool' else 9, size).astype(wanted)


def check(x: cx.Array, a: np.ndarray[Any, Any], host: Host) -> None:
    wide = a.astype('float32') if a.dtype.name == 'bfloat16' else a
    want, first, inverse, counts = np.unique(
        wide, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    everything = cx.unique_all(x)
    assert everything._fields == ('values', 'indices', 'inverse_indices', 'counts')
    np.testing.assert_array_equal(host(everything.values).astype(want.dtype), want)
    assert everything.values.dtype == x.dtype and everything.values.device == x.device
    flat = a.reshape(-1)
    assert host(everything.values).tobytes() == flat[host(everything.indices)].tobytes()
    numbers = want == want
    np.testing.assert_array_equal(host(everything.indices)[numbers], first[numbers])
    np.testing.assert_array_equal(np.sort(host(everything.indices)[~numbers]), np.flatnonzero(flat != flat))
    inverse = inverse.reshape(a.shape)
    np.testing.assert_array_equal(host(everything.inverse_indices)[a == a], inverse[a == a])
    assert host(everything.inverse_indices).shape == a.shape
    places = host(everything.inverse_indices)
    np.testing.assert_array_equal(host(everything.values)[places].astype(wide.dtype), wide)
    np.testing.assert_array_equal(host(everything.counts), counts)
    assert all(part.dtype == 'int64' for part in everything[1:])

    alone = cx.unique_values(x)
    counted = cx.unique_counts(x)
    inverted = cx.unique_inverse(x)
    assert counted._fields == ('values', 'counts') and inverted._fields == ('values', 'inverse_indices')
    for part in (alone, counted.values, inverted.values):
        assert host(part).tobytes() == host(everything.values).tobytes() and part.dtype == x.dtype
    np.testing.assert_array_equal(host(counted.counts), counts)
    np.testing.assert_array_equal(host(inverted.inverse_indices), places)


@pytest.mark.parametrize('dtype', ['bool', *INTEGERS, *FLOATS, *COMPLEX])
def test_every_dtype(dtype: str, device: str, host: Host, rng: np.random.Generator) -> None:
    for size in (0, 1, 2, 30, 200, 5000, (), (3, 4), (2, 0), (5, 6, 7)):
        a = values(rng, dtype, size)
        check(cx.asarray(a, device=device), a, host)


def test_any_layout(device: str, host: Host, rng: np.random.Generator) -> None:
    a = values(rng, 'float32', (20, 30))
    x = cx.asarray(a, device=device)
    check(x.T, a.T, host)
    check(x[::-1, ::-3], a[::-1, ::-3], host)
    check(x[0, ::-1], a[0, ::-1], host)
    check(cx.broadcast_to(x, (2, 20, 30)), np.broadcast_to(a, (2, 20, 30)), host)


def test_values_come_in_the_order_of_numpy(device: str, host: Host, rng: np.random.Generator) -> None:
    a = values(rng, 'complex128', 3000)
    np.testing.assert_array_equal(host(cx.unique_values(cx.asarray(a, device=device))), np.unique(a, equal_nan=False))


def test_many_different_ones(host: Host, rng: np.random.Generator) -> None:
    for a in (rng.random(200_000), rng.integers(0, 1000, 200_000), rng.permutation(100_000).astype('float32')):
        check(cx.asarray(a, device='native:0'), a, host)


@given(
    hnp.arrays(st.sampled_from(['bool', *INTEGERS, 'float32', 'float64', 'complex64']), hnp.array_shapes(min_side=0))
)
@settings(max_examples=100, deadline=None)
def test_anything(a: np.ndarray[Any, Any]) -> None:
    for device in ('native:0', FIRST):
        check(cx.asarray(a, device=device), a, lambda y: exchange.as_numpy(y.to_device('native:0')))


@pytest.mark.parametrize('call', FUNCTIONS)
def test_bad_arguments(call: Callable[..., Any], device: str) -> None:
    x = cx.ones(3, device=device)
    with pytest.raises(DtypeError, match=f'{call.__name__}.*float8_e5m2'):
        call(cx.astype(x, cx.float8_e5m2))
    with pytest.raises(TypeError, match=call.__name__):
        call([1, 2])
    with pytest.raises(TypeError, match='NumPy'):
        call(np.ones(3))
    with pytest.raises(TypeError):
        call(x=x)


@pytest.mark.parametrize('call', FUNCTIONS)
def test_one_number_is_pulled(call: Callable[..., Any], transfers: list[tuple[Any, ...]]) -> None:
    x = cx.ones(3, device=FIRST)
    transfers.clear()
    call(x)
    assert [(row[0], row[1]) for row in transfers] == [(call.__name__, 8)]
