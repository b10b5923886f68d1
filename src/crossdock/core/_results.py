"""What functions with several results return."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array

__all__ = ['EighResult', 'QRResult', 'SVDResult', 'SlogdetResult']


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and the eigenvectors as columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """Sign of a determinant, and the logarithm of its absolute value."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, descending, and conjugated right singular vectors as rows."""

    U: Array
    S: Array
    Vh: Array
