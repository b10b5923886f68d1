"""Runs a Python script in a process of its own that notes its transfers and is otherwise as without us.

The interpreter itself runs the script, so that all is as ever: tracebacks and stacks, `sys.argv`, `sys.path`, exit
codes, threads that outlive the main one. We come in as `sitecustomize`, before the script, and leave no trace of that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import crossdock
from crossdock.cli._complaint import Complaint
from crossdock.transfer import Columns, TransferTruth, read_columns, truth_of

__all__ = ['Traced', 'run_traced']

_ROWS = 'rows'
_FORWARDED = ('SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2')
_SITE = """import os
import sys

sys.path.remove({folder!r})
sys.path.insert(0, {package!r})
before = {path!r}
if before is None:
    del os.environ['PYTHONPATH']
else:
    os.environ['PYTHONPATH'] = before
from crossdock.transfer._traced_process import trace_this_process
sys.path.remove({package!r})
trace_this_process({rows!r}, {ground_truth!r})

# The one that ours hides; if there is none, Python passes over the error as it does without us.
del sys.modules['sitecustomize']
import sitecustomize
"""


@dataclass(frozen=True)
class Traced:
    """How a script ended and what it moved.

    Attributes
    ----------
    code : int
        Its exit code; -N if signal N ended it.
    rows : Columns or None
        None if it left without handing them over.
    seconds : float
        How long it ran; 0 if that is not known.
    others : bool
        Whether it started processes with multiprocessing; what those move is not in the rows.
    truth : TransferTruth or None
        What the driver says; None if it was not asked, or with the rows.
    """

    code: int
    rows: Columns | None
    seconds: float
    others: bool = False
    truth: TransferTruth | None = None


def run_traced(arguments: Sequence[str], *, ground_truth: bool = False) -> Traced:
    """Run ``python *arguments`` with this interpreter, and this one's options.

    With `ground_truth` the driver is asked as well; where it cannot be, a `Complaint` says why and nothing has run.
    """
    with tempfile.TemporaryDirectory(prefix='crossdock-trace-') as folder:
        path = os.environ.get('PYTHONPATH')
        rows = os.path.join(folder, _ROWS)
        package = str(Path(crossdock.__file__).parents[1])
        site = _SITE.format(folder=folder, package=package, path=path, rows=rows, ground_truth=ground_truth)
        # File names may hold what is no UTF-8; repr has escaped that.
        Path(folder, 'sitecustomize.py').write_text(site, encoding='utf-8')
        environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([folder, path] if path else [folder])}
        sys.stdout.flush()
        with _signals_passed_on() as started:
            process = subprocess.Popen([sys.executable, *_options(), *arguments], env=environment)
            started.append(process)
            code = process.wait()
        found, moved = _read(rows)
    if 'refused' in found:
        raise Complaint(f'trace --ground-truth: {found["refused"]}')
    truth = found.get('ground_truth')
    return Traced(code, moved, found['seconds'], found['others'], truth_of(truth) if truth else None)


def _read(path: str) -> tuple[dict[str, Any], Columns | None]:
    """What the process has handed over."""
    try:
        with open(path, 'rb') as file:
            found: dict[str, Any] = json.loads(file.readline())
            return found, read_columns(found['kinds'], file, found['count']) if 'kinds' in found else None
    except FileNotFoundError:
        return {'seconds': 0.0, 'others': False}, None


def _options() -> list[str]:
    # What multiprocessing starts its processes with.
    return subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined,no-any-return]


@contextmanager
def _signals_passed_on() -> Iterator[list[subprocess.Popen[bytes]]]:
    """What asks us to end asks the script; the list takes its process once that runs."""
    processes: list[subprocess.Popen[bytes]] = []

    def forward(number: int, frame: object) -> None:
        for process in processes:
            process.send_signal(number)

    def interrupt(number: int, frame: object) -> None:
        if not _in_foreground():  # there the terminal has told the script as well
            forward(number, frame)

    handlers = {signal.SIGINT: interrupt}
    handlers.update((getattr(signal, name), forward) for name in _FORWARDED if hasattr(signal, name))
    # Ignored signals stay so, for us and for the script.
    handlers = {number: handler for number, handler in handlers.items() if signal.getsignal(number) != signal.SIG_IGN}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield processes
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    try:
        terminal = os.open('/dev/tty', os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
