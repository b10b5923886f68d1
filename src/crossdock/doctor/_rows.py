"""One finding for each thing that is installed, found, or not."""

from __future__ import annotations

from collections.abc import Iterator

from crossdock.doctor._facts import CUPY, Facts
from crossdock.doctor._findings import Finding
from crossdock.doctor._optional import OPTIONAL, wanted
from crossdock.doctor._versions import MINIMUM, NEEDED, release, text

__all__ = ['devices', 'extra', 'libraries', 'packages']

_FOR = {package.name: package.use for package in OPTIONAL}
_LABELS = {'nvrtc': 'NVRTC', 'cublas': 'cuBLAS', 'cudnn': 'cuDNN'}
_USES = {
    'nvrtc': 'it compiles the kernels of cuda:N',
    'cublas': 'it multiplies matrices on cuda:N',
    'cudnn': 'it is optional',
}


def extra(facts: Facts) -> str:
    """What to install for CUDA: for the one that the driver runs, the newest where there is none."""
    earlier = facts.driver.cuda is not None and facts.driver.cuda < (13, 0)
    return f"pip install 'crossdock[{'cuda12' if earlier else 'cuda13'}]'"


def packages(facts: Facts) -> Iterator[Finding]:
    """What Python has."""
    yield Finding('package', 'Python', 'ok', facts.python)
    yield Finding('package', 'crossdock', 'ok', facts.crossdock)
    for name, oldest in NEEDED.items():
        if name not in facts.packages:
            advice = f"pip install '{name}>={oldest}'"
            yield Finding('package', name, 'problem', 'not installed, and crossdock needs it', advice)
    for name, version in facts.packages.items():
        oldest = MINIMUM.get(name, '0')
        if release(version) < release(oldest):
            detail = f'{version} is too old, crossdock needs {oldest}'
            yield Finding('package', name, 'problem', detail, f"pip install '{name}>={oldest}'")
        else:
            yield Finding('package', name, 'ok', f'{version}, for {_FOR[name]}' if name in _FOR else version)
    if not any(CUPY.fullmatch(name) for name in facts.packages):
        yield Finding('package', 'cupy', 'missing', 'not installed; @cupy:N needs it', extra(facts))
    for package in wanted(release(facts.python)):
        if package.name not in facts.packages:
            advice = f"pip install 'crossdock[{package.extra}]'"
            yield Finding('package', package.name, 'missing', f'not installed; for {package.use}', advice)


def libraries(facts: Facts) -> Iterator[Finding]:
    """What is there below Python."""
    blas = 'scipy-openblas' if facts.blas == 'scipy-openblas' else "the core's own, which is slower and has no LAPACK"
    yield Finding('library', 'BLAS', 'ok', blas)
    yield _driver(facts)
    if facts.gpus:
        yield Finding('library', 'GPUs', 'ok', str(facts.gpus))
    else:
        yield Finding('library', 'GPUs', 'missing', facts.gpus_reason)
    for name, label in _LABELS.items():
        if name in facts.libraries:
            yield _library(facts, name, label)


def devices(facts: Facts) -> Iterator[Finding]:
    """Every device, and each kind that does not work."""
    for row in facts.devices:
        if row['available']:
            yield Finding('device', row['spec'], 'ok', f'memory: {row["physical"]}')
        elif row['reason'].startswith('its back-end'):  # that of a third party fails, or cannot be imported
            yield Finding('device', row['spec'], 'problem', row['reason'], 'ask those who made it, or uninstall it')
        else:
            yield Finding('device', row['spec'], 'missing', row['reason'])


def _driver(facts: Facts) -> Finding:
    name = 'NVIDIA driver'
    if facts.driver.name:
        runs = f', runs CUDA up to {text(facts.driver.cuda)}' if facts.driver.cuda else ''
        return Finding('library', name, 'ok', facts.driver.name + runs)
    libcuda = facts.libraries.get('driver')
    opens = libcuda is not None and bool(libcuda.path)
    if facts.gpus:
        return Finding('library', name, 'ok', 'loaded; its version cannot be asked, for NVML does not answer')
    if facts.driver_loaded and opens:
        detail = facts.gpus_reason or 'it does not answer'
        return Finding('library', name, 'problem', detail, 'reboot, or install the driver anew')
    return Finding('library', name, 'missing', 'none for this process' if facts.driver_loaded else 'not loaded')


def _library(facts: Facts, name: str, label: str) -> Finding:
    found = facts.libraries[name]
    if found.path:
        return Finding('library', label, 'ok', f'{text(found.version) or "?"} ({found.path})')
    broken = [line for line in found.error.splitlines() if line.startswith('/')]
    if broken:
        return Finding('library', label, 'problem', f'cannot be opened: {broken[0]}', 'reinstall the package it is of')
    needed = name != 'cudnn'
    return Finding('library', label, 'missing', f'not found; {_USES[name]}', extra(facts) if needed else '')
