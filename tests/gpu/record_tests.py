"""A pytest plugin that writes each test's outcome to a file as it comes, so that a run that is cut off tells much.

``-p record_tests`` with ``RECORD_TESTS=FILE``: one line of JSON when a test begins, one when it has an outcome. In a
worker of xdist it ends the process once the GPU's context is broken, for no later test could pass in it: the worker is
replaced, and the test that it was to run is reported as crashed.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest

#: What CUDA says of a context that stays broken until the process ends.
BROKEN = re.compile(
    r'ILLEGAL_ADDRESS|LAUNCH_FAILED|MISALIGNED_ADDRESS|ILLEGAL_INSTRUCTION|HARDWARE_STACK|INVALID_PC|ECC_UNCORRECTABLE'
    r'|illegal memory access|unspecified launch failure|misaligned address|illegal instruction|device is lost',
    re.IGNORECASE,
)
LINES = 12  # of a traceback's end


def pytest_configure(config: pytest.Config) -> None:
    worker = hasattr(config, 'workerinput')
    config.pluginmanager.register(LeaveBroken() if worker else Record(os.environ['RECORD_TESTS']))


class LeaveBroken:
    """For workers."""

    broken = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if self.broken:
            os._exit(70)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.broken = self.broken or (report.failed and bool(BROKEN.search(report.longreprtext)))


class Record:
    """For the process that knows of all tests."""

    def __init__(self, path: str) -> None:
        self.path = path

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Where pytest goes on after a crash, what is in the record is done."""
        if 'RECORD_GOES_ON' in os.environ:
            with open(self.path) as file:
                done = {json.loads(line)['test'] for line in file}
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
            items[:] = [item for item in items if item.nodeid not in done]

    def write(self, **facts: Any) -> None:
        with open(self.path, 'a') as file:
            file.write(json.dumps(facts) + '\n')

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.write(test=nodeid, outcome='begun')

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == '???':  # xdist's word for a worker that went
            self.write(test=report.nodeid, outcome='crashed', message=str(report.longrepr))
        elif report.failed:
            self.write(test=report.nodeid, outcome='failed', message=shortened(report.longreprtext))
        elif report.skipped:
            # An expected failure counts as passed: it is not news.
            expected = hasattr(report, 'wasxfail')
            self.write(test=report.nodeid, outcome='passed' if expected else 'skipped', message=reason(report))
        elif report.when == 'call':
            self.write(test=report.nodeid, outcome='passed')

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(test=report.nodeid, outcome='failed', message=shortened(report.longreprtext))
        elif report.skipped:
            self.write(test=report.nodeid, outcome='skipped', message=reason(report))


def reason(report: Any) -> str:
    """Why a test was skipped."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(told).removeprefix('Skipped: ')


def shortened(text: str) -> str:
    """The lines with the error, else the last ones."""
    lines = text.splitlines()
    errors = [line for line in lines if line.startswith('E  ')]
    where = [line for line in lines if re.match(r'\S+:\d+: ', line)][-2:]
    return '\n'.join([*errors[:LINES], *where] if errors else lines[-LINES:])
