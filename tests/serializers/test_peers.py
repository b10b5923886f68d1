"""The table that compares files with those of other libraries says what these do, each as it comes."""

from __future__ import annotations

import importlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'promises.md'
BIG = np.random.default_rng(0).standard_normal(50_000)


class Crossdock:
    suffix, module = '.npz', 'crossdock'
    bfloat16 = np.arange(3).astype(ml_dtypes.bfloat16)

    def save(self, path, values):
        xd.save(path, values)

    def load(self, path):
        return xd.load(path)

    def slice(self, path):
        with xd.open_archive(path) as archive:
            return archive['a'][:10]

    def run_code(self, path):
        xd.load(path)


class NumPy(Crossdock):
    module = 'numpy'

    def save(self, path, values):
        np.savez(path, allow_pickle=True, **values)

    def load(self, path):
        with np.load(path) as file:
            return {key: file[key] for key in file}

    def slice(self, path):
        with np.load(path) as file:
            return file['a'][:10]

    def run_code(self, path):
        with np.load(path, allow_pickle=True) as file:
            file['a']


class Safetensors(Crossdock):
    suffix, module = '.safetensors', 'safetensors.numpy'

    def save(self, path, values):
        importlib.import_module(self.module).save_file(values, path)

    def load(self, path):
        return importlib.import_module(self.module).load_file(path)

    def slice(self, path):
        with importlib.import_module('safetensors').safe_open(path, 'np') as file:
            return file.get_slice('a')[:10]

    run_code = load


class Torch(Crossdock):
    suffix, module = '.pt', 'torch'

    def __init__(self):
        self.torch = importlib.import_module('torch')
        self.bfloat16 = self.torch.arange(3, dtype=self.torch.bfloat16)

    def save(self, path, values):
        made = {k: self.torch.from_numpy(v) if isinstance(v, np.ndarray) else v for k, v in values.items()}
        self.torch.save(made, path)

    def load(self, path):
        return self.torch.load(path)

    def slice(self, path):
        return self.torch.load(path, mmap=True)['a'][:10].clone()

    def run_code(self, path):
        self.torch.load(path, weights_only=False)


class H5py(Crossdock):
    suffix, module = '.h5', 'h5py'

    def __init__(self):
        self.h5py = importlib.import_module('h5py')

    def save(self, path, values):
        with self.h5py.File(path, 'w') as file:
            for key, value in values.items():
                file.create_dataset(key, data=value)

    def load(self, path):
        with self.h5py.File(path) as file:
            return {key: file[key][()] for key in file}

    def slice(self, path):
        with self.h5py.File(path) as file:
            return file['a'][:10]

    run_code = load


class Zarr(Crossdock):
    suffix, module = '.zarr', 'zarr'

    def __init__(self):
        self.zarr = importlib.import_module('zarr')

    def save(self, path, values):
        group = self.zarr.open_group(path, mode='w')
        for key, value in values.items():
            group.create_array(key, data=np.asarray(value))

    def load(self, path):
        group = self.zarr.open_group(path, mode='r')
        return {key: group[key][...] for key in group}

    def slice(self, path):
        return self.zarr.open_group(path, mode='r')['a'][:10]

    run_code = load


LIBRARIES = {
    'crossdock': Crossdock,
    'numpy.savez': NumPy,
    'safetensors': Safetensors,
    'torch.save': Torch,
    'h5py': H5py,
    'zarr': Zarr,
}


def biggest(path):
    """The file with the data: itself, or one of a folder."""
    files = [p for p in path.rglob('*') if p.is_file()] if path.is_dir() else [path]
    return max(files, key=lambda p: p.stat().st_size)


def survives(library, path):
    library.save(path, {'a': BIG})
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            library.save(path, {'a': BIG[::-1].copy()})
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    try:
        return np.array_equal(np.asarray(library.load(path)['a']), BIG)
    except Exception:  # of many kinds: what is left is no file of theirs
        return False


CODE = """
import sys
import numpy as np
import test_peers
library = test_peers.LIBRARIES[sys.argv[1]]()
library.save(__import__('pathlib').Path(sys.argv[2]), {'a': np.ones(3)})
"""


def is_synchronised(library, path):
    strace = shutil.which('strace')
    if strace is None:
        pytest.skip('strace, which counts the calls, is not installed')
    name = next(name for name, kind in LIBRARIES.items() if kind is type(library))
    log = path.with_suffix('.log')
    words = [strace, '-f', '-o', str(log), '-e', 'trace=fsync,fdatasync,sync_file_range', sys.executable, '-c', CODE]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    done = subprocess.run([*words, name, str(path)], env=environment, capture_output=True, text=True)
    if 'ptrace' in done.stderr:
        pytest.skip('strace may not be used here')
    assert done.returncode == 0, done.stderr
    return 'sync(' in log.read_text()


def has_the_mode(library, path):
    old = os.umask(0o022)
    try:
        library.save(path, {'a': BIG})
    finally:
        os.umask(old)
    return biggest(path).stat().st_mode & 0o777 == 0o644


def finds_a_flip(library, path):
    library.save(path, {'a': BIG})
    file = biggest(path)
    data = file.read_bytes()
    found = set()
    for place in range(len(data) // 4, len(data) // 4 * 3, len(data) // 20):
        file.write_bytes(data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :])
        found.add(raises(lambda: library.load(path)))
    assert len(found) == 1
    return found.pop()


def keeps_strides(library, path):
    value = np.arange(12.0).reshape(3, 4).T
    library.save(path, {'a': value})
    return np.array_equal(np.asarray(library.load(path)['a']), value)


def keeps_bfloat16(library, path):
    def attempt():
        library.save(path, {'a': library.bfloat16})
        assert 'bfloat16' in str(library.load(path)['a'].dtype)

    return not raises(attempt)


def keeps_none(library, path):
    def attempt():
        library.save(path, {'a': {'b': None, 'c': 3}})
        assert library.load(path)['a']['b'] is None

    return not raises(attempt)


def reads_slices(library, path):
    library.save(path, {'a': np.random.default_rng(0).standard_normal(4_000_000)})
    if isinstance(library, Zarr):
        assert len(list(path.rglob('*'))) > 3, 'of one chunk, no part could be read'
    before = bytes_read()
    np.asarray(library.slice(path))
    return bytes_read() - before < 8_000_000


def bytes_read():
    return int(re.search(r'rchar: (\d+)', Path('/proc/self/io').read_text())[1])


class Bomb:
    def __reduce__(self):
        return os.mkdir, ('the-bomb-went-off',)


def runs_no_code(library, path):
    """By no option that it has."""
    if isinstance(library, Torch):
        library.torch.save({'a': Bomb()}, path)
    else:
        try:
            NumPy().save(path, {'a': np.array(Bomb(), object)})
        except (TypeError, ValueError):
            return True
    raises(lambda: library.run_code(path))
    return not Path('the-bomb-went-off').exists()


def raises(act):
    try:
        act()
    except Exception:
        return True
    return False


FACTS = {
    'a save that fails leaves the old file': survives,
    'on the disk when it returns (`fsync`)': is_synchronised,
    'mode as the umask says': has_the_mode,
    'a flipped bit of the data is found': finds_a_flip,
    'transposed arrays come back': keeps_strides,
    'bfloat16 comes back under its name': keeps_bfloat16,
    '`None` and nesting come back': keeps_none,
    'a slice is read without the rest': reads_slices,
    'no option runs code of the file': runs_no_code,
}


def table():
    """What the page says: by fact and library."""
    text = PAGE.read_text().partition('## Beside other libraries')[2]
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('|')]
    head, _, *body = rows
    return {row[0]: dict(zip(head[1:], row[1:])) for row in body}


def test_the_table_has_these_rows_and_columns():
    assert list(table()) == list(FACTS)
    assert all(list(row) == list(LIBRARIES) for row in table().values())


@pytest.mark.parametrize('name', LIBRARIES)
@pytest.mark.parametrize('fact', FACTS)
def test_a_cell(tmp_path, monkeypatch, fact, name):
    kind = LIBRARIES[name]
    pytest.importorskip(kind.module, reason=f'{kind.module} is not installed')
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        library = kind()
        found = FACTS[fact](library, tmp_path / f'x{kind.suffix}')
    assert table()[fact][name] == ('yes' if found else 'no')
