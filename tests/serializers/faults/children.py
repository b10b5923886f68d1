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


def stop_within(
    child: subprocess.Popen[str], seconds: float, number: signal.Signals, seed: object, *, lines: int = 1
) -> list[str]:
    """Send a signal at a random moment, and return what the child has said.

    The moment lies within so many seconds after the child has begun, or has said some of its first lines: fewer than
    `lines`, however fast it is.
    """
    chance = random.Random(str(seed))
    said = [line_of(child) for _ in range(1 + chance.randrange(lines))]
    assert said.pop(0) == 'go'
    time.sleep(chance.uniform(0, seconds))
    child.send_signal(number)
    out, err = child.communicate(timeout=120)
    assert not err, err
    return [*said, *out.splitlines()]


def line_of(child: subprocess.Popen[str]) -> str:
    """The next line that a child says, and not a byte more, which `communicate` would miss."""
    assert child.stdout is not None
    line = b''
    while not line.endswith(b'\n'):
        byte = os.read(child.stdout.fileno(), 1)
        assert byte, child.communicate()
        line += byte
    return line.decode().rstrip()
