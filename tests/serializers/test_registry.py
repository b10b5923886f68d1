import importlib.metadata
import subprocess
import sys

import pytest

from crossdock.serializers import _registry
from crossdock.serializers._registry import format_for, format_named
from crossdock.serializers.formats._npz import FORMAT, NpzFormat


class Point:
    """Stands for an entry point of an installed package."""

    def __init__(self, name, target):
        self.name, self.target, self.loaded = name, target, 0

    def load(self):
        self.loaded += 1
        return self.target


class OtherFormat(NpzFormat):
    name = 'other'
    suffixes = ('.oth', '.other')


@pytest.fixture
def points(monkeypatch):
    found = []
    monkeypatch.setattr(_registry, '_formats', {})
    monkeypatch.setattr(importlib.metadata, 'entry_points', lambda group: found if group == 'crossdock.formats' else [])
    return found


def test_npz_needs_no_entry_point(points):
    points.append(Point('other', OtherFormat()))
    assert format_named('npz') is format_for('x.npz') is format_for('a/b.NPZ') is FORMAT
    assert points[0].loaded == 0


def test_a_format_from_outside(points):
    other = OtherFormat()
    points.append(Point('other', other))
    assert format_for('x.oth') is format_for('x.OTHER') is format_named('other') is other
    assert points[0].loaded == 1
    with pytest.raises(ValueError, match=r'npz \(\.npz\), other \(\.oth \.other\)'):
        format_named('nope')


def test_a_format_for_another_contract(points):
    other = OtherFormat()
    other.contract_version = 2
    points.append(Point('other', other))
    with pytest.raises(RuntimeError, match=r"'other'.*version 2"):
        format_for('x.oth')


def test_importing_is_light():
    code = (
        'import numpy, sys; before = set(sys.modules); import crossdock.serializers;'
        'print([m for m in ("zipfile", "rich", "ml_dtypes", "importlib.metadata", "pickle", "pytest", "asyncio")'
        ' if m in set(sys.modules) - before])'
    )
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    print(out.stdout)
    assert 'zipfile' not in out.stdout
    assert 'pytest' not in out.stdout
