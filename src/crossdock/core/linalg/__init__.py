"""Linear algebra: the extension ``linalg`` of the array API standard 2024.12.

Matrices are the last two dimensions, those before them are a stack. Factorizations, and what is computed from them,
take float32, float64, complex64 and complex128 and need LAPACK, which the package ``scipy-openblas32`` brings.

A matrix that has no such factorization is a `crossdock.errors.LinAlgError`: on host memory at the call, on an
accelerator once at the next wait for the device, whatever array that is for, as a `crossdock.errors.AsyncLinAlgError`.
The failed result then holds nothing that means anything; ``x.device.synchronize()`` after the call reports its failure
there.
"""

from __future__ import annotations

from .._core import matmul, matrix_transpose, tensordot, vecdot
from ._diagonals import diagonal, trace
from ._equations import det, inv, matrix_power, matrix_rank, pinv, slogdet, solve
from ._factorizations import cholesky, eigh, eigvalsh, qr, svd, svdvals
from ._norms import matrix_norm, vector_norm
from ._products import cross, outer

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
