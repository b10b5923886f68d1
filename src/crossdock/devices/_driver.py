"""A look at what the NVIDIA driver copies, begun where that can be; else an error that says why not."""

from __future__ import annotations

import importlib.util
from typing import NoReturn

from crossdock.core import cuda
from crossdock.errors import DeviceUnavailableError
from crossdock.transfer import Watch

__all__ = ['refuse', 'watch_cuda_driver']


_NO_CUPTI = "CUPTI is not installed; pip install 'crossdock[cupti]', for a driver of CUDA 12 with 'cupti-python<13'"


def watch_cuda_driver() -> Watch:
    """Begin to note the copies of all GPUs.

    Raises
    ------
    DeviceUnavailableError
        There is no GPU, CUPTI is not installed, it does not work with the driver, or another profiler uses it.
    """
    number, reason = cuda.count_gpus()
    reasons = [reason] if not number else []
    if importlib.util.find_spec('cupti') is None:
        reasons.append(_NO_CUPTI)
    if not number:
        reasons.append("on sim, crossdock.core.sim.counters has the device's own count")
    if reasons:
        refuse('; '.join(reasons))
    from crossdock.devices.backends._cupti import begin

    return begin()


def refuse(reason: str, cause: BaseException | None = None) -> NoReturn:
    """Say why the driver cannot be asked."""
    raise DeviceUnavailableError(
        f'ground_truth=True asks the NVIDIA driver what it copied, and that is not possible here: {reason}',
        reason=reason,
    ) from cause
