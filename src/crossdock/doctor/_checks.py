"""What does not go together. Every check is a function of the facts alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from crossdock.core.cuda import OLDEST_CUDA
from crossdock.doctor import _rows
from crossdock.doctor._facts import CUPY, Facts
from crossdock.doctor._findings import Finding, State
from crossdock.doctor._versions import release, text

__all__ = ['CHECKS', 'examine']


def examine(facts: Facts) -> list[Finding]:
    """Judge what `gather` has found.

    Parameters
    ----------
    facts : Facts
        The machine.

    Returns
    -------
    list of Finding
        A row for each package, library and device, then what clashes or may surprise.
    """
    rows = [*_rows.packages(facts), *_rows.libraries(facts), *_rows.devices(facts)]
    return rows + [finding for check in CHECKS for finding in check(facts)]


def _check(name: str, state: State, detail: str, advice: str) -> Finding:
    return Finding('check', name, state, detail, advice)


def several_cupys(facts: Facts) -> Iterator[Finding]:
    """All of them put their files into one folder."""
    names = [name for name in facts.packages if CUPY.fullmatch(name)]
    if len(names) > 1:
        detail = f'{" and ".join(names)} are installed; they overwrite each other'
        yield _check('several CuPys', 'problem', detail, f'pip uninstall -y {" ".join(names)}; {_rows.extra(facts)}')


def beyond_the_driver(facts: Facts) -> Iterator[Finding]:
    """A driver runs no CUDA of a later major version."""
    if facts.driver.cuda is None:
        return
    latest = facts.driver.cuda[0]
    for what, major in _majors(facts):
        if major > latest:
            detail = f'{what} is of CUDA {major}; the driver {facts.driver.name} runs CUDA {text(facts.driver.cuda)}'
            advice = f'update the driver, or {_for_driver(what, facts)}'
            yield _check(f'{what} and the driver', 'problem', detail, advice)


def _majors(facts: Facts) -> Iterator[tuple[str, int]]:
    for name in facts.packages:
        if found := re.fullmatch(r'cupy-cuda(\d\d)x', name):
            yield name, int(found[1])
    for name, label in (('nvrtc', 'NVRTC'), ('cublas', 'cuBLAS')):
        library = facts.libraries.get(name)
        if library is not None and library.version:
            yield label, library.version[0]
    if facts.torch_cuda:
        yield 'torch', release(facts.torch_cuda)[0]


def _for_driver(what: str, facts: Facts) -> str:
    if what == 'torch':
        cuda = text(facts.driver.cuda or OLDEST_CUDA)
        return f'install a PyTorch for CUDA {cuda} or earlier (https://pytorch.org/get-started/locally)'
    uninstall = f'pip uninstall -y {what}; ' if what.startswith('cupy') else ''
    return uninstall + _rows.extra(facts)


def old_driver(facts: Facts) -> Iterator[Finding]:
    """The core's kernels use what came with CUDA 12."""
    if facts.gpus and facts.driver.cuda is not None and facts.driver.cuda < OLDEST_CUDA:
        detail = f'{facts.driver.name} runs CUDA {text(facts.driver.cuda)}, and cuda:N needs {text(OLDEST_CUDA)}'
        yield _check('old driver', 'warning', detail, 'update the driver to 525 or later')


def two_cudas(facts: Facts) -> Iterator[Finding]:
    """NVIDIA's wheels of CUDA 12 beside those of CUDA 13."""
    both: list[str] = []
    for earlier in sorted(name for name in facts.packages if re.fullmatch(r'nvidia-.+-cu12', name)):
        base = earlier.removesuffix('-cu12')
        if f'{base}-cu13' in facts.packages:
            detail = f'{earlier} and {base}-cu13 are installed; their files have the same names'
            advice = f'pip uninstall -y {earlier} {base}-cu13, then install the one you need'
            yield _check(f'two of {base}', 'problem', detail, advice)
        elif release(facts.packages.get(base, ''))[:1] >= (13,):
            both.append(base)
    if both:
        detail = f'wheels of CUDA 12 beside those of CUDA 13 ({", ".join(both)}); each library takes its own'
        advice = 'nothing, as long as your libraries work; a process that uses both holds both in memory'
        yield _check('CUDA 12 and 13', 'warning', detail, advice)


def libraries_without_cuda(facts: Facts) -> Iterator[Finding]:
    """Array libraries built for the host alone, beside a GPU."""
    if not facts.gpus:
        return
    if 'torch' in facts.packages and facts.torch_cuda is None:
        detail = f'torch {facts.packages["torch"]} is built without CUDA; @torch:cuda:N does not work'
        yield _check('torch and the GPU', 'warning', detail, 'pip install --force-reinstall torch')
    if 'jax' in facts.packages and not any(name.startswith('jax-cuda') for name in facts.packages):
        major = '12' if facts.driver.cuda is not None and facts.driver.cuda < (13, 0) else '13'
        detail = f'jax {facts.packages["jax"]} has no plugin for CUDA; @jax:cuda:N does not work'
        yield _check('jax and the GPU', 'warning', detail, f"pip install 'jax[cuda{major}]'")


def torch_without_functions(facts: Facts) -> Iterator[Finding]:
    """PyTorch's own namespace is not that of the array API standard."""
    if 'torch' in facts.packages and 'array-api-compat' not in facts.packages:
        detail = 'array-api-compat is not installed: tensors can be sent, but get_array_module and Device.xp raise'
        yield _check('torch and its functions', 'warning', detail, "pip install 'crossdock[torch]'")


def hidden_gpus(facts: Facts) -> Iterator[Finding]:
    """A driver that runs, and a variable that hides what it has."""
    if facts.driver.name and not facts.gpus and facts.visible is not None:
        yield _check('hidden GPUs', 'warning', facts.gpus_reason, 'unset CUDA_VISIBLE_DEVICES, if that is not meant')


CHECKS: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    several_cupys,
    beyond_the_driver,
    old_driver,
    two_cudas,
    libraries_without_cuda,
    torch_without_functions,
    hidden_gpus,
)
