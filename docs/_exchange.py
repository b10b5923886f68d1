"""Makes the tables of exchange.md from what `send` really does: ``python docs/_exchange.py`` rewrites them.

It needs PyTorch and JAX. The cells themselves, grouped, go to _static/exchange.json for machines to read.
"""

from __future__ import annotations

import collections
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tests' / 'exchange'))
from cells import DTYPES, LAYOUTS, SPECS, Cell, cells

DOCS = Path(__file__).resolve().parent
PAGE, SUMMARY = DOCS / 'exchange.md', DOCS / '_static' / 'exchange.json'

PART = re.compile(r'(?<=<!-- made by docs/_exchange.py: )(?P<name>\w+)(?P<mark> -->\n).*?(?=<!-- end -->)', re.DOTALL)


def outcome(cell: Cell) -> str:
    """What happens, in a word or two."""
    word = {'same': 'itself', 'alias': 'alias', 'copy': 'copy', 'refuse': 'refused'}[cell.route]
    return f'{word}, read-only' if cell.route == 'alias' and cell.readonly else word


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown."""
    lines = [list(head)]
    lines += [['---'] * len(lines[0]), *map(list, rows)]
    return '\n' + ''.join('| ' + ' | '.join(line) + ' |\n' for line in lines) + '\n'


def pairs(found: list[Cell]) -> str:
    """C-contiguous float32, from each to each."""
    plain = {(c.source, c.target): c for c in found if c.layout == 'C order' and c.dtype == 'float32'}
    head = ['from \\ to', *(f'`{spec}`' for spec in SPECS)]
    return table(head, ([f'`{source}`', *(outcome(plain[source, t]) for t in SPECS)] for source in SPECS))


def layouts(found: list[Cell]) -> str:
    """NumPy's float32 in every layout, to each."""
    there = {(c.layout, c.target): c for c in found if c.source == '@numpy' and c.dtype == 'float32'}
    head = ['layout', *(f'`{spec}`' for spec in SPECS)]
    return table(head, ([layout, *(outcome(there[layout, t]) for t in SPECS)] for layout in LAYOUTS))


def dtypes(found: list[Cell]) -> str:
    """NumPy's arrays of every data type, to each."""
    there = {(c.dtype, c.target): c for c in found if c.source == '@numpy' and c.layout == 'C order'}
    by_row: dict[tuple[str, ...], list[str]] = collections.defaultdict(list)
    for dtype in DTYPES:
        row = (there[dtype, target] for target in SPECS)
        by_row[tuple('with the flag' if 'x64' in c.why else outcome(c) for c in row)].append(f'`{dtype}`')
    head = ['data types', *(f'`{spec}`' for spec in SPECS)]
    return table(head, ([', '.join(names), *row] for row, names in by_row.items()))


def reasons(found: list[Cell]) -> str:
    """Why it is no alias, in the words of the plan, and how often."""
    count: dict[tuple[str, str], int] = collections.Counter()
    for cell in found:
        if cell.why:
            count[outcome(cell), _general(cell)] += 1
    rows = sorted(count.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    return table(['outcome', 'the plan says', 'cells'], ((what, why, str(number)) for (what, why), number in rows))


def totals(found: list[Cell]) -> str:
    """How many cells of each outcome."""
    count = collections.Counter(cell.route for cell in found)
    words = {'same': 'the very same object', 'alias': 'alias', 'copy': 'copy', 'refuse': 'refused'}
    parts = ', '.join(f'{count[route]} {word}' for route, word in words.items())
    return f'\n{len(found)} cells: {parts}. No value differs in any.\n\n'


def summary(found: list[Cell]) -> str:
    """Source, target and layout, with the data types of each outcome."""
    groups: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for cell in found:
        group = groups.setdefault((cell.source, cell.target, cell.layout), {})
        group.setdefault(outcome(cell), []).append(cell.dtype)
    rows = [dict(zip(('source', 'target', 'layout'), key)) | {'outcomes': group} for key, group in groups.items()]
    return '[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]\n'


def _general(cell: Cell) -> str:
    if 'cannot reach the memory' in cell.why:
        return "the target cannot reach the source's memory"
    why = cell.why
    for name, letter in ((cell.dtype, '...'), ('@jax:cpu:0', '`@jax`'), ('@torch:cpu', '`@torch`')):
        why = re.sub(rf'(?<![\w`]){re.escape(name)}\b', letter, why)
    why = re.sub(r'\b(native:0|sim:0)\b', r'`\1`', why)
    return re.sub(r"dtype='\w+'", 'dtype=...', why).replace('@numpy', '`@numpy`')


PARTS: dict[str, Callable[[list[Cell]], str]] = {
    function.__name__: function for function in (pairs, layouts, dtypes, reasons, totals)
}


def page(text: str, found: list[Cell]) -> str:
    """The page with its tables made anew."""
    return PART.sub(lambda part: part['name'] + part['mark'] + PARTS[part['name']](found), text)


def main() -> None:
    os.environ.setdefault('JAX_PLATFORMS', 'cpu')
    found = list(cells())
    PAGE.write_text(page(PAGE.read_text(), found))
    SUMMARY.write_text(summary(found))


if __name__ == '__main__':
    main()
