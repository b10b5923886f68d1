"""Discrete Fourier transforms: the extension ``fft`` of the Python array API standard 2024.12.

>>> import crossdock.core as cx
>>> x = cx.asarray([1.0, 2.0, 3.0, 4.0], device='native:0')
>>> cx.fft.rfft(x)
array([10.+0.j, -2.+2.j, -2.+0.j], shape=(3,), dtype=complex128, device='native:0')
>>> cx.fft.irfft(cx.fft.rfft(x))
array([1., 2., 3., 4.], shape=(4,), dtype=float64, device='native:0')

float32 and complex64 are computed in 32 bits, float64 and complex128 in 64. Errors grow with the logarithm of the
length. What a length needs is prepared once and kept while it is among the last used.
"""

from __future__ import annotations

from ._complex import fft, fftn, ifft, ifftn
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from ._real import hfft, ihfft, irfft, irfftn, rfft, rfftn

__all__ = [
    'fft',
    'ifft',
    'fftn',
    'ifftn',
    'rfft',
    'irfft',
    'rfftn',
    'irfftn',
    'hfft',
    'ihfft',
    'fftfreq',
    'rfftfreq',
    'fftshift',
    'ifftshift',
]
