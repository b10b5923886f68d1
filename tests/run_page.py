"""Runs the Python blocks of a Markdown page: ``python run_page.py PAGE``.

The blocks share their names, as a reader's session would. On the line before, ``<!-- not run: why -->`` excuses one,
and ``<!-- needs: MODULE -->`` does so where that module is not installed.
A block with prompts is compared with what it prints; one without is executed.
"""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r'^(?P<excuse><!-- (not run: [^\n]+|needs: (?P<module>\w+)) -->\n)?```python\n(?P<code>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
OPTIONS = doctest.ELLIPSIS  # messages of errors count: they are what the reader will see


def main(page: Path) -> int:
    """Return how many examples failed; what failed is printed."""
    text = page.read_text()
    names: dict[str, Any] = {'__name__': '__main__'}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for block in FENCE.finditer(text):
        line = text.count('\n', 0, block.start('code'))
        if block['excuse'] and not (block['module'] and importlib.util.find_spec(block['module'])):
            print(f'{page.name}:{line}: {block["excuse"].strip()}')
        elif '>>>' in block['code']:
            example = doctest.DocTestParser().get_doctest(block['code'], names, page.name, str(page), line)
            runner.run(example, clear_globs=False)
            names.update(example.globs)
        else:
            exec(compile('\n' * line + block['code'], page, 'exec'), names)
    return min(runner.failures, 100)


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
