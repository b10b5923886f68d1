"""Prints what the figures depend on, as JSON: card, driver, processor, versions. Asks the driver alone."""

from __future__ import annotations

import ctypes
import json
import os
import platform
from importlib import metadata
from typing import Any

from crossdock.core import cuda

CAPABILITY = (75, 76)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, MINOR
PROCESSORS = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
PACKAGES = ('crossdock', 'numpy', 'cupy-cuda13x', 'cupy-cuda12x', 'torch', 'jax', 'nvidia-cuda-nvrtc', 'nvidia-cublas')
PACKAGES += ('cupti-python', 'nvidia-cuda-cupti')


def card() -> dict[str, Any]:
    """The first GPU; `reason` says why there is none."""
    count, reason = cuda.count_gpus()
    driver = cuda.driver_version()
    facts: dict[str, Any] = {'name': None, 'reason': reason, 'gpus': count, 'driver': driver.name}
    facts['cuda'] = '.'.join(map(str, driver.cuda or ()))
    if not count:
        return facts
    library = ctypes.CDLL(cuda.find_library('driver').path)
    device, number, nbytes, name = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t(), ctypes.create_string_buffer(256)
    if code := library.cuInit(0) or library.cuDeviceGet(ctypes.byref(device), 0):
        return {**facts, 'reason': f'the driver answers {code}'}

    def attribute(which: int) -> int:
        library.cuDeviceGetAttribute(ctypes.byref(number), which, device)
        return number.value

    library.cuDeviceGetName(name, len(name), device)
    library.cuDeviceTotalMem_v2(ctypes.byref(nbytes), device)
    architecture = 'sm_{}{}'.format(*map(attribute, CAPABILITY))
    facts |= {'name': name.value.decode(), 'architecture': architecture, 'memory_nbytes': nbytes.value}
    return facts | {'multiprocessors': attribute(PROCESSORS)}


def processor() -> str:
    """Its name and how many of its cores this process may use."""
    with open('/proc/cpuinfo') as lines:
        names = [line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')]
    return f'{names[0] if names else platform.machine()}, {len(os.sched_getaffinity(0))} cores'


def versions() -> dict[str, str]:
    """Of Python and of the packages that are installed."""
    found = {'python': platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


if __name__ == '__main__':
    print(json.dumps({'card': card(), 'processor': processor(), 'versions': versions()}))
