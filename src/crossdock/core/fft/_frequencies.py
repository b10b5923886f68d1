"""What the elements of a transform stand for, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Array, Device

__all__ = ['fftfreq', 'rfftfreq', 'fftshift', 'ifftshift']


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """Give the frequency of each element of an `fft`.

    ``0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1``, each divided by ``d * n``.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : float
        Distance between samples; the frequencies are in cycles per its unit.
    dtype : dtype, optional
        A real floating-point dtype; float64 by default.
    device : Device or str, optional
        Where to make the array; the default device when omitted.

    Returns
    -------
    Array
        Fresh, of shape ``(n,)``.

    Raises
    ------
    DtypeError
        For another dtype.
    ValueError
        For n below 1, and d of 0.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``fftfreq``.
    """
    return _core._fft_frequencies(n, d, dtype, device, False)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """Give the frequency of each element of an `rfft`.

    ``0, 1, ..., n // 2``, each divided by ``d * n``.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : float
        Distance between samples; the frequencies are in cycles per its unit.
    dtype : dtype, optional
        A real floating-point dtype; float64 by default.
    device : Device or str, optional
        Where to make the array; the default device when omitted.

    Returns
    -------
    Array
        Fresh, of shape ``(n // 2 + 1,)``.

    Raises
    ------
    DtypeError
        For another dtype.
    ValueError
        For n below 1, and d of 0.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``rfftfreq``.
    """
    return _core._fft_frequencies(n, d, dtype, device, True)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the zero frequency to the middle.

    Element 0 of an axis of n elements comes to ``n // 2``, the others after it, around the end.

    Parameters
    ----------
    x : Array
        Any array.
    axes : int or sequence of int, optional
        The axes to shift; all by default. An axis named twice is shifted twice.

    Returns
    -------
    Array
        A copy in C order, of x's shape and dtype, on x's device.

    Raises
    ------
    IndexError
        For an axis that x does not have.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``fftshift``.
    """
    return _core._fft_shift(x, axes, False)


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Shift the zero frequency back: the inverse of `fftshift`.

    Element ``n // 2`` of an axis of n elements comes to 0. Differs from `fftshift` for odd n.

    Parameters
    ----------
    x : Array
        Any array.
    axes : int or sequence of int, optional
        The axes to shift; all by default. An axis named twice is shifted twice.

    Returns
    -------
    Array
        A copy in C order, of x's shape and dtype, on x's device.

    Raises
    ------
    IndexError
        For an axis that x does not have.

    Notes
    -----
    An accelerator is not waited for. Array API standard 2024.12, "Fourier transform Functions": ``ifftshift``.
    """
    return _core._fft_shift(x, axes, True)
