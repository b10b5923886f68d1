"""Transforms of complex numbers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from .._core import Array
from ._norm import Norm

__all__ = ['fft', 'ifft', 'fftn', 'ifftn']


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis: the discrete Fourier transform.

    Element k of the result is the sum over j of ``x[j] * exp(-2j * pi * j * k / n)``.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    n : int, optional
        Length of the transform: the axis is padded with zeros or trimmed to it. Default: the axis' extent.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` does not scale, ``'ortho'`` multiplies by 1/sqrt(n), ``'forward'`` by 1/n.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axis, which has n elements. Fresh, in C order, on
        x's device.

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
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``fft``.
    """
    return _core._fft_one('fft', x, n, axis, norm)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = 'backward') -> Array:
    """Transform one axis backwards: the inverse of `fft`.

    Element k of the result is the sum over j of ``x[j] * exp(2j * pi * j * k / n)``, divided by n unless ``norm``
    says otherwise.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    n : int, optional
        Length of the transform: the axis is padded with zeros or trimmed to it. Default: the axis' extent.
    axis : int
        The axis to transform; the last one by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` multiplies by 1/n, ``'ortho'`` by 1/sqrt(n), ``'forward'`` does not scale.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axis, which has n elements. Fresh, in C order, on
        x's device.

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
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``ifft``.
    """
    return _core._fft_one('ifft', x, n, axis, norm)


def fftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = 'backward',
) -> Array:
    """Transform several axes, one after the other.

    The same as `fft` along each of the axes.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
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
        Complex numbers of x's precision, in x's shape but for the axes, which have the lengths. Fresh, in C order, on
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
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``fftn``.
    """
    return _core._fft_many('fftn', x, s, axes, norm)


def ifftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = 'backward',
) -> Array:
    """Transform several axes backwards: the inverse of `fftn`.

    The same as `ifft` along each of the axes.

    Parameters
    ----------
    x : Array
        Floating-point array; real numbers count as complex ones without imaginary part, ``float16`` and ``bfloat16``
        are computed in float32.
    s : sequence of int, optional
        Lengths of the transforms, one for each of ``axes``, which must be given then: axes are padded with zeros or
        trimmed to them. -1: the axis' extent. Default: the extents.
    axes : sequence of int, optional
        The axes to transform, each once; all by default.
    norm : {'backward', 'ortho', 'forward'}
        ``'backward'`` multiplies by 1/n, ``'ortho'`` by 1/sqrt(n), ``'forward'`` does not scale, where n is the
        product of the lengths.

    Returns
    -------
    Array
        Complex numbers of x's precision, in x's shape but for the axes, which have the lengths. Fresh, in C order, on
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
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``ifftn``.
    """
    return _core._fft_many('ifftn', x, s, axes, norm)
