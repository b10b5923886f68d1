"""How many CUDA GPUs there are, asked of NVML or of the driver's files: no CUDA context, so a later fork works."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import NamedTuple

__all__ = ['Gpus', 'find_gpus']

_PROC = Path('/proc/driver/nvidia')
_WSL_DEVICE = Path('/dev/dxg')


class Gpus(NamedTuple):
    """The number of GPUs that a program sees, and why it is 0 if it is."""

    number: int
    reason: str


def find_gpus() -> Gpus:
    """Count the GPUs that CUDA would show to this process."""
    count = _count_by_nvml()
    if count is None:
        count = _count_by_files()
    if count is None:
        return Gpus(0, 'no NVIDIA driver is loaded on this machine')
    if count == 0:
        return Gpus(0, 'the NVIDIA driver finds no GPU')
    visible = _count_visible(count, os.environ.get('CUDA_VISIBLE_DEVICES'))
    return Gpus(visible, '' if visible else f'CUDA_VISIBLE_DEVICES hides the {count} GPUs of this machine')


def _count_by_nvml() -> int | None:
    try:
        nvml = ctypes.CDLL('libnvidia-ml.so.1')
        if nvml.nvmlInit_v2() != 0:
            return None
        try:
            count = ctypes.c_uint(0)
            failed = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
            return None if failed else count.value
        finally:
            nvml.nvmlShutdown()
    except (OSError, AttributeError):
        return None


def _count_by_files() -> int | None:
    folder = _PROC / 'gpus'
    if folder.is_dir():
        return sum(1 for _ in folder.iterdir())
    return 0 if (_PROC / 'version').exists() or _WSL_DEVICE.exists() else None


def _count_visible(count: int, visible: str | None) -> int:
    """How many of `count` GPUs the variable leaves; CUDA stops reading at the first entry that is none."""
    if visible is None:
        return count
    left = 0
    for entry in (part.strip() for part in visible.split(',')):
        if entry.isdecimal() and int(entry) >= count:
            break
        if not (entry.isdecimal() or entry.startswith(('GPU-', 'MIG-'))):
            break
        left += 1
    return left
