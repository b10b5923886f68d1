"""Measure what building costs: ``nox -s build``. A clean wheel without ccache, and a build after one kernel's edit.

Takes minutes, and means something only on a machine that does nothing else. Fails beyond the bounds below.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLEAN_S, EDIT_S, WHEEL_NBYTES = 240, 20, 12_000_000  # on two cores
EDITED = 'core/backends/native/kernels/levels/reductions.cpp'


def copy_of_the_sources(folder: Path) -> None:
    listed = ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
    for name in subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines():
        if Path(name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, folder / name)


def timed(*command: str, cwd: Path) -> float:
    environment = {key: value for key, value in os.environ.items() if 'COMPILER_LAUNCHER' not in key}
    began = time.perf_counter()
    subprocess.run(command, check=True, cwd=cwd, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def slowest(log: Path, count: int = 15) -> list[tuple[float, str]]:
    """Seconds and outputs of the longest steps in a log of ninja."""
    steps = {}
    for line in log.read_text().splitlines()[1:]:
        begin, end, _, output, *_ = line.split('\t')
        steps[output] = (int(end) - int(begin)) / 1000
    return sorted(((seconds, output) for output, seconds in steps.items()), reverse=True)[:count]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of_the_sources(folder)
        wheel = [sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', '-w', 'dist', '.']
        clean_s = timed(*wheel, cwd=folder)
        (log,) = folder.glob('build/*/.ninja_log')
        for seconds, output in slowest(log):
            print(f'{seconds:8.1f} s  {output}')
        (built,) = folder.glob('dist/*.whl')
        nbytes = built.stat().st_size
        (folder / EDITED).touch()
        edit_s = timed(sys.executable, 'setup.py', '-q', 'build_ext', cwd=folder)
    print(
        f'clean build {clean_s:.0f} s (at most {CLEAN_S}), after an edit of {EDITED} {edit_s:.1f} s (at most {EDIT_S})'
    )
    print(f'wheel {nbytes / 1e6:.2f} MB (at most {WHEEL_NBYTES / 1e6:.0f})')
    return int(clean_s > CLEAN_S or edit_s > EDIT_S or nbytes > WHEEL_NBYTES)


if __name__ == '__main__':
    sys.exit(main())
