"""What is here, without a judgement: read from metadata, NVML and the libraries. Starts no GPU runtime."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import crossdock
from crossdock.core import cuda
from crossdock.core._blas import blas_name
from crossdock.core.cuda import DriverVersion, Library
from crossdock.devices import DeviceRow, describe_devices
from crossdock.doctor._versions import MINIMUM

__all__ = ['CUPY', 'LIBRARIES', 'Facts', 'gather', 'normalised']

#: Distributions that bring the module `cupy`.
CUPY = re.compile(r'cupy(-cuda\w+|-rocm[\w-]+)?')
_WANTED = re.compile(rf'{CUPY.pattern}|nvidia-.+|jaxlib|jax-cuda.*-(plugin|pjrt)')

#: Those that the core opens when it needs them.
LIBRARIES = ('driver', 'nvrtc', 'cublas', 'cudnn')

_NO_DRIVER = DriverVersion('', None)


@dataclass(frozen=True)
class Facts:
    """A machine, as far as the checks ask about it.

    Attributes
    ----------
    python, crossdock : str
        Versions.
    packages : mapping of str to str
        Versions of the installed distributions that matter, by normalised name.
    driver : DriverVersion
        The NVIDIA driver's version and the latest CUDA that it runs, as NVML says.
    driver_loaded : bool
        Whether the driver's kernel module is loaded; on this machine, not necessarily for this container.
    gpus : int
        How many GPUs a program sees.
    gpus_reason : str
        Why none; '' if there are some.
    visible : str or None
        ``CUDA_VISIBLE_DEVICES``.
    libraries : mapping of str to Library
        CUDA's libraries, as the core opens them.
    blas : str
        The BLAS of the host.
    torch_cuda : str or None
        The CUDA that PyTorch was built for; None if for none, or if there is no PyTorch.
    devices : sequence of DeviceRow
        Each kind of device.
    """

    python: str = '3.11.0'
    crossdock: str = '0'
    packages: Mapping[str, str] = field(default_factory=dict)
    driver: DriverVersion = _NO_DRIVER
    driver_loaded: bool = False
    gpus: int = 0
    gpus_reason: str = ''
    visible: str | None = None
    libraries: Mapping[str, Library] = field(default_factory=dict)
    blas: str = 'own'
    torch_cuda: str | None = None
    devices: tuple[DeviceRow, ...] = ()


def gather() -> Facts:
    """Look around on this machine."""
    gpus, reason = cuda.count_gpus()
    return Facts(
        python=platform.python_version(),
        crossdock=crossdock.__version__,
        packages=_packages(),
        driver=cuda.driver_version(),
        driver_loaded=Path('/proc/driver/nvidia/version').exists(),
        gpus=gpus,
        gpus_reason=reason,
        visible=os.environ.get('CUDA_VISIBLE_DEVICES'),
        libraries={name: cuda.find_library(name) for name in LIBRARIES},
        blas=blas_name(),
        torch_cuda=_torch_cuda(),
        devices=tuple(describe_devices()),
    )


def normalised(name: str) -> str:
    """A distribution's name as the package index compares it."""
    return re.sub(r'[-_.]+', '-', name).lower()


def _packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        # A broken installation leaves metadata without a name.
        name = normalised(distribution.metadata['Name'] or '')
        if name not in found and (name in MINIMUM or _WANTED.fullmatch(name)):
            found[name] = distribution.version
    return dict(sorted(found.items()))


def _torch_cuda() -> str | None:
    """Read from PyTorch's version file, without an import."""
    spec = importlib.util.find_spec('torch')
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).with_name('version.py')
    found = re.search(r"^cuda\b[^=\n]*= *'([^']+)'", file.read_text() if file.is_file() else '', re.MULTILINE)
    return found[1] if found else None
