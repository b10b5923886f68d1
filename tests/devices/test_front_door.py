import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crossdock as xd
from crossdock.devices import _registry

ROOT = Path(__file__).resolve().parents[2]


def test_all_is_there():
    assert len(set(xd.__all__)) == len(xd.__all__)
    for name in xd.__all__:
        assert getattr(xd, name) is not None
    assert set(xd.devices.__all__) > {'Backend', 'register_backend'}


def test_the_version_has_one_source():
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    assert setup['metadata']['version'] == 'attr: crossdock.__version__'
    assert re.fullmatch(r'\d+\.\d+\.\d+\S*', xd.__version__)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match='nonsense'):
        _ = xd.nonsense


@pytest.mark.parametrize('code', ['xd.serializers.save_npz', 'xd.save; xd.serializers.save', 'xd.serializers; xd.load'])
def test_serializers_are_there_before_anything_was_saved(code):
    # In a process of its own: once imported they are an attribute anyway.
    done = subprocess.run([sys.executable, '-c', f'import crossdock as xd; {code}'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_serializers_are_imported_late():
    code = 'import sys, crossdock; print("crossdock.serializers" in sys.modules)'
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == 'False'


def test_imports_no_library_but_numpy():
    heavy = {'torch', 'jax', 'cupy', 'h5py', 'zarr', 'matplotlib', 'rich', 'sklearn', 'optree', 'click', 'pytest'}
    code = f'import sys, crossdock; print({heavy} & set(sys.modules))'
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == 'set()'


def test_our_kinds_are_the_entry_points_that_we_ship():
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    shipped = configparser.ConfigParser(delimiters='=')
    shipped.read_string('[x]\n' + setup['options.entry_points']['crossdock.backends'])
    table = {kind: f'crossdock.devices.backends.{module}:{name}' for kind, _, module, name in _registry.OURS}
    assert dict(shipped['x']) == table
