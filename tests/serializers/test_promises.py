"""Each promise on the page about files names tests that hold it, and each named test exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / 'docs' / 'promises.md').read_text()
NAMED = re.compile(r'`((?:tests|src)/[\w/]+\.py)::(\w+)`')


def functions(path):
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_a_test():
    sections = re.split(r'^## ', PAGE, flags=re.MULTILINE)[1:]
    numbered = [section for section in sections if section[0].isdigit()]
    assert [int(section.split('.')[0]) for section in numbered] == list(range(1, 11))
    for section in numbered:
        assert NAMED.search(section), section.splitlines()[0]


def test_every_named_test_exists():
    named = NAMED.findall(PAGE)
    assert len(set(named)) == len(named) > 30
    for path, name in named:
        assert name.startswith('test_')
        assert name in functions(path), f'{path}::{name}'
