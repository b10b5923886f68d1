"""Read damaged files of one format until a number of them, or the time, is over: ``main`` in a process of its own."""

from __future__ import annotations

import os
import resource
import signal
import time
import warnings
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.serializers._report import damage
from crossdock.serializers._view import view_of

from .mutations import EDITS, edited
from .seeds import TREE, seeds_of

__all__ = ['main']

MORE_MEMORY = 512 * 2**20
ONE_FILE_S = 20


def main(name: str, suffix: str, folder: str, examples: int, seconds: float, start: int) -> None:
    """Attack; an error that a damaged file may not cause ends the process with a traceback, or a signal."""
    warnings.simplefilter('ignore')
    path = Path(folder, f'x{suffix}')
    good = seeds_of(name, suffix)
    for one in good:
        one.write(path, one.parts)
        assert read(path) == 0, 'a seed is not good'
        clear(path)
    limit_memory()
    began = time.monotonic()
    count = broken = 0

    def attack(choice: int, places: list[int], edits: list[tuple[str, float, float, int]]) -> None:
        nonlocal count, broken
        chosen = good[choice % len(good)]
        parts = dict(chosen.parts)
        names = list(parts)
        for place, edit in zip(places, edits):
            # Most edits of a folder or an archive go into one of its parts.
            part = names[place % len(names)]
            parts[part] = edited(parts[part], [edit])
        clear(path)
        chosen.write(path, parts)
        signal.setitimer(signal.ITIMER_REAL, ONE_FILE_S)  # its signal ends the process
        broken += read(path) > 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        count += 1

    places = st.lists(st.integers(0, 30), min_size=5, max_size=5)
    while True:
        phases = [Phase.generate, Phase.shrink]
        checks = list(HealthCheck)
        options = settings(
            max_examples=examples, deadline=None, database=None, phases=phases, suppress_health_check=checks
        )
        seed(start)(options(given(st.integers(0, 30), places, EDITS)(attack)))()
        start += 1
        if time.monotonic() - began > seconds:
            break
    print(f'{name}: {count} files, {broken} refused, in {time.monotonic() - began:.0f} s', flush=True)
    print('end', flush=True)


def read(path: Path) -> int:
    """Read a file in every way; how often it was refused, which is the one thing that may happen."""
    refused = 0
    for way in (tree, into_target, to_device, lazily, checked):
        try:
            way(path)
        except (CorruptFileError, StrictLoadError, OSError) as error:
            refused += not isinstance(error, StrictLoadError)
            if len(str(error)) > 20_000:
                raise AssertionError('a message without end') from error
    return refused


def tree(path: Path) -> None:
    xd.load(path, flat=True)


def into_target(path: Path) -> None:
    target = {'enc': {'W': np.zeros((3, 4), 'float32')}, 'step': 0, 'none': None}
    xd.load(path, target, strict=False)


def to_device(path: Path) -> None:
    xd.load(path, device='sim:0', flat=True)


def lazily(path: Path) -> None:
    for mmap in (False, 'where possible'):
        with xd.open_archive(path, mmap=mmap) as archive:
            for key, value in archive.items():
                assert key
                if key in archive.unreadable:
                    continue
                if value is not None and value.shape:
                    value[..., :1]
                    value[::-1][:2]
                if value is not None and view_of(archive._reader, key) is not None:
                    value.map()


def checked(path: Path) -> None:
    with xd.open_archive(path) as archive:
        for error in damage(archive._reader):
            raise error


def limit_memory() -> None:
    xd.get_device('sim:0').send(TREE['step'] and np.zeros(3))
    used = int(Path('/proc/self/statm').read_text().split()[0]) * os.sysconf('SC_PAGE_SIZE')
    resource.setrlimit(resource.RLIMIT_AS, (used + MORE_MEMORY,) * 2)


def clear(path: Path) -> None:
    if path.is_dir():
        for file in sorted(path.rglob('*'), reverse=True):
            file.unlink() if not file.is_dir() else file.rmdir()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
