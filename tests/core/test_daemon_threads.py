"""Threads that are at work when the process ends: it ends as if they were not."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import threading, time
import numpy as np
import crossdock as xd

x = xd.get_device({spec!r}).send(np.ones(4))
here = threading.Event()

def work():
    while True:
        float(x.sum())
        xd.to_numpy(x)
        xd.get_device(other).send(x)
        here.set()

def traced():
    with xd.trace_transfers():
        work()

other = 'sim:1'
threading.Thread(target={target}, daemon=True).start()
here.wait()
"""


@pytest.mark.parametrize('spec', ['native:0', 'sim:0'])
@pytest.mark.parametrize('target', ['work', 'traced'])
def test_a_daemon_thread_does_not_abort_the_end(spec: str, target: str) -> None:
    for _ in range(5):  # where it is caught is chance
        run = subprocess.run(
            [sys.executable, '-c', SCRIPT.format(spec=spec, target=target)], capture_output=True, text=True, timeout=60
        )
        assert (run.returncode, run.stderr) == (0, '')


CALLS = """
import sys, threading
import crossdock.core as cx
import crossdock as xd

class Place:
    def __index__(self): return 0

sys.setswitchinterval(1e-6)  # so that they are caught in the midst of Python
x = cx.ones(3)
ready = threading.Barrier(5)

def work():
    {call}
    ready.wait()
    while True:
        {call}

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
"""


@pytest.mark.parametrize('call', ['cx.zeros(3)', 'repr(x)', 'f"{x[0]}"', 'x[Place()]', 'cx.sum(x, axis=Place())'])
def test_a_daemon_thread_that_calls_python_from_the_core(call: str) -> None:
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, '-c', CALLS.replace('{call}', call)], capture_output=True, text=True, timeout=60
        )
        assert (run.returncode, run.stderr) == (0, '')
