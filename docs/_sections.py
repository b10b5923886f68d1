"""The directive `core-sections`: every function of `crossdock.core` under its section of the array API standard.

The section is what the function's own docstring says, so that the page cannot drift from the code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

import crossdock.core

SAYS = re.compile(r'Array API standard 2024\.12,\s+"([^"]+)"')
BEYOND = 'Beyond the standard'


def section(thing: Any) -> str:
    """The standard's section that a docstring names."""
    found = SAYS.search(inspect.getdoc(thing) or '')
    return found[1] if found else BEYOND


def summary(thing: Any) -> str:
    """The first paragraph after the signature line of compiled functions."""
    paragraphs = [' '.join(p.split()) for p in (inspect.getdoc(thing) or '').split('\n\n')]
    first = next((p for p in paragraphs if p and not re.match(r'\w+\(.*\)( -> .*)?$', p)), '')
    return SAYS.sub('', first).strip().replace('|', r'\|')


def functions(module: ModuleType, prefix: str) -> Iterator[tuple[str, Any]]:
    """Public functions with the names that a reader types."""
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.ismodule(thing) and thing.__name__.endswith(('.linalg', '.fft')):
            yield from functions(thing, f'{prefix}{name}.')
        elif callable(thing) and not inspect.isclass(thing):
            yield prefix + name, thing


def by_section() -> dict[str, dict[str, Any]]:
    """Section -> name -> function, those beyond the standard last."""
    sections: dict[str, dict[str, Any]] = {}
    for name, thing in functions(crossdock.core, ''):
        if not hasattr(thing, 'numpy_dtype'):  # dtype objects are callable, and no functions
            sections.setdefault(section(thing), {})[name] = thing
    return dict(sorted(sections.items(), key=lambda item: (item[0] == BEYOND, item[0].lower())))


class CoreSections(SphinxDirective):
    """Emit a table of names and first lines for each section, then the full entries."""

    def run(self) -> list[nodes.Node]:
        lines: list[str] = []
        for title, members in by_section().items():
            lines += [title, '=' * len(title), '', '.. list-table::', '   :widths: 25 75', '']
            for name, thing in members.items():
                lines += [f'   * - :py:func:`{name} <crossdock.core.{name}>`', f'     - {summary(thing)}']
            lines += [''] + [f'.. autofunction:: crossdock.core.{name}' for name in members] + ['']
        node = nodes.container()
        nested_parse_with_titles(self.state, StringList(lines, '<core-sections>'), node)
        return node.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive('core-sections', CoreSections)
    return {'parallel_read_safe': True}
