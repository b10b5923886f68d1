"""Byte order: values of the other one are converted, on saving and on loading, and that is said."""

from __future__ import annotations

import warnings

from ._path import shown

__all__ = ['warn_swapped']


def warn_swapped(path: str, keys: list[str], stacklevel: int) -> None:
    """Say that values have changed their byte order on the way, at the line that asked for it."""
    if keys:
        few = ', '.join(map(shown, keys[:5])) + (', ...' if len(keys) > 5 else '')
        warnings.warn(f'{path}: converted to native byte order: {few}', UserWarning, stacklevel)
