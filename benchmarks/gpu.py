"""How fast `cuda:0` is: beside the bare driver, beside CuPy and beside PyTorch, in one run.

It says so and is done where there is no GPU. Peers that are not here are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _cuda import Driver, absent
from _gpu_rows import Race, Row, Side, Work
from _measure import machine
from rich import box
from rich.console import Console
from rich.table import Table

import crossdock as xd
import crossdock.core as cx
from crossdock.core import exchange
from crossdock.devices import cuda
from crossdock.errors import DeviceUnavailableError

DEVICE = 'cuda:0'
SMALL_CALLS = 500  # in a round, so that the wait at its end does not count


class Bench:
    """The GPU, the peers, and data of the size that suits them."""

    def __init__(self, smoke: bool) -> None:
        self.driver = Driver()
        self.smoke = smoke
        self.device = xd.get_device(DEVICE)
        self.rng = np.random.default_rng(0)
        self.cupy = peer('cupy', lambda cupy: cupy.cuda.runtime.getDeviceCount() > 0)
        self.torch = peer('torch', lambda torch: torch.cuda.is_available())
        # 1 GiB, or less where several such arrays of three libraries would not fit.
        self.side = 64 if smoke else 1 << (min(2**28, self.driver.memory_nbytes // 128).bit_length() - 1) // 2
        self.large = self.rng.random((self.side, self.side), 'float32')

    def race(
        self,
        case: str,
        ours: Work,
        cupy: Work | None = None,
        torch: Work | None = None,
        bare: Work | None = None,
        *,
        clock: str = 'device',
        count: int = 1,
        goals: dict[str, float] | None = None,
        **facts: Any,
    ) -> Iterator[Row]:
        """Ours beside those peers that are here."""
        works = {'ours': ours, 'bare driver': bare, 'CuPy': cupy, 'torch': torch}
        sides = {name: Side(work, 10 if self.smoke else count) for name, work in works.items() if work}
        yield from Race(self.driver, clock, self.smoke).run(sides).rows(case, goals or {}, **facts)

    def on_cupy(self, x: np.ndarray[Any, Any]) -> Any:
        return self.cupy.asarray(x) if self.cupy else None

    def on_torch(self, x: np.ndarray[Any, Any]) -> Any:
        return self.torch.from_numpy(x).cuda() if self.torch else None

    def with_cupy(self, work: Work) -> Work | None:
        return work if self.cupy else None

    def with_torch(self, work: Work) -> Work | None:
        return work if self.torch else None


def peer(name: str, works: Callable[[Any], bool]) -> Any:
    """The library, if it is here and sees a GPU."""
    with contextlib.suppress(Exception):
        module = importlib.import_module(name)
        if works(module):
            return module
    return None


def pinned_copies(b: Bench) -> Iterator[Row]:
    """Page-locked memory to the GPU and back, beside the driver's own copy of the same memory."""
    pool = cx.pinned_memory_pool(DEVICE)
    pool.set_limit(b.large.nbytes + (64 << 20))
    host = pool.empty(b.large.shape, dtype=cx.float32)
    address, nbytes = exchange.as_numpy(host).ctypes.data, b.large.nbytes
    exchange.as_numpy(host)[...] = b.large
    there, memory = b.device.send(host), b.driver.allocate(b.large.nbytes)
    goals, facts = {'bare driver': 0.95}, {'clock': 'wall', 'amount': nbytes}
    to = f'{nbytes >> 20} MiB page-locked'
    up = lambda: b.driver.upload(memory, address, nbytes)  # noqa: E731
    down = lambda: b.driver.download(address, memory, nbytes)  # noqa: E731
    yield from b.race(f'{to} to the GPU', lambda: b.device.send(host), bare=up, goals=goals, **facts)
    yield from b.race(f'{to} from the GPU', lambda: xd.copyto(host, there), bare=down, goals=goals, **facts)
    b.driver.free(memory)


def pageable_copies(b: Bench) -> Iterator[Row]:
    """NumPy's memory to the GPU and back."""
    x, nbytes = b.large, b.large.nbytes
    there, cupys, tensor = b.device.send(x), b.on_cupy(x), b.on_torch(x)
    yield from b.race(
        f'{nbytes >> 20} MiB of NumPy to the GPU',
        lambda: b.device.send(x),
        b.with_cupy(lambda: b.cupy.asarray(x)),
        b.with_torch(lambda: b.torch.from_numpy(x).to('cuda')),
        clock='wall',
        goals={'CuPy': 2},
        amount=nbytes,
    )
    yield from b.race(
        f'{nbytes >> 20} MiB from the GPU to NumPy',
        lambda: xd.to_numpy(there),
        b.with_cupy(lambda: b.cupy.asnumpy(cupys)),
        b.with_torch(lambda: tensor.cpu().numpy()),
        clock='wall',
        amount=nbytes,
    )
    small = [b.rng.random(1024, 'float32') for _ in range(10 if b.smoke else 1000)]
    yield from b.race(
        '1,000 arrays of 4 KiB to the GPU',
        lambda: b.device.send(small),
        b.with_cupy(lambda: [b.cupy.asarray(one) for one in small]),
        b.with_torch(lambda: [b.torch.from_numpy(one).to('cuda') for one in small]),
        clock='wall',
        goals={'CuPy': 10},
    )


def elementwise(b: Bench) -> Iterator[Row]:
    """Large arrays, one element at a time: the memory's speed is the limit."""
    x, nbytes = b.device.send(b.large), b.large.nbytes
    y, out = b.device.send(b.large), cx.empty(x.shape, dtype=cx.float32, device=DEVICE)
    c, t = b.on_cupy(b.large), b.on_torch(b.large)
    c_out, t_out = b.cupy.empty_like(c) if b.cupy else None, b.torch.empty_like(t) if b.torch else None
    memory = b.driver.allocate(2 * nbytes)
    second = type(memory)(memory.value + nbytes)
    half = lambda: b.driver.copy(second, memory, nbytes)  # noqa: E731
    cases: list[tuple[str, int, Work, Work, Work]] = [
        ('copy', 2, lambda: exchange.copy_into(out, x), lambda: b.cupy.copyto(c_out, c), lambda: t_out.copy_(t)),
        ('x + y', 3, lambda: x + y, lambda: c + c_out, lambda: t + t_out),
        ('exp(x)', 2, lambda: cx.exp(x), lambda: b.cupy.exp(c), lambda: b.torch.exp(t)),
    ]
    for case, arrays, ours, cupys, torchs in cases:
        goals = {'copy bandwidth': 0.9, 'CuPy': 1.0} if case == 'x + y' else {}
        sides = {'ours': Side(ours), 'copy bandwidth': Side(half)}
        sides |= {'CuPy': Side(cupys)} if b.cupy else {}
        sides |= {'torch': Side(torchs)} if b.torch else {}
        race = Race(b.driver, 'device', b.smoke).run(sides)
        if 'copy bandwidth' in race.best:
            race.best['copy bandwidth'] *= arrays / 2  # what it would take for as many bytes
        yield from race.rows(f'{case}, {nbytes >> 20} MiB of float32', goals, amount=arrays * nbytes)
    b.driver.free(memory)


def reductions(b: Bench) -> Iterator[Row]:
    """Sums of a square matrix, and its transposition in memory."""
    x, c, t = b.device.send(b.large), b.on_cupy(b.large), b.on_torch(b.large)
    size = f'{b.side} x {b.side} float32'
    for case, axis in (('sum', None), ('sum of rows', 1), ('sum of columns', 0)):
        yield from b.race(
            f'{case}, {size}',
            lambda axis=axis: cx.sum(x, axis=axis),
            b.with_cupy(lambda axis=axis: b.cupy.sum(c, axis=axis)),
            b.with_torch(lambda axis=axis: b.torch.sum(t) if axis is None else b.torch.sum(t, axis)),
            goals={'CuPy': 1},
            amount=b.large.nbytes,
        )
    out = cx.empty(x.shape, dtype=cx.float32, device=DEVICE)
    c_out, t_out = b.cupy.empty_like(c) if b.cupy else None, b.torch.empty_like(t) if b.torch else None
    yield from b.race(
        f'x.T in memory, {size}',
        lambda: exchange.copy_into(out, x.T),
        b.with_cupy(lambda: b.cupy.copyto(c_out, c.T)),
        b.with_torch(lambda: t_out.copy_(t.t())),
        goals={'CuPy': 1},
        amount=2 * b.large.nbytes,
    )


def products(b: Bench) -> Iterator[Row]:
    """Products of square matrices."""
    n = min(b.side, 8192)
    for dtype in ('float32', 'float64', 'bfloat16'):
        host = b.rng.standard_normal((n, n)).astype('float64' if dtype == 'float64' else 'float32')
        x = b.device.send(host, dtype=dtype)
        c = b.on_cupy(host) if dtype != 'bfloat16' else None
        t = b.on_torch(host).to(getattr(b.torch, dtype)) if b.torch else None
        yield from b.race(
            f'x @ x, {n} x {n} {dtype}',
            lambda x=x: x @ x,
            (lambda c=c: c @ c) if c is not None else None,
            (lambda t=t: t @ t) if t is not None else None,
            amount=2 * n**3,
            what='FLOP',
        )


def rearrangements(b: Bench) -> Iterator[Row]:
    """Running sums, sorting, and reading where an index says."""
    n = b.large.size // 4
    host = b.large.reshape(-1)[:n]
    places = b.rng.integers(0, n, n // 4)
    x, c, t = b.device.send(host), b.on_cupy(host), b.on_torch(host)
    i, ci, ti = b.device.send(places), b.on_cupy(places), b.on_torch(places)
    cases: list[tuple[str, int, Work, Work, Work]] = [
        ('cumulative_sum', 2, lambda: cx.cumulative_sum(x), lambda: b.cupy.cumsum(c), lambda: b.torch.cumsum(t, 0)),
        ('sort', 2, lambda: cx.sort(x), lambda: b.cupy.sort(c), lambda: b.torch.sort(t)),
    ]
    for case, arrays, ours, cupys, torchs in cases:
        sides = (b.with_cupy(cupys), b.with_torch(torchs))
        yield from b.race(f'{case}, {n:,} float32', ours, *sides, amount=arrays * host.nbytes)
    yield from b.race(
        f'take {len(places):,} of {n:,} float32',
        lambda: cx.take(x, i),
        b.with_cupy(lambda: b.cupy.take(c, ci)),
        b.with_torch(lambda: b.torch.take(t, ti)),
        amount=len(places) * (8 + 4 + 4),
    )


def small_operations(b: Bench) -> Iterator[Row]:
    """What an operation of eight numbers costs, when many follow each other."""
    host = b.rng.random(8, 'float32')
    x, c, t = b.device.send(host), b.on_cupy(host), b.on_torch(host)
    cases: list[tuple[str, Work, Work, Work]] = [
        ('x + x', lambda: x + x, lambda: c + c, lambda: t + t),
        ('sum', lambda: cx.sum(x), lambda: b.cupy.sum(c), lambda: b.torch.sum(t)),
    ]
    for case, ours, cupys, torchs in cases:
        sides = (b.with_cupy(cupys), b.with_torch(torchs))
        yield from b.race(f'{case} of 8 float32, each of many', ours, *sides, clock='wall', count=SMALL_CALLS)
        if b.cupy:
            yield from with_a_pool_of_its_own(b, f'{case} of 8 float32, CuPy has another pool', ours, cupys)


def with_a_pool_of_its_own(b: Bench, case: str, ours: Work, cupys: Work) -> Iterator[Row]:
    """As where CuPy is not in the process, and need not be asked for memory."""
    before = cuda.share_pool(None)
    try:
        yield from b.race(case, ours, cupys, clock='wall', count=SMALL_CALLS)
    finally:
        cuda.share_pool(before)


def handing_over(b: Bench) -> Iterator[Row]:
    """An array on the GPU from library to library, without a copy."""
    x = b.device.send(b.rng.random(1024, 'float32'))
    for spec, library, goal in (('@cupy:0', b.cupy, 1.0), ('@torch:cuda:0', b.torch, None)):
        ways = (f'{DEVICE} to {spec}', f'{spec} to {DEVICE}')
        if library is None:
            yield from (Row(way, '', unit='us', goal=goal, note='not here') for way in ways)
            continue
        there, y = xd.get_device(spec), xd.get_device(spec).send(x)
        take = library.from_dlpack
        for way, ours in zip(ways, (lambda there=there: there.send(x), lambda y=y: b.device.send(y))):
            theirs = Side(lambda take=take, y=y: take(y), SMALL_CALLS)
            race = Race(b.driver, 'host', b.smoke).run({'ours': Side(ours, SMALL_CALLS), 'theirs': theirs})
            if 'ours' in race.errors:
                yield Row(way, '', unit='us', goal=goal, failed=True, note=race.errors['ours'])
                continue
            seconds, beside = race.best.get('ours'), race.best.get('theirs')
            value = seconds * 1e6 if seconds else None
            yield Row(way, f'{library.__name__}.from_dlpack of its own', seconds, beside, value, 'us', goal)


def traced(b: Bench) -> Iterator[Row]:
    """What it costs to trace copies, and to have the driver tell of them."""
    small = [b.rng.random(1024, 'float32') for _ in range(10 if b.smoke else 1000)]

    def send_each(**options: bool) -> None:
        with xd.trace_transfers(**options):
            for one in small:
                b.device.send(one)

    case = '1,000 sends of 4 KiB, compared with the driver'
    try:
        with xd.trace_transfers(ground_truth=True):
            pass
    except DeviceUnavailableError as error:
        yield Row(case, '', note=error.reason)
        return
    sides = {'ours': Side(lambda: send_each(ground_truth=True)), 'traced alone': Side(send_each)}
    yield from Race(b.driver, 'wall', b.smoke).run(sides).rows(case, {})


GROUPS = (
    pinned_copies,
    pageable_copies,
    elementwise,
    reductions,
    handing_over,
    small_operations,
    products,
    rearrangements,
    traced,
)


def cases(smoke: bool) -> Iterator[Row]:
    """Every row of the table, those with a goal first. What cannot be done is a row that says why."""
    b = Bench(smoke)
    for group in GROUPS:
        try:
            yield from group(b)
        except Exception as error:
            note = f'{type(error).__name__}: {error}'.splitlines()[0][:200]
            yield Row(group.__name__.replace('_', ' '), '', failed=True, note=note)


def report(rows: list[Row]) -> None:
    """As a table for people."""
    table = Table('case', 'beside', box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ('ours', 'beside it', 'rate', 'result', 'goal'):
        table.add_column(name, justify='right')
    table.add_column('')
    for row in rows:
        table.add_row(*row.told().values(), ': '.join(filter(None, [row.verdict, row.note])))
    Console(width=160).print(table)


def main() -> int:
    """1 if something of ours failed, whatever the times are."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--smoke', action='store_true', help='run each case once, small, without timing')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the rows there, after each')
    arguments = parser.parse_args()
    if reason := absent():
        print(f'no GPU, so nothing to time: {reason}')
        return 0
    began, rows = time.perf_counter(), []
    for row in cases(arguments.smoke):
        rows.append(row)
        if arguments.json:
            arguments.json.write_text(json.dumps({'rows': [one.as_dict() for one in rows]}, indent=1))
    print(machine())
    report(rows)
    print(f'{time.perf_counter() - began:.1f} s')
    return int(any(row.failed for row in rows))


if __name__ == '__main__':
    raise SystemExit(main())
