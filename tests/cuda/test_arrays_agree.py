"""Reductions, scans, orders and matrix products on the fake GPU, against the host's kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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
}


@pytest.mark.parametrize('part', PARTS)
def test_kernels_agree_with_the_hosts(on_fake_gpu: Callable[..., str], part: str) -> None:
    code = f"""
import sys, runpy
sys.argv[1:] = [{part!r}]
runpy.run_path({str(FOLDER / 'arrays_agree.py')!r}, run_name='__main__')
"""
    assert int(on_fake_gpu(code).split()[-1]) >= PARTS[part]
