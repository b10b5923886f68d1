"""What it costs to see transfers: nothing while nobody looks, and little for each one while somebody does.

The check that is always there is measured as the compiler makes it, with the header that the core is built with (this
takes a C++ compiler); what a trace adds, with and without one in turns.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from _measure import Row, main

import crossdock as xd

OFF_GOAL_NS, ON_GOAL_US = 2.0, 2.0
ROUNDS, ROUND_S = 100, 0.002
LEAVES = 200
HEADERS = Path(__file__).resolve().parents[1] / 'core' / 'include'
CHECK = r"""
#include <chrono>
#include <cstdio>
#include "crossdock/runtime/transfer_hook.h"
namespace crossdock {
namespace detail { std::atomic<bool> transfer_hook_on{false}; }
void TransferReport::begin(Transfer) { std::abort(); }
void TransferReport::finish() noexcept { std::abort(); }
}
using namespace crossdock;
template <class Step> double best_ns(long count, Step step) {
  double best = 1e9;
  for (int round = 0; round < 50; ++round) {
    auto began = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) { step(); asm volatile("" ::: "memory"); }
    std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - began;
    if (taken.count() / count < best) best = taken.count() / count;
  }
  return best;
}
int main(int, char** arguments) {
  const long count = std::atol(arguments[1]);
  const double bare = best_ns(count, [] {});
  const double checked = best_ns(count, [] {
    const TransferReport report([] { return Transfer{"copy", 8, "sim:0", "@numpy", true, false}; });
    asm volatile("" ::: "memory");
  });
  std::printf("%g %g\n", checked, bare);
}
"""


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    yield checking(smoke)
    sim = xd.get_device('sim:0')
    small, one = np.arange(100.0), sim.send(np.ones(1))
    there = sim.send(small)
    leaves = [np.arange(10.0) for _ in range(LEAVES)]
    yield tracing('float(x)', lambda: float(one), 1, smoke)
    yield tracing('x.item()', lambda: one.item(), 1, smoke)
    yield tracing('device.send(array)', lambda: sim.send(small), 1, smoke)
    yield tracing('to_numpy(x)', lambda: xd.to_numpy(there), 1, smoke)
    yield tracing('copyto(x, array)', lambda: xd.copyto(there, small), 1, smoke)
    yield tracing(f'device.send({LEAVES} arrays), each', lambda: sim.send(leaves), LEAVES, smoke)


def checking(smoke: bool) -> Row:
    """What one operation pays while nobody listens."""
    name, peer = 'an operation, nobody listens', 'the same unchecked'
    compiler = shutil.which(os.environ.get('CXX', 'c++'))
    if compiler is None:
        return Row(name, peer, None, None, None, 'ns', OFF_GOAL_NS, 'no C++ compiler')
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, 'check.cpp'), Path(folder, 'check')
        source.write_text('#include <cstdlib>\n' + CHECK)
        subprocess.run([compiler, '-std=c++20', '-O3', f'-I{HEADERS}', '-o', program, source], check=True)
        count = '10' if smoke else '1000000'
        printed = subprocess.run([program, count], check=True, capture_output=True, text=True).stdout
    ours, theirs = (float(number) for number in printed.split())
    if smoke:
        return Row(name, peer, None, None, None, 'ns', OFF_GOAL_NS, 'ran once')
    return Row(name, peer, ours * 1e-9, theirs * 1e-9, ours - theirs, 'ns', OFF_GOAL_NS)


def tracing(name: str, act: Callable[[], object], transfers: int, smoke: bool) -> Row:
    """What a transfer pays while it is traced; the fastest round of each counts, in turns."""
    if smoke:
        with xd.trace_transfers() as log:
            act()
        assert len(log) == transfers
        return Row(f'{name}, traced', 'untraced', None, None, None, 'us', ON_GOAL_US, 'ran once')
    count = max(1, int(ROUND_S / max(timed(act, 20), 1e-7)))
    traced, untraced = float('inf'), float('inf')
    for _ in range(ROUNDS):
        untraced = min(untraced, timed(act, count))
        with xd.trace_transfers() as log:
            traced = min(traced, timed(act, count))
        assert len(log) == count * transfers
    ours, theirs = traced / transfers, untraced / transfers
    return Row(f'{name}, traced', 'untraced', ours, theirs, (ours - theirs) * 1e6, 'us', ON_GOAL_US)


def timed(act: Callable[[], object], count: int) -> float:
    """Seconds of one execution."""
    began = time.perf_counter()
    for _ in range(count):
        act()
    return (time.perf_counter() - began) / count


if __name__ == '__main__':
    main(cases)
