"""Compiles every kernel of the core for architectures by name; no GPU is needed for that."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from crossdock.core.cuda import Compiled
from crossdock.errors import CrossdockError

__all__ = ['Failure', 'Result', 'compile_all', 'parse_architectures']

Kernel = tuple[str, str]  # the header, and the expression that names the instance


@dataclass(frozen=True)
class Failure:
    """A kernel that does not compile."""

    header: str
    expression: str
    log: str


@dataclass(frozen=True)
class Result:
    """What became of the kernels for one architecture."""

    architecture: str
    kernels: int
    compiled: int
    from_cache: int
    nbytes: int
    seconds: float
    failures: tuple[Failure, ...]


def parse_architectures(text: str) -> tuple[str, ...]:
    """Names of architectures between commas, each once.

    Raises
    ------
    ValueError
        One is none.

    Examples
    --------
    >>> parse_architectures('sm_75,sm_90a')
    ('sm_75', 'sm_90a')
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(',')))
    for name in names:
        if not re.fullmatch(r'sm_[1-9][0-9]{1,2}a?', name, re.ASCII):
            raise ValueError(f'{name!r} in {text!r} names no architecture; write such as sm_75,sm_80,sm_90,sm_100')
    return names


def compile_all(
    architecture: str,
    kernels: Sequence[Kernel],
    compile_one: Callable[[str, str, str], Compiled],
    on_done: Callable[[], None] = lambda: None,
) -> Result:
    """Compile the kernels for one architecture, on every processor that this process may use.

    Parameters
    ----------
    architecture : str
        As ``'sm_90'``.
    kernels : sequence of (header, expression)
        What to compile.
    compile_one : callable
        Compiles one for an architecture; `crossdock.core.cuda.compile_kernel`.
    on_done : callable
        Called after each, in this thread.
    """
    began = time.perf_counter()
    done: list[Compiled] = []
    failures: list[Failure] = []
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        waiting = {pool.submit(compile_one, *kernel, architecture): kernel for kernel in kernels}
        for future in as_completed(waiting):
            try:
                done.append(future.result())
            except CrossdockError as error:
                failures.append(Failure(*waiting[future], str(error)))
            on_done()
    finally:
        # Interrupted: the rest is of no use.
        pool.shutdown(cancel_futures=True)
    cached = sum(one.from_disk for one in done)
    return Result(
        architecture,
        kernels=len(kernels),
        compiled=len(done) - cached,
        from_cache=cached,
        nbytes=sum(one.nbytes for one in done),
        seconds=time.perf_counter() - began,
        failures=tuple(sorted(failures, key=lambda failure: (failure.header, failure.expression))),
    )
