"""Times two things side by side in one run and reports the ratio: a slow machine is not slow code."""

from __future__ import annotations

import argparse
import json
import platform
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

ROUND_S = 0.002  # long against the clock's grain, shorter than the turns that a busy machine gives its processes
ROUNDS = 500


@dataclass(frozen=True)
class Row:
    """One measured case; `goal` is the highest `value` that is good enough."""

    case: str
    peer: str
    ours: float | None
    theirs: float | None
    value: float | None
    unit: str
    goal: float | None
    note: str = ''

    @property
    def verdict(self) -> str:
        if self.value is None:
            return self.note or 'not measured'
        if self.goal is None:
            return ''
        return 'good' if self.value <= self.goal else 'MISSED'


def race(ours: str, theirs: str, names: dict[str, Any], *, goal: float | None = None, smoke: bool) -> Row:
    """Run two statements in turns; the fastest round of each counts, in seconds for one execution."""
    timers = [timeit.Timer(statement, globals=names) for statement in (ours, theirs)]
    if smoke:
        for timer in timers:
            timer.timeit(1)
        return Row(ours, theirs, None, None, None, 'x', goal, 'ran once')
    counts = [max(100, int(ROUND_S * 1000 / timer.timeit(1000))) for timer in timers]
    best = [float('inf')] * 2
    for _ in range(ROUNDS):
        for i, timer in enumerate(timers):
            best[i] = min(best[i], timer.timeit(counts[i]) / counts[i])
    return Row(ours, theirs, best[0], best[1], best[0] / best[1], 'x', goal)


def report(rows: Iterable[Row], *, as_json: bool) -> None:
    """Print the rows, as a table for people or as JSON for programs."""
    rows = list(rows)
    if as_json:
        print(json.dumps([{**asdict(row), 'verdict': row.verdict} for row in rows], indent=2))
        return
    table = Table('case', 'beside', box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ('ours', 'beside it', 'result', 'goal'):
        table.add_column(name, justify='right')
    table.add_column('verdict')
    for row in rows:
        result = '' if row.value is None else f'{row.value:.2f} {row.unit}'
        goal = '' if row.goal is None else f'<= {row.goal:g} {row.unit}'
        table.add_row(row.case, row.peer, duration(row.ours), duration(row.theirs), result, goal, row.verdict)
    print(machine())
    Console(width=120).print(table)


def duration(seconds: float | None) -> str:
    """A time in the unit that suits its size."""
    if seconds is None:
        return ''
    for scale, unit in ((1e-6, 'ns'), (1e-3, 'us'), (1, 'ms')):
        if seconds < scale:
            return f'{seconds / scale * 1e3:.3g} {unit}'
    return f'{seconds:.3g} s'


def machine() -> str:
    """The processor and the versions that the figures depend on."""
    import numpy as np

    with open('/proc/cpuinfo') as lines:
        names = [line.split(':')[1].strip() for line in lines if line.startswith('model name')]
    model = f'{names[0]}, {len(names)} cores' if names else platform.machine()
    return f'{model}; Python {platform.python_version()}, NumPy {np.__version__}'


def main(cases: Callable[[bool], Iterable[Row]], plot: Callable[[Sequence[Row]], None] | None = None) -> None:
    """The command line that every benchmark has: ``--smoke`` runs each case once, ``--json`` prints for programs.

    Those with a `plot` draw it with ``--plot``, which takes matplotlib.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument('--smoke', action='store_true', help='run each case once, without timing it')
    parser.add_argument('--json', action='store_true')
    if plot:
        parser.add_argument('--plot', action='store_true')
    arguments = parser.parse_args()
    began = time.perf_counter()
    rows = list(cases(arguments.smoke))
    report(rows, as_json=arguments.json)
    if plot and arguments.plot:
        plot(rows)
    if not arguments.json:
        print(f'{time.perf_counter() - began:.1f} s')
