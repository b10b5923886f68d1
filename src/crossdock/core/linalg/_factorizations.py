"""Factorizations of matrices, their eigenvalues and their singular values."""

from __future__ import annotations

from typing import Literal

from .. import _core
from .._core import Array
from .._results import EighResult, QRResult, SVDResult

__all__ = ['cholesky', 'eigh', 'eigvalsh', 'qr', 'svd', 'svdvals']


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Cholesky factors of Hermitian, positive definite matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``. Only the triangle of the result is read, so that nothing checks the symmetry.
    upper : bool
        Whether the factor is upper triangular, ``x = U^H @ U``, else it is lower triangular, ``x = L @ L^H``.

    Returns
    -------
    Array
        Fresh, of x's shape and dtype, zero in the other triangle; does not wait.

    Raises
    ------
    LinAlgError
        A matrix that is not positive definite.
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``cholesky``. NaN in x gives NaN.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.cholesky(cx.asarray([[4.0, 2.0], [2.0, 5.0]], device='native:0')).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return _core._linalg_cholesky(x, upper)


def eigh(x: Array, /) -> EighResult:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``. Only the lower triangle is read, so that nothing checks the symmetry.

    Returns
    -------
    EighResult
        ``eigenvalues`` of shape ``(..., M)`` and the real dtype of x's precision, ascending, and ``eigenvectors`` of
        x's shape and dtype, as orthonormal columns in that order. Both fresh; does not wait.

    Raises
    ------
    LinAlgError
        NaN in the lower triangle, or values that do not converge. (Infinities give NaN.)
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``eigh``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.eigh(cx.asarray([[2.0, 0.0], [0.0, -1.0]], device='native:0')).eigenvalues.tolist()
    [-1.0, 2.0]
    """
    return EighResult(*_core._linalg_eigh(x))


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of Hermitian matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, M)``. Only the lower triangle is read, so that nothing checks the symmetry.

    Returns
    -------
    Array
        Shape ``(..., M)``, of the real dtype of x's precision, ascending. Fresh; does not wait.

    Raises
    ------
    LinAlgError
        NaN in the lower triangle, or values that do not converge. (Infinities give NaN.)
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No square matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``eigvalsh``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.eigvalsh(cx.asarray([[0.0, 1j], [-1j, 0.0]], device='native:0')).tolist()
    [-1.0, 1.0]
    """
    return _core._linalg_eigvalsh(x)


def qr(x: Array, /, *, mode: Literal['reduced', 'complete'] = 'reduced') -> QRResult:
    """QR decompositions of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``.
    mode : {'reduced', 'complete'}
        With K the smaller of M and N: shapes ``(..., M, K)`` and ``(..., K, N)``, or ``(..., M, M)`` and
        ``(..., M, N)``.

    Returns
    -------
    QRResult
        ``Q`` with orthonormal columns and ``R``, upper triangular with a real diagonal, so that ``x = Q @ R``. Both
        fresh, of x's dtype; does not wait.

    Raises
    ------
    ValueError
        Another ``mode``.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``qr``. NaN in x gives NaN.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> Q, R = cx.linalg.qr(cx.ones((3, 2), device='native:0'))
    >>> Q.shape, R.shape
    ((3, 2), (2, 2))
    """
    if mode not in ('reduced', 'complete'):
        raise ValueError(f"qr: mode can be 'reduced' or 'complete', not {mode!r}")
    return QRResult(*_core._linalg_qr(x, mode == 'complete'))


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular value decompositions of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``.
    full_matrices : bool
        Whether ``U`` and ``Vh`` are square, of shapes ``(..., M, M)`` and ``(..., N, N)``, else ``(..., M, K)`` and
        ``(..., K, N)``, with K the smaller of M and N.

    Returns
    -------
    SVDResult
        ``U``, ``S`` and ``Vh`` so that ``x = U[..., :K] @ diag(S) @ Vh[..., :K, :]``; ``S`` descends and has the real
        dtype of x's precision and shape ``(..., K)``. All fresh; does not wait.

    Raises
    ------
    LinAlgError
        NaN in x, or values that do not converge. (Infinities give NaN.)
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``svd``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.svd(cx.asarray([[0.0, 3.0], [1.0, 0.0]], device='native:0')).S.tolist()
    [3.0, 1.0]
    """
    return SVDResult(*_core._linalg_svd(x, full_matrices))


def svdvals(x: Array, /) -> Array:
    """Singular values of matrices.

    Parameters
    ----------
    x : Array
        Shape ``(..., M, N)``.

    Returns
    -------
    Array
        Shape ``(..., K)`` with K the smaller of M and N, of the real dtype of x's precision, descending. Fresh; does
        not wait.

    Raises
    ------
    LinAlgError
        NaN in x, or values that do not converge. (Infinities give NaN.)
        On an accelerator at the next wait for the device, as AsyncLinAlgError.
    DimensionError, DtypeError, NotImplementedError
        No matrices; not one of the four dtypes; no LAPACK.

    Notes
    -----
    Array API standard 2024.12, "Linear Algebra Extension": ``svdvals``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.linalg.svdvals(cx.asarray([[0.0, 3.0], [1.0, 0.0]], device='native:0')).tolist()
    [3.0, 1.0]
    """
    return _core._linalg_svdvals(x)
