"""The rows of a trace in Chrome's trace event format.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossdock.transfer._row import Transfer

__all__ = ['chrome_trace']

_PID = 1
_MICRO = 1e6  # the format counts microseconds
_ROUNDING_S = 1e-9


def chrome_trace(rows: Iterable[Transfer]) -> dict[str, Any]:
    """The document: a complete event for each row whose time is known, an instant for the others.

    The rows of a pair of devices share a track; where some overlap, as those of several threads do, there are further
    tracks of the same name, since the events of one must nest.
    """
    free: dict[tuple[str, str], list[float]] = {}  # when each track of a pair is free again
    numbers: dict[tuple[str, str, int], int] = {}
    events = [{'ph': 'M', 'pid': _PID, 'tid': 0, 'name': 'process_name', 'args': {'name': 'crossdock transfers'}}]
    for row in sorted(rows, key=lambda row: row.began):
        tracks = free.setdefault((row.source, row.target), [])
        lane = next((i for i, until in enumerate(tracks) if until <= row.began + _ROUNDING_S), len(tracks))
        tracks[lane : lane + 1] = [row.began + (row.seconds or 0.0)]
        key = (row.source, row.target, lane)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            events += _names(row, lane, numbers[key])
        events.append(_event(row, numbers[key]))
    return {'traceEvents': events, 'displayTimeUnit': 'ms'}


def _names(row: Transfer, lane: int, tid: int) -> list[dict[str, Any]]:
    name = f'{row.source} \N{RIGHTWARDS ARROW} {row.target}' + (f' ({lane + 1})' if lane else '')
    head = {'ph': 'M', 'pid': _PID, 'tid': tid}
    return [
        {**head, 'name': 'thread_name', 'args': {'name': name}},
        {**head, 'name': 'thread_sort_index', 'args': {'sort_index': tid}},
    ]


def _event(row: Transfer, tid: int) -> dict[str, Any]:
    facts = {name: value for name, value in row.to_dict().items() if name not in ('began', 'seconds')}
    name = f'{row.op} {Path(row.filename).name}:{row.lineno}' if row.filename else row.op
    event = {
        'name': name,
        'cat': 'implicit' if row.implicit else 'explicit',
        'pid': _PID,
        'tid': tid,
        'args': facts,
        'ts': row.began * _MICRO,
    }
    if row.seconds is None:
        return {**event, 'ph': 'i', 's': 't'}
    return {**event, 'ph': 'X', 'dur': row.seconds * _MICRO}
