"""Files: 1 GB in 200 float32 arrays, beside what others do with it, in turns on the same disk.

`numpy.savez`, safetensors, `torch.save` and h5py leave the data in the page cache; `save` has it on the disk when it
returns, and the raw write beside it does an fsync as well. Files are read into the page cache before each load; loads
wait for nothing then, and are timed by the processor time of the process, with all its threads.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Row, main

import crossdock as xd

ROUNDS = 5
MIB = 2**20

Tree = Mapping[str, Any]
Work = Callable[[], Any]

#: Prints how many MiB the peak of a process grows by while it does something with the file, after a small rehearsal.
PEAK = """
import sys
import numpy as np
import crossdock as xd

def peak():
    return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024

what, path, count, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = '@numpy' if what.startswith('host') else 'sim:0'
host = {str(i): np.random.default_rng(i).random(size, 'float32') for i in range(count)}
tree = host if spec == '@numpy' else {key: xd.get_device(spec).send(value) for key, value in host.items()}
if what.endswith('strided'):
    tree = {key: np.repeat(value, 2)[::2] for key, value in tree.items()}
del host
xd.save(path + '.npz', {'a': xd.get_device(spec).send(np.ones(8))})
if what.endswith('load'):
    xd.save(path, tree)
open('/proc/self/clear_refs', 'w').write('5')
before = peak()
compression = 'zstd' if what.endswith('zstd') else None
xd.load(path, tree) if what.endswith('load') else xd.save(path, tree, compression=compression)
print(peak() - before)
"""


def race(
    case: str,
    peer: str,
    ours: Work,
    theirs: Work,
    goal: float | None,
    smoke: bool,
    before: Work = os.sync,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """Two callables in turns, after `before`; the fastest call of each counts."""
    best = [float('inf')] * 2
    for _ in range(1 if smoke else ROUNDS):
        for i, work in enumerate((ours, theirs)):
            before()
            gc.collect()
            began = clock()
            made = work()
            best[i] = min(best[i], clock() - began)
            del made
    if smoke:
        return Row(case, peer, None, None, None, 'x', goal, 'ran once')
    return Row(case, peer, best[0], best[1], best[0] / best[1], 'x', goal)


def raw(path: Path, tree: Tree) -> None:
    """The same bytes, one write after the other, and an fsync."""
    with open(path, 'wb', buffering=0) as file:
        for value in tree.values():
            file.write(value.data.cast('B'))
        os.fsync(file.fileno())


def savez(path: Path, tree: Tree, *, fsync: bool) -> None:
    np.savez(path, **tree)
    if fsync:
        with open(path, 'rb') as file:
            os.fsync(file.fileno())


def load_numpy(path: Path) -> Tree:
    with np.load(path) as archive:
        return {key: archive[key] for key in archive}


def warm(*paths: Path) -> None:
    """Read files into the page cache, once what is to be written has been."""
    os.sync()
    buffer = bytearray(8 * MIB)
    for path in paths:
        with open(path, 'rb', buffering=0) as file:
            while file.readinto(buffer):
                pass


def peers() -> Iterator[tuple[str, str, Callable[[Path, Tree], Any], Callable[[Path], Any]]]:
    """Other libraries that are installed: name, our suffix beside it, save, load."""
    if find_spec('safetensors'):
        from safetensors.numpy import load_file, save_file

        yield 'safetensors', '.safetensors', lambda path, tree: save_file(dict(tree), path), load_file
    if find_spec('torch'):
        import torch

        tensors = lambda tree: {key: torch.from_numpy(value) for key, value in tree.items()}  # noqa: E731
        yield 'torch.save', '.npz', lambda path, tree: torch.save(tensors(tree), path), torch.load
    if find_spec('h5py'):
        import h5py

        def save(path: Path, tree: Tree) -> None:
            with h5py.File(path, 'w') as file:
                for key, value in tree.items():
                    file.create_dataset(key, data=value)

        def load(path: Path) -> Tree:
            found: dict[str, Any] = {}
            with h5py.File(path) as file:
                file.visititems(lambda key, x: found.update({key: x[()]}) if isinstance(x, h5py.Dataset) else None)
            return found

        yield 'h5py', '.h5', save, load


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    count, size = (4, 1000) if smoke else (200, 1_250_000)
    noise = np.random.default_rng(0).standard_normal(size, dtype='float32')
    tree = {f'layer{i:03d}/W': (noise * np.float32(1 + i / 1000)).reshape(-1, 50) for i in range(count)}
    with tempfile.TemporaryDirectory(dir=os.environ.get('BENCH_DIR')) as folder:
        yield from saves(Path(folder), tree, smoke)
        yield from loads(Path(folder), tree, smoke)
        yield from others(Path(folder), tree, smoke)
        yield from peaks(Path(folder), count, size, smoke)


def saves(folder: Path, tree: Tree, smoke: bool) -> Iterator[Row]:
    ours, theirs = folder / 'ours.npz', folder / 'theirs.npz'
    save = partial(xd.save, ours, tree)
    yield race('save npz', 'np.savez, no fsync', save, partial(savez, theirs, tree, fsync=False), 1 / 1.2, smoke)
    yield race('save npz', 'np.savez and fsync', save, partial(savez, theirs, tree, fsync=True), None, smoke)
    yield race('save npz', 'raw write and fsync', save, partial(raw, folder / 'raw', tree), 1 / 0.85, smoke)
    there = {key: xd.get_device('sim:0').send(value) for key, value in tree.items()}
    from_sim = partial(xd.save, ours, there)
    yield race('save npz from sim:0', 'raw write and fsync', from_sim, partial(raw, folder / 'raw', tree), None, smoke)
    del there
    few = dict(list(tree.items())[:20])
    squeezed = partial(np.savez_compressed, theirs, **few)
    for name, goal in (('zstd', 1 / 20), ('deflate', None)):
        save = partial(xd.save, ours, few, compression=name)
        yield race(f'save npz, {name}, 100 MB', 'np.savez_compressed', save, squeezed, goal, smoke)


def loads(folder: Path, tree: Tree, smoke: bool) -> Iterator[Row]:
    ours, theirs = folder / 'ours.npz', folder / 'theirs.npz'
    xd.save(ours, tree)
    np.savez(theirs, **tree)
    before = partial(warm, ours, theirs)
    numpy = partial(load_numpy, theirs)
    race_load = partial(race, smoke=smoke, before=before, clock=time.process_time)
    yield race_load('load npz', 'np.load', partial(xd.load, ours), numpy, 1 / 1.5)
    yield race_load('load npz that NumPy wrote', 'np.load', partial(xd.load, theirs), numpy, None)
    target = {key: np.zeros_like(value) for key, value in tree.items()}
    yield race_load('load npz into a target', 'np.load', partial(xd.load, ours, target), numpy, None)
    del target
    to_sim = partial(xd.load, ours, device='sim:0')
    yield race_load('load npz to sim:0', 'np.load', to_sim, numpy, None)
    yield race_load('load npz, mmap', 'np.load', partial(xd.load, ours, mmap=True), numpy, None)
    opened = race_load(
        'open npz lazily',
        'np.load, not read',
        lambda: xd.open_archive(ours).close(),
        lambda: np.load(theirs).close(),
        None,
    )
    yield Row(
        opened.case, opened.peer, opened.ours, opened.theirs, opened.ours and opened.ours * 1e3, 'ms', 5, opened.note
    )


def others(folder: Path, tree: Tree, smoke: bool) -> Iterator[Row]:
    for name, suffix, save, load in peers():
        ours, theirs = folder / f'ours{suffix}', folder / 'theirs'
        goal = 1 if name == 'safetensors' else None
        label = suffix[1:]
        yield race(f'save {label}', name, partial(xd.save, ours, tree), partial(save, theirs, tree), goal, smoke)
        before = partial(warm, ours, theirs)
        yield race(
            f'load {label}', name, partial(xd.load, ours), partial(load, theirs), goal, smoke, before, time.process_time
        )


def peaks(folder: Path, count: int, size: int, smoke: bool) -> Iterator[Row]:
    for what, case in (
        ('host save', 'save npz from the host'),
        ('host strided', 'save npz, every second element'),
        ('sim save', 'save npz from sim:0'),
        ('host load', 'load npz into a target'),
        ('host zstd', 'save npz, zstd'),
    ):
        command = [sys.executable, '-c', PEAK, what, str(folder / 'peak.npz'), str(count // 2), str(size)]
        grown = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        goal = None if what == 'host load' else 64
        yield Row(f'{case}: memory', '', None, None, None if smoke else grown, 'MiB', goal, 'ran once' if smoke else '')


if __name__ == '__main__':
    main(cases)
