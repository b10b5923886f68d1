"""Every example that a reader may copy runs: in docstrings, in the documentation, in the README."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import crossdock

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('**/*.md'))]
MODULES = ['crossdock', *(m.name for m in pkgutil.walk_packages(crossdock.__path__, 'crossdock.'))]
FENCE = re.compile(r'^(?P<skip><!-- not run: .+ -->\n)?```python\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Examples write files by bare names."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize('name', [name for name in MODULES if not name.endswith('__main__')])
def test_docstrings(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(page):
    """The blocks of one page share their names, as a reader's session would; ``<!-- not run: why -->`` excuses one."""
    text = page.read_text()
    names = {}
    for block in FENCE.finditer(text):
        if block['skip']:
            continue
        line = text.count('\n', 0, block.start('code'))
        if '>>>' in block['code']:
            example = doctest.DocTestParser().get_doctest(block['code'], names, page.name, str(page), line)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
            runner.run(example, clear_globs=False)
            assert runner.summarize().failed == 0
            names.update(example.globs)
        else:
            exec(compile('\n' * line + block['code'], page, 'exec'), names)


def test_the_readme_has_the_two_commands():
    text = (ROOT / 'README.md').read_text()
    for mark in ('demo', 'tests'):
        assert re.search(rf'^<!-- {mark} -->\n```bash\n[^\n]+\n```$', text, re.MULTILINE), mark
