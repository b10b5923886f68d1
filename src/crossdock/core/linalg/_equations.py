"""What is computed from factorizations: determinants, inverses, powers, ranks and solutions."""

from __future__ import annotations

from .. import _core
from .._core import Array
from .._results import SlogdetResult

__all__ = ['det', 'inv', 'matrix_power', 'matrix_rank', 'pinv', 'slogdet', 'solve']


def det(x: Array, /) -> Array:
    """Determinants of square matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``.

    Returns
    -------
    Array
        Fresh, of x's dtype and shape ``(...)``; 0 for a singular matrix. Does not wait.

    Raises
    ------
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    See Also
    --------
    slogdet : Where the determinant is beyond the range of numbers.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``det``. Computed as ``sign * exp(logabsdet)`` from an LU
    factorization.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> round(cx.linalg.det(cx.asarray([[1.0, 2.0], [3.0, 4.0]], device='native:0')).item(), 12)
    -2.0
    """
    return _core._linalg_det(x)


def inv(x: Array, /) -> Array:
    """Inverses of square matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``.

    Returns
    -------
    Array
        Fresh, of x's shape and dtype; does not wait.

    Raises
    ------
    LinAlgError
        A singular matrix.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    See Also
    --------
    solve : More exact, and faster, where the inverse is only multiplied with something.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``inv``. NaN in x gives NaN.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.inv(cx.asarray([[2.0, 0.0], [0.0, 4.0]], device='native:0')).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _core._linalg_inv(x)


def matrix_power(x: Array, n: int, /) -> Array:
    """Square matrices raised to an integer power.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``, numeric; for negative powers one of the four dtypes.
    n : int
        The power. 0 gives the identity, negative ones are powers of the inverse.

    Returns
    -------
    Array
        Fresh, of x's shape and dtype; does not wait. Integers wrap around.

    Raises
    ------
    LinAlgError
        A negative power of a singular matrix.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No square matrices; a dtype that does not fit; no LAPACK where it is needed.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``matrix_power``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.matrix_power(cx.asarray([[1.0, 1.0], [1.0, 0.0]], device='native:0'), 10).tolist()
    [[89.0, 55.0], [55.0, 34.0]]
    """
    return _core._linalg_matrix_power(x, n)


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """How many singular values of a matrix are not zero.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``.
    rtol : float or Array, optional
        Singular values up to ``rtol`` times the largest one count as zero. An array is real floating-point and
        broadcasts against ``(...)``. ``max(M, N) * eps`` when omitted.

    Returns
    -------
    Array
        Fresh, int64, of shape ``(...)``; does not wait.

    Raises
    ------
    LinAlgError
        NaN in x.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``matrix_rank``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.matrix_rank(cx.ones((3, 4), device='native:0')).item()
    1
    """
    return _core._linalg_matrix_rank(x, rtol)


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``.
    rtol : float or Array, optional
        Singular values up to ``rtol`` times the largest one count as zero. An array is real floating-point and
        broadcasts against ``(...)``. ``max(M, N) * eps`` when omitted.

    Returns
    -------
    Array
        Shape ``(..., N, M)``, fresh, of x's dtype; does not wait.

    Raises
    ------
    LinAlgError
        NaN in x.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``pinv``. Computed from the singular value decomposition.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.pinv(cx.asarray([[2.0, 0.0], [0.0, 0.0]], device='native:0')).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    return _core._linalg_pinv(x, rtol)


def slogdet(x: Array, /) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``.

    Returns
    -------
    SlogdetResult
        ``sign`` of x's dtype (for complex numbers of absolute value 1) and ``logabsdet`` of the real dtype of x's
        precision; 0 and -inf for a singular matrix. Both fresh, of shape ``(...)``; does not wait.

    Raises
    ------
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``slogdet``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> sign, logabsdet = cx.linalg.slogdet(cx.zeros((2, 2), device='native:0'))
    >>> sign.item(), logabsdet.item()
    (0.0, -inf)
    """
    return SlogdetResult(*_core._linalg_slogdet(x))


def solve(x1: Array, x2: Array, /) -> Array:
    """Solutions ``X`` of linear equations ``x1 @ X = x2``.

    Parameters
    ----------
    x1 : Array
        Shape ``(..., M, M)``.
    x2 : Array
        Shape ``(..., M, K)``, whose leading dimensions broadcast with those of x1; or ``(M,)``, one right-hand side for
        all matrices.

    Returns
    -------
    Array
        Shape ``(..., M, K)``, or ``(..., M)``; fresh, of the promoted dtype. Does not wait.

    Raises
    ------
    LinAlgError
        A singular matrix.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        Shapes that do not fit; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``solve``. By LU factorization with partial pivoting.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> x = cx.asarray([[2.0, 0.0], [0.0, 4.0]], device='native:0')
    >>> cx.linalg.solve(x, cx.ones(2, device='native:0')).tolist()
    [0.5, 0.25]
    """
    return _core._linalg_solve(x1, x2)
