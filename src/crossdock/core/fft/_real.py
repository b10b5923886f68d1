"""Transforms from real numbers and to them."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from .._core import Array
from ._norm import Norm

__all__ = ['rfft', 'irfft', 'rfftn', 'irfftn', 'hfft', 'ihfft']


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis of real numbers.

    The first ``n // 2 + 1`` elements of `fft`; the others are their conjugates, backwards.

    Parameters
    ----------
    x : Array
        Real floating-point array; ``float16`` and ``bfloat16`` are computed in float32.
    n : int, optional
        Length of the transform: the axis is padded with zeros or trimmed to it. Default: the axis' extent.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` does not scale, ``'ortho'`` multiplies by 1/sqrt(n), ``'forward'`` by 1/n.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axis, which has ``n // 2 + 1`` elements. Fresh, in
        C order, on x's device.

    Raises
    ------
    DtypeError
        For integers and bool, and for complex numbers.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``rfft``.
    """
    return _core._fft_one('rfft', x, n, axis, norm)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis to real numbers: the inverse of `rfft`.

    What is given is the first half of a spectrum whose second half are its conjugates, backwards. The imaginary parts
    of element 0, and of element ``n / 2`` for an even n, are not looked at.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    n : int, optional
        Length of the result along the axis: x is padded with zeros or trimmed to ``n // 2 + 1`` there. Default: ``2 *
        (m - 1)``, where m is the axis' extent; for an odd length give it here.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` multiplies by 1/n, ``'ortho'`` by 1/sqrt(n), ``'forward'`` does not scale.

    Returns
    -------
    Array
        Real numbers of x's precision, in x's shape but for the axis, which has n elements. Fresh, in C order, on x's
        device.

    Raises
    ------
    DtypeError
        For integers and bool; convert with astype first.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``irfft``.
    """
    return _core._fft_one('irfft', x, n, axis, norm)


def rfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = 'backward',
) -> Array:
    """Transform several axes of real numbers.

    The same as `rfft` along the last of the axes and then `fft` along the others.

    Parameters
    ----------
    x : Array
        Real floating-point array; ``float16`` and ``bfloat16`` are computed in float32.
    s : sequence of int, optional
        Lengths of the transforms, one for each of ``axes``, which must be given then: axes are padded with zeros or
        trimmed to them. -1: the axis' extent. Default: the extents.
    axes : sequence of int, optional
        The axes to transform, each once; all by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` does not scale, ``'ortho'`` multiplies by 1/sqrt(n), ``'forward'`` by 1/n, where n is the
        product of the lengths.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axes, which have the lengths, and the last of them
        ``s[-1] // 2 + 1`` elements. Fresh, in C order, on x's device.

    Raises
    ------
    DtypeError
        For integers and bool, and for complex numbers.
    DimensionError
        For an axis named twice, and where ``s`` and ``axes`` differ in length.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, ``s`` without ``axes``, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``rfftn``.
    """
    return _core._fft_many('rfftn', x, s, axes, norm)


def irfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = 'backward',
) -> Array:
    """Transform several axes to real numbers: the inverse of `rfftn`.

    The same as `ifft` along the axes but the last, and then `irfft` along that one.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    s : sequence of int, optional
        Lengths of the result along ``axes``, which must be given then. x is padded with zeros or trimmed to them, and
        along the last of the axes to ``s[-1] // 2 + 1``. -1: as by default. Default: the extents, and ``2 * (m - 1)``
        for the last, where m is its extent.
    axes : sequence of int, optional
        The axes to transform, each once; all by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` multiplies by 1/n, ``'ortho'`` by 1/sqrt(n), ``'forward'`` does not scale, where n is the
        product of the lengths.

    Returns
    -------
    Array
        Real numbers of x's precision, in x's shape but for the axes, which have the lengths. Fresh, in C order, on
        x's device.

    Raises
    ------
    DtypeError
        For integers and bool; convert with astype first.
    DimensionError
        For an axis named twice, and where ``s`` and ``axes`` differ in length.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, ``s`` without ``axes``, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``irfftn``.
    """
    return _core._fft_many('irfftn', x, s, axes, norm)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis whose second half would be the conjugates of its first one, backwards, to real numbers.

    A spectrum of real numbers comes of a signal with this symmetry; only the first half of the signal is given.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    n : int, optional
        Length of the result along the axis: x is padded with zeros or trimmed to ``n // 2 + 1`` there. Default: ``2 *
        (m - 1)``, where m is the axis' extent; for an odd length give it here.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` does not scale, ``'ortho'`` multiplies by 1/sqrt(n), ``'forward'`` by 1/n.

    Returns
    -------
    Array
        Real numbers of x's precision, in x's shape but for the axis, which has n elements. Fresh, in C order, on x's
        device.

    Raises
    ------
    DtypeError
        For integers and bool; convert with astype first.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``hfft``.
    """
    return _core._fft_one('hfft', x, n, axis, norm)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis of real numbers backwards: the inverse of `hfft`.

    The first ``n // 2 + 1`` elements of `ifft`; the others are their conjugates, backwards.

    Parameters
    ----------
    x : Array
        Real floating-point array; ``float16`` and ``bfloat16`` are computed in float32.
    n : int, optional
        Length of the transform: the axis is padded with zeros or trimmed to it. Default: the axis' extent.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` multiplies by 1/n, ``'ortho'`` by 1/sqrt(n), ``'forward'`` does not scale.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axis, which has ``n // 2 + 1`` elements. Fresh, in
        C order, on x's device.

    Raises
    ------
    DtypeError
        For integers and bool, and for complex numbers.
    IndexError
        For an axis that x does not have.
    ValueError
        For a length below 1, or another ``norm``.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``ihfft``.
    """
    return _core._fft_one('ihfft', x, n, axis, norm)
