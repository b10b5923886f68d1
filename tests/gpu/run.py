"""Runs every part on this machine's GPU, and writes what became of it after each; see run.sh."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import outcome
import processes
import table
from outcome import Outcome
from parts import HERE, ROOT, Part, parts

TOTAL_S = 350  # for all parts
INSTALL_S = 150  # it takes seconds, unless the package has to be built
RETRIES = 10  # of tests that went with a process, each alone


class Run:
    """Results so far, and the time that is left."""

    def __init__(self, results: Path, scratch: Path, total_s: float) -> None:
        self.results, self.scratch = results, scratch
        self.began = time.monotonic()
        self.total_s = total_s
        self.outcomes: list[Outcome] = []
        self.facts: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.finished = False
        self.environment = environment(scratch)
        (results / 'log.txt').write_text('')

    @property
    def left_s(self) -> float:
        return self.total_s - (time.monotonic() - self.began)

    @property
    def ok(self) -> bool:
        return self.finished and all(one.good for one in self.outcomes)

    def do(self, part: Part) -> Outcome:
        """Run a part and note its outcome."""
        one = Outcome(part.name, limit_s=part.limit_s)
        self.outcomes.append(one)
        limit_s = min(part.limit_s, self.left_s)
        if limit_s < 1:
            one.note = 'the time for all parts was over'
            self.save()
            return one
        one.state, one.note = 'out of time', 'it was running when the run was ended'  # stays if this process is ended
        self.save()
        log, began = self.scratch / 'log', time.monotonic()
        record = self.scratch / f'record-{len(self.outcomes)}.jsonl'
        variables = {**self.environment, **part.environment, 'RECORD_TESTS': str(record)}
        one.note = ''
        if part.kind == 'tests':
            code, again = self.tests(part, record, log, variables, began + limit_s)
            output = read(log)
            outcome.of_tests(one, read(record), code=code, required=part.required, again=again)
        else:
            code = processes.run([*part.command, *part.selection], log, limit_s, variables, ROOT)
            output = read(log)
            outcome.of_command(one, code, output)
        if '--compile-kernels' in part.command:
            outcome.of_kernels(one, output)
        if part.kind == 'benchmark':
            self.rows = outcome.read_rows(self.scratch / 'benchmarks.json')
            outcome.of_benchmarks(one, self.rows)
        one.seconds = round(time.monotonic() - began, 1)
        if not one.good:
            one.tail = output.splitlines()[-outcome.TAIL :]
        self.log(part, one, output)
        self.save()
        return one

    def tests(
        self, part: Part, record: Path, log: Path, variables: Mapping[str, str], until: float
    ) -> tuple[int | None, int]:
        """Exit code of a part that is pytest, and how many of its tests had to be run again, each alone.

        Where a test takes pytest itself with it, it goes on behind that test. Of the tests that went with a process
        most were only beside the one to blame, so that each has another try.
        """
        command = [*part.command, *part.selection]
        code = processes.run(command, log, until - time.monotonic(), variables, ROOT)
        for _ in range(RETRIES):
            left = until - time.monotonic()
            if code is None or 0 <= code <= 5 or left < 2 or not read(record):
                break
            code = processes.run(command, log, left, {**variables, 'RECORD_GOES_ON': '1'}, ROOT)
        lost = outcome.crashed(read(record))[:RETRIES]
        for test in lost:
            left = until - time.monotonic()
            if left > 2:
                processes.run([*part.command, test], self.scratch / 'retry', left, variables, ROOT)
        return code, len(lost)

    def log(self, part: Part, one: Outcome, output: str) -> None:
        told, command = f'{one.name}: {one.state}, {one.seconds} s', ' '.join([*part.command, *part.selection])
        with open(self.results / 'log.txt', 'a') as file:
            file.write(f'=== {told}\n{command}\n{output}\n')
        print(told, flush=True)

    def save(self) -> None:
        """Replace the results as a whole, so that they can be read at any time."""
        data = {
            'format': 1,
            'date': datetime.now(UTC).strftime('%Y-%m-%d %H:%M UTC'),
            'commit': commit(),
            **self.facts,
            'seconds': round(time.monotonic() - self.began, 1),
            'finished': self.finished,
            'ok': self.ok,
            'parts': [one.as_dict() for one in self.outcomes],
            'benchmarks': self.rows,
        }
        for name, text in (('results.json', json.dumps(data, indent=1)), ('table.txt', table.text(data))):
            (self.scratch / name).write_text(text + '\n')
            shutil.copy(self.scratch / name, self.results / f'.{name}')
            os.replace(self.results / f'.{name}', self.results / name)


def environment(scratch: Path) -> dict[str, str]:
    """For all parts: what is written goes to `scratch`."""
    paths = [str(scratch / 'site'), str(HERE), *filter(None, [os.environ.get('PYTHONPATH')])]
    temporary = scratch / 'tmp'
    temporary.mkdir(exist_ok=True)
    return {
        **os.environ,
        'PYTHONPATH': os.pathsep.join(paths),
        'PYTHONDONTWRITEBYTECODE': '1',
        'PYTHONUNBUFFERED': '1',
        'COLUMNS': '160',
        'TMPDIR': str(temporary),
        'HYPOTHESIS_STORAGE_DIRECTORY': str(scratch / 'hypothesis'),
        'CROSSDOCK_CACHE_DIR': os.environ.get('CROSSDOCK_CACHE_DIR', str(scratch / 'cache')),
        'CUPY_CACHE_DIR': os.environ.get('CUPY_CACHE_DIR', str(scratch / 'cupy')),
        'XLA_PYTHON_CLIENT_PREALLOCATE': 'false',  # JAX would take most of the memory from all others
    }


def read(path: Path) -> str:
    """Its text; nothing if it is not there."""
    return path.read_text(errors='replace') if path.exists() else ''


def commit() -> str:
    """Which state of the sources this is, by git or else by what prepare.sh noted; '' if neither has a say."""
    return by_git() or read(HERE / 'wheels/commit').strip()


def by_git() -> str:
    """The commit of the checkout; '' where git is not there or knows nothing of it."""
    command = ['git', '-c', 'safe.directory=*', '-C', str(ROOT), 'log', '-1', '--format=%h', '--', str(ROOT)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ''


def of_another_state() -> str:
    """Says so where the wheels were not made of this checkout: tests would fail for no other reason."""
    here, there = by_git(), read(HERE / 'wheels/commit').strip()
    return f'the wheels are of {there}, the tests of {here}' if here and there and here != there else ''


def card(run: Run) -> None:
    """Ask in another process, which may hang or crash, what the figures depend on."""
    one = run.do(Part('card', (sys.executable, '-B', str(HERE / 'card.py')), 30))
    if one.state != 'passed':
        return
    run.facts = json.loads(read(run.scratch / 'log').splitlines()[-1])
    if not run.facts['card']['name']:
        one.state, one.note = 'failed', f'no GPU: {run.facts["card"]["reason"]}'
    run.save()


def everything(run: Run, *, installed: bool, only: list[str]) -> None:
    """All parts in their order. Without the package or without a GPU the rest would say nothing."""
    if not installed:
        command = (sys.executable, '-B', '-u', str(HERE / 'install.py'))
        words = (str(run.scratch / 'site'), str(run.scratch / 'build'))
        one = run.do(Part('installation', (*command, *words), INSTALL_S))
        one.note = one.note or of_another_state()
        if not one.good:
            return
    card(run)
    if run.outcomes[-1].state != 'passed':
        return
    for part in parts(run.facts['card']['architecture'], run.scratch):
        if not only or any(word in part.name for word in only):
            run.do(part)


def main() -> int:
    parser = argparse.ArgumentParser(description='See run.sh.')
    parser.add_argument('results', nargs='?', type=Path, default=ROOT / 'build/gpu-results')
    parser.add_argument('--installed', action='store_true', help='the package as it is installed, no wheels')
    parser.add_argument('--only', default='', metavar='WORD,...', help='parts whose name has one of these in it')
    parser.add_argument('--total', type=float, default=TOTAL_S, metavar='SECONDS', help='for all parts together')
    arguments = parser.parse_args()
    results = arguments.results.resolve()
    results.mkdir(parents=True, exist_ok=True)

    def terminated(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, terminated)
    with tempfile.TemporaryDirectory(prefix='crossdock-gpu-', ignore_cleanup_errors=True) as scratch:
        run = Run(results, Path(scratch), arguments.total)
        try:
            everything(run, installed=arguments.installed, only=[w for w in arguments.only.split(',') if w])
            run.finished = True
        finally:
            processes.end()
            run.save()
            print('\n' + read(results / 'table.txt'), end='', flush=True)
    return 0 if run.ok else 1


if __name__ == '__main__':
    sys.exit(main())
