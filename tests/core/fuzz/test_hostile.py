"""Each function of the core, wrongly called: an ordinary exception at most, and the arguments are what they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from ...accelerator import FIRST
from ..process import run

EXAMPLES = 4 if settings.get_current_profile_name() != 'fuzz' else 1000


@pytest.mark.parametrize('device', ['native:0', FIRST])
def test_junk(device: str) -> None:
    # In a process of its own, for a crash or an endless loop must not take the other tests along.
    code = f"""
import importlib, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
importlib.import_module('tests.core.fuzz.attack').main({device!r}, {EXAMPLES}, [])
"""
    assert run(code, timeout_s=60 * EXAMPLES).endswith('\nend\n')
