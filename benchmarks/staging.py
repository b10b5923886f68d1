"""What it costs to bring arrays to an accelerator: many small ones, large ones that are converted, ones with gaps.

On the simulated accelerator, whose operations last 10 us at least. One case has a modelled link as well, in a process
of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault('CROSSDOCK_SIM_LATENCY_US', '10')

import numpy as np
from _measure import Row, main

import crossdock as xd

ROUNDS = 25
LINK_GBPS = 1.0

#: A conversion behind a link of so many GB/s: how long it takes, and how long its two halves would alone.
BEHIND_A_LINK = f"""
import json, time
import numpy as np
import crossdock as xd
sim, x = xd.get_device('sim:0'), np.random.default_rng(0).random(2**24)
def best(work):
    times = []
    for _ in range(7):
        began = time.perf_counter()
        y = work()
        sim.synchronize()
        times.append(time.perf_counter() - began)
    return min(times)
together = best(lambda: sim.send(x, dtype='float32'))
out = np.empty(x.shape, 'float32')
print(json.dumps([together, best(lambda: np.copyto(out, x, casting='same_kind')), out.nbytes / {LINK_GBPS}e9]))
"""


Work = Callable[[], Any]


def duel(case: str, peer: str, ours: Work, theirs: Work, *, goal: float | None = None, smoke: bool) -> Row:
    """Two callables in turns; the fastest call of each counts."""
    best = [float('inf')] * 2
    for _ in range(1 if smoke else ROUNDS):
        for i, work in enumerate((ours, theirs)):
            began = time.perf_counter()
            made = work()
            best[i] = min(best[i], time.perf_counter() - began)
            del made
    if smoke:
        return Row(case, peer, None, None, None, 'x', goal, 'ran once')
    return Row(case, peer, best[0], best[1], best[0] / best[1], 'x', goal)


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    sim = xd.get_device('sim:0')
    rng = np.random.default_rng(0)
    small = [rng.random(8192) for _ in range(10 if smoke else 1000)]
    large = rng.random(2**16 if smoke else 2**25)
    matrix = large.reshape(256, -1)
    there = sim.send(small), sim.send(large)

    def waited(work: Work) -> Work:
        def run() -> Any:
            made = work()
            sim.synchronize()
            return made

        return run

    def send(x: Any, **options: Any) -> Work:
        return waited(lambda: sim.send(x, **options))

    one_by_one = waited(lambda: [sim.send(x) for x in small])
    back = lambda: [xd.to_numpy(x) for x in there[0]]  # noqa: E731
    yield duel('1,000 arrays of 64 KiB, one send', 'one by one', send(small), one_by_one, goal=0.33, smoke=smoke)
    yield duel('the same back, one to_numpy', 'one by one', lambda: xd.to_numpy(there[0]), back, smoke=smoke)
    yield duel('256 MiB to the device', 'numpy.copy', send(large), large.copy, smoke=smoke)
    yield duel('256 MiB back', 'numpy.copy', lambda: xd.to_numpy(there[1]), large.copy, smoke=smoke)
    narrowed = send(large, dtype='float32')
    yield duel('float64 -> float32 on the way', 'astype', narrowed, lambda: large.astype('f4'), smoke=smoke)
    for case, view in (
        ('every second column', matrix[:, ::2]),
        ('rows backwards', matrix[::-1]),
        ('transposed, as it lies', matrix.T),
    ):
        yield duel(case, 'copy in C order', send(view), view.copy, smoke=smoke)
    yield behind_a_link(smoke)


def behind_a_link(smoke: bool) -> Row:
    """A conversion and a slow link, which should take as long as the slower of the two."""
    case, peer = f'float64 -> float32, {LINK_GBPS:g} GB/s', 'the slower of both'
    if smoke:
        return Row(case, peer, None, None, None, 'x', 1.25, 'not for smoke')
    environment = {**os.environ, 'CROSSDOCK_SIM_H2D_GBPS': str(LINK_GBPS)}
    out = subprocess.run([sys.executable, '-c', BEHIND_A_LINK], env=environment, check=True, capture_output=True).stdout
    together, convert, link = json.loads(out)
    slower = max(convert, link)
    return Row(case, peer, together, slower, together / slower, 'x', 1.25)


if __name__ == '__main__':
    main(cases)
