"""Code that runs in a process of its own, since it forks, is interrupted, or has little memory."""

from __future__ import annotations

import os
import subprocess
import sys


def run(code: str, timeout_s: float = 60, **environment: str) -> str:
    """Run the code and return what it printed; it must end by itself, well and without a word of complaint."""
    out = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', code],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env={**os.environ, **environment},
    )
    assert (out.returncode, out.stderr) == (0, ''), f'exit {out.returncode}\n{out.stdout[-2000:]}\n{out.stderr[-4000:]}'
    return out.stdout
