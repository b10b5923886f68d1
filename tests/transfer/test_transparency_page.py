"""The page says of each operation what it really moves."""

import importlib.util
from pathlib import Path

import pytest

from ..accelerator import simulated

DOCS = Path(__file__).parents[2] / 'docs'


@pytest.fixture(scope='module')
def script():
    spec = importlib.util.spec_from_file_location('crossdock_docs_transparency', DOCS / '_transparency.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@simulated
@pytest.mark.parametrize('spec', ['@numpy', 'native:0', 'sim:0', '@torch:cpu', '@jax:0'])
def test_the_table_is_up_to_date(script, spec):
    """``python docs/_transparency.py`` makes it so."""
    if spec not in script.specs():
        pytest.skip(f'{script.SPECS[spec]} is not installed')
    said = script.cells(script.PAGE.read_text())
    found = {name: script.measure(spec, operation) for name, operation in script.OPERATIONS.items()}
    assert found == {name: said[name, spec] for name in script.OPERATIONS}


@simulated
def test_waiting_is_told_from_not_waiting(script):
    assert script.waits('sim:0', lambda x: x.tolist())
    assert not script.waits('sim:0', lambda x: x + 1)
