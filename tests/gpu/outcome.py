"""What became of a part: read from what it left behind, also where it crashed or was killed."""

from __future__ import annotations

import collections
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FAILURES = 20  # kept of each part
TAIL = 15  # lines of output kept of a part that failed


@dataclass
class Outcome:
    """One row of the table, and what stands behind it.

    `state` is 'passed', 'failed', 'crashed', 'out of time', 'skipped' or 'not run'.
    """

    name: str
    state: str = 'not run'
    limit_s: float = 0
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ''
    failures: list[dict[str, str]] = field(default_factory=list)
    skip_reasons: dict[str, int] = field(default_factory=dict)
    tail: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.state in ('passed', 'skipped')

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def last_outcomes(lines: str) -> dict[str, dict[str, str]]:
    """Test -> its last line of the record, except that a failure stays: a test may fail and then again in teardown."""
    found: dict[str, dict[str, str]] = {}
    for line in lines.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the process ended while it wrote
        before = found.get(row['test'], {})
        if not (before.get('outcome') == 'failed' and row['outcome'] != 'begun'):
            found[row['test']] = row
    return found


def crashed(lines: str) -> list[str]:
    """Tests that took their process with them, or that a worker was to run when it went."""
    return [test for test, row in last_outcomes(lines).items() if row['outcome'] in ('begun', 'crashed')]


def of_tests(outcome: Outcome, lines: str, *, code: int | None, required: bool, again: int = 0) -> None:
    """Fill in from the record of the tests.

    `code` is the exit code, None where the process was killed for its time; `again` is how many tests went with a
    process and had another try, of which the exit code knows nothing.
    """
    reasons: collections.Counter[str] = collections.Counter()
    for test, row in last_outcomes(lines).items():
        kind, message = row['outcome'], row.get('message', '')
        if kind == 'passed':
            outcome.passed += 1
        elif kind == 'skipped':
            outcome.skipped += 1
            reasons[message] += 1
        else:
            outcome.failed += 1
            if kind == 'begun':
                message = 'was running when the time was over' if code is None else 'took its process with it'
            if len(outcome.failures) < FAILURES:
                outcome.failures.append({'test': test, 'message': message})
    outcome.skip_reasons = dict(reasons.most_common(5))
    if code is None:
        outcome.state = 'out of time'
    elif code < 0 or code > 5:
        outcome.state, outcome.note = 'crashed', f'exit code {code}'
    elif outcome.failed or not (code in (0, 5) or (again and code == 1)):
        outcome.state = 'failed'
    elif outcome.passed:
        outcome.state = 'passed'
        outcome.note = f'{again} of them only in a process of their own' if again else ''
    else:
        outcome.state = 'failed' if required else 'skipped'
        outcome.note = next(iter(reasons), 'no test was found')


def of_command(outcome: Outcome, code: int | None, output: str) -> None:
    """Fill in from the exit code, and from what the doctor calls a problem."""
    outcome.state = 'out of time' if code is None else 'crashed' if code < 0 else 'failed' if code else 'passed'
    outcome.note = f'exit code {code}' if code else ''
    for line in output.splitlines():
        if code and line.startswith('problem '):
            group, name, told = (*line.split(maxsplit=3), '')[1:4]
            outcome.failures.append({'test': f'{group} {name}', 'message': told})


def of_kernels(outcome: Outcome, output: str) -> None:
    """Fill in how many kernels were compiled, from the doctor's JSON."""
    try:
        (result,) = json.loads(output[output.index('[') :])
    except ValueError:
        return
    outcome.passed, outcome.failed = result['kernels'] - len(result['failures']), len(result['failures'])
    outcome.note = f'{result["nbytes"] / 1e6:.1f} MB in {result["seconds"]:.1f} s, {result["from_cache"]} from the disk'
    for failure in result['failures'][:FAILURES]:
        name = f'{failure["header"]}: {failure["expression"]}'
        outcome.failures.append({'test': name, 'message': '\n'.join(failure['log'].splitlines()[:12])})


def of_benchmarks(outcome: Outcome, rows: list[dict[str, Any]]) -> None:
    """Count goals; a row that could not be measured for an error of ours failed."""
    verdicts = collections.Counter(row['verdict'] for row in rows)
    outcome.passed = len(rows) - verdicts['failed']
    outcome.failed, outcome.skipped = verdicts['failed'], verdicts['not measured']
    outcome.passed -= outcome.skipped
    goals = verdicts['ok'] + verdicts['missed']
    outcome.note = f'{verdicts["ok"]} of {goals} goals met' if goals else 'no goal was measured'
    for row in [row for row in rows if row['verdict'] == 'failed'][:FAILURES]:
        outcome.failures.append({'test': row['case'], 'message': row['note']})


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The benchmark's rows so far; none if there are none."""
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text())['rows']
    except (OSError, ValueError, KeyError):
        return []
    return rows
