"""`devices.cuda` over the stand-in for CuPy with two GPUs."""

import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import cuda
from crossdock.devices.backends import _cupy

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)


def test_names_are_cupys(cupy):
    assert cuda.available is True
    cuda.check_cuda_available()
    assert cuda.cupy is cupy and cuda.ndarray is cupy.ndarray
    assert (cuda.Device, cuda.Event, cuda.Stream) == (cupy.cuda.Device, cupy.cuda.Event, cupy.cuda.Stream)
    assert cuda.memory_pool is cupy.get_default_memory_pool()


def test_a_cupy_that_cannot_be_imported_is_a_reason(monkeypatch):
    def fail(self):
        raise ImportError('libcublas.so.13: cannot open shared object file')

    monkeypatch.setattr(_cupy.CupyBackend, 'xp', property(fail))
    with pytest.raises(xd.errors.DeviceUnavailableError, match=r'libcublas\.so\.13') as caught:
        cuda.check_cuda_available()
    assert 'libcublas' in caught.value.reason
    assert 'not here' in repr(cuda.cupy)


def test_devices_by_number(cupy):
    assert cuda.get_device_from_id(1) == cupy.cuda.Device(1)
    assert cuda.get_device_from_id(np.int64(0)) == cupy.cuda.Device(0)
    with pytest.raises(xd.errors.DeviceUnavailableError, match='there are 2'):
        cuda.get_device_from_id(2)


def test_devices_by_array(cupy):
    with cupy.cuda.Device(1):
        x = cupy.empty(3)
    assert cuda.get_device_from_array(x) == cuda.get_device_from_array(np.ones(1), [x]) == cupy.cuda.Device(1)
    with pytest.raises(xd.errors.MixedDevicesError):
        cuda.get_device_from_array(x, cupy.empty(3))
    with pytest.warns(DeprecationWarning, match='get_device_from_id'):
        assert cuda.get_device(None, np.ones(1), x) == cupy.cuda.Device(1)
    with pytest.warns(DeprecationWarning, match='get_device_from_id'):
        assert cuda.get_device(cupy.cuda.Device(1), 0) == cupy.cuda.Device(1)
    with pytest.warns(DeprecationWarning, match='get_device_from_id'):
        assert cuda.get_device(1) == cupy.cuda.Device(1)


def test_array_modules(cupy):
    assert cuda.get_array_module(cupy.empty(2), np.ones(1), 3) is cupy
    with pytest.raises(xd.errors.UnknownArrayError):
        cuda.get_array_module(object())


def test_to_gpu_goes_to_the_current_device(cupy):
    x = np.arange(3.0)
    assert cuda.to_gpu(x).device == cuda.to_gpu(x, cuda.DummyDevice).device == cupy.cuda.Device(0)
    with cupy.cuda.Device(1):
        assert cuda.to_gpu(x).device == cupy.cuda.Device(1)
        with xd.using_device('@cupy:0'):
            assert cuda.to_gpu(x).device == cupy.cuda.Device(0)
    for spec in (1, '@cupy:1', cupy.cuda.Device(1), xd.get_device('@cupy:1')):
        assert cuda.to_gpu(x, spec).device == cupy.cuda.Device(1)
    there = cuda.to_gpu({'x': x, 'none': None}, 1)
    assert cuda.to_gpu(there, 1)['x'] is there['x'] and there['none'] is None
    with pytest.raises(TypeError, match='no GPU'):
        cuda.to_gpu(x, 'native:0')


def test_to_gpu_on_a_stream(cupy):
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True)
    x = np.arange(1000.0)
    there = cuda.to_gpu(x, 1, stream)
    x[:] = -1  # it has been read
    assert there._values[1] != 1, 'it is on its way still, and only the stream knows'
    np.testing.assert_array_equal(cuda.to_cpu(there, stream), np.arange(1000.0))


def test_a_stream_of_another_gpu_is_refused(cupy):
    stream = cupy.cuda.Stream()
    with pytest.raises(ValueError, match='the stream belongs to GPU 0'):
        cuda.to_gpu(np.ones(1), 1, stream)


def test_the_null_stream_is_every_devices(cupy):
    with cupy.cuda.Device(1):
        cupy.cuda.Stream(non_blocking=True).use()
        there = cuda.to_gpu(np.arange(3.0), 1, cupy.cuda.Stream.null)
        cupy.cuda.Stream.null.use()
        assert cuda.to_cpu(there).tolist() == [0, 1, 2]


def test_copy(cupy):
    x = cuda.to_gpu(np.arange(4.0))
    y = cuda.copy(x)
    assert y is not x and not cupy.may_share_memory(x, y) and cuda.to_cpu(y).tolist() == [0, 1, 2, 3]
    assert y.device == x.device
    z = cuda.copy(x, out_device=1)
    assert z.device == cupy.cuda.Device(1) and cuda.to_cpu(z).tolist() == [0, 1, 2, 3]
    assert cuda.copy(z).device == z.device, 'where it is, whatever the current device'
    assert cuda.copy(np.ones(2)).device == cupy.cuda.Device(0)


def test_copy_into(cupy):
    x = cuda.to_gpu(np.arange(4.0))
    for out in (cuda.to_gpu(np.zeros(4, 'float32'), 1), np.zeros(4), xd.core.zeros(4)):
        assert cuda.copy(x, out, out_device=0) is out
        assert xd.to_numpy(out).tolist() == [0, 1, 2, 3]
    with pytest.raises(xd.errors.DimensionError):
        cuda.copy(x, np.zeros(3))
    with pytest.raises(xd.errors.DtypeError):
        cuda.copy(x, np.zeros(4, 'int8'))


def test_copy_on_a_stream(cupy):
    x = cuda.to_gpu(np.arange(4.0))
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True)
    y = cuda.copy(x, out_device=1, stream=stream)
    assert y._values[1] != 1
    stream.synchronize()
    assert y._values.tolist() == [0, 1, 2, 3]


def test_kernels_are_made_once(cupy):
    first = cuda.elementwise('T x', 'T y', 'y = x', 'same', options=['-O3'])
    assert first is cuda.elementwise('T x', 'T y', 'y = x', 'same', options=('-O3',))
    assert isinstance(first, cupy.ElementwiseKernel) and (first.name, first.options) == ('same', ('-O3',))
    assert first is not cuda.elementwise('T x', 'T y', 'y = -x', 'same', options=['-O3'])
    total = cuda.reduce('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'total', reduce_type='double')
    assert total is cuda.reduce('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'total', reduce_type='double')
    assert isinstance(total, cupy.ReductionKernel) and total.identity == '0'
    raw = cuda.raw('extern "C" __global__ void k() {}', 'k', ['-std=c++17'], backend='nvcc')
    assert isinstance(raw, cupy.RawKernel) and (raw.options, raw.backend) == (('-std=c++17',), 'nvcc')
    cuda.clear_memo()
    assert first is not cuda.elementwise('T x', 'T y', 'y = x', 'same', options=['-O3'])


def test_fuse_is_cupys():
    @cuda.fuse
    def add(x):
        return x + 1

    @cuda.fuse(kernel_name='k')
    def named(x):
        return x + 1

    assert add(1) == ('fused', None, 2) and named(1) == ('fused', 'k', 2)
