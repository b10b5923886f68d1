"""The results of a run as a table for people, in plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

SHOWN = 5  # failures of each part
WIDTH = 180


def text(results: dict[str, Any]) -> str:
    """All of it, the verdict as the last line."""
    blocks = [
        heading(results),
        columns(benchmark_rows(results['benchmarks'])) if results['benchmarks'] else [],
        columns(part_rows(results['parts'])),
        list(failures(results['parts'])),
        [verdict(results)],
    ]
    return '\n\n'.join('\n'.join(block) for block in blocks if block)


def heading(results: dict[str, Any]) -> list[str]:
    """What ran where and when."""
    versions = results.get('versions', {})
    card = results.get('card', {})
    state = f' at {results["commit"]}' if results['commit'] else ''
    lines = [f'crossdock {versions.get("crossdock", "?")}{state}, {results["date"]}']
    if card.get('name'):
        memory = f'{card["memory_nbytes"] / 2**30:.0f} GiB'
        lines += [f'{card["name"]} ({card["architecture"]}, {memory}), driver {card["driver"]}, CUDA {card["cuda"]}']
    if 'processor' in results:
        lines += [results['processor']]
    others = [f'{name} {version}' for name, version in versions.items() if name != 'crossdock']
    return lines + ([', '.join(others)] if others else [])


def part_rows(parts: Sequence[dict[str, Any]]) -> Iterator[Sequence[str]]:
    """A line for each part."""
    yield ('part', 'state', 'passed', 'failed', 'skipped', 'seconds', 'of', '')
    for part in parts:
        counts = [str(part[what] or '') for what in ('passed', 'failed', 'skipped')]
        times = [f'{part["seconds"]:.1f}', f'{part["limit_s"]:g}']
        yield (part['name'], part['state'], *counts, *times, part['note'])


def benchmark_rows(rows: Sequence[dict[str, Any]]) -> Iterator[Sequence[str]]:
    """A line for each case."""
    yield ('case', 'beside', 'ours', 'beside it', 'rate', 'result', 'goal', '')
    for row in rows:
        told = ': '.join(filter(None, [row['verdict'], row['note']]))
        yield (*(row['told'][key] for key in ('case', 'peer', 'ours', 'theirs', 'rate', 'value', 'goal')), told)


def columns(rows: Iterator[Sequence[str]]) -> list[str]:
    """Lined up; numbers to the right."""
    lines = list(rows)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    left = [i for i in range(len(widths)) if i < 2 or i == len(widths) - 1]
    made = [
        '  '.join(cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
        for line in lines
    ]
    return [line.rstrip()[:WIDTH] for line in [made[0], '-' * min(WIDTH, max(map(len, made))), *made[1:]]]


def failures(parts: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The first ones of each part, and the end of what a part printed that has none."""
    for part in parts:
        if part['state'] in ('passed', 'skipped') or not (part['failures'] or part['tail']):
            continue
        yield f'{part["name"]}:'
        for failure in part['failures'][:SHOWN]:
            yield f'  {failure["test"]}'
            yield from (f'      {line[:WIDTH]}' for line in failure['message'].splitlines()[:6])
        if (more := max(part['failed'], len(part['failures'])) - SHOWN) > 0:
            yield f'  and {more} more'
        if not part['failures']:
            yield from (f'  {line[:WIDTH]}' for line in part['tail'][-8:])


def verdict(results: dict[str, Any]) -> str:
    """The last line."""
    bad = [part['name'] for part in results['parts'] if part['state'] not in ('passed', 'skipped')]
    missed = sum(row['verdict'] == 'missed' for row in results['benchmarks'])
    told = f'FAILED: {", ".join(bad)}' if bad else 'all passed' if results['finished'] else 'NOT FINISHED'
    if missed:
        told += f'; {missed} goal{"s" if missed > 1 else ""} of the benchmarks missed'
    return f'{told}; {results["seconds"]:.0f} s'
