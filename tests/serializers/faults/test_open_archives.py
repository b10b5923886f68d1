"""A file that is open lazily, while others replace it, fork, or read it too."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import crossdock as xd

from .formats import EACH, suffix_of

ROUNDS = 30


def values(seed):
    rng = np.random.default_rng(seed)
    return {f'k{i}': rng.standard_normal((50, 40 + i)) for i in range(10)}


@pytest.fixture(params=EACH)
def path(request, tmp_path):
    where = str(tmp_path / f'x{suffix_of(request.param)}')
    xd.save(where, values(0))
    return where


def agrees(archive, want):
    return all(
        np.array_equal(archive[key].read(), value) and np.array_equal(archive[key][3:9, ::2], value[3:9, ::2])
        for key, value in want.items()
    )


@pytest.mark.parametrize('mmap', [False, True])
def test_replaced_while_it_is_open(path, mmap):
    opened = []
    for seed in range(1, 6):
        opened.append(xd.open_archive(path, mmap=mmap))
        xd.save(path, values(seed))
    for seed, archive in enumerate(opened):
        with archive:
            assert agrees(archive, values(seed)), seed
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


def test_removed_while_it_is_open(path):
    with xd.open_archive(path) as archive:
        if os.path.isdir(path):
            pytest.skip('what is in a folder is gone with it')
        os.unlink(path)
        assert agrees(archive, values(0))


# JAX warns of every fork, where another test has imported it; the child does not use it.
@pytest.mark.filterwarnings('ignore:os.fork:RuntimeWarning')
def test_forked_while_it_is_open(path):
    """Parent and child share the position in an open file; neither may depend on it."""
    want = values(0)
    with xd.open_archive(path) as archive:
        assert agrees(archive, want)
        children = []
        for _ in range(3):
            child = os.fork()
            if not child:
                ok = False
                try:
                    ok = all(agrees(archive, want) for _ in range(ROUNDS))
                finally:
                    os._exit(0 if ok else 1)
            children.append(child)
        assert all(agrees(archive, want) for _ in range(ROUNDS))
        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]


def test_read_by_threads(path):
    want = values(0)
    fine = []
    with xd.open_archive(path) as archive:
        threads = [
            threading.Thread(target=lambda: fine.append(all(agrees(archive, want) for _ in range(ROUNDS))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert fine == [True] * 4
