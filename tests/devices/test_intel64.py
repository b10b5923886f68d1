"""`@intel64` holds NumPy's arrays under a name of its own; here as if oneDNN were installed."""

import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _lookup
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
