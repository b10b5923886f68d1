"""Set functions: the different elements of an array.

Two elements are one when they compare equal: every NaN is an element of its own, 0.0 and -0.0 are one. How many there
are decides the shape of the results, so that all of these wait for the device and pull one number, which a trace shows
as an implicit transfer of an accelerator.
"""

from __future__ import annotations

from . import _core
from ._core import Array
from ._results import UniqueAllResult, UniqueCountsResult, UniqueInverseResult

__all__ = ['unique_all', 'unique_counts', 'unique_inverse', 'unique_values']


def unique_all(x: Array, /) -> UniqueAllResult:
    """The different elements, where each is first, which of them every element is, and how often each is there.

    Parameters
    ----------
    x : Array
        Any shape, read in C order; any dtype but those of storage.

    Returns
    -------
    UniqueAllResult
        Fresh, on x's device: ``values``, one-dimensional, of x's dtype and in the order of ``sort`` (complex numbers by
        real part, then by imaginary); of zeros the one that is first. ``indices``, int64, of the shape of ``values``.
        ``inverse_indices``, int64, of x's shape, with ``take(values, inverse_indices)`` equal to x but for NaNs and the
        signs of zeros. ``counts``, int64, of the shape of ``values``; 1 for each NaN.

    Raises
    ------
    DtypeError
        For dtypes of storage.

    Notes
    -----
    Every NaN is an element of its own, 0.0 and -0.0 are one. Waits for the device and pulls the number of elements, an
    implicit transfer. Array API standard 2024.12, "Set Functions": ``unique_all``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> result = cx.unique_all(cx.asarray([3, 1, 3], device='native:0'))
    >>> result.values
    array([1, 3], shape=(2,), dtype=int64, device='native:0')
    >>> result.indices.tolist(), result.inverse_indices.tolist(), result.counts.tolist()
    ([1, 0], [1, 0, 1], [1, 2])
    """
    values, indices, inverse, counts = _core._unique(x, 'unique_all', indices=True, inverse=True, counts=True)
    return UniqueAllResult(values, indices, inverse, counts)


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """The different elements, and how often each is there.

    Parameters
    ----------
    x : Array
        Any shape; any dtype but those of storage.

    Returns
    -------
    UniqueCountsResult
        Fresh, on x's device: ``values``, one-dimensional, of x's dtype and in the order of ``sort`` (complex numbers by
        real part, then by imaginary), and ``counts``, int64, of the same shape; 1 for each NaN.

    Raises
    ------
    DtypeError
        For dtypes of storage.

    Notes
    -----
    Every NaN is an element of its own, 0.0 and -0.0 are one. Waits for the device and pulls the number of elements, an
    implicit transfer. Array API standard 2024.12, "Set Functions": ``unique_counts``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.unique_counts(cx.asarray([3, 1, 3], device='native:0')).counts
    array([1, 2], shape=(2,), dtype=int64, device='native:0')
    """
    values, counts = _core._unique(x, 'unique_counts', counts=True)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """The different elements, and which of them every element is.

    Parameters
    ----------
    x : Array
        Any shape; any dtype but those of storage.

    Returns
    -------
    UniqueInverseResult
        Fresh, on x's device: ``values``, one-dimensional, of x's dtype and in the order of ``sort`` (complex numbers by
        real part, then by imaginary), and ``inverse_indices``, int64, of x's shape, with ``take(values,
        inverse_indices)`` equal to x but for NaNs and the signs of zeros.

    Raises
    ------
    DtypeError
        For dtypes of storage.

    Notes
    -----
    Every NaN is an element of its own, 0.0 and -0.0 are one. Waits for the device and pulls the number of elements, an
    implicit transfer. Array API standard 2024.12, "Set Functions": ``unique_inverse``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.unique_inverse(cx.asarray([3, 1, 3], device='native:0')).inverse_indices
    array([1, 0, 1], shape=(3,), dtype=int64, device='native:0')
    """
    values, inverse = _core._unique(x, 'unique_inverse', inverse=True)
    return UniqueInverseResult(values, inverse)


def unique_values(x: Array, /) -> Array:
    """The different elements.

    Parameters
    ----------
    x : Array
        Any shape; any dtype but those of storage.

    Returns
    -------
    Array
        Fresh, one-dimensional, of x's dtype, on x's device, in the order of ``sort`` (complex numbers by real part,
        then by imaginary).

    Raises
    ------
    DtypeError
        For dtypes of storage.

    Notes
    -----
    Every NaN is an element of its own, 0.0 and -0.0 are one. Waits for the device and pulls the number of elements, an
    implicit transfer. Array API standard 2024.12, "Set Functions": ``unique_values``.

    Examples
    --------
    >>> import crossdock.core as cx
    >>> cx.unique_values(cx.asarray([3, 1, 3], device='native:0'))
    array([1, 3], shape=(2,), dtype=int64, device='native:0')
    """
    (values,) = _core._unique(x, 'unique_values')
    return values
