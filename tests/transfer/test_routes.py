"""The routes from one memory to another: what a plan says of each, and that what happens is just that."""

import contextlib
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossdock as xd
from crossdock import core
from crossdock.transfer._plan import ROUTES

CHUNK = 4 * 2**20

NUMPY, NATIVE, SIM, OTHER = map(xd.get_device, ('@numpy', 'native:0', 'sim:0', 'sim:1'))


def pool():
    return core.pinned_memory_pool('sim:0')


def refusals(made):
    assert [route for route, _ in made.refused] == [r for r in ROUTES if r in dict(made.refused)], 'cheapest first'
    return dict(made.refused)


def bytes_of(device):
    now = core.sim.counters(device.index)
    return np.array([now.host_to_device_nbytes, now.device_to_host_nbytes, now.device_to_device_nbytes])


def test_small_arrays_cross_as_one_piece():
    made = xd.plan(np.zeros((3, 4)), SIM)
    assert made.route == 'copy'
    why = refusals(made)
    assert list(why) == ['same object', 'alias', 'device copy', 'peer copy', 'direct']
    assert why['direct'] == 'it does not lie in pinned host memory'
    assert 'no accelerators of one kind' in why['peer copy']
    assert xd.plan(SIM.send(np.zeros(3)), NUMPY).route == 'copy'


def test_large_arrays_are_staged():
    made = xd.plan(np.zeros(CHUNK // 8 + 1), SIM)
    assert made.route == 'staged'
    assert refusals(made)['copy'] == f'{CHUNK + 8} bytes are more than a chunk of {CHUNK}'
    assert xd.plan(np.zeros(CHUNK // 8), SIM).route == 'copy'


def test_what_has_to_be_gathered_or_converted_is_staged():
    x = np.zeros((4, 6))
    made = xd.plan(x[:, ::2], SIM)
    assert (made.route, refusals(made)['copy']) == ('staged', 'it is not C-contiguous, and is gathered on the way')
    made = xd.plan(x, SIM, dtype='float32')
    assert (made.route, refusals(made)['copy']) == ('staged', 'float64 becomes float32 on the way')
    assert refusals(made)['direct'] == refusals(made)['copy']
    made = xd.plan(np.array([1, 2], 'u1').view(bool), SIM)
    assert (made.route, refusals(made)['copy']) == ('staged', 'its bools are bytes other than 0 and 1')


def test_peers():
    x = SIM.send(np.arange(6.0))
    made = xd.plan(x, OTHER)
    assert (made.route, made.nbytes_moved) == ('peer copy', 48)
    before, before_sim = bytes_of(OTHER), bytes_of(SIM)
    y = OTHER.send(x)
    assert (bytes_of(OTHER) - before).tolist() == [0, 0, 48] and not (bytes_of(SIM) - before_sim).any()
    assert xd.to_numpy(y).tolist() == list(range(6))


def test_pinned_memory_crosses_directly():
    x = pool().empty((3, CHUNK // 8), dtype='float64')
    view = xd.to_numpy(x)
    view[...] = np.arange(view.size).reshape(view.shape)
    for source in (x, view, view[1:]):
        made = xd.plan(source, SIM)
        assert made.route == 'direct' and made.source.pinned
        before = core.sim.counters(0).copies
        y = SIM.send(source, blocking=False)
        assert core.sim.counters(0).copies == before + 1
        np.testing.assert_array_equal(xd.to_numpy(y), source if source is not x else view)
    assert xd.plan(view[:, ::2], SIM).route == 'staged'
    assert xd.plan(view, SIM, dtype='float32').route == 'staged'
    assert xd.plan(view.copy(), SIM).route == 'staged'
    assert pool().statistics().used >= view.nbytes
    del x, view, source, made, y
    assert pool().statistics().used == 0


def test_axes_in_another_order_cross_as_they_lie():
    x = np.arange(24.0).reshape(2, 3, 4)
    for view in (x.T, x.transpose(1, 0, 2), x[:1].transpose(2, 1, 0), np.asfortranarray(x)):
        made = xd.plan(view, SIM)
        assert made.route == 'copy' and made.order
        assert f'axes {made.order} in memory' in str(made)
        y = SIM.send(view)
        assert y.strides == view.strides or 1 in view.shape
        np.testing.assert_array_equal(xd.to_numpy(y), view)
        z = SIM.send(view, dtype='float32')
        np.testing.assert_array_equal(xd.to_numpy(z), view.astype('f4'))
    assert not xd.plan(x[::-1].T, SIM).order and not xd.plan(x[:, :2].T, SIM).order
    assert not xd.plan(x.T, '@numpy').order


def test_a_source_may_be_changed_once_send_has_returned():
    x = np.arange(float(CHUNK))
    for view in (x, x[::-1], x.reshape(2048, -1).T):
        wanted = view.astype('f4')
        y = SIM.send(view, dtype='float32')
        x[:] = 0
        np.testing.assert_array_equal(xd.to_numpy(y), wanted)
        x[:] = np.arange(float(CHUNK))


def test_an_early_change_of_a_held_source_is_an_error():
    x = np.zeros(CHUNK)

    def send_and_change():
        for _ in range(50):  # the copy may have been faster
            SIM.send(x, blocking=False)
            x[:] += 1
            SIM.synchronize()

    with pytest.raises(xd.errors.AsyncDeviceError, match='changed before'):
        send_and_change()


@pytest.mark.parametrize('fault', ['oom', 'copy_error', 'device_lost'])
def test_failures_leave_nothing(fault):
    x = np.arange(3.0 * CHUNK)
    used, pinned = SIM.memory_info().used, pool().statistics().used
    for after in range(5):
        core.sim.inject(fault, index=0, after=after if fault != 'oom' else 0)
        try:
            with pytest.raises(xd.errors.DeviceError):
                send_and_wait(x)
        finally:
            core.sim.clear_faults()
            with contextlib.suppress(xd.errors.AsyncDeviceError):
                SIM.synchronize()
        assert (SIM.memory_info().used, pool().statistics().used) == (used, pinned)
    np.testing.assert_array_equal(xd.to_numpy(SIM.send(x, dtype='float32')), x.astype('f4'))


def send_and_wait(x):
    y = SIM.send(x, dtype='float32')
    SIM.synchronize()
    return y


def test_many_threads_share_the_pool():
    x = np.arange(2.0 * CHUNK)
    wrong = []

    def work(device):
        for _ in range(2):
            if not np.array_equal(xd.to_numpy(device.send(x, dtype='float32'), copy=True), x.astype('f4')):
                wrong.append(device)

    threads = [threading.Thread(target=work, args=(device,)) for device in (SIM, SIM, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and pool().statistics().used == 0


DTYPES = ['float64', 'float32', 'float16', 'int8', 'int64', 'complex64', 'bool']


@st.composite
def arrays(draw):
    shape = draw(st.lists(st.integers(0, 7), max_size=3))
    if draw(st.integers(0, 9)) == 0 and shape:
        shape[draw(st.integers(0, len(shape) - 1))] = 40_000  # some are larger than a chunk
    dtype = draw(st.sampled_from(DTYPES))
    x = (np.arange(np.prod(shape, dtype=int)) % 97).astype(dtype).reshape(shape)
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    for axis in range(x.ndim):
        step = draw(st.sampled_from([1, 1, 1, 2, -1]))
        x = x[(slice(None),) * axis + (slice(None, None, step),)]
    return x


@settings(deadline=None, max_examples=120)
@given(arrays(), st.sampled_from([None, *DTYPES]), st.sampled_from(['up', 'down', 'peer', 'down, into native']))
def test_a_plan_says_what_happens(x, dtype, way):
    if dtype and x.dtype.kind == 'c' and dtype != 'complex64':
        dtype = None
    source = x if way == 'up' else SIM.send(x)
    target = {'up': SIM, 'down': NUMPY, 'peer': OTHER}.get(way, NATIVE)
    made = xd.plan(source, target, dtype=dtype)
    SIM.synchronize()
    far = OTHER if way == 'peer' else SIM
    moved, used = bytes_of(far), far.memory_info().used
    y = target.send(source, dtype=dtype)
    SIM.synchronize()
    OTHER.synchronize()
    column = {'up': 0, 'peer': 2}.get(way, 1)
    wanted = np.zeros(3, int)
    wanted[column] = made.nbytes_moved
    assert (bytes_of(far) - moved).tolist() == wanted.tolist()
    assert far.memory_info().used - used == (made.nbytes_allocated if way in ('up', 'peer') else 0)
    assert not made.zero_copy and y is not source
    np.testing.assert_array_equal(xd.to_numpy(y), x.astype(dtype or x.dtype))
    if way == 'up' and made.order:
        assert made.source.order == made.order
