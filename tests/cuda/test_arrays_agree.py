"""Reductions, scans, orders and matrix products on the fake GPU, against the host's kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .test_elementwise_agrees import UNALIGNED

FOLDER = Path(__file__).parent
#: Parts of arrays_agree.py, and how many results are compared in at least.
PARTS = {
    'reductions': 150,
    'places': 80,
    'scans': 100,
    'orders': 120,
    'searches': 80,
    'products': 150,
    'without_cublas': 150,
    'long_ones': 26,
    'zeros_before_overflow': 61,
}


@pytest.mark.parametrize('multiprocessors', [4, 132])
@pytest.mark.parametrize('part', PARTS)
def test_kernels_agree_with_the_hosts(on_fake_gpu: Callable[..., str], part: str, multiprocessors: int) -> None:
    code = f"""
import sys, runpy
sys.argv[1:] = [{part!r}]
runpy.run_path({str(FOLDER / 'arrays_agree.py')!r}, run_name='__main__')
"""
    printed = on_fake_gpu(code, FAKE_CUDA_MULTIPROCESSORS=str(multiprocessors))
    assert int(printed.split()[-1]) >= PARTS[part]


EVERYWHERE = """
def agree(function, *both):
    same(function(*(there for there, _ in both)), np.asarray(function(*(cx.asarray(here.copy()) for _, here in both))))

for off in (1, 2, 3, 4):
    for dtype, code in (('i2', 0), ('i4', 0), ('i8', 0), ('u4', 1)):
        for strides in ((9, 1), (1, 6)):
            x = both(off, dtype, code, (6, 6), strides)
            for function in (cx.sum, cx.sort, lambda a: cx.max(a, axis=0), lambda a: cx.argmin(a, axis=1)):
                agree(function, x)
            agree(lambda a: cx.cumulative_sum(a, axis=0), x)
            agree(lambda a: cx.argsort(a, axis=0), x)
            agree(cx.matmul, x, x)
            agree(cx.searchsorted, both(off, dtype, code, (1,), (1,)), x)
print('same')
"""


def test_arrays_off_their_alignment(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(UNALIGNED.partition('for off in')[0] + EVERYWHERE).split() == ['same']
