"""CuPy's back-end and `devices.cuda` with the real CuPy on a real GPU."""

import importlib.util

import numpy as np
import pytest

import crossdock as xd
from crossdock.core.exchange import CHUNK_NBYTES
from crossdock.devices import cuda

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not cuda.available, reason='no CuPy with a GPU here'),
]

MANY = 5 * CHUNK_NBYTES // 8 + 1001


@pytest.fixture
def device():
    return xd.get_device('@cupy:0')


@pytest.fixture
def busy():
    """Keeps the current stream busy for some milliseconds, so that whoever reads too early is found out."""
    code = 'extern "C" __global__ void wait(long long n) { long long t = clock64(); while (clock64() - t < n) {} }'
    kernel = cuda.raw(code, 'wait')
    return lambda: kernel((1,), (1,), (20_000_000,))


@pytest.fixture(params=['default', 'blocking', 'non-blocking'])
def stream(request):
    cupy = cuda.cupy
    made = cupy.cuda.Stream.null if request.param == 'default' else cuda.Stream(non_blocking='non' in request.param)
    with made:
        yield made


@pytest.mark.parametrize('dtype', [None, 'float32', 'complex128', 'int32', 'bool'])
@pytest.mark.parametrize('layout', [np.s_[:], np.s_[::-3], 'transposed'])
def test_large_arrays(device, stream, busy, dtype, layout):
    x = np.arange(float(MANY))
    x = x[: MANY // 20 * 20].reshape(20, -1).T if layout == 'transposed' else x[layout]
    expected = x.astype(dtype or x.dtype)
    busy()
    there = device.send(x, dtype=dtype)
    x[...] = -1
    np.testing.assert_array_equal(xd.to_numpy(there), expected)
    back = np.empty(x.shape, 'complex64')
    xd.copyto(back, there)
    np.testing.assert_array_equal(back, expected.astype('complex64'))


def test_small_arrays_together(device, stream, busy):
    tree = [np.full((3, i), i, dtype) for i in range(1, 200) for dtype in ('float32', 'int8', 'complex64')]
    busy()
    there = device.send(tree)
    back = xd.to_numpy([array[::-1] for array in there])
    for have, want in zip(back, tree):
        assert have.dtype == want.dtype
        np.testing.assert_array_equal(have, want)


def test_page_locked_memory(device, stream, busy):
    x = cuda.pinned_memory_pool.empty(MANY)
    x[:] = np.arange(MANY)
    assert xd.plan(x, device).route == 'direct'
    busy()
    first = device.send(x, blocking=False)
    second = device.send(x)
    x[:] = -1
    for there in (first, second):
        np.testing.assert_array_equal(xd.to_numpy(there), np.arange(MANY))
    assert cuda.pinned_memory_pool.statistics().used > 0
    held = cuda.cupy.cuda.alloc_pinned_memory(800)
    own = np.frombuffer(held, 'float64', 100)
    assert xd.plan(own, device).route == 'direct'
    assert xd.plan(np.zeros(100), device).route == 'copy'


def test_little_page_locked_memory(device):
    pool = cuda.pinned_memory_pool
    before = pool.get_limit()
    pool.set_limit(0)
    try:
        there = device.send(np.arange(float(MANY)))
        np.testing.assert_array_equal(xd.to_numpy(there), np.arange(float(MANY)))
        assert pool.statistics().pooled == 0
    finally:
        pool.set_limit(before)


def test_copies_on_the_gpu(device, stream, busy):
    host = np.arange(float(MANY))
    x = device.send(host)
    busy()
    xd.copyto(x[:-1], x[1:])
    np.testing.assert_array_equal(xd.to_numpy(x)[:-1], host[1:])
    xd.copyto(x, x[::-1], where=host % 2 == 0)
    assert float(x[0]) == MANY - 1
    assert cuda.copy(x).data.ptr != x.data.ptr
    assert device.send(x) is x and device.send(x, copy=True) is not x


def test_no_memory(device):
    with pytest.raises(xd.errors.OutOfMemoryError) as caught:
        device._backend.allocate((1 << 45,), np.dtype('uint8'), device._place)
    assert caught.value.free > 0
    assert cuda.cupy.cuda.runtime.getDevice() == 0


def test_streams_of_the_utilities(busy):
    stream = cuda.Stream(non_blocking=True)
    x = np.arange(1000.0)
    with stream:
        busy()
    there = cuda.to_gpu(x, 0, stream)
    x[:] = -1
    again = cuda.copy(there, stream=stream)
    np.testing.assert_array_equal(cuda.to_cpu(again, stream), np.arange(1000.0))
    assert cuda.cupy.cuda.get_current_stream() == cuda.cupy.cuda.Stream.null


def test_kernels():
    x = cuda.to_gpu(np.arange(4, dtype='float32'))
    twice = cuda.elementwise('T x', 'T y', 'y = x * 2', 'twice', options=['-std=c++17'])
    assert twice is cuda.elementwise('T x', 'T y', 'y = x * 2', 'twice', options=['-std=c++17'])
    assert cuda.to_cpu(twice(x)).tolist() == [0, 2, 4, 6]
    assert float(cuda.reduce('T x', 'T y', 'x * x', 'a + b', 'y = a', '0', 'squares')(x)) == 14
    fill = cuda.raw('extern "C" __global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x + 1; }', 'fill')
    fill((1,), (4,), (x,))
    assert cuda.to_cpu(x).tolist() == [1, 2, 3, 4]

    @cuda.fuse()
    def smooth(x, y):
        return (x + y) * 0.5

    assert cuda.to_cpu(smooth(x, x)).tolist() == [1, 2, 3, 4]
    assert smooth(np.ones(1), 1.0).tolist() == [1]


def test_devices():
    x = cuda.to_gpu(np.ones(3))
    with cuda.get_device_from_array(np.ones(1), x) as device:
        assert int(device) == 0
    assert cuda.get_device_from_id(0) == cuda.Device(0)
    with pytest.raises(xd.errors.DeviceUnavailableError):
        cuda.get_device_from_id(999)
    assert xd.get_device(cuda.Device(0)) is xd.get_device('@cupy:0')
    assert isinstance(x, cuda.ndarray) and cuda.get_array_module(x, np.ones(1)) is cuda.cupy


def test_traces(device):
    x = device.send(np.ones(3))
    with xd.trace_transfers() as log:
        float(x.sum())
        cuda.cupy.asarray(np.ones(2))
        x.get()
        device.send(np.ones(3))
    assert [(row.op, row.implicit) for row in log] == [
        ('float', True),
        ('asarray', False),
        ('get', False),
        ('copy', False),
    ]


@pytest.mark.skipif(importlib.util.find_spec('torch') is None, reason='PyTorch is not installed')
def test_views_with_pytorch(device, stream, busy):
    theirs = xd.get_device('@torch:cuda:0')
    x = device.send(np.arange(1000.0))
    busy()
    x *= 2
    y = theirs.send(x, copy=False)
    assert y.data_ptr() == x.data.ptr
    np.testing.assert_array_equal(xd.to_numpy(y), np.arange(1000.0) * 2)
    assert device.send(y).data.ptr == x.data.ptr


def test_one_pool_with_the_core(device):
    if not xd.core.device_counts().get('cuda', 0):
        pytest.skip('the core has no cuda device here')
    before = cuda.share_pool('cupy')
    try:
        used = device.memory_info().used
        x = xd.core.ones(1 << 22, dtype='float32', device='cuda:0')
        assert device.memory_info().used >= used + (1 << 24)
        assert float(x.sum()) == 1 << 22
        cuda.share_pool('core')
        y = cuda.cupy.ones(1 << 22, 'float32')
        assert float(y.sum()) == 1 << 22
        del x, y
    finally:
        cuda.share_pool(before)


@pytest.mark.skipif(not cuda.available or len(xd.get_device('@cupy:0')._backend.suffixes()) < 2, reason='one GPU only')
def test_between_two_gpus(busy):
    x = xd.get_device('@cupy:0').send(np.arange(float(MANY)))
    busy()
    y = xd.get_device('@cupy:1').send(x[::-1], dtype='float32')
    x[:] = -1
    np.testing.assert_array_equal(xd.to_numpy(y), np.arange(MANY, dtype='float32')[::-1])
    assert cuda.cupy.cuda.runtime.getDevice() == 0
