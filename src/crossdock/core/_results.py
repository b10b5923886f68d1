"""What functions with several results return."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array

__all__ = [
    'EighResult',
    'QRResult',
    'SVDResult',
    'SlogdetResult',
    'UniqueAllResult',
    'UniqueCountsResult',
    'UniqueInverseResult',
]


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


class UniqueAllResult(NamedTuple):
    """The different elements, where each is first, which of them every element is, and how often each is there."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The different elements, and how often each is there."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The different elements, and which of them every element is."""

    values: Array
    inverse_indices: Array
