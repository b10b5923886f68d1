"""Random programs on GPUs, real or fake: what their driver copied is what the trace tells, byte for byte.

``python truth_agrees.py SEED COUNT [DEVICE...]``. Every third program copies behind the trace's back,
too, which has to be unseen. The programs are those that tests/transfer runs on simulated accelerators.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import crossdock as xd
from crossdock import core as cx

DEVICES = 'cuda:0', 'cuda:1'
#: They order faults of the simulated accelerator.
NOT_HERE = 'fail_to_copy', 'run_out_of_memory'
driver = ctypes.CDLL('libcuda.so.1')


def load_programs(devices: Sequence[str]) -> ModuleType:
    path = Path(__file__).parents[1] / 'transfer/test_programs.py'
    spec = importlib.util.spec_from_file_location('programs', path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SIMS = devices[0], devices[-1]
    return module


class Hidden:
    """Copies by the driver itself, which nobody tells of."""

    def __init__(self) -> None:
        self.address, self.context = ctypes.c_uint64(), ctypes.c_void_p()
        self.host = (ctypes.c_char * 4096)()
        self.check(driver.cuInit(0))
        self.check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0))
        self.call(driver.cuMemAlloc_v2, ctypes.byref(self.address), ctypes.c_size_t(4096))

    def check(self, result: int) -> None:
        assert result == 0, result

    def call(self, function, *arguments) -> None:
        self.check(driver.cuCtxPushCurrent_v2(self.context))
        self.check(function(*arguments))
        self.check(driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())))

    def up(self, nbytes: int) -> tuple[str, str, int]:
        self.call(driver.cuMemcpyHtoD_v2, self.address, self.host, ctypes.c_size_t(nbytes))
        return 'host', 'cuda:0', nbytes

    def down(self, nbytes: int) -> tuple[str, str, int]:
        self.call(driver.cuMemcpyDtoH_v2, self.host, self.address, ctypes.c_size_t(nbytes))
        return 'cuda:0', 'host', nbytes


def agree(log, hidden: Counter, said: object) -> None:
    truth = log.ground_truth
    unseen = Counter((one.source, one.target, one.nbytes) for one in truth.unseen)
    failed = any(row.failed for row in log)
    assert bool(truth.problems) == ('no ' in os.environ.get('FAKE_CUPTI', ''))
    assert unseen == hidden, f'{said}\n{log.summary()}\n{truth.summary()}'
    assert not truth.unmade and not truth.elsewhere, f'{said}\n{truth.summary()}\n{truth.unmade}'
    for pair in truth.pairs:
        due = pair.row_nbytes + sum(n * size for (*way, size), n in hidden.items() if way == [pair.source, pair.target])
        assert failed or pair.copied_nbytes == due, f'{said}\n{log.summary()}\n{truth.summary()}'


def main(seed: int, count: int, devices: Sequence[str]) -> None:
    programs, rng, secret = load_programs(devices), random.Random(seed), Hidden()
    operations = [name for name in programs.OPERATIONS if name not in NOT_HERE]
    copies = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            program, steps = programs.Program(Path(folder)), []
            hidden: Counter = Counter()
            with xd.trace_transfers(ground_truth=True) as whole:
                for _ in range(rng.randrange(1, 25)):
                    steps.append((rng.choice(operations), rng.randrange(41), rng.randrange(41)))
                    name, a, b = steps[-1]
                    here: Counter = Counter()
                    with xd.trace_transfers(ground_truth=True) as log:
                        with contextlib.suppress(*programs.EXPECTED):
                            getattr(program, name)(a, b)
                        if number % 3 == 0 and rng.random() < 0.3:
                            # Of sizes that rows have, too.
                            here[rng.choice((secret.up, secret.down))(rng.choice((1, 8, 40, 4000)))] += 1
                    agree(log, here, steps)
                    hidden += here
            agree(whole, hidden, steps)
            copies += sum(pair.copies for pair in whole.ground_truth.pairs)
            rows += len(whole)
    cx.device('cuda:0').synchronize()
    print(f'{count} programs agree: {rows} rows, {copies} copies')


if __name__ == '__main__':
    main(*map(int, sys.argv[1:3]), sys.argv[3:] or DEVICES)
