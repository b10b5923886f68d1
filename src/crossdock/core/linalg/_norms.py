"""Norms of matrices and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .. import _core
from .._core import Array

__all__ = ['matrix_norm', 'vector_norm']


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal['fro', 'nuc'] | None = 'fro') -> Array:
    """Norms of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``, floating-point; for 2, -2 and 'nuc' one of the four dtypes.
    keepdims : bool
        Whether the last two dimensions stay, with extent 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf} or None
        ``'fro'``, or None: the root of the sum of squares. ``'nuc'``: the sum of the singular values. 1 (-1): the
        largest (smallest) sum of absolute values of a column; inf (-inf): of a row. 2 (-2): the largest (smallest)
        singular value.

    Returns
    -------
    Array
        Fresh, of the real dtype of x's precision and shape ``(...)``; does not wait. Matrices without elements have
        norm 0.

    Raises
    ------
    ValueError
        Another ``ord``, or the smallest of nothing.
    LinAlgError
        NaN in x where singular values are needed.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not a floating-point dtype; no LAPACK where it is needed.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``matrix_norm``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x = cx.asarray([[3.0, 0.0], [0.0, 4.0]], device='native:0')
    >>> cx.linalg.matrix_norm(x).item(), cx.linalg.matrix_norm(x, ord='nuc').item()
    (5.0, 7.0)
    """
    return _core._linalg_matrix_norm(x, keepdims, ord)


def vector_norm(
    x: Array, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Norms of vectors.

    Parameters
    ----------
    x : Array
        Floating-point.
    axis : int or sequence of int, optional
        Along which axes the elements of a vector lie; all when omitted.
    keepdims : bool
        Whether these axes stay, with extent 1.
    ord : float
        ``sum(abs(x) ** ord) ** (1 / ord)``; inf (-inf): the largest (smallest) absolute value; 0: how many elements are
        not zero.

    Returns
    -------
    Array
        Fresh, of the real dtype of x's precision; does not wait. float16 and bfloat16 add up in float32. The largest of
        nothing is 0.

    Raises
    ------
    ValueError
        ``ord`` NaN, or the smallest of nothing.
    DimensionError, IndexError
        An axis named twice, or out of range.
    DtypeError
        Not a floating-point dtype.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``vector_norm``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x = cx.asarray([3.0, -4.0], device='native:0')
    >>> cx.linalg.vector_norm(x).item(), cx.linalg.vector_norm(x, ord=1).item()
    (5.0, 7.0)
    """
    return _core._linalg_vector_norm(x, axis, keepdims, ord)
