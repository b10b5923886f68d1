"""Puts the results of tests/gpu/run.sh into gpu-results.md: ``python docs/_gpu_results.py RESULTS/results.json``.

They are kept in _static/gpu-results.json; without an argument the page is made of those anew.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE, KEPT = DOCS / 'gpu-results.md', DOCS / '_static' / 'gpu-results.json'
PART = re.compile(r'(?<=<!-- made by docs/_gpu_results.py -->\n).*?(?=<!-- end -->)', re.DOTALL)

NONE = """
**Nothing yet.** No GPU has been at hand so far. The CUDA back-end has been tested on a fake driver that runs its
kernels on the CPU, and the kernels have been compiled for each generation of GPUs, but neither a test nor a benchmark
has run on a card. Until this page has figures, take no speed of `cuda:N` as measured.

"""
VERSIONS = ('crossdock', 'python', 'numpy', 'cupy-cuda13x', 'torch', 'jax', 'nvidia-cuda-nvrtc', 'nvidia-cublas')


def table(head: Iterable[str], align: str, rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown; `align` has a letter for each column, l or r."""
    marks = ['---:' if letter == 'r' else '---' for letter in align]
    lines = [list(head), marks, *map(list, rows)]
    return ''.join('| ' + ' | '.join(cell.replace('|', r'\|') for cell in line) + ' |\n' for line in lines)


def results(data: dict[str, Any] | None) -> str:
    """What stands between the marks."""
    if data is None:
        return NONE
    blocks = [where(data), '## Tests\n', tests(data['parts'])]
    if told := '\n'.join(failures(data['parts'])):
        blocks += ['What failed, the first of each part:\n', told + '\n']
    if data['benchmarks']:
        blocks += ['## Figures\n', MEANING, figures(data['benchmarks'])]
    return '\n' + '\n'.join(blocks) + '\n'


MEANING = (
    'The result is how many times as fast as what is beside it, in the same run, except where it has a unit of time.\n'
)


def where(data: dict[str, Any]) -> str:
    """Card, date, versions."""
    card, versions = data['card'], data['versions']
    memory = f'{card["memory_nbytes"] / 2**30:.0f} GiB'
    names = [f'{name} {versions[name]}' for name in VERSIONS if name in versions]
    state = f', at commit {data["commit"]}' if data['commit'] else ''
    return (
        f'{card["name"]} ({card["architecture"]}, {memory}), driver {card["driver"]}, CUDA {card["cuda"]}; '
        f'{data["processor"]}. {data["date"]}{state}, {data["seconds"]:.0f} s in all. {", ".join(names)}.\n'
    )


def tests(parts: Iterable[dict[str, Any]]) -> str:
    """A row for each part."""
    rows = (
        [p['name'], p['state'], *(str(p[k]) for k in ('passed', 'failed', 'skipped', 'seconds')), p['note']]
        for p in parts
    )
    return table(['part', 'state', 'passed', 'failed', 'skipped', 'seconds', ''], 'llrrrrl', rows)


def failures(parts: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Test by test, in short."""
    for part in parts:
        for failure in part['failures'][:5]:
            lines = failure['message'].splitlines() or ['']
            yield f'- `{failure["test"]}`: `{lines[0].removeprefix("E").strip()}`'


def figures(rows: Iterable[dict[str, Any]]) -> str:
    """A row for each case and peer."""
    keys = ('case', 'peer', 'ours', 'theirs', 'rate', 'value', 'goal')
    cells = ([*(row['told'][key] for key in keys), told(row)] for row in rows)
    return table(['case', 'beside', 'ours', 'beside it', 'rate', 'result', 'goal', ''], 'llrrrrrl', cells)


def told(row: dict[str, Any]) -> str:
    """The last cell."""
    return ': '.join(filter(None, [row['verdict'], row['note']]))


def page(text: str, data: dict[str, Any] | None) -> str:
    """The page with its results made anew."""
    return PART.sub(lambda _: results(data), text)


def kept() -> dict[str, Any] | None:
    """The results that are kept; None if there are none."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else None


def main() -> None:
    if len(sys.argv) > 1:
        KEPT.write_text(Path(sys.argv[1]).read_text())
    PAGE.write_text(page(PAGE.read_text(), kept()))


if __name__ == '__main__':
    main()
