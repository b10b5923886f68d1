"""One measured case beside one peer, and how a race of several sides becomes such rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from _cuda import Driver
from _measure import duration

Work = Callable[[], Any]
BUDGET_S = 0.2  # for each side of a case, in rounds
ROUND_S = 0.01  # of the GPU's time, long against what a launch takes
MOST_ROUNDS = 200


@dataclass(frozen=True)
class Row:
    """`value` is how many times as fast as the peer ours is, or ours itself where `unit` is 'us'.

    `amount` is what was moved (bytes) or calculated (operations) in each execution, 0 if neither is telling.
    """

    case: str
    peer: str
    ours: float | None = None  # seconds
    theirs: float | None = None
    value: float | None = None
    unit: str = 'x'
    goal: float | None = None
    amount: float = 0
    what: str = 'B'
    failed: bool = False
    note: str = ''

    @property
    def verdict(self) -> str:
        if self.failed:
            return 'failed'
        if self.value is None:
            return '' if self.ours and self.goal is None else 'not measured'
        if self.goal is None:
            return ''
        good = self.value >= self.goal if self.unit == 'x' else self.value <= self.goal
        return 'ok' if good else 'missed'

    def told(self) -> dict[str, str]:
        """The cells of a table."""
        sign = '>=' if self.unit == 'x' else '<='
        rate = ''
        if self.amount and self.ours:
            per_s = self.amount / self.ours
            rate = f'{per_s / 1e12:.2f} T{self.what}/s' if per_s >= 1e12 else f'{per_s / 1e9:.1f} G{self.what}/s'
        return {
            'case': self.case,
            'peer': self.peer,
            'ours': duration(self.ours),
            'theirs': duration(self.theirs),
            'rate': rate,
            'value': '' if self.value is None else f'{self.value:.2f} {self.unit}',
            'goal': '' if self.goal is None else f'{sign} {self.goal:g} {self.unit}',
        }

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), 'verdict': self.verdict, 'told': self.told()}


@dataclass(frozen=True)
class Side:
    """One contestant: what it does once, and how often at least in each round."""

    work: Work
    count: int = 1


@dataclass
class Race:
    """Ours and its peers in turns; the fastest round of each counts.

    `clock` is 'device', for work that keeps the GPU busy, 'wall' for work until the GPU is done, or 'host' for what a
    call costs the host alone.
    """

    driver: Driver
    clock: str
    smoke: bool
    best: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    there: list[str] = field(default_factory=list)

    def run(self, sides: Mapping[str, Side]) -> Race:
        """Fill in `best` and `errors`, by name."""
        self.there = [name for name in sides if name != 'ours']
        counts: dict[str, int] = {}
        for name, side in sides.items():
            try:
                counts[name] = self.warm(side)
            except Exception as error:
                self.errors[name] = f'{type(error).__name__}: {error}'.splitlines()[0][:200]
        spent, rounds = 0.0, 0
        while not self.smoke and counts and rounds < MOST_ROUNDS:
            for name, count in counts.items():
                seconds = self.once(sides[name].work, count)
                spent += seconds * count
                self.best[name] = min(self.best.get(name, seconds), seconds)
            rounds += 1
            # Three rounds, if they are not slow beyond all that was foreseen.
            if spent > BUDGET_S * len(counts) * (1 if rounds >= 3 else 5):
                break
        return self

    def warm(self, side: Side) -> int:
        """How many executions make a round; compiled and cached things are there afterwards."""
        self.once(side.work, 1)
        if self.smoke:
            return 1
        self.once(side.work, side.count)
        return max(side.count, min(1000, int(ROUND_S / max(self.once(side.work, side.count), 1e-7))))

    def once(self, work: Work, count: int) -> float:
        """Seconds for one of so many executions."""
        if self.clock == 'device':
            return self.driver.seconds(work, count)
        began = time.perf_counter()
        for _ in range(count):
            work()
        queued = time.perf_counter()
        self.driver.wait()
        return ((queued if self.clock == 'host' else time.perf_counter()) - began) / count

    def rows(self, case: str, goals: Mapping[str, float], **facts: Any) -> Iterator[Row]:
        """One for each peer that was in the race or has a goal; what failed or is not here is said."""
        if 'ours' in self.errors:
            yield Row(case, '', failed=True, note=self.errors['ours'])
            return
        ours = self.best.get('ours')
        for peer in dict.fromkeys([*self.there, *goals]) or ['']:
            theirs = self.best.get(peer)
            note = 'ran once' if self.smoke else 'no peer is here' if not peer else ''
            if peer and peer not in self.there:
                note = 'not here'
            value = theirs / ours if ours and theirs else None
            yield Row(case, peer, ours, theirs, value, goal=goals.get(peer), note=self.errors.get(peer, note), **facts)
