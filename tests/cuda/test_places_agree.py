"""Indexes, Fourier transforms and factorizations of matrices on the fake GPU, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
#: Parts of places_agree.py, and how many results each compares.
PARTS = {
    'indexes': 175,
    'assignments': 52,
    'masks': 84,
    'failures': 5,
    'transforms': 240,
    'factors': 128,
    'values': 132,
}


@pytest.mark.parametrize('part', PARTS)
def test_kernels_agree_with_numpy(on_fake_gpu: Callable[..., str], part: str) -> None:
    code = f"""
import sys, runpy
sys.argv[1:] = [{part!r}]
runpy.run_path({str(FOLDER / 'places_agree.py')!r}, run_name='__main__')
"""
    assert int(on_fake_gpu(code).split()[-1]) == PARTS[part]
