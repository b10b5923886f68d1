"""Build the fake CUDA libraries: ``python build.py [FOLDER]`` for the core's own kernels.

The folder is build/fake_cuda of the checkout, if none is named.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))

import generate  # noqa: E402

HEADERS = [ROOT / 'core/backends/cuda', ROOT / 'core/backends/cuda/kernels', ROOT / 'core/include']


def missing() -> str:
    """Why nothing can be built here; empty when it can."""
    if sys.platform != 'linux':
        return 'the fake CUDA driver is for Linux'
    tools = [tool for tool in ('g++', 'cmake', 'ninja') if not shutil.which(tool)]
    return f'the fake CUDA driver needs {", ".join(tools)}' if tools else ''


def build(catalogue: generate.Catalogue, folder: Path, headers: Sequence[Path] = HEADERS, name: str = 'cuda') -> Path:
    """The folder that LD_LIBRARY_PATH needs, up to date with the sources and with these kernels.

    Under a name of its own the library can be loaded into a process where nobody shall take it for the driver.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / 'lock', 'w') as lock:  # tests in other processes may want it, too
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _build(catalogue, folder, headers, name)


def _build(catalogue: generate.Catalogue, folder: Path, headers: Sequence[Path], name: str) -> Path:
    generated = folder.resolve() / 'generated'
    generate.write(catalogue, generated)
    options = [
        f'-DNAME={name}',
        f'-DGENERATED={generated}',
        f'-DINCLUDES={";".join(map(str, headers))}',
        '-DCMAKE_CXX_COMPILER=g++',
    ]
    if shutil.which('ccache') and 'CMAKE_CXX_COMPILER_LAUNCHER' not in os.environ:
        options.append('-DCMAKE_CXX_COMPILER_LAUNCHER=ccache')
    run(['cmake', '-S', str(HERE), '-B', str(folder), '-G', 'Ninja', *options])
    run(['cmake', '--build', str(folder)])
    return folder.resolve() / 'lib'


def run(command: list[str]) -> None:
    """Quiet unless it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}\n{done.stdout[-20000:]}')


if __name__ == '__main__':
    if reason := missing():
        sys.exit(reason)
    print(build(generate.of_the_core(), Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'build/fake_cuda'))
