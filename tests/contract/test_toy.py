"""A library from outside the tree is a library like the others. The proof is that nothing in the tree names it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import Backend, register_backend
from crossdock.devices.testing import BackendContract


def _import_toy():
    spec = importlib.util.spec_from_file_location('crossdock_test_toy', Path(__file__).with_name('toy.py'))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


toy = _import_toy()
register_backend(toy.ToyBackend())
register_backend(toy.SharedBackend())


class TestToy(BackendContract):
    spec = '@toy:0'
    wrong_specs = ('@toy', 'toy:0')
    import_checked = False


class TestSecondToy(BackendContract):
    spec = '@toy:1'
    import_checked = False


class TestShared(BackendContract):
    spec = '@shared'
    wrong_specs = ('@shared:0',)
    import_checked = False


SPECS = ['@numpy', 'native:0', 'native:1', 'sim:0', 'sim:1', '@toy:0', '@toy:1', '@shared']


@pytest.mark.parametrize('source', SPECS)
@pytest.mark.parametrize('target', SPECS)
def test_every_pair(source, target, rng):
    x = rng.standard_normal((3, 4)).astype('float32')
    there = xd.get_device(source).send(x)
    assert xd.get_device_from_array(there) is xd.get_device(source)
    again = xd.get_device(target).send(there)
    assert xd.get_device_from_array(again) is xd.get_device(target)
    np.testing.assert_array_equal(xd.to_numpy(again), x)
    dst = xd.get_device(target).send(np.zeros((2, 3, 4), 'float64'), copy=True)
    xd.copyto(dst, there)
    np.testing.assert_array_equal(xd.to_numpy(dst)[1], x)
    xd.copyto(dst, there, where=x > 0, casting='same_kind')
    xd.copyto(dst, 1, where=xd.get_device(source).send(x > 0))
    np.testing.assert_array_equal(xd.to_numpy(dst)[0], np.where(x > 0, 1, x))


def test_two_accelerators_meet_on_the_host_and_the_trace_shows_it(rng):
    # vllm-project/vllm#53491: hidden staging copies were not seen
    x = xd.get_device('sim:0').send(rng.standard_normal(5))
    with xd.trace_transfers() as log:
        xd.get_device('@toy:1').send(x)
    assert [(row.source, row.target, row.nbytes) for row in log] == [('sim:0', '@numpy', 40), ('@numpy', '@toy:1', 40)]


def test_why_a_view_is_refused():
    plan = xd.plan(np.arange(4.0)[::-1], '@shared')
    assert plan.route == 'device copy'
    assert plan.nbytes_moved == 32
    assert dict(plan.refused)['alias'].startswith('it has negative strides')
    assert xd.plan(np.arange(4.0)[:1:-1][:1], '@shared').zero_copy


@pytest.mark.parametrize('broken', [object(), None])
def test_only_back_ends_register(broken):
    with pytest.raises(TypeError, match='not a crossdock'):
        register_backend(broken)


def test_registering_leaves_the_other_devices_alone():
    numpy, old = xd.get_device('@numpy'), xd.get_device('@shared')
    register_backend(toy.SharedBackend())
    assert xd.get_device('@numpy') is numpy
    assert xd.get_device('@shared') is not old
    assert xd.get_device('@shared').is_array_supported(xd.get_device('@shared').send(np.zeros(2)))


def test_a_kind_must_be_a_name():
    class Odd(toy.ToyBackend):
        kind = 'To:y'

    with pytest.raises(TypeError, match='no spec can begin'):
        register_backend(Odd())


def test_another_contract_version_is_refused():
    class Later(toy.ToyBackend):
        contract_version = 2

    with pytest.raises(TypeError, match='version 2'):
        register_backend(Later())
    assert isinstance(Later(), Backend)
    assert xd.get_device('@toy:0').kind == 'toy'


def test_found_by_entry_point(tmp_path, monkeypatch):
    """In a process of its own, for what an installation provides is read once."""
    site = tmp_path / 'thirdparty-1.0.dist-info'
    site.mkdir()
    (site / 'METADATA').write_text('Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n')
    (site / 'entry_points.txt').write_text(
        '[crossdock.backends]\ntoy = thirdparty_toy:BACKEND\nbroken = thirdparty_missing:BACKEND\n'
        'liar = thirdparty_toy:BACKEND\nnone = thirdparty_toy:NOTHING\n'
    )
    text = Path(toy.__file__).read_text() + '\nBACKEND = ToyBackend()\nNOTHING = None\n'
    (tmp_path / 'thirdparty_toy.py').write_text(text)
    code = """if True:
        import sys, numpy as np, crossdock as xd
        assert 'thirdparty_toy' not in sys.modules
        assert str(xd.get_device('@toy:1')) == '@toy:1'
        assert xd.to_numpy(xd.get_device('@toy:0').send(np.ones(3))).sum() == 3
        rows = {row['kind']: row for row in xd.describe_devices()}
        assert rows['toy']['available'] and rows['numpy']['available']
        assert 'thirdparty_missing' in rows['broken']['reason'], rows['broken']
        assert "calls itself 'toy'" in rows['liar']['reason'], rows['liar']
        assert 'not a crossdock' in rows['none']['reason'], rows['none']
        try:
            xd.get_device('@broken:0')
        except xd.errors.DeviceUnavailableError as error:
            assert 'cannot be imported' in str(error)
        else:
            raise AssertionError
    """

    path = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    out = subprocess.run(
        [sys.executable, '-c', code], env={**os.environ, 'PYTHONPATH': path}, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
