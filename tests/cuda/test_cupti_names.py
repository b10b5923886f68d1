"""The fake CUPTI has the names, parameters and numbers of the real one, which has all that we use."""

from __future__ import annotations

import ast
import enum
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
ADAPTER = ROOT / 'src/crossdock/devices/backends/_cupti.py'
FAKE = Path(__file__).parent / 'fake_cupti/cupti/cupti.py'


def load_fake() -> ModuleType:
    spec = importlib.util.spec_from_file_location('fake_cupti', FAKE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fake = load_fake()


@pytest.fixture(scope='module')
def real() -> ModuleType:
    if importlib.util.find_spec('cupti') is None:
        pytest.skip("cupti-python is not installed; pip install 'crossdock[cupti]'")
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)  # of cupti-python 12's own imports
        return importlib.import_module('cupti.cupti')


def public(kind: type) -> dict[str, object]:
    return {
        name: thing
        for name, thing in vars(fake).items()
        if name[0] != '_' and isinstance(thing, kind) and getattr(thing, '__module__', '') == 'fake_cupti'
    }


ENUMS = [name for name, thing in public(type).items() if issubclass(thing, enum.Enum)]
FUNCTIONS = [name for name, thing in public(object).items() if inspect.isfunction(thing)]
RECORDS = {
    'ActivityAPI': ('kind', 'correlation_id', 'thread_id', 'start', 'end', 'cbid'),
    'ActivityMemcpy': (
        *('kind', 'copy_kind', 'bytes', 'start', 'end', 'device_id', 'src_kind', 'dst_kind', 'stream_id'),
        *('correlation_id', 'runtime_correlation_id', 'flags_'),
    ),
    'ActivityMemcpyPtoP': (
        *('kind', 'copy_kind', 'bytes', 'start', 'end', 'device_id', 'src_kind', 'dst_kind', 'stream_id'),
        *('correlation_id', 'src_device_id', 'dst_device_id', 'flags_'),
    ),
}


def parameters(function: Callable[..., object]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # cupti-python 12 has them in the first line of its docstrings alone
        told = (function.__doc__ or '').splitlines()[0].partition('(')[2].partition(')')[0]
        return [word.partition(':')[0].strip().split()[-1] for word in told.split(',') if word.strip()]


@pytest.mark.parametrize('name', ENUMS)
def test_numbers(real: ModuleType, name: str) -> None:
    for member in getattr(fake, name).__members__.values():
        for alias in (alias for alias, one in getattr(fake, name).__members__.items() if one is member):
            assert getattr(real, name)[alias].value == member.value, alias


@pytest.mark.parametrize('name', FUNCTIONS)
def test_parameters(real: ModuleType, name: str) -> None:
    assert parameters(getattr(real, name)) == parameters(getattr(fake, name))


@pytest.mark.parametrize('name', RECORDS)
def test_attributes_of_records(real: ModuleType, name: str) -> None:
    """Of every version that there is: which one a record has, CUPTI decides."""
    kinds = [kind for kind in vars(real) if re.fullmatch(rf'{name}\d*', kind)]
    assert kinds
    for kind in kinds:
        missing = [one for one in RECORDS[name] if not hasattr(getattr(real, kind), one)]
        assert not missing, kind


def test_errors(real: ModuleType) -> None:
    theirs, ours = (module.cuptiError(39) for module in (real, fake))
    assert theirs.status == ours.status and str(theirs) == str(ours)


def used() -> set[str]:
    """Names that the adapter takes from the module, as ``cupti.NAME`` or ``cupti.NAME.NAME``."""
    found = set()
    for node in ast.walk(ast.parse(ADAPTER.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith('cupti'):
            found.add(node.attr)
    return found - {'cupti'}


def test_the_fake_has_all_that_is_used() -> None:
    assert used() >= {'subscribe', 'activity_flush_all', 'ActivityMemcpyKind', 'cuptiError'}
    assert [name for name in sorted(used()) if not hasattr(fake, name)] == []


def test_attributes_that_are_read_are_those_that_are_compared() -> None:
    read = {
        node.attr
        for node in ast.walk(ast.parse(ADAPTER.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == 'one'
    }
    assert read and read <= {attribute for attributes in RECORDS.values() for attribute in attributes}


def test_the_real_one_refuses_without_a_crash(real: ModuleType, fake_gpu: dict[str, str]) -> None:
    """Where there is no driver, and with one that it does not know."""
    code = """
import crossdock as xd
from crossdock.devices.backends import _cupti
for again in range(2):
    try:
        _cupti.begin()
    except xd.errors.DeviceUnavailableError as error:
        print(error.reason)
"""
    for environment in (os.environ, {**os.environ, **fake_gpu}):
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=dict(environment))
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert len(lines) == 2 and lines[0] == lines[1] and lines[0].startswith('CUPTI does not '), done.stdout
