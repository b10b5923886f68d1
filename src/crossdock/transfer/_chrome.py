"""The rows of a trace in Chrome's trace event format.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from crossdock.transfer._columns import Columns, Kind, columns_of
from crossdock.transfer._row import Transfer

__all__ = ['chrome_trace']

_PID = 1
_MICRO = 1e6  # the format counts microseconds
_ROUNDING_S = 1e-9
_CHUNK = 10_000  # rows


def chrome_trace(rows: Iterable[Transfer] | Columns) -> Iterator[str]:
    """The document in pieces: a complete event for each row whose time is known, an instant for the others.

    The rows of a pair of devices share a track; where some overlap, as those of several threads do, there are further
    tracks of the same name, since the events of one must nest.
    """
    columns = columns_of(rows)
    first = {'ph': 'M', 'pid': _PID, 'tid': 0, 'name': 'process_name', 'args': {'name': 'crossdock transfers'}}
    yield '{"displayTimeUnit": "ms", "traceEvents": [\n' + json.dumps(first)
    tracks = _Tracks()
    heads = [_head(kind) for kind in columns.kinds]
    order = np.argsort(columns.began, kind='stable')
    for chunk in range(0, len(order), _CHUNK):
        part = order[chunk : chunk + _CHUNK]
        facts = (columns.kind, columns.nbytes, columns.batch, columns.began, columns.seconds)
        yield ''.join(tracks.told(columns.kinds, heads, zip(*(fact[part].tolist() for fact in facts), strict=True)))
    yield '\n]}\n'


def _head(kind: Kind) -> str:
    """The beginning of each event of a kind, up to the arguments that differ."""
    name = f'{kind.op} {Path(kind.filename).name}:{kind.lineno}' if kind.filename else kind.op
    # What is not there, and what is said elsewhere, would make a large file larger.
    facts = {name: value for name, value in kind._asdict().items() if value and name != 'implicit'}
    event = {'name': name, 'cat': 'implicit' if kind.implicit else 'explicit', 'pid': _PID, 'args': facts}
    return ',\n' + json.dumps(event)[:-2] + ', "nbytes": '


class _Tracks:
    """Which event goes where."""

    def __init__(self) -> None:
        self._free: dict[tuple[str, str], list[float]] = {}  # when each track of a pair is free again
        self._numbers: dict[tuple[str, str, int], int] = {}

    def told(self, kinds: list[Kind], heads: list[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
        for kind, nbytes, batch, began, seconds in rows:
            known = not isnan(seconds)
            pair = kinds[kind].source, kinds[kind].target
            tracks = self._free.setdefault(pair, [])
            lane = 0
            while lane < len(tracks) and tracks[lane] > began + _ROUNDING_S:
                lane += 1
            tracks[lane : lane + 1] = [began + (seconds if known else 0.0)]
            number = self._numbers.get((*pair, lane))
            if number is None:
                number = self._numbers[*pair, lane] = len(self._numbers) + 1
                yield from (',\n' + json.dumps(name) for name in _names(*pair, lane, number))
            together = '' if batch < 0 else f', "batch": {batch}'
            time = f'"ph": "X", "dur": {seconds * _MICRO:.3f}' if known else '"ph": "i", "s": "t"'
            yield f'{heads[kind]}{nbytes}{together}}}, "tid": {number}, "ts": {began * _MICRO:.3f}, {time}}}'


def _names(source: str, target: str, lane: int, tid: int) -> list[dict[str, Any]]:
    name = f'{source} \N{RIGHTWARDS ARROW} {target}' + (f' ({lane + 1})' if lane else '')
    head = {'ph': 'M', 'pid': _PID, 'tid': tid}
    return [
        {**head, 'name': 'thread_name', 'args': {'name': name}},
        {**head, 'name': 'thread_sort_index', 'args': {'sort_index': tid}},
    ]
