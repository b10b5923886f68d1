"""The formats that can be tried here: those of ours whose library is installed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from crossdock.serializers import save
from crossdock.serializers._registry import _load_entry_points

__all__ = ['EACH', 'suffix_of']

NAMES = ('npz', 'safetensors', 'hdf5', 'zarr')


def suffix_of(name: str) -> str:
    """What files of a format end in."""
    return _load_entry_points()[name].suffixes[0]


def _why_not(name: str) -> str | None:
    if name not in _load_entry_points():
        return f'there is no format {name}'
    with tempfile.TemporaryDirectory() as folder:
        try:
            save(Path(folder, f'x{suffix_of(name)}'), {'a': np.zeros(1)})
        except ImportError as error:
            return str(error)
    return None


def _row(name: str) -> object:
    why = _why_not(name)
    return pytest.param(name, marks=[pytest.mark.skip(reason=why)] if why else [])


EACH = [_row(name) for name in NAMES]
