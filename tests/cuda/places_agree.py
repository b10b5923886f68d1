"""Run in a process with GPUs, real or fake: indexes, Fourier transforms and factorizations against NumPy.

Prints how many results were compared; names after the script choose parts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crossdock as xd
import crossdock.core as cx

GPU = xd.get_device('cuda:0')
FIELDS = ['float32', 'float64', 'complex64', 'complex128']
rng = np.random.default_rng(0)
compared = 0


def on_gpu(array: Any) -> Any:
    return GPU.send(np.ascontiguousarray(array))


def same(got: Any, want: Any) -> None:
    global compared
    compared += 1
    np.testing.assert_array_equal(xd.to_numpy(got), want)


def near(got: Any, want: Any, units: float = 200) -> None:
    """Within some units in the last place of the largest element."""
    global compared
    compared += 1
    got, want = (xd.to_numpy(one) if isinstance(one, type(cx.ones(1))) else one for one in (got, want))
    assert got.shape == want.shape
    largest = max(float(np.abs(want).max(initial=0)), 1e-30)
    assert float(np.abs(got - want).max(initial=0)) <= units * np.finfo(got.dtype).eps * largest


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith('c') else x).astype(dtype)


def finish(work: Callable[..., Any], *arguments: Any) -> None:
    work(*arguments)
    GPU.synchronize()


def indexes() -> None:
    for dtype in ['int8', 'float16', 'float32', 'float64', 'complex128']:
        for width in (1, 3, 4, 16, 33):
            x = (numbers((50, width), 'float64') * 50).astype(dtype)
            for kind in ['int8', 'uint8', 'int32', 'int64', 'uint64']:
                rows = rng.integers(0 if kind[0] == 'u' else -50, 50, 300).astype(kind)
                same(on_gpu(x)[on_gpu(rows)], x[rows])
            columns = rng.integers(-width, width, 300)
            same(on_gpu(x)[on_gpu(rows), on_gpu(columns)], x[rows.astype('int64'), columns])
            same(on_gpu(x)[::-1, on_gpu(columns)], x[::-1, columns])


def assignments() -> None:
    """The last of several values for one place stays."""
    for dtype in ['uint8', 'float32', 'complex64', 'complex128']:
        for extent, count in ((50, 1000), (1, 500), (30000, 50), (3000, 3000)):
            x, rows = numbers((extent,), 'float64').astype(dtype), rng.integers(-extent, extent, count)
            y, values = on_gpu(x), np.arange(count).astype(dtype)
            y[on_gpu(rows)] = on_gpu(values)
            x[rows] = values
            same(y, x)
        for width in (1, 3, 16):
            x, rows = np.zeros((40, width), dtype), rng.integers(-40, 40, 200)
            columns = rng.integers(0, width, 200)
            y, values = on_gpu(x), rng.integers(0, 100, (200, width)).astype(dtype)
            y[on_gpu(rows)] = on_gpu(values)
            x[rows] = values
            same(y, x)
            y[on_gpu(rows), on_gpu(columns)] = on_gpu(values[:, 0])
            x[rows, columns] = values[:, 0]
            same(y, x)
            y[::-1][on_gpu(rows[:9])] = 3
            x[::-1][rows[:9]] = 3
            same(y, x)


def masks() -> None:
    for shape in [(1,), (255,), (4097,), (30000,), (17, 33), (5, 6, 7)]:
        for part in (0, 0.01, 0.5, 1):
            mask = rng.random(shape) < part
            x = numbers(shape, 'float32')
            same(on_gpu(x)[on_gpu(mask)], x[mask])
            same(on_gpu(x.T)[on_gpu(mask.T)], x.T[mask.T])
            for got, want in zip(cx.nonzero(on_gpu(mask)[::-1]), np.nonzero(mask[::-1]), strict=True):
                same(got, want)


def failures() -> None:
    """Nothing is written when some index is outside, and the next wait says which."""
    global compared
    x = on_gpu(np.zeros(6))

    def write() -> None:
        x[on_gpu(np.array([1, -7]))] = 1

    for work in (lambda: x[on_gpu(np.array([1, 9]))], write):
        with pytest.raises(IndexError, match='is out of bounds for axis 0 with size 6'):
            finish(work)
        compared += 1
    same(x, np.zeros(6))
    stack = np.stack([np.eye(3), np.ones((3, 3)), np.eye(3) - 2])
    for function, words in (
        (cx.linalg.inv, 'matrix (1,) of the stack is singular'),
        (cx.linalg.cholesky, 'matrix (1,)'),
    ):
        with pytest.raises(xd.errors.AsyncLinAlgError, match=re.escape(words)):
            finish(function, on_gpu(stack))
        compared += 1


def transforms() -> None:
    for real, complex_ in (('float32', 'complex64'), ('float64', 'complex128')):
        for n in [*range(1, 18), 97, 100, 343, 1009, 2048, 4096, 5000]:
            x, r = numbers((3, n), complex_), numbers((3, n), real)
            wide, wide_r = x.astype('complex128'), r.astype('float64')
            near(cx.fft.fft(on_gpu(x)), np.fft.fft(wide))
            near(cx.fft.ifft(on_gpu(x)), np.fft.ifft(wide))
            near(cx.fft.fft(on_gpu(x.T), axis=0), np.fft.fft(wide.T, axis=0))
            near(cx.fft.rfft(on_gpu(r)), np.fft.rfft(wide_r))
            near(cx.fft.irfft(on_gpu(x), n=2 * n - 1), np.fft.irfft(wide, n=2 * n - 1))


def adjoint(x: Any) -> Any:
    return x.swapaxes(-1, -2).conj()


def factors() -> None:
    for dtype in FIELDS:
        for shape in [(1, 1), (2, 2), (5, 5), (3, 17, 17)]:
            x = numbers(shape, dtype)
            n, identity = shape[-1], np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape)
            positive = (x @ adjoint(x) + n * identity).astype(dtype)
            near(cx.linalg.cholesky(on_gpu(positive)), np.linalg.cholesky(positive))
            near(positive @ xd.to_numpy(cx.linalg.inv(on_gpu(positive))), identity, 2000)
            near(positive @ xd.to_numpy(cx.linalg.solve(on_gpu(positive), on_gpu(x))), x, 2000)
            near(cx.linalg.det(on_gpu(positive)), np.linalg.det(positive), 2000)
        for shape in [(1, 4), (5, 5), (6, 3), (2, 3, 8)]:
            x = numbers(shape, dtype)
            for mode in ('reduced', 'complete'):
                q, r = (xd.to_numpy(one) for one in cx.linalg.qr(on_gpu(x), mode=mode))
                near(q @ r, x)
                near(
                    adjoint(q) @ q,
                    np.broadcast_to(np.eye(q.shape[-1], dtype=dtype), (*q.shape[:-2], q.shape[-1], q.shape[-1])),
                )


def values() -> None:
    for dtype in FIELDS:
        for shape in [(1, 1), (2, 2), (7, 7), (3, 16, 16)]:
            x = numbers(shape, dtype)
            x = x + adjoint(x)
            near(cx.linalg.eigvalsh(on_gpu(x)), np.linalg.eigvalsh(x))
            w, v = (xd.to_numpy(one) for one in cx.linalg.eigh(on_gpu(x)))
            near((v * w[..., None, :]) @ adjoint(v), x)
        low = (numbers((9, 2), dtype) @ numbers((2, 6), dtype)).astype(dtype)
        for x in [
            numbers((1, 4), dtype),
            numbers((7, 7), dtype),
            numbers((2, 9, 4), dtype),
            low,
            np.zeros((3, 2), dtype),
        ]:
            near(cx.linalg.svdvals(on_gpu(x)), np.linalg.svd(x, compute_uv=False))
            for full in (False, True):
                u, s, vh = (xd.to_numpy(one) for one in cx.linalg.svd(on_gpu(x), full_matrices=full))
                k = s.shape[-1]
                near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x)
                near(
                    adjoint(u) @ u,
                    np.broadcast_to(np.eye(u.shape[-1], dtype=dtype), (*u.shape[:-2], u.shape[-1], u.shape[-1])),
                )


PARTS = {part.__name__: part for part in (indexes, assignments, masks, failures, transforms, factors, values)}

if __name__ == '__main__':
    for word in sys.argv[1:] or PARTS:
        PARTS[word]()
    print(compared)
