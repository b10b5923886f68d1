"""Runs commands that may hang or crash, within a time, leaving none of their processes behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

GRACE_S = 3.0  # between asking a process to end and ending it

#: The one that runs now, for who has to end it.
running: subprocess.Popen[bytes] | None = None


def run(command: Sequence[str], log: Path, limit_s: float, environment: Mapping[str, str], folder: Path) -> int | None:
    """Run it with its output in `log`; the exit code, or None if it was killed for its time."""
    global running
    with open(log, 'wb') as output:
        running = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,  # so that its children can be ended with it
        )
        try:
            return running.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            end()


def end() -> None:
    """End what runs, with all its children."""
    global running
    process, running = running, None
    if process is None:
        return
    if process.poll() is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
