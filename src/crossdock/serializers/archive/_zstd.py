"""Zstandard, from Python 3.14 itself or from ``backports.zstd``, which is the same for older ones."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ['compressor', 'decompressor', 'failure']

_LEVEL = 1  # weights hardly shrink more at a higher one
_JOB_NBYTES = 1 << 20  # what a thread takes at once; by default several times as much, which takes memory
_WINDOW_LOG_MAX = 23  # a decompressor takes 8 MiB at most, whatever a frame asks for


def compressor(threads: int) -> Any:
    """A compressor of one frame after the other; 0 threads for none but the caller's.

    Raises
    ------
    ImportError
        The library is not installed.
    """
    zstd = _library()
    name = zstd.CompressionParameter
    options = {name.compression_level: _LEVEL, name.nb_workers: threads}
    if threads:
        options[name.job_size] = _JOB_NBYTES
    return zstd.ZstdCompressor(options=options)


def decompressor() -> Any:
    """A decompressor of one frame.

    Raises
    ------
    ImportError
        The library is not installed.
    """
    zstd = _library()
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG_MAX})


def failure() -> type[Exception]:
    """What a decompressor raises for damaged data."""
    found: type[Exception] = _library().ZstdError
    return found


def _library() -> Any:
    for name in ('compression.zstd', 'backports.zstd'):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError('zstd needs Python 3.14, or backports.zstd: pip install "crossdock[zstd]"')
