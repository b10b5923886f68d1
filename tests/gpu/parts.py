"""What a run on a GPU consists of, the most telling first, each part with the seconds that it may take."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TEST_LIMIT_S = 40  # for one test; one that hangs costs its worker, not the part


@dataclass(frozen=True)
class Part:
    """One process to run.

    Attributes
    ----------
    name : str
        What the table calls it.
    command : tuple of str
        What is run, in the root of the checkout.
    selection : tuple of str
        What follows the command; for tests which ones, so that others can be named in their place.
    limit_s : float
        After so many seconds it is killed.
    kind : 'command', 'tests' or 'benchmark'
        How its outcome is read.
    required : bool
        Whether it fails where none of its tests could run, as for want of a library.
    environment : mapping of str to str
        Variables beside those of all parts.
    """

    name: str
    command: tuple[str, ...]
    limit_s: float
    kind: Literal['command', 'tests', 'benchmark'] = 'command'
    required: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    selection: tuple[str, ...] = ()


def parts(architecture: str, scratch: Path) -> Iterator[Part]:
    """All parts after the installation, for a card of this architecture."""
    python = (sys.executable, '-B', '-X', 'faulthandler')
    crossdock = (*python, '-m', 'crossdock')
    contract = ROOT / 'tests/contract'
    yield Part('doctor', (*crossdock, 'doctor'), 20)
    yield Part('kernels compiled', (*crossdock, 'doctor', '--compile-kernels', architecture, '--json'), 90)
    yield pytest_part('contract of cuda:0', 60, contract / 'test_core.py', '-m', 'gpu', workers=4)
    for file in sorted((HERE / 'more').glob('test_*.py')):
        yield pytest_part(f'more: {file.name}', 40, file)
    rows = str(scratch / 'benchmarks.json')
    yield Part('benchmarks', (*python, str(ROOT / 'benchmarks/gpu.py'), '--json', rows), 80, 'benchmark')
    on_the_gpu = {'CROSSDOCK_TEST_DEVICES': 'cuda:0'}
    yield pytest_part('core on cuda:0', 100, ROOT / 'tests/core', '-k', 'cuda:0', workers=8, environment=on_the_gpu)
    for library, name in (('cupy', '@cupy:0'), ('torch', '@torch:cuda:0'), ('jax', '@jax:cuda:0')):
        yield pytest_part(
            f'contract of {name}', 45, contract / f'test_{library}.py', '-m', 'gpu', workers=4, required=False
        )
    on_a_gpu = ROOT / 'tests/transfer/test_ground_truth_on_a_gpu.py'
    yield pytest_part('transfers compared with the driver', 45, on_a_gpu, '-m', 'gpu', required=False)
    rooms = [ROOT / 'tests' / room for room in ('devices', 'exchange', 'serializers', 'transfer')]
    yield pytest_part('all else on GPUs', 60, *rooms, '-m', 'gpu', f'--ignore={on_a_gpu}', workers=4, required=False)


def pytest_part(
    name: str,
    limit_s: float,
    *arguments: str | Path,
    workers: int = 1,
    required: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Part:
    """A part that is pytest with these arguments, in so many workers if xdist is here."""
    command = [sys.executable, '-B', '-X', 'faulthandler', '-m', 'pytest', '-q', '-p', 'record_tests']
    command += ['-c', 'setup.cfg', '--rootdir', str(ROOT), '-p', 'no:cacheprovider']
    command += ['-o', 'addopts=--import-mode=importlib --strict-markers']
    # What another library announces for its next version is no news of this one.
    command += ['-W', 'default::DeprecationWarning', '-W', 'default::FutureWarning']
    if importlib.util.find_spec('xdist'):
        command += ['-n', str(min(workers, len(os.sched_getaffinity(0)))), '--max-worker-restart', '20']
    if importlib.util.find_spec('pytest_timeout'):
        # By a thread: nothing else ends a call that waits for a GPU which does not answer.
        command += ['--timeout', str(TEST_LIMIT_S), '--timeout-method', 'thread']
    return Part(name, tuple(command), limit_s, 'tests', required, environment or {}, tuple(map(str, arguments)))
