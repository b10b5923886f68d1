"""Many threads at once, and a pool of another library's that needs the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable

from .frame import framed

Run = Callable[..., str]

HAMMER = """
failed = []
def hammer(works, seconds=3):
    ends = time.monotonic() + seconds
    def again(work):
        try:
            while time.monotonic() < ends:
                work()
        except BaseException:
            failed.append(traceback.format_exc())
    threads = [threading.Thread(target=again, args=(work,), daemon=True) for work in works]
    for thread in threads: thread.start()
    for thread in threads: thread.join(seconds + 20)
    assert not failed, failed[0]
    assert not any(thread.is_alive() for thread in threads), 'they wait for each other'
"""


def test_everything_at_once(on_fake_gpu: Run) -> None:
    code = framed(f"""{HAMMER}
a = np.arange(5000.0)
first, second = xd.get_device('cuda:0'), xd.get_device('cuda:1')
big = np.arange(1e6)
def arithmetic(): same((first.send(a) * 2 + 1)[::2], (a * 2 + 1)[::2])
def between(): same(second.send(first.send(a) + 1).to_device('cuda:0'), a + 1)
def trees(): same(xd.to_numpy(second.send({{'a': a, 'b': [a[:9], a[::-1]]}}))['b'][1], a[::-1])
def large(): same(first.send(big, dtype='float32'), big.astype('f4'))
def memory():
    first.memory_info(), cx.device('cuda:0')._trim(), cx.device('cuda:1')._trim()
    cx.pinned_memory_pool('cuda:0').free_all_blocks()
    time.sleep(0.01)
def locked():
    x = cx.pinned_memory_pool('cuda:0').empty(5000, dtype='float64')
    x[...] = 3
    there = first.send(x, blocking=False)
    del x
    assert float(there.sum()) == 15000
def capsules(): cx.from_dlpack(first.send(a)).__dlpack__(stream=2)
hammer([arithmetic, arithmetic, between, between, trees, large, memory, locked, capsules])
for device in (first, second):
    device.synchronize()
    assert device.memory_info().used == 0
_core._drain()
assert cx.pinned_memory_pool('cuda:0').statistics().used == 0
assert counter('overruns') == 0
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


POOL = """
class Pool:
    # As of a library that guards its pool by a lock of its own, and calls Python within.
    def __init__(self):
        self.lock, self.live = threading.RLock(), {}  # a collection within may give memory back
    def take(self, nbytes, device):
        with self.lock:
            if nbytes > 64 * MIB: raise MemoryError
            address = ctypes.c_uint64()
            assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(nbytes)) == 0
            sum(range(100))  # a chance to lose the interpreter's lock
            self.live[address.value] = nbytes, device
            return address.value
    def give_back(self, address, nbytes, device):
        with self.lock:
            assert self.live.pop(address) == (nbytes, device)
            sum(range(100))
            assert driver.cuMemFree_v2(ctypes.c_uint64(address)) == 0
pool = Pool()
a = np.arange(1000.0)
own = send(a)
_core._cuda_borrow_pool(pool.take, pool.give_back)
"""


def test_a_borrowed_pool(on_fake_gpu: Run) -> None:
    code = framed(f"""{POOL}
x = send(a)
y = x + own
assert len(pool.live) >= 2
same(y, a * 2)
error = error_of(lambda: cx.empty(65 * MIB, dtype='uint8', device='cuda:0'), OutOfMemoryError)
assert 'another library' in str(error) and error.requested == 65 * MIB
del x
x = cx.ones(3, device='cuda:1')
assert {{device for _, device in pool.live.values()}} == {{0, 1}}
_core._cuda_borrow_pool(None, None)
z = y + 1
del y, x, own
gc.collect()
for device in ('cuda:0', 'cuda:1'): cx.device(device).synchronize()
assert not pool.live, pool.live
same(z, a * 2 + 1)
for wrong in ((1, 2), (pool.take, None), (None, pool.take)):
    error_of(lambda: _core._cuda_borrow_pool(*wrong), TypeError)
_core._cuda_borrow_pool(lambda nbytes, device: 1 / 0, pool.give_back)
error_of(lambda: cx.empty(3, device='cuda:0'), ZeroDivisionError)
_core._cuda_borrow_pool(None, None)
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_a_borrowed_pool_in_many_threads(on_fake_gpu: Run) -> None:
    code = framed(f"""{HAMMER}{POOL}
sys.setswitchinterval(1e-5)
def core(): same(send(a) + 1, a + 1)
context = get('cuDevicePrimaryCtxRetain', 0)
def theirs():
    driver.cuCtxSetCurrent(ctypes.c_void_p(context))
    with pool.lock: time.sleep(0.0001)
    pool.give_back(pool.take(100, 0), 100, 0)
def cycles():
    class Cycle: pass
    one = Cycle(); one.me, one.x = one, send(a)
def collect(): gc.collect(), time.sleep(0.001)
def memory(): xd.get_device('cuda:0').memory_info()
def change():
    for pair in ((None, None), (pool.take, pool.give_back)):
        _core._cuda_borrow_pool(*pair)
        time.sleep(0.002)
hammer([core, core, theirs, theirs, cycles, collect, memory, change])
_core._cuda_borrow_pool(None, None)
gc.collect()
assert not pool.live
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_lent_memory(on_fake_gpu: Run) -> None:
    code = framed(f"""{HAMMER}
device = xd.get_device('cuda:0')
cx.empty(3, device='cuda:0')
address = _core._cuda_lend(1000, 0)
assert device.memory_info().used == 1000
again = _core._cuda_lend(1000, 0)
assert again != address
_core._cuda_take_back(address, 0)
_core._cuda_take_back(again, 0)
assert device.memory_info().used == 0
for wrong in (address, 12345):
    error = error_of(lambda: _core._cuda_take_back(wrong, 0), ValueError)
    assert str(wrong) in str(error)
error_of(lambda: _core._cuda_lend(1000, 7), DeviceError)
error_of(lambda: _core._cuda_lend(2**50, 0), OutOfMemoryError)
def lend(): _core._cuda_take_back(_core._cuda_lend(5000, 0), 0)
def use(): same(device.send(np.ones(10)) + 1, np.full(10, 2.0))
hammer([lend, lend, use, use], seconds=1)
assert device.memory_info().used == 0
_core._cuda_borrow_pool(lambda nbytes, device: 0, lambda *what: None)
error_of(lambda: _core._cuda_lend(1000, 0), DeviceError)
""")
    assert on_fake_gpu(code) == 'sane\n'
