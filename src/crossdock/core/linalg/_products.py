"""Products that are functions of the extension alone."""

from __future__ import annotations

from .. import _core
from .._core import Array

__all__ = ['cross', 'outer']


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Cross products of vectors of three elements.

    Parameters
    ----------
    x1, x2 : Array
        Numeric, with 3 elements along the axis; other dimensions broadcast.
    axis : int
        Where the vectors lie, counted from the end. One counted from the beginning is taken where both arrays have as
        many dimensions.

    Returns
    -------
    Array
        Fresh, in C order, of the promoted dtype; does not wait.

    Raises
    ------
    DimensionError
        Other than 3 elements along the axis, or shapes that do not broadcast.
    IndexError
        An axis that one of them does not have.
    DtypeError
        bool, a storage dtype, or dtypes without a common one.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``cross``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x, y, z = cx.eye(3, device='native:0')
    >>> cx.linalg.cross(x, y).tolist() == z.tolist()
    True
    """
    return _core._linalg_cross(x1, x2, axis)


def outer(x1: Array, x2: Array, /) -> Array:
    """All products of an element of one vector and an element of another.

    Parameters
    ----------
    x1, x2 : Array
        1-d and numeric, of N and M elements.

    Returns
    -------
    Array
        Shape ``(N, M)``, fresh, of the promoted dtype; does not wait.

    Raises
    ------
    DimensionError
        An array that is not 1-d.
    DtypeError
        bool, a storage dtype, or dtypes without a common one.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``outer``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x = cx.asarray([1, 2], device='native:0')
    >>> cx.linalg.outer(x, x).tolist()
    [[1, 2], [2, 4]]
    """
    return _core._linalg_outer(x1, x2)
