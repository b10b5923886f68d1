"""No room, no permission: an error that names the file, before the old one is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from errno import EACCES, EFBIG, ENOSPC, EROFS
from pathlib import Path

import pytest

import crossdock as xd

from .child import tree, value_of
from .children import run
from .formats import EACH, suffix_of


@pytest.mark.parametrize('limit', [10_000, 1_000_000, 2_000_000])
@pytest.mark.parametrize('name', EACH)
def test_a_limit_on_the_size_of_files(tmp_path, name, limit):
    path = str(tmp_path / f'x{suffix_of(name)}')
    xd.save(path, tree(1))
    said = run('with_little_room', path, limit)
    if name == 'zarr' and said[0] == 'saved':
        pytest.skip('a folder of small files does not meet the limit')
    assert said == [f'OSError {EFBIG} {path}', f'1.0 x{suffix_of(name)}']


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MiB in memory."""
    folder = tmp_path / 'small'
    folder.mkdir()
    made = subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', 'size=4m', 'none', str(folder)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f'no file system can be mounted here: {made.stderr.strip()}')
    yield folder
    subprocess.run(['umount', str(folder)], check=True)


@pytest.mark.parametrize('name', EACH)
def test_a_full_disk(small_disk, name):
    path = str(small_disk / f'x{suffix_of(name)}')
    xd.save(path, tree(1))
    with open(small_disk / 'ballast', 'wb') as ballast:
        ballast.write(bytes(600_000))
    said = run('with_little_room', path, 0)
    assert said == [f'OSError {ENOSPC} {path}', f'1.0 ballast x{suffix_of(name)}']
    os.unlink(small_disk / 'ballast')
    xd.save(path, {'small': 1})
    assert list(xd.load(path)) == ['small']


@pytest.fixture
def locked():
    """A folder that the process, root or not, may not write to while `locked` is entered."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    yield folder
    os.seteuid(user)
    folder.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.parametrize('name', EACH)
def test_a_folder_that_cannot_be_written_to(locked, name):
    path = locked / f'x{suffix_of(name)}'
    xd.save(path, tree(1))
    locked.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)  # root may write anywhere
    for file in (path, locked / f'new{suffix_of(name)}'):
        with pytest.raises(PermissionError) as caught:
            xd.save(file, {'a': 1})
        assert caught.value.errno in (EACCES, EROFS)
        assert caught.value.filename == str(file)
    assert value_of(str(path)) == 1
    assert os.listdir(locked) == [path.name]
