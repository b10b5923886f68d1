"""Casts between all dtypes, bit for bit as NumPy and ml_dtypes do them where C defines them.

All 65,536 values of the 16-bit dtypes, all 256 of the 8-bit ones; of wider floats what lies on, between and next to
those, and random bits.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange

FOREIGN = ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4']
INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
NAMES = ['bool', *INTEGERS, 'float16', 'float32', 'float64', 'complex64', 'complex128', *FOREIGN]


def numpy_dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name) if name in FOREIGN else name)


@cache
def limits(name: str) -> tuple[int, int]:
    info = ml_dtypes.iinfo(numpy_dtype(name)) if name in FOREIGN else np.iinfo(name)
    return int(info.min), int(info.max)


def every(name: str) -> np.ndarray:
    """All values of an 8-bit or 16-bit float, in double precision."""
    dtype = numpy_dtype(name)
    return np.arange(1 << 8 * dtype.itemsize, dtype=f'uint{8 * dtype.itemsize}').view(dtype).astype('float64')


def floats(rng: np.random.Generator) -> np.ndarray:
    """What rounding to a narrower float has to get right."""
    grids = [np.unique(v[np.isfinite(v)]) for v in map(every, ['float16', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2'])]
    values = np.concatenate([v for grid in grids for v in (grid, (grid[1:] + grid[:-1]) / 2)])
    tops = np.array([464.0, 61440.0, 65520.0, 3.3961775292304885e38, np.inf])  # where each overflows
    values = np.concatenate([values[::3], tops, -tops, [0.0, -0.0]])
    near = [np.nextafter(values.astype('float32'), np.float32(s * np.inf)).astype('float64') for s in (1, -1)]
    bits = rng.integers(0, 2**32, 20000, dtype='uint32').view('float32').astype('float64')
    wide = rng.integers(0, 2**64, 5000, dtype='uint64').view('float64')
    return np.concatenate([values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf), *near, bits, wide])


@cache
def samples(name: str) -> np.ndarray:
    dtype, rng = numpy_dtype(name), np.random.default_rng(3)
    if name == 'bool':
        return np.array([False, True])
    if name in INTEGERS or name in ('int4', 'uint4'):
        low, high = limits(name)
        if high - low < 2**16:
            return np.arange(low, high + 1).astype(dtype)
        powers = [s * 2**k + d for k in range(64) for s in (1, -1) for d in (-1, 0, 1)]
        chosen = np.array([v for v in powers if low <= v <= high], dtype)
        return np.concatenate([chosen, rng.integers(low, high, 5000, dtype=dtype, endpoint=True)])
    with np.errstate(all='ignore'):
        if dtype.itemsize <= 2:
            return np.arange(1 << 8 * dtype.itemsize, dtype=f'uint{8 * dtype.itemsize}').view(dtype)
        values = floats(rng)
        if dtype.kind == 'c':
            return (values[::5] + 1j * values[::5][::-1]).astype(dtype)
        return values.astype(dtype)


def bits(a: np.ndarray) -> np.ndarray:
    part = a.dtype.itemsize // (2 if a.dtype.kind == 'c' else 1)
    return a.view(f'uint{8 * part}').reshape(len(a), -1)


def real(a: np.ndarray) -> np.ndarray:
    with np.errstate(all='ignore'):
        return a.real.astype('float64') if a.dtype.kind == 'c' else a.astype('float64')


def defined(a: np.ndarray, source: str, target: str) -> np.ndarray:
    """Where C, and so every library, knows the result: floats that are in an integer's range."""
    fractional = 'float' in source or 'complex' in source
    if not fractional or not (target in INTEGERS or target in ('int4', 'uint4')):
        return np.ones(len(a), bool)
    low, high = limits(target)
    with np.errstate(invalid='ignore'):
        values = np.trunc(real(a))
    return (values >= low) & (values < high + 1.0 if high > 2**53 else values <= high)


@pytest.mark.parametrize('target', NAMES)
@pytest.mark.parametrize('source', NAMES)
def test_cast(source: str, target: str, device: str) -> None:
    if ('complex' in source and 'complex' not in target) or {source, target} == {'int4', 'uint4'}:
        return  # refused; not in ml_dtypes
    a = samples(source)
    a = a[defined(a, source, target)]
    with np.errstate(all='ignore'):
        want = a.astype(numpy_dtype(target))
    got = exchange.as_numpy(cx.asarray(a, device=device).astype(target).to_device('native:0'))
    assert got.dtype == want.dtype
    ours, theirs = bits(got), bits(want)
    if target in ('int4', 'uint4'):  # ml_dtypes leaves the byte's upper half as it comes
        ours, theirs = ours & 15, theirs & 15
    if target in FOREIGN:
        np.testing.assert_array_equal(ours, theirs)
        return
    nan = np.isnan(got.real) if got.dtype.kind in 'fc' else np.zeros(len(got), bool)
    np.testing.assert_array_equal(nan, np.isnan(want.real) if got.dtype.kind in 'fc' else nan)
    same = (ours == theirs).all(axis=1)
    if got.dtype.kind == 'c':
        same |= np.isnan(got.imag) & np.isnan(want.imag)
    assert (same | nan).all(), list(
        zip(a[~same & ~nan][:5], got[~same & ~nan][:5], want[~same & ~nan][:5], strict=True)
    )


@pytest.mark.parametrize('source', ['float16', 'bfloat16', 'float32', 'float64', 'float8_e5m2'])
def test_floats_beyond_the_integers(source: str, device: str) -> None:
    # As on x86-64 everywhere, whatever the CPU: int32 and int64 have their lowest number for it, narrow ones wrap it.
    x = cx.asarray([np.inf, -np.inf, np.nan], device=device).astype(source)
    assert x.astype('int32').tolist() == [-(2**31)] * 3
    assert x.astype('int64').tolist() == [-(2**63)] * 3
    for target in ('int8', 'int16', 'uint8', 'uint16', 'uint32', 'int4', 'uint4'):
        assert x.astype(target).astype('int64').tolist() == [0] * 3
    assert x.astype('bool').tolist() == [True] * 3


def test_four_bits_wrap_and_convert(device: str) -> None:
    x = cx.asarray([-9, -8, -1, 7, 8, 15, 16, 300], device=device)
    assert x.astype('int4').astype('int16').tolist() == [7, -8, -1, 7, -8, -1, 0, -4]
    assert x.astype('uint4').astype('int16').tolist() == [7, 8, 15, 7, 8, 15, 0, 12]
    assert x.astype('int4').astype('uint4').astype('int64').tolist() == [7, 8, 15, 7, 8, 15, 0, 12]
    assert x.astype('uint4').astype('int4').astype('float32').tolist() == [7, -8, -1, 7, -8, -1, 0, -4]
    assert x.astype('int4').astype('bool').tolist() == [True] * 6 + [False, True]


def test_casts_of_views(device: str) -> None:
    a = np.arange(-60, 60, dtype='float32').reshape(10, 12)
    x = cx.asarray(a, device=device)
    for view, want in ((x.T, a.T), (x[::-2, 1::3], a[::-2, 1::3]), (x[:, ::-1], a[:, ::-1])):
        for target in ('float8_e4m3fn', 'bfloat16', 'int4', 'float16', 'int8'):
            got = exchange.as_numpy(view.astype(target).to_device('native:0'))
            np.testing.assert_array_equal(got.astype('float32'), want.astype(numpy_dtype(target)).astype('float32'))
