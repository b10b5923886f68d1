"""Bits that their type has no value for, which no array may show to its users."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ['unlike_values']


def unlike_values(array: np.ndarray[Any, Any], tag: str | None) -> str | None:
    """Why the bits of `array` are no values of its type, or None when they are.

    Parameters
    ----------
    array : numpy.ndarray
        Dense, in C or Fortran order.
    tag : str or None
        The type that it stands for, where NumPy has none.
    """
    if not array.size:
        return None
    if array.dtype.kind == 'b' and int(array.view(np.uint8).max()) > 1:
        return 'a bool that is neither 0 nor 1'
    if tag in ('int4', 'uint4') and int(array.view(np.uint8).max()) > 15:
        return f'a value of {tag} with more than four bits'
    if array.dtype.kind == 'U':
        # An array in Fortran order is viewed through its transpose, whose last axis is dense.
        points = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder.replace('=', '<') + 'u4')
        if int(points.max()) > 0x10FFFF:
            return 'text with a character that Unicode does not have'
    return None
