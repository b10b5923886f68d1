"""The CRC-32 of two runs of bytes from the CRC-32 of each."""

from __future__ import annotations

from functools import cache

__all__ = ['crc32_combine']

_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31


def crc32_combine(first: int, second: int, nbytes: int) -> int:
    """The CRC-32 of bytes whose beginning has the CRC `first`, and whose last `nbytes` have `second`.

    A CRC is a remainder in polynomials over two elements, and so `nbytes` more bytes multiply it by a power of x.

    Examples
    --------
    >>> from zlib import crc32
    >>> crc32_combine(crc32(b'half'), crc32(b' and half'), 9) == crc32(b'half and half')
    True
    """
    return _times(_shift(nbytes), first) ^ second


@cache
def _shift(nbytes: int) -> int:
    """x to the power of ``8 * nbytes``."""
    power, square = _ONE, 1 << 23  # 1, and x to the eighth
    while nbytes:
        if nbytes & 1:
            power = _times(power, square)
        square = _times(square, square)
        nbytes >>= 1
    return power


def _times(a: int, b: int) -> int:
    """The product of two polynomials modulo that of CRC-32; the lowest power is in the highest bit."""
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product
