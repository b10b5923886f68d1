"""What there is of CUDA on this machine, for the rooms above. Nothing here starts CUDA: a later fork works."""

from __future__ import annotations

from typing import NamedTuple

from . import _core

__all__ = [
    'OLDEST_CUDA',
    'Compiled',
    'DriverVersion',
    'Library',
    'compile_kernel',
    'count_gpus',
    'driver_version',
    'find_library',
    'kernel_names',
]

#: The driver must run this or a later one.
OLDEST_CUDA = (12, 0)


class DriverVersion(NamedTuple):
    """The driver's version, as '580.65.06', and the latest CUDA it runs, as (13, 0); '' and None if not to be had."""

    name: str
    cuda: tuple[int, int] | None


class Library(NamedTuple):
    """A library of CUDA: where it was found and its version; or '' and why it cannot be opened."""

    path: str
    version: tuple[int, ...]
    error: str


def count_gpus() -> tuple[int, str]:
    """How many GPUs CUDA would show to this process, and why it is 0 if it is; the first answer stays."""
    return _core._cuda_gpus()


def driver_version() -> DriverVersion:
    """Ask NVML; the first answer stays."""
    name, cuda = _core._cuda_driver_version()
    return DriverVersion(name, (cuda // 1000, cuda % 1000 // 10) if cuda else None)


def find_library(name: str) -> Library:
    """Open 'driver', 'nvrtc', 'cublas' or 'cudnn', as the core would."""
    path, version, error = _core._cuda_open_library(name)
    return Library(path, tuple(version), error)


class Compiled(NamedTuple):
    """A kernel's code: its size in bytes, and whether it came from the disk cache."""

    nbytes: int
    from_disk: bool


def kernel_names() -> list[tuple[str, str]]:
    """Every kernel of the core: the header it is in, and the expression that names the instance."""
    return _core._cuda_kernel_names()


def compile_kernel(header: str, expression: str, architecture: str) -> Compiled:
    """Compile one for an architecture, as 'sm_90', or find it in the disk cache; without the GIL.

    Raises
    ------
    DeviceError
        It does not compile; with what NVRTC says.
    """
    return Compiled(*_core._cuda_compile(header, expression, architecture))
