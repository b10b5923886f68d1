"""Products against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.core import exchange
from crossdock.errors import DimensionError


def same(got: cx.Array, want: np.ndarray) -> None:
    values = exchange.as_numpy(got.to_device('native:0'))
    want = np.asarray(want)
    assert values.dtype == want.dtype and values.shape == want.shape
    np.testing.assert_array_equal(values, want)


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
