"""Whatever bytes a file has, reading it ends, takes little memory, and is refused in one of few ways."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from ...serializers.faults.formats import EACH, suffix_of

ROOT = Path(__file__).resolve().parents[3]
LONG = settings.get_current_profile_name() == 'fuzz'
EXAMPLES = 1000 if LONG else 120
SECONDS = 600 / sum(not row.marks for row in EACH) if LONG else 0

CODE = """
import importlib, sys
sys.path.insert(0, {root!r})
main = importlib.import_module('tests.hostile.fuzz.attack').main
main({name!r}, {suffix!r}, {folder!r}, {examples}, {seconds}, {start})
"""


@pytest.mark.parametrize('name', EACH)
def test_damaged_files(tmp_path, name, capfd):
    start = random.randrange(2**32) if LONG else 7
    names = {'root': str(ROOT), 'name': name, 'suffix': suffix_of(name), 'folder': str(tmp_path)}
    code = CODE.format(**names, examples=EXAMPLES, seconds=SECONDS, start=start)
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, '-X', 'faulthandler', '-c', code]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=SECONDS + 300)
    with capfd.disabled():
        if LONG:
            print(f'\n{done.stdout}', end='')
    left = {str(p): p.read_bytes()[:5000].hex() for p in tmp_path.rglob('*') if p.is_file()}
    assert done.returncode == 0, (done.returncode, start, done.stdout, done.stderr[-6000:], left)
    assert done.stdout.endswith('end\n')
