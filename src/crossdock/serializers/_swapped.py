"""Byte order: values of the other one are converted, on saving and on loading, and that is said."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

from ._path import shown

__all__ = ['warn_swapped']

_FOLDER = os.path.join(os.path.dirname(__file__), '')


def warn_swapped(path: str, keys: list[str]) -> None:
    """Say that values have changed their byte order on the way, at the line outside of here that asked for it."""
    if keys:
        few = ', '.join(map(shown, keys[:5])) + (', ...' if len(keys) > 5 else '')
        warnings.warn(f'{path}: converted to native byte order: {few}', UserWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    """How many frames the first one outside of this folder is above that of `warn_swapped`, which is 1."""
    depth = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame, depth = frame.f_back, depth + 1
    return depth
