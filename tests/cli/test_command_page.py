"""The examples of the page about the command print what the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'command.md'
CONSOLE = re.compile(r'^```console\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def examples():
    """Each command of the page with what is printed below it, in the page's order."""
    for block in CONSOLE.findall(PAGE.read_text()):
        for part in re.split(r'^\$ ', block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition('\n')
            yield command, output


def settled(text):
    """Without sizes of files, checksums and durations, which may change, and the widths of columns with them."""
    text = re.sub(r'(\.npz: (npz, )?)[\d,]+ bytes', r'\1N bytes', text)
    text = re.sub(r' +\b\d+\.\d{3}$', ' MS', text, flags=re.MULTILINE)
    text = re.sub('\N{BOX DRAWINGS LIGHT HORIZONTAL}+', 'RULE', re.sub(r' +ms$', ' ms', text, flags=re.MULTILINE))
    return re.sub(r'\b[0-9a-f]{8}\b', 'CRC', text)


def test_the_page_has_examples():
    commands = [command for command, _ in examples()]
    assert any(c.startswith('crossdock inspect') for c in commands)
    assert any(c.startswith('crossdock convert') for c in commands)
    assert any(c.startswith('crossdock trace') for c in commands)


def test_examples(tmp_path):
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path), 'COLUMNS': '80'}
    for command, output in examples():
        name, *arguments = shlex.split(command)
        words = {'python': [sys.executable], 'crossdock': [sys.executable, '-m', 'crossdock']}[name]
        done = subprocess.run(
            [*words, *arguments],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert settled(done.stdout) == settled(output), command
