"""Between host and GPU: page-locked memory, the ring of staged copies, and whose memory may be changed when."""

from __future__ import annotations

from collections.abc import Callable

from .frame import framed

Run = Callable[..., str]


def test_the_pool_is_page_locked_and_bounded(on_fake_gpu: Run) -> None:
    code = framed("""
pool = cx.pinned_memory_pool('cuda:0')
assert pool is cx.pinned_memory_pool('cuda:1') and calls('cuInit') == 0
x = cx.ones(3, device='cuda:0')
before = counter('live_pinned_bytes')
pinned = pool.empty((1000, 1000), dtype='float64')
assert counter('live_pinned_bytes') - before >= 8_000_000
assert exchange.is_pinned(exchange.as_numpy(pinned), cx.device('cuda:1'))
kind = ctypes.c_uint()
address = ctypes.c_uint64(exchange.as_numpy(pinned).ctypes.data + 100)
assert driver.cuPointerGetAttribute(ctypes.byref(kind), 2, address) == 0 and kind.value == 1
pool.set_limit(16 * MIB)
big = np.random.default_rng(0).standard_normal(8 * MIB)  # 64 MiB
there = xd.get_device('cuda:0').send(big, dtype='float32')
same(there, big.astype('f4'))
pageable = counter('pageable_bytes')
same(send(big[::-1]), big[::-1])
assert counter('pageable_bytes') == pageable, 'all of it by page-locked chunks'
assert counter('live_pinned_bytes') - before <= 16 * MIB
del pinned
_core._drain()
assert pool.statistics().used == 0
pool.free_all_blocks()
assert counter('live_pinned_bytes') == before
fail('cuMemHostAlloc', 2, times=0)
error = error_of(lambda: pool.empty(1000, dtype='uint8'), OutOfMemoryError)
assert 'pinned' in str(error)
error_of(lambda: send(big), OutOfMemoryError)
heal()
same(send(big), big)
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_every_layout_and_conversion_crosses(on_fake_gpu: Run) -> None:
    code = framed("""
rng = np.random.default_rng(1)
base = rng.standard_normal((1500, 2000)).astype('f4') * 50  # 12 MB: several chunks
device = xd.get_device('cuda:0')
for view in (
    base, base.T, base[::-1], base[:, ::2], base[::3, 5:900:-7][:, ::-1], np.broadcast_to(base[0], (1500, 2000)),
    base.reshape(3, 500, 2000).transpose(2, 0, 1), base[:0], base[3, 4, ...],
):
    for dtype in (None, 'float64', 'float16', 'int32', 'complex64'):
        want = view if dtype is None else view.astype(dtype)
        there = device.send(view, dtype=dtype)
        same(there, want)
        if view.ndim == 2: same(there.T, want.T)
        back = np.empty(view.shape, 'f8' if want.dtype.kind != 'c' else 'c16')
        xd.copyto(back, there)
        np.testing.assert_array_equal(back, want.astype(back.dtype))
        if view.size > 2_000_000 and view.ndim == 2 and dtype in (None, 'float16'):
            xd.copyto(there[1:, ::2], np.ascontiguousarray(want[1:, ::2] * 0))
            assert float(abs(there[1:, ::2]).sum()) == 0
target = base.copy()[::-1, ::2]
xd.copyto(target, device.send(base[:, :1000]))
np.testing.assert_array_equal(target, base[:, :1000])
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_the_narrower_type_travels(on_fake_gpu: Run) -> None:
    code = framed("""
a = np.arange(3e6)
device = xd.get_device('cuda:0')
cx.ones(3, device='cuda:0')
before = counter('h2d_bytes')
x = device.send(a, dtype='float32')
assert counter('h2d_bytes') - before == 12_000_000
before = counter('h2d_bytes')
y = device.send(a.astype('f4'), dtype='float64')
assert counter('h2d_bytes') - before == 12_000_000
before = counter('d2h_bytes')
back = np.empty(3_000_000, 'f4')
xd.copyto(back, y)
assert counter('d2h_bytes') - before == 12_000_000
small = {str(i): np.full(100, float(i)) for i in range(50)}
before = counter('h2d_copies')
there = device.send(small)
assert counter('h2d_copies') - before == 1, 'packed'
before = counter('d2h_copies')
for name, x in xd.to_numpy(there).items(): same(x, small[name])
assert counter('d2h_copies') - before == 1
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_sources_may_be_changed_when_send_returns(on_fake_gpu: Run) -> None:
    code = framed("""
device = xd.get_device('cuda:0')
pool = cx.pinned_memory_pool('cuda:0')
device.send(np.ones(3))
delay_us(3000)
sources = [np.arange(1000.0), np.arange(3e6), np.arange(2e6)[::2], np.arange(6e5).reshape(600, 1000).T]
for source in sources:
    want = source.copy()
    there = device.send(source)
    source[...] = -1
    same(there, want)
locked = pool.empty(1000, dtype='float64')
view = exchange.as_numpy(locked)
view[...] = np.arange(1000.0)
there = device.send(view)
view[...] = -1
same(there, np.arange(1000.0))
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_page_locked_sources_live_until_they_are_read(on_fake_gpu: Run) -> None:
    code = framed("""
device = xd.get_device('cuda:0')
pool = cx.pinned_memory_pool('cuda:0')
device.send(np.ones(3))
device.synchronize()
for make in (lambda x: x, exchange.as_numpy):  # the core's own array, and NumPy's view of it
    source = pool.empty(100_000, dtype='float64')
    source[...] = 5
    hold(1)
    began = time.monotonic()
    there = device.send(make(source), blocking=False)
    assert time.monotonic() - began < 5, 'it waits for nothing'
    used = pool.statistics().used
    assert used >= 800_000
    del source
    gc.collect()
    assert pool.statistics().used == used, 'a copy still reads it'
    for _ in range(3):
        other = pool.empty(100_000, dtype='float64')
        other[...] = -1
        del other
    hold(0)
    same(there, np.full(100_000, 5.0))
    _core._drain()
    assert pool.statistics().used == 0
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_targets_of_downloads_are_whole_when_they_return(on_fake_gpu: Run) -> None:
    code = framed("""
delay_us(2000)
x = send(np.arange(1e6))
for _ in range(3):
    x = x + 1
    pageable = np.empty(1_000_000)
    xd.copyto(pageable, x)
    locked = cx.pinned_memory_pool('cuda:0').empty(1_000_000, dtype='float64')
    xd.copyto(locked, x)
    assert (pageable == exchange.as_numpy(locked)).all() and pageable[5] == float(x[5])
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_interrupts_end_waits_and_nothing_else(on_fake_gpu: Run) -> None:
    code = framed("""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
pool = cx.pinned_memory_pool('cuda:0')
x = send(np.ones(1000))
x.device.synchronize()
locked = pool.empty(1000, dtype='float64')
locked[...] = 4
out = pool.empty(1000, dtype='float64')
def interrupted(act):
    hold(1)
    y = x + 1
    threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    error_of(act, KeyboardInterrupt)
    assert time.monotonic() - began < 2
    hold(0)
    x.device.synchronize()
    same(y, np.full(1000, 2.0))
for act in (
    lambda: float(x[0]), x.tolist, x.device.synchronize, lambda: xd.to_numpy(x), lambda: repr(x),
    lambda: xd.copyto(out, x), lambda: send(locked), lambda: xd.to_numpy(send({'a': np.ones(3), 'b': np.ones(4)})),
    _core._drain,
):
    interrupted(act)
xd.copyto(out, send(locked))
assert out.tolist() == [4] * 1000
""")
    assert on_fake_gpu(code) == 'sane\n'
