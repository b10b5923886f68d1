"""The signatures that users see are the ones that were meant, and every function is documented."""

from __future__ import annotations

import difflib
import inspect

import array_api_strict
import pytest

from .fuzz.names import FUNCTIONS
from .golden.signatures import GOLDEN, signatures


def test_signatures_are_the_golden_ones() -> None:
    pytest.importorskip('nanobind')
    golden, now = (text.splitlines() for text in (GOLDEN.read_text(), signatures()))
    if golden[0] != now[0]:
        pytest.skip(f'the golden signatures were written by another version ({golden[0][2:]})')
    difference = '\n'.join(difflib.unified_diff(golden, now, 'golden', 'built', n=0, lineterm=''))
    assert not difference, f'if that was meant, run `nox -s stubs` and commit:\n{difference}'


def declared(name: str) -> str:
    function = FUNCTIONS[name]
    bound = getattr(function, '__nb_signature__', None)
    return bound[0][0] if bound else str(inspect.signature(function))


def lacks(name: str) -> set[str]:
    doc = inspect.getdoc(FUNCTIONS[name]) or ''
    signature = declared(name)
    room, _, word = name.rpartition('.')
    standard = hasattr(getattr(array_api_strict, room, None) if room else array_api_strict, word)
    wanted = {
        'Returns': '-> None' not in signature,
        'Parameters': '()' not in signature,
        'Array API standard': standard,
    }
    heading = {'Returns': 'Returns\n-------', 'Parameters': 'Parameters\n----------'}
    return {part for part, needed in wanted.items() if needed and heading.get(part, part).lower() not in doc.lower()}


def test_every_function_is_documented() -> None:
    functions = {name for name, thing in FUNCTIONS.items() if not inspect.isclass(thing)}
    lacking = {name: lacks(name) for name in sorted(functions) if lacks(name)}
    assert not lacking, f'docstrings lack parts: {lacking}'
