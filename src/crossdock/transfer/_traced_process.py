"""The traced process's half of ``crossdock trace``: note all transfers, hand them over at the end."""

from __future__ import annotations

import atexit
import json
import os
import sys
from contextlib import suppress
from time import perf_counter

from crossdock.transfer._everywhere import trace_everywhere
from crossdock.transfer._log import TransferLog

__all__ = ['trace_this_process']


def trace_this_process(path: str) -> None:
    """Trace until the process exits, after its threads and exit handlers, and write the rows to a JSON file then."""
    log = trace_everywhere().__enter__()
    atexit.register(_hand_over, log, path, os.getpid(), perf_counter())


def _hand_over(log: TransferLog, path: str, pid: int, began: float) -> None:
    if os.getpid() != pid:
        return  # a fork, which has a copy of the log
    others = any('multiprocessing.popen_' in name or 'popen_loky' in name for name in list(sys.modules))
    found = {'seconds': perf_counter() - began, 'rows': [row.to_dict() for row in log], 'others': others}
    # Whoever asked may be gone, and the folder with it.
    with suppress(OSError):
        with open(path + '.part', 'w', encoding='utf-8') as file:
            json.dump(found, file)
        os.replace(path + '.part', path)
