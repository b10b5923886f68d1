"""Copies to and from CuPy's arrays, over the stand-in: in order, in chunks, and whatever the current device."""

import gc
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.core.exchange import CHUNK_NBYTES
from crossdock.devices import cuda
from crossdock.devices.backends import _cupy_staging

sys.path.insert(0, str(Path(__file__).parents[1]))
import cupy_stand_in

MANY = 3 * CHUNK_NBYTES // 8 + 1000  # doubles, in four chunks


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    yield from cupy_stand_in.lend(monkeypatch)
    cuda.pinned_memory_pool.set_limit(256 * 1024 * 1024)


@pytest.fixture(params=['the default stream', 'a stream', 'another current device'])
def around(cupy, request):
    """Where the host is while arrays on GPU 1 are moved."""
    if request.param == 'another current device':
        yield
        return
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream.null if 'default' in request.param else cupy.cuda.Stream(non_blocking=True)
        stream.use()
        yield
        cupy.cuda.Stream.null.use()


LARGE = {
    'as it lies': lambda x: x,
    'by columns': lambda x: x.reshape(-1, 2)[:, ::-1],
    'long rows': lambda x: x[: MANY // 2 * 2].reshape(2, -1)[:, ::-1],
    'stepped': lambda x: x[::3],
    'transposed': lambda x: x[: MANY // 20 * 20].reshape(20, -1).T,
}


@pytest.mark.parametrize('layout', LARGE)
@pytest.mark.parametrize('dtype', [None, 'float32', 'complex128', 'int32'])
def test_more_than_a_chunk(around, layout, dtype):
    x = LARGE[layout](np.arange(float(MANY)))
    expected = x.astype(dtype or x.dtype)
    there = xd.get_device('@cupy:1').send(x, dtype=dtype)
    x[...] = -1  # it has been read
    np.testing.assert_array_equal(xd.to_numpy(there), expected)
    back = np.zeros(x.shape, 'complex64')
    xd.copyto(back, there)
    np.testing.assert_array_equal(back, expected.astype('complex64'))


def test_no_temporary_is_as_large_as_the_array(monkeypatch):
    x = np.arange(float(MANY))[::-1]
    pool, empty = cuda.PinnedMemoryPool(), np.empty
    monkeypatch.setattr(_cupy_staging, 'pinned_memory_pool', pool)
    monkeypatch.setattr(np, 'empty', None)
    monkeypatch.setattr(np, 'ascontiguousarray', None)
    there = xd.get_device('@cupy:0').send(x, dtype='float32')
    monkeypatch.setattr(np, 'empty', empty)
    back = np.empty(MANY, 'float32')
    monkeypatch.setattr(np, 'empty', None)
    xd.copyto(back[::-1], there)
    np.testing.assert_array_equal(back, np.arange(MANY, dtype='float32'))
    assert 0 < pool.statistics().high_water <= 4 * CHUNK_NBYTES


@pytest.mark.parametrize('limit', [0, 1000, CHUNK_NBYTES])
def test_little_or_no_page_locked_memory(limit):
    cuda.pinned_memory_pool.set_limit(limit)
    x = np.arange(float(MANY))
    there = xd.get_device('@cupy:1').send({'large': x, 'small': [np.ones(3), np.zeros(4)]})
    x[:] = -1
    np.testing.assert_array_equal(xd.to_numpy(there)['large'], np.arange(float(MANY)))
    assert [y.tolist() for y in xd.to_numpy(there['small'])] == [[1] * 3, [0] * 4]
    assert cuda.pinned_memory_pool.statistics().used <= limit


def test_when_the_system_gives_no_page_locked_memory(cupy):
    cupy.cuda.runtime.refuse_host_alloc = 100
    there = xd.get_device('@cupy:0').send(np.arange(5.0))
    assert xd.to_numpy(there).tolist() == [0, 1, 2, 3, 4]


def test_page_locked_sources_are_copied_as_they_lie(around):
    x = cuda.pinned_memory_pool.empty(MANY)
    x[:] = np.arange(MANY)
    target = xd.get_device('@cupy:1')
    assert xd.plan(x, target).route == 'direct'
    there = target.send(x)
    x[:] = -1  # it has been read
    np.testing.assert_array_equal(xd.to_numpy(there), np.arange(MANY))
    assert xd.plan(x[::2], target).route == 'staged'


def test_blocking_false_returns_early_and_holds_the_source(cupy):
    x = cuda.pinned_memory_pool.empty(100)
    x[:] = np.arange(100)
    there = xd.get_device('@cupy:0').send(x, blocking=False)
    assert there._values[1] != 1, 'it is on its way'
    del x
    other = cuda.pinned_memory_pool.empty(100)  # not the memory of the source
    other[:] = -1
    np.testing.assert_array_equal(xd.to_numpy(there), np.arange(100))
    for _ in range(3):  # what has been read is let go
        xd.get_device('@cupy:0').send(other, blocking=False)
        cupy.cuda.Stream.null.synchronize()
    assert cuda.pinned_memory_pool.statistics().used <= 4096


def test_a_blocking_send_of_pageable_memory_has_read_it(around):
    x = np.arange(1000.0)
    there = [xd.get_device('@cupy:1').send(x, blocking=blocking) for blocking in (True, False)]
    x[:] = -1
    for array in there:
        np.testing.assert_array_equal(xd.to_numpy(array), np.arange(1000.0))


def test_chunks_are_not_reused_while_their_copy_is_under_way(cupy):
    with cupy.cuda.Device(0):
        streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(3)]
    sources = [np.full(1000, float(i)) for i in range(9)]
    there = []
    for i, x in enumerate(sources):
        with streams[i % 3]:
            there.append(xd.get_device('@cupy:0').send(x, copy=True))
    for i, array in enumerate(there):
        with streams[i % 3]:
            np.testing.assert_array_equal(xd.to_numpy(array), sources[i])


def test_small_arrays_cross_together(cupy, around):
    tree = {
        'a': np.arange(5, dtype='int16'),
        'b': [np.float64(3), np.asfortranarray(np.arange(6.0).reshape(2, 3))],
        'bools': np.array([0, 2, 0], 'uint8').view(bool),
        'wide': np.arange(3, dtype='float32'),
    }
    cupy_stand_in._cuda.allocations.clear()
    there = xd.get_device('@cupy:1').send(tree)
    assert len(cupy_stand_in._cuda.allocations) == 1
    assert [len(made) for made in xd.plan(tree, '@cupy:1').packed] == [5]
    assert all(array.data.ptr % 256 == 0 for array in (there['a'], *there['b'], there['bools'], there['wide']))
    back = xd.to_numpy(there)
    assert back['a'].tolist() == [0, 1, 2, 3, 4] and back['a'].dtype == np.int16
    assert float(back['b'][0]) == 3 and back['b'][1].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back['bools'].view('uint8').tolist() == [0, 1, 0]


def test_many_small_arrays_come_back_together(cupy, around):
    there = [xd.get_device('@cupy:1').send(np.full((3, i), float(i)), copy=True)[::-1] for i in range(1, 20)]
    for i, back in enumerate(xd.to_numpy(there), 1):
        np.testing.assert_array_equal(back, np.full((3, i), float(i)))


@pytest.mark.parametrize('dtype', [None, 'float32', 'complex64'])
@pytest.mark.parametrize('streams', [False, True])
def test_from_one_gpu_to_another(cupy, dtype, streams):
    own = [cupy.cuda.Stream.null] * 2
    if streams:
        for i in (0, 1):
            with cupy.cuda.Device(i):
                own[i] = cupy.cuda.Stream(non_blocking=True).use()
    x = xd.get_device('@cupy:0').send(np.arange(24.0).reshape(4, 6))
    expected = np.arange(24.0).reshape(4, 6)
    assert xd.plan(x, '@cupy:1').route == 'peer copy'
    y = xd.get_device('@cupy:1').send(x[:, ::-2], dtype=dtype)
    x[...] = -1  # queued behind the copy
    assert y.device == cupy.cuda.Device(1)
    np.testing.assert_array_equal(xd.to_numpy(y), expected[:, ::-2])
    z = xd.get_device('@cupy:1').send(np.zeros((2, 4, 3)), copy=True)
    xd.copyto(z, y, casting='unsafe')
    np.testing.assert_array_equal(xd.to_numpy(z)[1], expected[:, ::-2])
    for i in (0, 1):
        with cupy.cuda.Device(i):
            cupy.cuda.Stream.null.use()


@pytest.mark.parametrize('step', [slice(1, None), slice(None, None, -1)])
def test_overlapping_views(step):
    host = np.arange(8.0)
    there = xd.get_device('@cupy:1').send(host, copy=True)
    xd.copyto(there[: len(host[step])], there[step])
    expected = host.copy()
    expected[: len(host[step])] = host[step]
    np.testing.assert_array_equal(xd.to_numpy(there), expected)
    xd.copyto(there, there[::-1], where=np.arange(8) % 2 == 0)
    np.testing.assert_array_equal(xd.to_numpy(there), np.where(np.arange(8) % 2 == 0, expected[::-1], expected))


def test_a_failing_copy_leaves_the_current_device(cupy, monkeypatch):
    x = xd.get_device('@cupy:0').send(np.arange(4.0))
    cupy_stand_in._cuda.memory_pool.room = 8
    used = cuda.pinned_memory_pool.statistics().used
    with cupy.cuda.Device(0):
        for fail in (
            lambda: xd.get_device('@cupy:1').send(x),
            lambda: xd.get_device('@cupy:1').send(np.arange(4.0)),
            lambda: xd.get_device('@cupy:1').send([np.arange(4.0), np.arange(5.0)]),
            lambda: xd.copyto(x, np.arange(4), where=np.ones(4, bool)),
        ):
            with pytest.raises(xd.errors.OutOfMemoryError) as caught:
                fail()
            assert caught.value.free == 3 << 30 and caught.value.device in ('@cupy:0', '@cupy:1')
            assert cupy.cuda.runtime.getDevice() == 0
            del caught  # with the frames that hold what was there
    gc.collect()
    assert cuda.pinned_memory_pool.statistics().used == used


def test_dlpack_is_read_in_the_order_of_the_arrays_own_device(cupy):
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True).use()
        x = cupy.empty(3)
    view = x.device and xd.get_device('@cupy:1')._backend.alias_out(x)
    assert view.__dlpack_device__() == (2, 1)
    for capsule in (view.__dlpack__(stream=1, max_version=(1, 0)), view.__dlpack__(stream=1, copy=False)):
        assert (capsule.own_stream, capsule.device, capsule.stream, capsule.array) == (stream, 1, 1, x)
    copied = view.__dlpack__(stream=1, copy=True).array
    assert copied is not x and copied.device == x.device and not cupy.may_share_memory(x, copied)
    with cupy.cuda.Device(1):
        again = xd.get_device('@cupy:1')._backend.alias_in(view, xd.get_device('@cupy:1')._place)
        assert again.data.ptr == x.data.ptr
        cupy.cuda.Stream.null.use()
    assert cupy_stand_in._array.from_dlpack_streams == [(1, stream.ptr)]


class Unknown:
    """An array of a library that nobody knows, by ``__cuda_array_interface__``."""

    def __init__(self, array, readonly=False):
        self._array = array
        self.__cuda_array_interface__ = {
            'version': 3,
            'shape': array.shape,
            'typestr': array.dtype.str,
            'data': (array.data.ptr, readonly),
            'strides': array.strides,
        }


@pytest.mark.parametrize('number', [0, 1])
def test_unknown_arrays_are_adopted_where_they_are(cupy, number):
    with cupy.cuda.Device(number):
        x = cupy.array(np.arange(3.0))
    cupy_stand_in._cuda.unowned[x.data.ptr] = number
    seen = xd.get_device(f'@cupy:{number}').send(Unknown(x))
    assert seen.data.ptr == x.data.ptr and seen.device == cupy.cuda.Device(number)
    own = xd.get_device(f'@cupy:{number}').send(Unknown(x, readonly=True))
    assert own.data.ptr != x.data.ptr and xd.to_numpy(own).tolist() == [0, 1, 2], 'nobody may write the memory'


def test_unknown_arrays_by_dlpack(cupy):
    class Producer:
        def __init__(self, array, kind=2):
            self._array, self._kind = array, kind

        def __dlpack_device__(self):
            return self._kind, self._array.device.id

        def __dlpack__(self, **kwargs):
            return self._array.__dlpack__(**kwargs)

    x = cupy.array(np.arange(3.0))
    assert xd.get_device('@cupy:0').send(Producer(x)).data.ptr == x.data.ptr
    with pytest.raises(xd.errors.UnknownArrayError, match='no library here reaches'):
        xd.get_device('@cupy:0').send(Producer(x, kind=10))


def test_after_a_fork_the_child_is_told(monkeypatch):
    x = xd.get_device('@cupy:0').send(np.arange(3.0))
    monkeypatch.setattr('os.getpid', lambda: -1)
    for use in (
        lambda: xd.get_device('@cupy:0').send(np.ones(3)),
        lambda: xd.to_numpy(x),
        lambda: xd.copyto(x, 1.0),
        lambda: xd.get_device('@cupy:1').send(x),
        lambda: xd.get_device('@cupy:0').synchronize(),
        lambda: xd.get_device('@cupy:0').memory_info(),
    ):
        with pytest.raises(xd.errors.DeviceError, match='forked') as caught:
            use()
        assert 'spawn' in str(caught.value) and caught.value.device.startswith('@cupy:')


def test_progress_over_several_chunks(cupy):
    x = np.arange(float(9 * MANY))
    told = []

    def progress(done, total):
        told.append((done, total))

    there = cuda.to_gpu(x, 1, progress=progress)
    assert len(told) > 2 and told[-1] == (x.nbytes, x.nbytes)
    told.clear()
    copied = cuda.copy(there, out_device=0, progress=progress)
    assert len(told) > 2 and told[-1] == (x.nbytes, x.nbytes)
    assert copied.device.id == 0
    told.clear()
    np.testing.assert_array_equal(cuda.to_cpu(copied, progress=progress), x)
    assert len(told) > 2 and told[-1] == (x.nbytes, x.nbytes)
    with xd.trace_transfers() as log:
        xd.copyto(there, x + 1, progress=progress)
    assert [(row.nbytes, row.source, row.target) for row in log] == [(x.nbytes, '@numpy', '@cupy:1')]
    np.testing.assert_array_equal(xd.to_numpy(there), x + 1)
