"""Start and end the processes of ``child.py``."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

__all__ = ['TRIALS', 'start', 'run', 'stop_within']

CHILD = Path(__file__).with_name('child.py')
# A dozen in the ordinary run; ``nox -s crash`` asks for more.
TRIALS = int(os.environ.get('CROSSDOCK_CRASHES', '12'))


def start(verb: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a child, and return when it begins."""
    words = [sys.executable, str(CHILD), verb, *map(str, arguments)]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    return child


def run(verb: str, *arguments: object) -> list[str]:
    """The lines that a child says, which has to end well."""
    out, err = start(verb, *arguments).communicate(timeout=120)
    assert not err, err
    return out.splitlines()


def stop_within(child: subprocess.Popen[str], seconds: float, number: signal.Signals, seed: object) -> list[str]:
    """Send a signal at a random moment after the child has begun, and return what it has said."""
    assert child.stdout is not None
    assert child.stdout.readline() == 'go\n', child.communicate()
    time.sleep(random.Random(str(seed)).uniform(0, seconds))
    child.send_signal(number)
    out, err = child.communicate(timeout=120)
    assert not err, err
    return out.splitlines()
