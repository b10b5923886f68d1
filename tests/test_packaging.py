"""What is shipped: one version, types, a front door that is light and closed."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

import crossdock

ROOMS = ['devices', 'transfer', 'serializers', 'core', 'errors']


def python(code):
    """Run code in a fresh interpreter and return what it prints, read as JSON."""
    command = [sys.executable, '-c', f'import json, sys\n{code}']
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_there_is_one_version():
    assert importlib.metadata.version('crossdock') == crossdock.__version__


def test_type_checkers_are_told():
    package = Path(crossdock.__file__).parent
    assert (package / 'py.typed').exists()
    assert (package / 'core' / '_core.pyi').exists()


@pytest.mark.parametrize('name', ['crossdock', *(f'crossdock.{room}' for room in ROOMS)])
def test_what_is_promised_is_there(name):
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [word for word in module.__all__ if not hasattr(module, word)] == []


def test_the_front_door_is_light():
    heavy = {'torch', 'jax', 'cupy', 'h5py', 'zarr', 'matplotlib', 'rich', 'click', 'sklearn', 'scipy', 'pytest'}
    assert heavy.isdisjoint(python('import crossdock; print(json.dumps(list(sys.modules)))'))


def test_the_command_is_light():
    heavy = {'rich', 'sklearn', 'scipy'}
    assert heavy.isdisjoint(python('import crossdock.cli; print(json.dumps(list(sys.modules)))'))


def test_entry_points_load():
    """What other packages hook into is what we hook into ourselves."""
    for group in ('crossdock.backends', 'crossdock.formats', 'pytest11'):
        own = [point for point in importlib.metadata.entry_points(group=group) if point.dist.name == 'crossdock']
        assert own
        for point in own:
            assert point.load() is not None


def test_top_level_names():
    assert crossdock.convert is crossdock.serializers.convert
    names = [name for name in dir(crossdock) if not name.startswith('_')]
    assert set(crossdock.__all__) <= {*names, '__version__'}
    assert not {'Any', 'TYPE_CHECKING', 'import_module'} & set(names)
