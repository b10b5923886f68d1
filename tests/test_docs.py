"""Every example that a reader may copy runs: in docstrings, in the documentation, in the README."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crossdock

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('**/*.md'))]
MODULES = ['crossdock', *(m.name for m in pkgutil.walk_packages(crossdock.__path__, 'crossdock.'))]


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
    """In a process of its own, for some pages register things that other tests should not meet."""
    command = [sys.executable, '-W', 'error', str(ROOT / 'tests' / 'run_page.py'), str(page)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_has_the_two_commands():
    text = (ROOT / 'README.md').read_text()
    for mark in ('demo', 'tests'):
        assert re.search(rf'^<!-- {mark} -->\n```bash\n[^\n]+\n```$', text, re.MULTILINE), mark
