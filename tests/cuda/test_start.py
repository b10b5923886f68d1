"""When CUDA is started, what asking costs, what forked children are told, and how a process ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .frame import framed

Run = Callable[..., str]


def test_asking_starts_nothing(on_fake_gpu: Run) -> None:
    code = framed("""
assert [str(d) for d in xd.available_devices() if d.kind == 'cuda'] == ['cuda:0', 'cuda:1']
xd.describe_devices()
device = xd.get_device('cuda:1')
assert cx.device('cuda:1') == cx.device('cuda:1') and cx.device('cuda:1').dlpack_device == (2, 1)
print(device, repr(device), device.physical, device == xd.get_device('cuda:0'))
xd.plan(np.ones(3), 'cuda:1')
cx.cuda.count_gpus(), cx.cuda.driver_version()
error_of(lambda: xd.get_device('cuda:2'), DeviceError)
assert calls('cuInit') == 0, calls('cuInit')
pid = os.fork()
if not pid:
    os._exit(float(cx.ones(3, device='cuda:1').sum()) != 3)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, 'a child may start it'
assert float(cx.ones(3, device='cuda:1').sum()) == 3
assert calls('cuInit') == 1
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2').splitlines()[-1] == 'sane'


CHILD = """
def child(act):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except Exception:
            traceback.print_exc()
            os._exit(1)
        sys.exit(0)  # as a process ends: exit functions and all
    began = time.monotonic()
    while time.monotonic() - began < 20:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(pid, 9)
    raise AssertionError('the child hangs')
a = np.arange(1000.0)
"""


def test_a_child_is_told_by_one_clear_error(on_fake_gpu: Run) -> None:
    code = framed(f"""{CHILD}
x = send(a)
y = x + 1
pinned = cx.pinned_memory_pool('cuda:0').empty(1000, dtype='float64')
def act():
    for use in (
        lambda: x + 1, lambda: float(x[0]), lambda: x.tolist(), lambda: xd.to_numpy(x), lambda: send(a),
        lambda: x.to_device('cuda:1'), lambda: cx.empty(3, device='cuda:1'), x.device.synchronize,
        lambda: x.__dlpack__(stream=2), lambda: repr(x), lambda: cx.asarray(a, device='cuda:0'),
        lambda: send({{'a': a, 'b': a}}), lambda: send(np.zeros(3 * MIB)), lambda: y + y,
    ):
        error = error_of(use, DeviceError)
        assert 'was started in this process before it was forked' in str(error) and "'spawn'" in str(error), error
    # What needs no GPU goes on.
    same(cx.asarray(a, device='native:0') + 1, a + 1)
    same(send(a, 'sim:0'), a)
    pinned[...] = 7
    assert float(pinned.sum()) == 7000 and x.shape == (1000,) and str(xd.get_device_from_array(x)) == 'cuda:0'
    x.device.memory_info()
    globals().pop('x'), globals().pop('y')
    gc.collect()
before = {{name: counter(name) for name in ('live_allocations', 'live_pinned', 'live_streams')}}
assert child(act)
assert child(lambda: None)
same(y, a + 1) and same(x, a)
assert before == {{name: counter(name) for name in before}}
assert child(lambda: child(act) or os._exit(1))
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2', PYTHONWARNINGS='ignore') == 'sane\n'


def test_forks_while_the_gpu_works(on_fake_gpu: Run) -> None:
    code = framed(f"""{CHILD}
x = send(a)
stop = False
failed = []
def busy():
    try:
        while not stop:
            same(send(a) + 1, a + 1)
            xd.to_numpy(send({{'a': a, 'b': a[:100]}}))
            send(np.zeros(3 * MIB // 2))
            cx.pinned_memory_pool('cuda:0').empty(10, dtype='float64')
    except BaseException:
        failed.append(traceback.format_exc())
threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads: thread.start()
def act():
    error_of(lambda: x + 1, DeviceError)
    error_of(lambda: send(a), DeviceError)
    same(cx.asarray(a, device='native:0') + 1, a + 1)
for _ in range(8): assert child(act)
stop = True
for thread in threads: thread.join()
assert not failed, failed[0]
same(x, a)
""")
    assert on_fake_gpu(code, PYTHONWARNINGS='ignore') == 'sane\n'


def test_another_library_that_started_it_before_the_fork(on_fake_gpu: Run) -> None:
    code = framed(f"""{CHILD}
assert driver.cuInit(0) == 0
def act():
    error = error_of(lambda: send(a), DeviceError)
    assert 'CUDA_ERROR_NOT_INITIALIZED (3)' in str(error) and "'spawn'" in str(error), error
assert child(act)
same(send(a), a)
""")
    assert on_fake_gpu(code, PYTHONWARNINGS='ignore') == 'sane\n'


@pytest.mark.parametrize(
    ('setting', 'words'),
    [
        ({'FAKE_CUDA_DRIVER_VERSION': '11040'}, 'CUDA 11.4'),
        ({'FAKE_CUDA_DEVICES': '0'}, 'the NVIDIA driver finds no GPU'),
        ({'CUDA_VISIBLE_DEVICES': ''}, "CUDA_VISIBLE_DEVICES='' hides the GPU of this machine"),
    ],
)
def test_no_device_has_its_reason(on_fake_gpu: Run, setting: dict[str, str], words: str) -> None:
    code = framed(f"""
for act in (lambda: xd.get_device('cuda:0'), lambda: cx.ones(3, device='cuda:0')):
    error = error_of(act, xd.errors.DeviceUnavailableError)
    assert {words!r} in str(error), error
assert not [d for d in xd.available_devices() if d.kind == 'cuda']
assert calls('cuInit') == 0
""")
    assert on_fake_gpu(code, **setting) == 'sane\n'


def test_a_start_that_the_driver_refuses(on_fake_gpu: Run) -> None:
    code = framed("""
for _ in range(2):
    error = error_of(lambda: cx.ones(3, device='cuda:0'), DeviceError)
    assert 'cuInit failed on cuda: CUDA_ERROR_UNKNOWN (999)' in str(error), error
same(cx.ones(3, device='native:0'), np.ones(3))
""")
    assert on_fake_gpu(code, FAKE_CUDA_INIT_RESULT='999') == 'sane\n'


@pytest.mark.parametrize(
    'last',
    [
        'keep = [send(np.ones(1000)) for _ in range(10)]; z = keep[0] + 1',
        'keep = send(np.ones(3 * MIB)); capsule = keep.__dlpack__(stream=2)',
        "pinned = cx.pinned_memory_pool('cuda:0').empty(MIB, dtype='uint8'); y = send(pinned)",
        'delay_us(20000); keep = [send(np.ones(10)) + 1 for _ in range(10)]',
        "hold_me = type('Cycle', (), {})(); hold_me.me = hold_me; hold_me.x = send(np.ones(10)); del hold_me",
        'sys.exit_array = send(np.ones(10))',
        'threading.Thread(target=lambda: [send(np.ones(100)) + 1 for _ in range(50)]).start()',
        'x = send(np.ones(10)); threading.Thread(target=lambda: (time.sleep(60), x + 1), daemon=True).start()',
        "v = exchange.from_numpy(np.ones(10)); y = cx.empty(10, device='cuda:0'); exchange.copy_into(y, v)",
    ],
)
def test_exit_with_live_arrays(on_fake_gpu: Run, last: str) -> None:
    assert on_fake_gpu(framed(last), timeout_s=60) == 'sane\n'


def test_exit_gives_back_what_copies_still_hold(on_fake_gpu: Run) -> None:
    code = framed("""
class Source(np.ndarray):
    pass
import weakref
pool = cx.pinned_memory_pool('cuda:0')
send(np.ones(3))
delay_us(100_000)
x = pool.empty(1000, dtype='float64')
x[...] = 3
y = xd.get_device('cuda:0').send(x, blocking=False)
keep = y + 1
del x
assert pool.statistics().used >= 8000
import atexit
atexit.register(lambda: print('used', pool.statistics().used))
atexit.register(_core._drain)
""")
    assert on_fake_gpu(code).splitlines() == ['sane', 'used 0']
