"""The back-end for CuPy on machines without a GPU: held to the contract over a stand-in that copies CuPy's manners.

It shows that the calls fit together, not that CuPy answers them so: for that, `test_cupy.py` needs a GPU.
"""

import contextlib
import importlib.machinery
import sys
import types

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import _lookup, _nvidia
from crossdock.devices.backends import _cupy
from crossdock.devices.testing import BackendContract

pytestmark = pytest.mark.skipif('cupy' in sys.modules, reason='the real CuPy is here')

_current = [0]


class StandInDevice(contextlib.AbstractContextManager):
    mem_info = (3 << 30, 4 << 30)

    def __init__(self, index):
        self.id = index

    def __eq__(self, other):
        return isinstance(other, StandInDevice) and self.id == other.id

    def __hash__(self):
        return self.id

    def __enter__(self):
        _current.append(self.id)
        return self

    def __exit__(self, *exception):
        _current.pop()

    def synchronize(self):
        pass


class StandInArray:
    """Refuses NumPy, as CuPy's arrays do, and work on it while another device is current."""

    def __init__(self, values):
        self._values, self.device = values, StandInDevice(_current[-1])

    shape = property(lambda self: self._values.shape)
    dtype = property(lambda self: self._values.dtype)
    strides = property(lambda self: self._values.strides)
    itemsize = property(lambda self: self._values.itemsize)

    def __array__(self, dtype=None, copy=None):
        raise TypeError('Implicit conversion to a NumPy array is not allowed.')

    def astype(self, dtype):
        return StandInArray(self._values.astype(dtype))

    def __setitem__(self, index, value):
        assert self.device.id == value.device.id == _current[-1]
        self._values[index] = value._values


def asarray(value):
    assert isinstance(value, StandInArray | np.ndarray)
    return StandInArray(np.array(value._values if isinstance(value, StandInArray) else value))


def asnumpy(array):
    assert array.device.id == _current[-1]
    return array._values.copy()


def make_stand_in():
    module = types.ModuleType('cupy')
    module.__spec__ = importlib.machinery.ModuleSpec('cupy', None)
    module.ndarray, module.asarray, module.asnumpy = StandInArray, asarray, asnumpy
    module.empty = lambda shape, dtype: StandInArray(np.empty(shape, dtype))
    module.where = lambda where, a, b: StandInArray(np.where(where._values, a._values, b._values))
    module.get_default_memory_pool = lambda: types.SimpleNamespace(used_bytes=lambda: 5, free_bytes=lambda: 7)
    stream = types.SimpleNamespace(synchronize=lambda: None)
    module.cuda = types.SimpleNamespace(Device=StandInDevice, get_current_stream=lambda: stream)
    return module


STAND_IN = make_stand_in()


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, 'cupy', STAND_IN)
    monkeypatch.setattr(_cupy, '_gpus', lambda: _nvidia.Gpus(2, ''))
    yield
    _lookup._forget('cupy')
    assert _current == [0]


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
    assert xd.get_device('@cupy:0').memory_info() == (3 << 30, 4 << 30, 5, 7)
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
