"""`@intel64` holds NumPy's arrays under a name of its own; here as if oneDNN were installed."""

import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _lookup, intel64
from crossdock.devices.backends import _intel64


@pytest.fixture
def device(monkeypatch):
    monkeypatch.setattr(_intel64, '_missing', lambda: '')
    yield xd.get_device('@intel64')
    _lookup._by_spec.pop('@intel64')


def test_shares_arrays_with_numpy(device):
    x = np.arange(3.0)
    assert repr(device) == '<Intel64Device>'
    assert device.send(x) is x
    assert xd.get_device_from_array(x) is xd.get_device('@numpy')
    assert device.is_array_supported(x)
    assert xd.Intel64Device.from_array(x) is None
    assert xd.plan(x, device).route == 'same object'


def test_sends_and_copies(device):
    x = xd.get_device('sim:0').send(np.arange(3.0))
    assert device.send({'x': x})['x'].tolist() == [0, 1, 2]
    assert device.send(np.ones(2), copy=True, dtype='int8').dtype == np.int8
    assert device.fallback_device is xd.get_device('@numpy')
    assert xd.Intel64Device() is device
    assert device.memory_info() == xd.get_device('@numpy').memory_info() or device.memory_info().total


def test_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, 'prefix', str(tmp_path))
    monkeypatch.setattr(_intel64, '_FOLDERS', ())
    assert not _intel64.has_onednn()
    (tmp_path / 'lib').mkdir()
    (tmp_path / 'lib' / 'libdnnl.so.3').touch()
    assert _intel64.has_onednn()
    monkeypatch.setattr(_intel64.platform, 'machine', lambda: 'aarch64')
    assert 'this machine is aarch64' in _intel64._missing.__wrapped__()
    monkeypatch.setattr(_intel64.platform, 'machine', lambda: 'x86_64')
    assert _intel64._missing.__wrapped__() == ''
    (tmp_path / 'lib' / 'libdnnl.so.3').unlink()
    monkeypatch.setattr(_intel64.importlib.util, 'find_spec', lambda name: None)
    assert 'oneDNN' in _intel64._missing.__wrapped__()


@pytest.fixture
def ideep(monkeypatch):
    """As if iDeep were installed, or not, or broken, on a processor that it is for."""

    def have(module):
        intel64._against_ideep.cache_clear()
        monkeypatch.setattr(_intel64.platform, 'machine', lambda: 'x86_64')
        monkeypatch.setattr(_intel64, 'has_onednn', lambda: False)
        monkeypatch.setattr(intel64.importlib.util, 'find_spec', lambda name: module)

        def load(name):
            if isinstance(module, Exception):
                raise module
            return module

        monkeypatch.setattr(intel64.importlib, 'import_module', load)

    yield have
    intel64._against_ideep.cache_clear()


class StandInIdeep:
    class mdarray:
        dtype, ndim, size = np.dtype('float32'), 2, 6


def test_ideep_that_is_not_here(ideep):
    ideep(None)
    assert not intel64.is_ideep_available() and not intel64.is_onednn_available()
    with pytest.raises(xd.errors.DeviceUnavailableError, match='pip install ideep4py') as caught:
        intel64.check_ideep_available()
    assert caught.value.reason == 'ideep4py is not installed; pip install ideep4py'
    assert not isinstance(np.ones(2), intel64.mdarray)
    with pytest.raises(RuntimeError, match='ideep4py is not installed'):
        intel64.mdarray()
    assert not intel64.inputs_all_ready([np.zeros((2, 3), 'float32')])
    with pytest.raises(AttributeError):
        intel64.other


def test_the_error_points_to_onednn(ideep, monkeypatch):
    ideep(None)
    monkeypatch.setattr(_intel64, 'has_onednn', lambda: True)
    assert intel64.is_onednn_available()
    with pytest.raises(xd.errors.DeviceUnavailableError, match='oneDNN is here'):
        intel64.check_ideep_available()


def test_ideep_that_is_broken_or_for_another_processor(ideep, monkeypatch):
    ideep(OSError('libmkldnn.so.0: no such file'))
    with pytest.raises(xd.errors.DeviceUnavailableError, match=r'cannot be imported: OSError: libmkldnn\.so\.0'):
        intel64.check_ideep_available()
    intel64._against_ideep.cache_clear()
    monkeypatch.setattr(_intel64.platform, 'machine', lambda: 'aarch64')
    assert not intel64.is_onednn_available()
    with pytest.raises(xd.errors.DeviceUnavailableError, match='this machine is aarch64'):
        intel64.check_ideep_available()


def test_ideep_that_is_here(ideep):
    ideep(StandInIdeep)
    intel64.check_ideep_available()
    assert intel64.is_ideep_available() and intel64.mdarray is StandInIdeep.mdarray


@pytest.mark.parametrize(
    ('inputs', 'ready'),
    [
        ([np.zeros((2, 3), 'float32')], True),
        ([np.zeros((2, 3), 'float32'), StandInIdeep.mdarray(), np.zeros((2, 1, 1, 3), 'float32')], True),
        ([], True),
        ([np.zeros((2, 3))], False),
        ([np.zeros(3, 'float32')], False),
        ([np.zeros((2, 0), 'float32')], False),
        ([np.zeros((2, 3), 'float32'), None], False),
        ([[1.0]], False),
    ],
)
def test_inputs_all_ready(ideep, inputs, ready):
    ideep(StandInIdeep)
    assert intel64.inputs_all_ready(inputs) is ready
    assert intel64.inputs_all_ready([np.zeros(3, 'float32')], supported_ndim=(1,))
