"""How fast host memory is copied, reordered and converted: beside NumPy, and beside the machine's own `memcpy`.

Each case copies into memory that is there already, so that only the copy counts. `of limit` says how much of what
`memcpy` moves in the same time, with as many threads, a copy moved: bytes written, and the cache lines that it has to
read. One thread is timed by its own clock (a busy machine takes turns, which is nobody's slowness), two by the wall's.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import ml_dtypes
import numpy as np
from _measure import duration, machine
from rich import box
from rich.console import Console
from rich.table import Table

import crossdock.core as cx
from crossdock.core import exchange

torch: Any = None
with contextlib.suppress(ModuleNotFoundError):
    torch = importlib.import_module('torch')

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
SIZES = {'64 KB': 64 * KB, '1 MB': MB, '16 MB': 16 * MB, '128 MB': 128 * MB}
FULL = {'1 GB': GB}
BUDGET_S = 0.06  # for each side of a case, in rounds
UNSIGNED = {1: 'uint8', 2: 'uint16', 4: 'uint32', 8: 'uint64', 16: 'complex128'}


@dataclass(frozen=True)
class Row:
    """One case. Seconds; `limit` is the share of memory speed."""

    case: str
    dtype: str
    size: str
    threads: int
    ours: float
    numpy: float
    torch: float | None
    ratio: float
    limit: float


@dataclass(frozen=True)
class Layout:
    """How a source is laid out: `view` of a base array has about as many bytes as asked for."""

    name: str
    view: Callable[[Callable[..., np.ndarray], int], np.ndarray]  # (make(*shape), elements)
    lines: Callable[[int], float] = lambda itemsize: 1.0  # bytes of cache lines read for each byte that is wanted


def step_lines(step: int) -> Callable[[int], float]:
    """Lines read for a column of every `step`."""
    return lambda itemsize: float(min(step, max(1, 64 // itemsize)))


def square(n: int) -> tuple[int, int]:
    """Rows and columns of a power of two elements."""
    rows = 1 << (n.bit_length() - 1) // 2
    return rows, n // rows


def odd(n: int) -> tuple[int, int]:
    """About as many, in rows that do not fall into the same sets of the cache."""
    rows, columns = square(n)
    return rows - 5, columns + 3


def cube(n: int) -> tuple[int, int, int]:
    """Three dimensions, the last the longest."""
    side = 1 << (n.bit_length() - 1) // 3
    return side, side, n // side // side


LAYOUTS = [
    Layout('contiguous', lambda make, n: make(n)),
    Layout('x[:, :k]', lambda make, n: make(square(n)[0], square(n)[1] * 2)[:, : square(n)[1]]),
    Layout('x[:, 1:]', lambda make, n: make(square(n)[0], square(n)[1] + 1)[:, 1:]),
    Layout('x[:, ::2]', lambda make, n: make(square(n)[0], square(n)[1] * 2)[:, ::2], step_lines(2)),
    Layout('x[:, ::3]', lambda make, n: make(square(n)[0], square(n)[1] * 3)[:, ::3], step_lines(3)),
    Layout('x[:, ::8]', lambda make, n: make(square(n)[0], square(n)[1] * 8)[:, ::8], step_lines(8)),
    Layout('x[:, ::-1]', lambda make, n: make(*square(n))[:, ::-1]),
    Layout('x[::-1]', lambda make, n: make(*square(n))[::-1]),
    Layout('x[::3]', lambda make, n: make(square(n)[0] * 3, square(n)[1])[::3]),
    Layout('x[:, None] rows', lambda make, n: np.broadcast_to(make(square(n)[1]), square(n)), lambda s: 0.0),
    Layout('x[..., None] columns', lambda make, n: np.broadcast_to(make(square(n)[0], 1), square(n)), lambda s: 0.0),
    Layout('x.T', lambda make, n: make(*square(n)).T),
    Layout('x.T odd', lambda make, n: make(*odd(n)).T),
    Layout('x.T of 3 columns', lambda make, n: make(n // 3, 3).T),
    Layout('x.T of 3 rows', lambda make, n: make(3, n // 3).T),
    Layout('(2,1,0)', lambda make, n: make(*cube(n)).transpose(2, 1, 0)),
    Layout('(1,0,2)', lambda make, n: make(*cube(n)).transpose(1, 0, 2)),
    Layout('(0,2,1)', lambda make, n: make(*cube(n)).transpose(0, 2, 1)),
    Layout('(1,0,2) of 4', lambda make, n: make(*square(n // 4), 4).transpose(1, 0, 2)),
    Layout('NCHW to NHWC', lambda make, n: make(max(1, n // 49152), 3, 128, 128).transpose(0, 2, 3, 1)),
    Layout('NHWC to NCHW', lambda make, n: make(max(1, n // 49152), 128, 128, 3).transpose(0, 3, 1, 2)),
    Layout('64 channels last', lambda make, n: make(max(1, n // 65536), 64, 32, 32).transpose(0, 2, 3, 1)),
    Layout('x.T[:, ::2]', lambda make, n: make(square(n)[0] * 2, square(n)[1])[::2].T),
    Layout('x[::2, ::2].T', lambda make, n: make(square(n)[0] * 2, square(n)[1] * 2)[::2, ::2].T, step_lines(2)),
]
BY_NAME = {layout.name: layout for layout in LAYOUTS}
CONVERSIONS = [
    ('float64', 'float32'),
    ('float32', 'float64'),
    ('float32', 'float16'),
    ('float16', 'float32'),
    ('float64', 'float16'),
    ('float32', 'bfloat16'),
    ('bfloat16', 'float32'),
    ('int64', 'float64'),
    ('int64', 'float32'),
    ('int32', 'float32'),
    ('uint8', 'float32'),
    ('float64', 'int64'),
    ('float32', 'int32'),
    ('float32', 'uint8'),
    ('int64', 'int32'),
    ('bool', 'float32'),
    ('complex128', 'complex64'),
    ('float32', 'complex64'),
]


class Machine:
    """What `memcpy` moves in a second, bytes read and written, for a working set of a size."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], float] = {}
        self.pool = ThreadPoolExecutor(2)

    def speed(self, nbytes: int, threads: int) -> float:
        if (nbytes, threads) not in self.known:
            source, target = np.ones(nbytes, 'uint8'), np.ones(nbytes, 'uint8')
            part = nbytes // threads

            def move(i: int) -> None:
                ctypes.memmove(target.ctypes.data + i * part, source.ctypes.data + i * part, part)

            run = (lambda: move(0)) if threads == 1 else (lambda: list(self.pool.map(move, range(threads))))
            seconds = race([run], threads)[0] if nbytes > MB or threads == 1 else self.speed_s(nbytes)
            self.known[nbytes, threads] = 2 * nbytes / seconds
        return self.known[nbytes, threads]

    def speed_s(self, nbytes: int) -> float:
        """Two threads in the cache: twice as fast as one, for handing out work in Python takes longer than the work."""
        return nbytes / self.speed(nbytes, 1)


def race(sides: list[Callable[[], Any]], threads: int, *, smoke: bool = False) -> list[float]:
    """Run all in turns; the fastest round of each counts."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    for side in sides:
        side()
    if smoke:
        return [float('nan')] * len(sides)
    counts = []
    for side in sides:
        began = clock()
        side()
        counts.append(max(1, int(0.0005 / max(clock() - began, 1e-7))))
    best = [float('inf')] * len(sides)
    spent, rounds = 0.0, 0
    while rounds < 3 or (spent < BUDGET_S * len(sides) and rounds < 300):
        for i, side in enumerate(sides):
            began = clock()
            for _ in range(counts[i]):
                side()
            took = clock() - began
            spent += took
            best[i] = min(best[i], took / counts[i])
        rounds += 1
    return best


def case(layout: Layout, source: str, target: str, size: str, threads: int, speeds: Machine, smoke: bool) -> Row:
    """Copy a layout of `source` elements to contiguous `target` elements."""
    nbytes = (SIZES | FULL)[size]
    from_dtype, to_dtype = (np.dtype(getattr(ml_dtypes, d, d)) for d in (source, target))
    n = nbytes // max(from_dtype.itemsize, to_dtype.itemsize)

    def make(*shape: int) -> np.ndarray:
        return np.resize(np.arange(100, dtype='uint8'), shape).astype(from_dtype)

    view = layout.view(make, n)
    out = np.empty(view.shape, to_dtype)
    x, y = exchange.from_numpy(view), cx.empty(view.shape, dtype=getattr(cx, to_dtype.name), device='native:0')
    sides: list[Callable[[], Any]] = [
        lambda: exchange.copy_into(y, x),
        lambda: np.copyto(out, view, casting='unsafe'),
    ]
    spoken = not {source, target} & {'uint16', 'uint32', 'uint64', 'bfloat16'}  # by torch, from NumPy
    if torch is not None and spoken and min(view.strides) > 0:
        ours, theirs = torch.from_numpy(out), torch.from_numpy(view)
        sides.append(lambda: ours.copy_(theirs))
    cx.set_num_threads(threads)
    if torch is not None:
        torch.set_num_threads(threads)
    times = race(sides, threads, smoke=smoke)
    traffic = view.size * (from_dtype.itemsize * layout.lines(from_dtype.itemsize) + to_dtype.itemsize)
    limit = float('nan') if smoke else traffic / times[0] / speeds.speed(nbytes, threads)
    name = layout.name if source == target else f'{source} to {target}, {layout.name}'
    beside = times[2] if len(times) == 3 else None
    return Row(name, source, size, threads, times[0], times[1], beside, times[1] / times[0], limit)


def cases(sizes: list[str], thread_counts: list[int], only: str, smoke: bool) -> Iterator[Row]:
    """Every row of the table."""
    speeds = Machine()
    for threads in thread_counts:
        for size in sizes:
            for layout in LAYOUTS:
                for itemsize in (1, 2, 4, 8, 16):
                    if only in f'{layout.name} {itemsize}':
                        dtype = UNSIGNED[itemsize]
                        yield case(layout, dtype, dtype, size, threads, speeds, smoke)
            for source, target in CONVERSIONS:
                for name in ('contiguous', 'x.T', 'x[:, ::2]'):
                    if only in f'{source} to {target}, {name}':
                        yield case(BY_NAME[name], source, target, size, threads, speeds, smoke)


def report(rows: list[Row]) -> None:
    """As a table for people."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ('case', 'dtype', 'size'):
        table.add_column(name)
    for name in ('threads', 'ours', 'NumPy', 'torch', 'faster than NumPy', 'of limit'):
        table.add_column(name, justify='right')
    for row in rows:
        facts = (str(row.threads), duration(row.ours), duration(row.numpy), duration(row.torch))
        table.add_row(row.case, row.dtype, row.size, *facts, f'{row.ratio:.2f} x', f'{row.limit * 100:.0f} %')
    print(machine())
    Console(width=140).print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('--smoke', action='store_true', help='run each case of the smallest size once, without timing')
    parser.add_argument('--full', action='store_true', help='1 GB too')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--only', default='', help='cases whose name and itemsize have this in them')
    parser.add_argument('--size', help='this size only')
    parser.add_argument('--threads', type=int, choices=(1, 2), help='this count only')
    arguments = parser.parse_args()
    sizes = [*SIZES, *(FULL if arguments.full else [])]
    if arguments.smoke:
        sizes = sizes[:1]
    if arguments.size:
        sizes = [arguments.size]
    thread_counts = [arguments.threads] if arguments.threads else [1, 2]
    rows = list(cases(sizes, thread_counts, arguments.only, arguments.smoke))
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    elif arguments.smoke:
        print(f'{len(rows)} cases ran')
    else:
        report(rows)


if __name__ == '__main__':
    main()
