"""CRC-32 and deflate by zlib-ng, many times as fast as zlib where the processor has instructions for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ['crc32', 'crc32_combine', 'compressobj', 'decompressobj', 'error', 'Z_SYNC_FLUSH']

_library: Any
crc32_combine: Callable[[int, int, int], int]
try:
    from zlib_ng import zlib_ng as _library

    crc32_combine = _library.crc32_combine
except ImportError:  # a platform that it has no wheel for
    import zlib as _library

    from ._combine import crc32_combine

crc32: Callable[..., int] = _library.crc32
compressobj: Callable[..., Any] = _library.compressobj
decompressobj: Callable[..., Any] = _library.decompressobj
error: type[Exception] = _library.error
Z_SYNC_FLUSH: int = _library.Z_SYNC_FLUSH
