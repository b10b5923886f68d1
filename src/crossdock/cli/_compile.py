"""``crossdock doctor --compile-kernels``: every CUDA kernel of the core, for architectures by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import click

from crossdock.core import cuda
from crossdock.doctor import Failure, Result, compile_all

__all__ = ['compile_kernels']

HEADINGS = ('architecture', 'kernels', 'compiled', 'from cache', 'failed', 'size', 'seconds')


def compile_kernels(architectures: Sequence[str], *, as_json: bool) -> int:
    """Compile, print what became of it, and return the exit code."""
    nvrtc = cuda.find_library('nvrtc')
    if not nvrtc.path:
        click.echo("NVRTC not found; pip install 'crossdock[cuda13]', or nvidia-cuda-nvrtc alone", err=True)
        click.echo(nvrtc.error, err=True)
        return 1
    kernels = cuda.kernel_names()
    if not kernels:
        click.echo('this build of the core has no CUDA kernels', err=True)
        return 1
    results = _run(architectures, kernels)
    if as_json:
        click.echo(json.dumps([asdict(result) for result in results], indent=2))
    else:
        version = '.'.join(map(str, nvrtc.version))
        click.echo(f'NVRTC {version} ({nvrtc.path})')
        _show(results)
    return int(any(result.failures for result in results))


def _run(architectures: Sequence[str], kernels: Sequence[tuple[str, str]]) -> list[Result]:
    """Compile behind a bar on stderr, which is silent where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    results = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        for architecture in architectures:
            task = bar.add_task(architecture, total=len(kernels))
            results.append(compile_all(architecture, kernels, cuda.compile_kernel, partial(bar.advance, task)))
    return results


def _show(results: Sequence[Result]) -> None:
    from rich import box
    from rich.console import Console
    from rich.filesize import decimal
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify='left' if heading == HEADINGS[0] else 'right')
    for one in results:
        counts = (one.kernels, one.compiled, one.from_cache, len(one.failures))
        table.add_row(one.architecture, *(f'{n:,}' for n in counts), decimal(one.nbytes), f'{one.seconds:.1f}')
    Console().print(table)
    for one in results:
        for first, *others in _alike(one):
            click.echo(f'{one.architecture}: {first.header}: {first.expression}\n{first.log.rstrip()}')
            for other in others:
                click.echo(f'and likewise {other.header}: {other.expression}')
            click.echo()


def _alike(result: Result) -> list[list[Failure]]:
    """Failures for one reason, perhaps of a whole header, together: they differ by the kernel's name alone."""
    found: dict[str, list[Failure]] = {}
    for failure in result.failures:
        found.setdefault(failure.log.replace(failure.expression, '').replace(failure.header, ''), []).append(failure)
    return list(found.values())
