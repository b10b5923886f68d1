"""Run in a process with GPUs, real or fake: each elementwise kernel gives what the host's gives, in every layout.

Prints how many results were compared. Names after the script choose functions.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import crossdock.core as cx

INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']
REAL = ['float16', 'bfloat16', 'float32', 'float64']
COMPLEX = ['complex64', 'complex128']
REAL_PART = {'complex64': 'float32', 'complex128': 'float64'}
NARROW = ['float8_e4m3fn', 'float8_e5m2', 'int4', 'uint4']
NUMBERS = INTEGERS + REAL + COMPLEX

UNARY = {
    'negative abs sign square': NUMBERS,
    'sqrt reciprocal': REAL + COMPLEX,
    'exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh': REAL + COMPLEX,
    'floor ceil trunc': INTEGERS + REAL,
    'round isnan isinf isfinite conj real': NUMBERS,
    'imag': COMPLEX,
    'signbit': REAL,
    'logical_not': ['bool'],
    'bitwise_invert': ['bool', *INTEGERS],
}
BINARY = {
    'add subtract multiply': NUMBERS,
    'divide': REAL + COMPLEX,
    'floor_divide remainder maximum minimum less less_equal greater greater_equal': INTEGERS + REAL,
    'pow': NUMBERS,
    'atan2 hypot copysign logaddexp nextafter': REAL,
    'equal not_equal': ['bool', *NUMBERS],
    'logical_and logical_or logical_xor': ['bool'],
    'bitwise_and bitwise_or bitwise_xor': ['bool', *INTEGERS],
    'bitwise_left_shift bitwise_right_shift': INTEGERS,
}
#: The host's own vector code for these, or a GPU's, may differ in the last places.
CLOSE = 'exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh'
CLOSE_OF_TWO = 'pow atan2 hypot logaddexp'
CLOSE_IF_COMPLEX = {'abs', 'multiply', 'square', 'divide', 'reciprocal'}
#: Exact where whole numbers are; beyond, a quotient is rounded to what there is.
ROUNDED = {'floor_divide'}
EPSILON = {'float16': 2.0**-10, 'bfloat16': 2.0**-7, 'float32': 2.0**-23, 'float64': 2.0**-52}
PLACES = 8

compared = 0


def values(dtype: str, n: int, seed: int = 0) -> Any:
    """On the host: extremes and specials first, then random ones."""
    rng = np.random.default_rng(seed)
    if dtype == 'bool':
        return cx.asarray(rng.integers(0, 2, n).astype(bool))
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        extremes = [0, 1, limits.max, limits.min, 2, 3, limits.max - 1]
        rest = rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
        rest[: n // 2] = rng.integers(0, 12, n // 2)
        numbers = np.concatenate([np.array(extremes, dtype), rest])[:n]
        return cx.asarray(rng.permutation(numbers))
    numbers = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n)
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.5, 1e-7, 65519.9, 6e4]
    numbers = rng.permutation(np.concatenate([edges, numbers])[:n])
    if dtype in COMPLEX:
        numbers = numbers + 0j
        numbers.imag = rng.permutation(numbers.real)
    return cx.astype(cx.asarray(numbers), dtype)


def same(got: Any, want: Any, close: float, where: str) -> None:
    global compared
    assert got.shape == want.shape and got.dtype == want.dtype, where
    a, b = (plain(one) for one in (got, want))
    if close and a.dtype.kind in 'fc':
        epsilon = EPSILON[REAL_PART.get(str(want.dtype), str(want.dtype))]
        np.testing.assert_allclose(a, b, rtol=close * epsilon, atol=near_zero(where) * epsilon, err_msg=where)
    else:
        equal = (a == b) | ((a != a) & (b != b))
        assert equal.all(), (where, np.flatnonzero(~equal)[:5], a[~equal][:5], b[~equal][:5])
        if a.dtype.kind == 'f':
            real = a == a
            assert (np.signbit(a) == np.signbit(b))[real].all(), where
    compared += 1


def plain(x: Any) -> Any:
    """Any dtype of the core as one of NumPy's."""
    name = str(x.dtype)
    if name in ('bfloat16', 'float8_e4m3fn', 'float8_e5m2'):
        x = cx.astype(x, 'float32')
    elif name in ('int4', 'uint4'):
        x = cx.astype(x, 'int8')
    return np.asarray(x)


def layouts(x: Any) -> Iterator[tuple[str, Any]]:
    """Views of 120 elements of x, which has 241, by name."""
    yield 'flat', x[:120]
    yield 'off its alignment', x[1:121]
    yield 'steps', x[::2][:120]
    yield 'backwards', x[119::-1]
    table = cx.reshape(x[:240], (12, 20))
    yield 'columns of rows', cx.reshape(x[:240], (12, 20))[:, 3:13]
    yield 'rows', table[1:11, :][:, :12]
    yield 'turned', cx.permute_dims(cx.reshape(x[:120], (10, 12)), (1, 0))
    yield 'three', cx.permute_dims(cx.reshape(x[:240], (4, 5, 12)), (2, 0, 1))[:, ::2, 1:4]
    yield 'one', x[7:8]
    yield 'no dimension', x[5]
    yield 'none', x[:0]
    yield 'repeated', cx.broadcast_to(cx.reshape(x[:12], (12, 1)), (12, 10))


def places(name: str, dtype: str) -> float:
    """By how many units in the last place results may differ."""
    if name == 'pow' and dtype in COMPLEX:
        return 2000  # the exponent times the logarithm is what is rounded
    if name in f'{CLOSE} {CLOSE_OF_TWO}'.split() or (name in CLOSE_IF_COMPLEX and dtype in COMPLEX):
        return PLACES
    return 1 if name in ROUNDED and dtype in REAL else 0


def near_zero(where: str) -> float:
    """The same for results that are what is left of larger ones."""
    return PLACES if where.startswith('logaddexp') else 0


def unary(name: str, dtype: str) -> None:
    function = getattr(cx, name)
    host = values(dtype, 241)
    device = host.to_device('cuda:0')
    for (layout, x), (_, y) in zip(layouts(host), layouts(device), strict=True):
        same(function(y).to_device('native:0'), function(x), places(name, dtype), f'{name} {dtype} {layout}')


def binary(name: str, dtype: str) -> None:
    function, close = getattr(cx, name), places(name, dtype)
    a, b = values(dtype, 241, 1), values(dtype, 241, 2)
    if name == 'pow' and dtype in INTEGERS:
        b = cx.remainder(b, cx.asarray(7, dtype=dtype))  # negative exponents are refused where they are seen
        b = cx.where(cx.less(b, cx.zeros_like(b)), cx.zeros_like(b), b)
    c, d = a.to_device('cuda:0'), b.to_device('cuda:0')
    pairs = [zip(layouts(x), layouts(y), strict=True) for x, y in ((a, b), (c, d))]
    for ((layout, x), (_, y)), ((_, p), (_, q)) in zip(*pairs, strict=True):
        same(function(p, q).to_device('native:0'), function(x, y), close, f'{name} {dtype} {layout}')
    rows, columns = (slice(0, 12), None), (None, slice(0, 10))
    mixed = [(x[rows], y[columns]) for x, y in ((a, b), (c, d))]
    same(function(*mixed[1]).to_device('native:0'), function(*mixed[0]), close, f'{name} {dtype} broadcast')
    one = 1j if dtype in COMPLEX else True if dtype == 'bool' else 2
    for n in (241, 100):
        same(function(c[:n], one).to_device('native:0'), function(a[:n], one), close, f'{name} {dtype} scalar')
        if name != 'pow' or dtype not in INTEGERS:
            same(function(one, d[:n]).to_device('native:0'), function(one, b[:n]), close, f'{name} {dtype} of scalar')
    out = function(c[1:121:3], d[2:122:3])
    same(out.to_device('native:0'), function(a[1:121:3], b[2:122:3]), close, f'{name} {dtype} steps')


def casts(from_: str) -> None:
    source = ['bool', *NUMBERS]
    host = values('float32' if from_ in NARROW else from_, 241)
    if from_ in NARROW:
        host = cx.astype(host, from_)
    device = host.to_device('cuda:0')
    for to in COMPLEX if from_ in COMPLEX else source + NARROW:
        for (layout, x), (_, y) in zip(layouts(host), layouts(device), strict=True):
            what = f'{from_} to {to} {layout}'
            same(cx.astype(y, to, copy=True).to_device('native:0'), cx.astype(x, to, copy=True), 0, what)
            target, other = (cx.zeros((12, 2, 20), dtype=to, device=one) for one in ('native:0', 'cuda:0'))
            if x.shape == (12, 10):
                target[:, 1, ::2] = cx.astype(x, to)
                other[:, 1, ::2] = cx.astype(y, to)
                same(other.to_device('native:0'), target, 0, what)


def moves(dtype: str) -> None:
    """Turns of large enough sides, tiles that end early, fills, and arange."""
    for shape, axes in [((40, 70), (1, 0)), ((3, 33, 65), (0, 2, 1)), ((9, 5, 67), (2, 1, 0)), ((130, 129), (1, 0))]:
        n = int(np.prod(shape))
        host = cx.reshape(values(dtype, n), shape)
        device = host.to_device('cuda:0')
        for x in (host, host[..., ::-1]):
            y = device if x is host else device[..., ::-1]
            turned = cx.asarray(cx.permute_dims(y, axes), copy=True)
            same(turned.to_device('native:0'), cx.asarray(cx.permute_dims(x, axes), copy=True), 0, f'turn {dtype}')
            rows = cx.asarray(y[..., 4:36], copy=True)
            same(rows.to_device('native:0'), cx.asarray(x[..., 4:36], copy=True), 0, f'rows {dtype}')
    for value in (0, 1):
        filled = cx.full((7, 9), value, dtype=dtype, device='cuda:0')
        filled[2:5, 1::2] = 1 - value if dtype != 'bool' else not value
        plain_one = cx.full((7, 9), value, dtype=dtype)
        plain_one[2:5, 1::2] = 1 - value if dtype != 'bool' else not value
        same(filled.to_device('native:0'), plain_one, 0, f'fill {dtype}')
    if dtype in INTEGERS + REAL:
        for start, stop, step in [(0, 300, 1), (100, 3, -2), (5, 5, 1)]:
            if step < 0 and dtype.startswith('u'):
                continue
            if dtype in ('int8', 'uint8'):
                stop = min(stop, 100)
            got, want = (cx.arange(start, stop, step, dtype=dtype, device=one) for one in ('cuda:0', 'native:0'))
            same(got.to_device('native:0'), want, 0, f'arange {dtype}')


def where(dtype: str) -> None:
    condition, a, b = values('bool', 241), values(dtype, 241, 1), values(dtype, 241, 2)
    there = [one.to_device('cuda:0') for one in (condition, a, b)]
    views = [[list(layouts(one)) for one in three] for three in ((condition, a, b), there)]
    for i, (layout, _) in enumerate(views[0][0]):
        want, got = (cx.where(*(view[i][1] for view in three)) for three in views)
        same(got.to_device('native:0'), want, 0, f'where {dtype} {layout}')
    want, got = (cx.where(c[:100], x[:100], 1 if dtype != 'bool' else True) for c, x in ((condition, a), there[:2]))
    same(got.to_device('native:0'), want, 0, f'where {dtype} scalar')


def every() -> Iterator[tuple[str, Any]]:
    for kind, table in ((unary, UNARY), (binary, BINARY)):
        for names, dtypes in table.items():
            for name, dtype in itertools.product(names.split(), dtypes):
                yield name, lambda kind=kind, name=name, dtype=dtype: kind(name, dtype)
    for dtype in ['bool', *NUMBERS, *NARROW]:
        yield 'casts', lambda dtype=dtype: casts(dtype)
    for dtype in ['bool', *NUMBERS]:
        yield 'moves', lambda dtype=dtype: moves(dtype)
        yield 'where', lambda dtype=dtype: where(dtype)


if __name__ == '__main__':
    chosen = sys.argv[1:]
    failures = []
    for name, check in every():
        if not chosen or name in chosen:
            try:
                check()
            except AssertionError as wrong:
                failures.append(str(wrong))
    print(compared)
    if failures:
        sys.exit('\n\n'.join([f'{len(failures)} differ', *failures[:20]]))
