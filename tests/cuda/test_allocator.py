"""Memory of a cuda device: reuse in the stream's order, figures, limits, and what becomes of too large a request."""

from __future__ import annotations

from collections.abc import Callable

from .frame import framed

Run = Callable[..., str]


def test_memory_is_used_again_without_a_wait(on_fake_gpu: Run) -> None:
    code = framed("""
a = np.arange(1000.0)
x = send(a)
x.device.synchronize()
del x
asked, waited = calls('cuMemAlloc_v2'), counter('syncs')
hold(1)
y = cx.empty(1000, device='cuda:0')
for _ in range(50):
    z = y + 1
    del z
hold(0)
assert calls('cuMemAlloc_v2') <= asked + 1, 'all fifty had one piece of memory'
assert counter('syncs') == waited
assert calls('cuMemFree_v2') == 0
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_the_order_of_the_stream_keeps_what_is_reused(on_fake_gpu: Run) -> None:
    """A block that is given back while kernels and copies still read it is written to only after them."""
    code = framed("""
delay_us(2000)
total = cx.zeros(10_000, device='cuda:0')
for i in range(20):
    x = send(np.full(10_000, float(i)))
    total = total + x
    del x
same(total, np.full(10_000, 190.0))
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_figures(on_fake_gpu: Run) -> None:
    code = framed("""
device = xd.get_device('cuda:0')
before = device.memory_info()
assert (before.total, before.used, before.pooled) == (64 * MIB, 0, 0)
x = cx.empty(3 * MIB, dtype='uint8', device='cuda:0')
now = device.memory_info()
assert now.used == 3 * MIB and now.pooled == 0 and now.free <= before.free - 3 * MIB
del x
now = device.memory_info()
assert now.used == 0 and now.pooled >= 3 * MIB
assert now.free <= before.free - 3 * MIB, 'the pool has it'
cx.device('cuda:0')._trim()
now = device.memory_info()
assert (now.used, now.pooled, now.free) == (0, 0, before.free)
empty = cx.empty(0, device='cuda:0')
assert device.memory_info().used == 0 and same(empty, np.empty(0))
""")
    assert on_fake_gpu(code, FAKE_CUDA_MEMORY=str(64 << 20)) == 'sane\n'


def test_too_much_is_refused_with_figures_after_a_second_try(on_fake_gpu: Run) -> None:
    code = framed("""
device = xd.get_device('cuda:0')
keep = cx.ones(1000, device='cuda:0')
x = cx.empty(40 * MIB, dtype='uint8', device='cuda:0')
del x
assert device.memory_info().pooled >= 40 * MIB
y = cx.empty(50 * MIB, dtype='uint8', device='cuda:0')  # only when the pool is given back
assert device.memory_info().pooled < 40 * MIB
for _ in range(3):
    error = error_of(lambda: cx.empty(20 * MIB, dtype='uint8', device='cuda:0'), OutOfMemoryError)
    assert isinstance(error, MemoryError) and error.requested == 20 * MIB
    assert error.free == device.memory_info().free < 20 * MIB and error.pooled == 0
    for figure in (error.requested, error.free, error.pooled, 50 * MIB + keep.nbytes):
        assert str(figure) in str(error), error
    assert str(error).startswith('out of memory on cuda:0: ')
huge = error_of(lambda: cx.empty(2**60, dtype='uint8', device='cuda:0'), OutOfMemoryError)
assert huge.requested == 2**60
del y
same(keep + 1, np.full(1000, 2.0))
z = cx.empty(50 * MIB, dtype='uint8', device='cuda:0')
""")
    assert on_fake_gpu(code, FAKE_CUDA_MEMORY=str(64 << 20)) == 'sane\n'


def test_no_room_now_is_room_after_a_trim(on_fake_gpu: Run) -> None:
    """The driver's refusal leads to a trim and one more try, with no more than what was asked for."""
    code = framed("""
x = cx.empty(1000, device='cuda:0')
fail('cuMemAlloc_v2', 2)
y = cx.empty(5 * MIB, dtype='uint8', device='cuda:0')
fail('cuMemAlloc_v2', 2, times=0)
error_of(lambda: cx.empty(6 * MIB, dtype='uint8', device='cuda:0'), OutOfMemoryError)
heal()
z = cx.ones(6 * MIB, dtype='uint8', device='cuda:0')
assert int(z[-1]) == 1
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_a_broken_device_is_not_out_of_memory(on_fake_gpu: Run) -> None:
    code = framed("""
x = cx.ones(1000, device='cuda:0')
x.device.synchronize()
fail('run:launch', 700)
y = x + 1
time.sleep(0.2)
error = error_of(lambda: cx.empty(5 * MIB, dtype='uint8', device='cuda:0'))
assert type(error) is AsyncDeviceError and error.op == 'add' and 'CUDA_ERROR_ILLEGAL_ADDRESS (700)' in str(error), error
heal()
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_limits(on_fake_gpu: Run) -> None:
    code = framed("""
device = cx.device('cuda:0')
device._set_limit(10 * MIB)
x = cx.empty(6 * MIB, dtype='uint8', device='cuda:0')
error = error_of(lambda: cx.empty(6 * MIB, dtype='uint8', device='cuda:0'), OutOfMemoryError)
assert f'limit {10 * MIB}' in str(error) and error.free < 6 * MIB
del x
y = cx.empty(9 * MIB, dtype='uint8', device='cuda:0')
now = device.memory_info()
assert now.used + now.pooled <= 10 * MIB
device._set_limit(0)
z = cx.empty(20 * MIB, dtype='uint8', device='cuda:0')
error_of(lambda: device._set_limit(-1), ValueError)
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_all_memory_goes_back(on_fake_gpu: Run) -> None:
    code = framed("""
def work():
    for i in range(30):
        x = send(np.arange(float(1000 * (i + 1))))
        y = (x + 1).to_device('cuda:1')
        assert float(y[-1]) == 1000 * (i + 1)
        xd.to_numpy(y[::-1])
    big = send(np.zeros(3 * MIB), 'cuda:1')
    xd.to_numpy(big)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
gc.collect()
for spec in ('cuda:0', 'cuda:1'):
    cx.device(spec).synchronize()
    assert xd.get_device(spec).memory_info().used == 0
    cx.device(spec)._trim()
_core._drain()
pool = cx.pinned_memory_pool('cuda:0')
assert pool.statistics().used == 0
pool.free_all_blocks()
assert counter('live_allocations') == 0 and counter('live_bytes') == 0
assert counter('live_pinned') == 2, 'what the two streams report failures by'
assert counter('live_events') < 50, 'events are used again'
assert counter('overruns') == 0
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'
