"""How many CUDA GPUs there are. The core asks NVML or the driver's files: no CUDA context, so a later fork works."""

from __future__ import annotations

from typing import NamedTuple

from crossdock.core import cuda

__all__ = ['Gpus', 'find_gpus']

# What to do, by how the core's reason begins; its other reasons say so themselves.
_ADVICE = {
    'no NVIDIA driver': "; install NVIDIA's driver if it has such a GPU, or take sim:0, which needs none",
    'the NVIDIA driver finds no GPU': '; start nvidia-smi, which shows what it sees, or take sim:0, which needs none',
    'CUDA_VISIBLE_DEVICES': '; unset it, or name some of them there',
}


class Gpus(NamedTuple):
    """The number of GPUs that a program sees, and why it is 0 if it is."""

    number: int
    reason: str


def find_gpus() -> Gpus:
    """Count the GPUs that CUDA would show to this process; the first answer stays."""
    number, reason = cuda.count_gpus()
    return Gpus(number, reason + next((told for start, told in _ADVICE.items() if reason.startswith(start)), ''))
