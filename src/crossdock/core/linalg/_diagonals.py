"""Diagonals and their sums."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Array

__all__ = ['diagonal', 'trace']


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices, as a view.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``, of any dtype.
    offset : int
        How far above the main diagonal, or below it when negative.

    Returns
    -------
    Array
        A view of x, as writable as x is: a last dimension with the elements of the diagonal, in place of the last two.
        It is empty where the offset is beyond the matrix.

    Raises
    ------
    DimensionError
        Fewer than two dimensions.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``diagonal``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x = cx.zeros((2, 3), device='native:0')
    >>> cx.linalg.diagonal(x, offset=1)[:] = 7
    >>> x.tolist()
    [[0.0, 7.0, 0.0], [0.0, 0.0, 7.0]]
    """
    return _core._linalg_diagonal(x, offset)


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Sums of the diagonals of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``, numeric or bool.
    offset : int
        How far above the main diagonal, or below it when negative.
    dtype : optional
        Of the result, to which x is converted first; when omitted, x's own, but 64 bits for integers and bool.

    Returns
    -------
    Array
        Fresh, of shape ``(...)``; does not wait. Integers wrap around.

    Raises
    ------
    DimensionError
        Fewer than two dimensions.
    DtypeError
        A storage dtype.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``trace``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.trace(cx.asarray([[1, 2], [3, 4]], device='native:0')).item()
    5
    """
    return _core._linalg_trace(x, offset, dtype)
