"""The traced process's half of ``crossdock trace``: note all transfers, hand them over at the end."""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from time import perf_counter
from typing import Any

from crossdock.errors import DeviceUnavailableError
from crossdock.transfer._columns import Columns
from crossdock.transfer._everywhere import trace_everywhere
from crossdock.transfer._log import TransferLog

__all__ = ['trace_this_process']

REFUSED = 2  # what the process exits with; nobody reads it


def trace_this_process(path: str, ground_truth: bool = False) -> None:
    """Trace until the process exits, after its threads and exit handlers, and write the rows to a file then.

    Where the driver cannot be asked for the ground truth, the file says why, and the process ends before its script
    begins.
    """
    trace = trace_everywhere(ground_truth=ground_truth)
    try:
        log = trace.__enter__()
    except DeviceUnavailableError as error:
        _write(path, {'refused': error.reason})
        os._exit(REFUSED)
    atexit.register(_hand_over, trace, log, path, os.getpid(), perf_counter())


def _hand_over(trace: trace_everywhere, log: TransferLog, path: str, pid: int, began: float) -> None:
    if os.getpid() != pid:
        return  # a fork, which has a copy of the log
    seconds = perf_counter() - began
    others = any('multiprocessing.popen_' in name or 'popen_loky' in name for name in list(sys.modules))
    try:
        trace.__exit__(None, None, None)
    finally:
        truth = log.ground_truth
        found = {'seconds': seconds, 'others': others, 'ground_truth': truth and truth.to_dict()}
        _write(path, found, log._columns())


def _write(path: str, found: Mapping[str, Any], rows: Columns | None = None) -> None:
    """A line of JSON, and the rows' arrays behind it."""
    if rows is not None:
        found = {**found, 'kinds': rows.kinds, 'count': len(rows)}
    # Whoever asked may be gone, and the folder with it.
    with suppress(OSError):
        with open(path + '.part', 'wb') as file:
            file.write(json.dumps(found).encode() + b'\n')
            if rows is not None:
                rows.write(file)
        os.replace(path + '.part', path)
