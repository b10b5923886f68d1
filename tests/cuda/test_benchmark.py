"""The benchmark for GPUs measures every case on the fake driver: no row of ours fails, and goals are judged."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'
CASES = ('page-locked to', 'page-locked from', 'of NumPy to', 'to NumPy', '1,000 arrays', 'copy, ', 'x + y', 'exp(x)')
CASES += ('sum, ', 'sum of rows', 'sum of columns', 'x.T', 'x + x of 8', 'x @ x', 'cumulative_sum', 'sort', 'take')
CASES += ('compared with the driver',)


def run(folder: Path, environment: dict[str, str], *options: str) -> list[dict[str, object]]:
    command = [sys.executable, str(BENCHMARKS / 'gpu.py'), *options, '--json', str(folder / 'rows.json')]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    rows: list[dict[str, object]] = json.loads((folder / 'rows.json').read_text())['rows']
    return rows


def test_every_case_runs(tmp_path: Path, fake_gpu: dict[str, str]) -> None:
    rows = run(tmp_path, fake_gpu, '--smoke')
    assert [row['note'] for row in rows if row['failed']] == []
    names = {str(row['case']) for row in rows}
    assert [case for case in CASES if not any(case in name for name in names)] == []


def test_without_a_gpu_there_is_nothing_to_time() -> None:
    command = [sys.executable, str(BENCHMARKS / 'gpu.py'), '--smoke']
    environment = {**os.environ, 'CUDA_VISIBLE_DEVICES': ''}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.startswith('no GPU, so nothing to time: ')


@pytest.fixture
def rows_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script's own modules, gone from `sys.modules` afterwards."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module('_gpu_rows')
    for name in set(sys.modules) - before:
        if name.startswith('_'):
            del sys.modules[name]


@pytest.mark.parametrize(
    ('facts', 'verdict'),
    [
        ({'ours': 1.0, 'theirs': 2.0, 'value': 2.0, 'goal': 2.0}, 'ok'),
        ({'ours': 1.0, 'theirs': 1.9, 'value': 1.9, 'goal': 2.0}, 'missed'),
        ({'ours': 9e-7, 'value': 0.9, 'goal': 1.0, 'unit': 'us'}, 'ok'),
        ({'ours': 2e-6, 'value': 2.0, 'goal': 1.0, 'unit': 'us'}, 'missed'),
        ({'ours': 1.0, 'theirs': 2.0, 'value': 2.0}, ''),
        ({'goal': 2.0}, 'not measured'),
        ({'failed': True, 'goal': 2.0}, 'failed'),
    ],
)
def test_goals(rows_module: ModuleType, facts: dict[str, object], verdict: str) -> None:
    assert rows_module.Row('case', 'peer', **facts).verdict == verdict


class Clock:
    """A driver for which every execution takes as long as its work says, in seconds."""

    def seconds(self, work: object, count: int) -> float:
        assert callable(work)
        return float(work())


def test_a_race(rows_module: ModuleType) -> None:
    """The fastest round counts; a peer that fails is told, and ours goes on."""

    def fails() -> float:
        raise MemoryError('none is left\nat all')

    ours = iter([0.01] * 5 + [0.002] + [0.01] * 1000)
    sides = {'ours': lambda: next(ours), 'CuPy': lambda: 0.004, 'torch': fails}
    race = rows_module.Race(Clock(), 'device', smoke=False)
    race.run({name: rows_module.Side(work) for name, work in sides.items()})
    first, second = race.rows('case', {'CuPy': 1.0}, amount=8e9)
    assert (first.peer, first.value, first.verdict, first.told()['rate']) == ('CuPy', 2.0, 'ok', '4.00 TB/s')
    assert (second.peer, second.verdict, second.note) == ('torch', '', 'MemoryError: none is left')
    race = rows_module.Race(Clock(), 'device', smoke=False).run({'ours': rows_module.Side(fails)})
    (row,) = race.rows('case', {'CuPy': 1.0})
    assert (row.verdict, row.note) == ('failed', 'MemoryError: none is left')
