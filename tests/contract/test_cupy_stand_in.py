"""The back-end for CuPy on machines without a GPU: held to the contract over a stand-in that copies CuPy's manners.

It shows that the calls fit together, not that CuPy answers them so: for that, `test_cupy.py` needs a GPU.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices.testing import BackendContract

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)


class TestCupyStandIn(BackendContract):
    spec = '@cupy:0'
    wrong_specs = ('@cupy', 'cupy:0')


class TestSecondCupyStandIn(BackendContract):
    spec = '@cupy:1'


def test_names():
    assert repr(xd.get_device(1)) == '<GpuDevice (cupy):1>'
    assert xd.GpuDevice.from_device_id(1) is xd.get_device('1') is xd.get_device('@cupy:1')
    assert xd.get_device('@cupy:0').fallback_device is xd.get_device('@cupy:0')
    assert xd.choose_device()[0] is xd.get_device('@cupy:0')
    assert xd.get_device('@cupy:0').memory_info() == (3 << 30, 4 << 30, 0, 7)
    assert xd.get_device('@cupy:0').physical == 'cuda:0'


@pytest.mark.parametrize('source', ['@numpy', 'native:0', 'sim:0', '@cupy:0', '@cupy:1'])
@pytest.mark.parametrize('target', ['native:0', 'sim:0', '@cupy:0', '@cupy:1'])
def test_pairs(source, target):
    x = np.arange(6.0).reshape(2, 3)
    there = xd.get_device(source).send(x)
    again = xd.get_device(target).send(there, dtype='float32')
    assert xd.get_device_from_array(again) is xd.get_device(target)
    np.testing.assert_array_equal(xd.to_numpy(again), x)
    dst = xd.get_device(target).send(np.zeros((2, 2, 3)), copy=True)
    xd.copyto(dst, there)
    np.testing.assert_array_equal(xd.to_numpy(dst)[1], x)


def test_to_gpu():
    x = np.ones(3)
    assert xd.get_device_from_array(xd.to_gpu(x)) is xd.get_device('@cupy:0')
    assert xd.get_device_from_array(xd.to_gpu(x, 1)) is xd.get_device('@cupy:1')
    with xd.using_device('@cupy:1'):
        assert xd.get_device_from_array(xd.to_gpu(x)) is xd.get_device('@cupy:1')
