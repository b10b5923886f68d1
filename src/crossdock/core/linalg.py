"""Linear algebra: the extension ``linalg`` of the array API standard 2024.12.

Matrices are the last two dimensions, those before them are a stack. Factorizations, and what is computed from them,
take float32, float64, complex64 and complex128 and need LAPACK, which the package ``scipy-openblas32`` brings.

On an accelerator a matrix that has no such factorization is found when its stream is next waited for, as an
`crossdock.errors.AsyncDeviceError`; on host memory it is a `crossdock.errors.LinAlgError` at the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from . import _core
from ._core import Array, matmul, matrix_transpose, tensordot, vecdot
from ._results import EighResult, QRResult, SlogdetResult, SVDResult

__all__ = [
    'cholesky',
    'cross',
    'det',
    'diagonal',
    'eigh',
    'eigvalsh',
    'inv',
    'matmul',
    'matrix_norm',
    'matrix_power',
    'matrix_rank',
    'matrix_transpose',
    'outer',
    'pinv',
    'qr',
    'slogdet',
    'solve',
    'svd',
    'svdvals',
    'tensordot',
    'trace',
    'vecdot',
    'vector_norm',
]


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
