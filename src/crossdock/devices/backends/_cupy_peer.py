"""Copies between CuPy's arrays on two GPUs."""

from __future__ import annotations

from typing import Any

from crossdock.devices.backends._cupy_staging import as_real, marked

__all__ = ['copy_to_peer']


def copy_to_peer(cupy: Any, dst: Any, src: Any) -> None:
    """Write an array on one GPU into one on another; broadcasts and converts. The host waits for nothing.

    The copy comes after what is queued on the source's current stream and runs on the target's; what is queued on the
    source's later comes after the copy, for the memory that is read may be reused there.
    """
    with src.device:
        # The narrower type crosses, and in one piece.
        wire = min(src.dtype, dst.dtype, key=lambda dtype: dtype.itemsize)
        dense = src
        if src.dtype != wire or not src.flags.c_contiguous:
            dense = cupy.empty(src.shape, wire)
            dense[...] = as_real(src, wire)
        origin = cupy.cuda.get_current_stream()
        ready = marked(cupy)
    with dst.device:
        stream = cupy.cuda.get_current_stream()
        stream.wait_event(ready)
        same = dst.shape == dense.shape and dst.dtype == wire and dst.flags.c_contiguous
        there = dst if same else cupy.empty(dense.shape, wire)
        there.data.copy_from_device_async(dense.data, dense.nbytes)
        read = marked(cupy)
        if not same:
            dst[...] = as_real(there, dst.dtype)
    with src.device:
        origin.wait_event(read)
