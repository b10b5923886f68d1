"""Arrays of libraries that nobody here knows: read by their protocols, refused with the true cause."""

import array as stdlib_array
import ctypes
import sys

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import DtypeError, GraphError, UnknownArrayError

SPECS = ['@numpy', 'native:0', 'sim:0']


class Producer:
    """DLPack's versioned protocol, as NumPy speaks it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class LegacyProducer(Producer):
    """DLPack as it was before: no keywords."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Interface:
    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Frame:
    """As pandas' objects: `__array__` alone."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Structure(ctypes.Structure):
    _fields_ = [('a', ctypes.c_double)]


@pytest.mark.parametrize('make', [Producer, LegacyProducer, Interface, Frame, memoryview])
def test_protocols(device, make):
    # scikit-learn/scikit-learn#34046: objects with __array__ reach some targets and not others
    x = np.arange(6.0).reshape(2, 3)
    sent = device.send({'x': make(x)})['x']
    np.testing.assert_array_equal(xd.to_numpy(sent), x)
    if device.physical == 'host':
        x[0, 0] = 42
        assert xd.to_numpy(sent)[0, 0] == 42


@pytest.mark.parametrize(
    'value',
    [bytearray(b'\x01\x02'), stdlib_array.array('i', [1, 2]), (ctypes.c_int * 2)(1, 2), memoryview(b'\x01\x02')],
)
def test_buffers(device, value):
    sent = xd.to_numpy(device.send(value))
    assert sent.tolist() == [1, 2]


def test_writeable_iff_the_producer_says_so():
    # numpy/numpy#28599: everything that is imported comes out read-only
    x = np.zeros(3)
    locked = np.zeros(3)
    locked.flags.writeable = False
    to_numpy = xd.get_device('@numpy').send
    assert to_numpy(Producer(x)).flags.writeable
    assert not to_numpy(Producer(locked)).flags.writeable
    assert not to_numpy(LegacyProducer(x)).flags.writeable
    assert not to_numpy(memoryview(b'ab')).flags.writeable


def test_a_producer_is_let_go_of():
    # Genesis-Embodied-AI/quadrants#598, cupy and others: what is exported is never freed
    x = np.zeros(3)
    before = sys.getrefcount(x)
    for spec in SPECS:
        xd.get_device(spec).send([Producer(x), Interface(x), memoryview(x)])
    assert sys.getrefcount(x) == before


def test_the_true_cause_is_told(device):
    # explosion/thinc#741: 'capsule consumed once' for whatever went wrong
    class Broken:
        def __dlpack__(self, **keywords):
            raise ZeroDivisionError('the cable is loose')

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises(UnknownArrayError, match='ZeroDivisionError: the cable is loose'):
        device.send(Broken())

    class Elsewhere(Broken):
        def __dlpack_device__(self):
            return 99, 3

    # numpy/numpy#30937: an unknown device is a ValueError here and a RuntimeError there
    with pytest.raises(UnknownArrayError, match=r'DLPack device \(99, 3\)'):
        device.send(Elsewhere())

    class OnTheGpu:
        __cuda_array_interface__ = {'shape': (1,), 'typestr': '<f4', 'data': (1, False), 'version': 3}  # noqa: RUF012

    if not any(device.kind == 'cupy' for device in xd.available_devices()):
        with pytest.raises(UnknownArrayError, match='no library here reaches its memory'):
            device.send(OnTheGpu())

    class Bad:
        def __array__(self, dtype=None, copy=None):
            raise ZeroDivisionError('no values')

    with pytest.raises(UnknownArrayError, match='ZeroDivisionError: no values'):
        device.send(Bad())

    class Objects(Bad):
        def __array__(self, dtype=None, copy=None):
            return np.array([object()])

    with pytest.raises(DtypeError, match='Objects turns into an object array'):
        device.send(Objects())


def test_a_graph_is_not_lost_silently(device):
    # ROCm/FlyDSL#1099, vllm-project/vllm#56161: what requires a gradient is refused, with advice
    class Parameter(Producer):
        requires_grad = True

    with pytest.raises(GraphError, match='detach'):
        device.send(Parameter(np.zeros(3)))


def test_wrappers_stand_for_their_array(device):
    class Wrapper:
        def __init__(self, array):
            self.array = array

        @property
        def __crossdock_array__(self):
            return self.array

    x = np.arange(3.0)
    sent = device.send([Wrapper(x), x])
    assert xd.to_numpy(sent[0]).tolist() == [0, 1, 2]
    assert xd.get_array_module(Wrapper(sent[1])) is device.xp
    assert xd.get_device_from_array(Wrapper(sent[1])) is device


class Masked:
    def __array__(self, dtype=None, copy=None):
        return np.ma.array([1, 2], mask=[True, False])


def test_a_mask_is_not_lost_on_the_way_through_a_protocol(device):
    with pytest.raises(DtypeError, match='mask'):
        device.send({'x': Masked()})
