"""Killed at any moment of an overwrite, a process leaves the old file or the new one."""

from __future__ import annotations

import os
import signal
import time

import pytest

import crossdock as xd

from .child import tree, value_of
from .children import TRIALS, run, start, stop_within
from .formats import EACH, suffix_of

SAVES = 4


@pytest.mark.parametrize('name', EACH)
def test_killed_at_random_moments(tmp_path, name):
    path = str(tmp_path / f'x{suffix_of(name)}')
    xd.save(path, tree(0))
    began = time.monotonic()
    for _ in range(SAVES):
        xd.save(path, tree(0))
    span = time.monotonic() - began
    seen = set()
    left = 0
    for trial in range(TRIALS):
        before = value_of(path)
        child = start('keep_saving', path, 1, 1, SAVES)
        said = stop_within(child, span / SAVES, signal.SIGKILL, (name, trial), lines=SAVES)
        last = float(said[-1]) if said else before
        value = value_of(path)
        assert value in (last, last + 1 if said else 1.0), (trial, said)
        seen.add(value)
        left += len(os.listdir(tmp_path)) - 1
    assert len(seen) > 1, 'the moments were all alike'
    assert left, 'no save was cut short'
    xd.save(path, tree(7))
    assert os.listdir(tmp_path) == [f'x{suffix_of(name)}']
    assert value_of(path) == 7


@pytest.mark.parametrize('name', EACH)
def test_interrupted_at_random_moments(tmp_path, name):
    path = str(tmp_path / f'x{suffix_of(name)}')
    xd.save(path, tree(0))
    left = 0
    for trial in range(max(2, TRIALS // 4)):
        xd.save(path, tree(0))
        said = stop_within(start('until_interrupted', path), 0.3, signal.SIGINT, (name, trial))
        value, found, count = map(float, said[0].split())
        assert found in (value - 1, value), said
        assert said[1:] == ['-1.0']
        left += int(count) - 1
        xd.save(path, tree(0))
        assert os.listdir(tmp_path) == [f'x{suffix_of(name)}']
    # Ctrl-C between two steps of the interpreter can leave a file, which the next save of another process removes.
    assert left <= 1


@pytest.mark.parametrize('name', EACH)
def test_two_writers_at_once(tmp_path, name):
    path = str(tmp_path / f'x{suffix_of(name)}')
    xd.save(path, tree(0))
    count = max(5, TRIALS // 4)
    children = [start('keep_saving', path, first, 2, count) for first in (1, 2)]
    while any(child.poll() is None for child in children):
        value_of(path)  # a mixture is an error
        if children[0].poll() is None and children[1].poll() is None:
            xd.save(str(tmp_path / f'other{suffix_of(name)}'), {'a': 1})  # sweeps, but nothing that is being written
    said = [child.communicate() for child in children]
    assert [err for _, err in said] == ['', '']
    assert [len(out.splitlines()) for out, _ in said] == [count + 1, count + 1]
    assert value_of(path) in {float(out.splitlines()[-1]) for out, _ in said}
    assert sorted(os.listdir(tmp_path)) == [f'{stem}{suffix_of(name)}' for stem in ('other', 'x')]


def test_the_child_saves_what_it_says(tmp_path):
    path = str(tmp_path / 'x.npz')
    assert run('keep_saving', path, 5, 1, 2) == ['go', '5', '6']
    assert value_of(path) == 6
