"""The simulated accelerator: memory the host cannot touch, exact counters, faults; and the process around it."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import crossdock.core as cx
from crossdock.errors import AsyncDeviceError, DeviceError, OutOfMemoryError


@pytest.fixture(autouse=True)
def healthy() -> Iterator[None]:
    yield
    cx.sim.clear_faults()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=120
    )


def test_the_host_cannot_touch_its_memory() -> None:
    out = run("import crossdock.core as cx, ctypes; x = cx.ones(4, device='sim:0'); ctypes.string_at(x.data_ptr, 8)")
    assert out.returncode == -11  # SIGSEGV


def test_counters_are_exact() -> None:
    a = np.ones((100, 100), 'float32')
    x = cx.zeros((100, 100), dtype='float32', device='sim:0')
    before, other = cx.sim.counters(0), cx.sim.counters(1)
    cx.exchange.copy_into(x, cx.exchange.from_numpy(a))
    float(x.sum())
    x[::2].to_device('native:0')
    x.to_device('sim:1')
    after = cx.sim.counters(0)
    assert after.host_to_device_nbytes - before.host_to_device_nbytes == 40000
    assert after.device_to_host_nbytes - before.device_to_host_nbytes == 4 + 20000
    assert cx.sim.counters(1).device_to_device_nbytes - other.device_to_device_nbytes == 40000
    assert after.copies - before.copies == 3 and after.syncs > before.syncs


def test_out_of_memory_names_the_figures() -> None:
    cx.empty(1000, device='sim:0')
    cx.sim.inject('oom', index=0, after=1)
    kept = cx.empty(10, device='sim:0')
    with pytest.raises(OutOfMemoryError) as caught:
        cx.empty((1000, 1000), device='sim:0')
    assert caught.value.requested == 8_000_000 and '8000000' in str(caught.value) and caught.value.device == 'sim:0'
    assert isinstance(caught.value, MemoryError)
    cx.empty(10, device='sim:1')
    cx.sim.clear_faults()
    assert cx.empty((1000, 1000), device='sim:0').size == 10**6 and kept.size == 10


def test_a_failed_copy_is_reported_and_the_device_goes_on() -> None:
    x = cx.ones(100, device='sim:0')
    cx.device('sim:0').synchronize()
    cx.sim.inject('copy_error', after=0)
    with pytest.raises(RuntimeError) as caught:
        x.to_device('native:0')
    assert isinstance(caught.value, DeviceError) and 'sim:0' in str(caught.value)
    cx.sim.clear_faults()
    assert x.to_device('native:0').tolist() == [1.0] * 100


def test_a_lost_device_fails_everything() -> None:
    x = cx.ones(4, device='sim:1')
    cx.sim.inject('device_lost', index=1)
    for act in (lambda: x.to_device('native:0'), lambda: cx.ones(4, device='sim:1').tolist(), lambda: (x + 1).tolist()):
        with pytest.raises(DeviceError):
            act()
    assert float(cx.ones(4, device='sim:0').sum()) == 4
    cx.sim.clear_faults()
    assert x.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize('bad', [{'kind': 'fire'}, {'kind': 'oom', 'after': -1}])
def test_unknown_faults(bad) -> None:
    with pytest.raises(ValueError):
        cx.sim.inject(**bad)
    with pytest.raises(DeviceError):
        cx.sim.inject('oom', index=99)
    with pytest.raises(DeviceError):
        cx.sim.counters(99)


def test_a_failed_operation_leaves_nothing_allocated() -> None:
    d = cx.device('sim:0')
    x = cx.ones((50, 50), device='sim:0')
    gc.collect()
    d.synchronize()
    before = d.memory_info().used
    cx.sim.inject('oom', index=0, after=1)
    with pytest.raises(OutOfMemoryError):
        cx.concat([x + 1, x + 1])
    cx.sim.clear_faults()
    d.synchronize()
    assert d.memory_info().used == before


def test_latency_makes_work_asynchronous() -> None:
    code = """
import time, numpy as np, crossdock.core as cx
x = cx.ones(10, device='sim:0'); cx.device('sim:0').synchronize()
begun = time.perf_counter(); y = x
for _ in range(20): y = y + 1
queued = time.perf_counter() - begun
begun = time.perf_counter(); value = float(y[0]); waited = time.perf_counter() - begun
print(value, waited > 0.001)
"""
    out = run(code, CROSSDOCK_SIM_LATENCY_US='20000')
    assert out.stdout.split() == ['21.0', 'True'], out.stderr


@pytest.mark.parametrize('value', ['', 'junk', '-3', '0', '99999999999999999999', '2x', '1e3'])
def test_bad_environment_values_never_crash(value: str) -> None:
    names = ['CROSSDOCK_SIM_DEVICES', 'CROSSDOCK_NATIVE_DEVICES', 'CROSSDOCK_SIM_MEMORY', 'CROSSDOCK_SIM_H2D_GBPS']
    names += ['CROSSDOCK_SIM_LATENCY_US', 'CROSSDOCK_NUM_THREADS', 'OMP_NUM_THREADS', 'CROSSDOCK_CPU_LEVEL']
    code = "import crossdock.core as cx; print(float(cx.ones(100, device='sim:0').sum()), len(cx.devices()) >= 2)"
    out = run(code, **dict.fromkeys(names, value))
    assert out.stdout.split() == ['100.0', 'True'], out.stderr


def test_number_of_devices_by_environment() -> None:
    out = run('import crossdock.core as cx; print(cx.device_counts())', CROSSDOCK_SIM_DEVICES='5')
    assert eval(out.stdout)['sim'] == 5


@pytest.mark.parametrize('spec', ['native:0', 'sim:0'])
def test_fork_after_use_works(spec: str) -> None:
    code = f"""
import os, warnings
import crossdock.core as cx
x = cx.ones(300_000, device={spec!r})
assert float((x + 1).sum()) == 600_000
child = os.fork()
if child == 0:
    ok = float((x * 2).sum()) == 600_000 and float(cx.ones(300_000, device={spec!r}).sum()) == 300_000
    os._exit(0 if ok else 1)
_, status = os.waitpid(child, 0)
assert float((x + 2).sum()) == 900_000
print(os.waitstatus_to_exitcode(status))
"""
    out = run(code)
    assert out.stdout.strip() == '0', out.stderr


@pytest.mark.parametrize('spec', ['native:0', 'sim:0'])
def test_many_threads_leak_nothing(spec: str) -> None:
    d = cx.device(spec)
    x = cx.ones((128, 128), dtype='float32', device=spec)
    gc.collect()  # what earlier tests left in cycles must not go meanwhile
    d.synchronize()
    before = d.memory_info().used
    wrong = []

    def work() -> None:
        for _ in range(30):
            if float(((x + x) * 2).sum()) != 128 * 128 * 4:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    d.synchronize()
    assert not wrong and d.memory_info().used == before


@pytest.mark.parametrize('spec', ['native:0', 'sim:0'])
def test_exit_with_live_arrays_and_capsules_is_quiet(spec: str) -> None:
    code = f"""
import sys, numpy as np, crossdock.core as cx
a = np.ones(10); keep = [cx.asarray(a, device={spec!r}), cx.ones(100_000, device={spec!r}) + 1]
keep.append(keep[0].__dlpack__(max_version=(1, 0)))
sys.modules['kept'] = keep
"""
    out = run(code)
    assert (out.returncode, out.stdout, out.stderr) == (0, '', '')


def test_exit_with_work_still_queued_is_quiet() -> None:
    code = """
import numpy as np, crossdock.core as cx
x = cx.empty(1000, device='sim:0')
for _ in range(20):
    cx.exchange.copy_into(x, cx.exchange.from_numpy(np.ones(1000)), blocking=False)
"""
    out = run(code, CROSSDOCK_SIM_LATENCY_US='5000')
    assert (out.returncode, out.stdout, out.stderr) == (0, '', '')


@pytest.mark.parametrize(
    'make',
    [
        "cx.empty(900_000, dtype='int8', device='sim:0')",
        "cx.empty_like(x, device='sim:0')",
        "cx.arange(900_000, dtype='int8', device='sim:0')",
        "cx.eye(9, 100_000, dtype='int8', device='sim:0')",
        "cx.linspace(0, 1, 112_500, device='sim:0')",
    ],
)
def test_a_full_device_can_wait_for_work_that_holds_objects(make: str) -> None:
    # The room is that of an array whose work goes on; the work ends when it has given its NumPy array back.
    code = f"""
import time, numpy as np, crossdock.core as cx
x = cx.empty(900_000, dtype='int8')
there = cx.zeros(500_000, dtype='int8', device='sim:0')
for _ in range(3):
    cx.exchange.copy_into(there, cx.exchange.from_numpy(np.ones(500_000, 'int8')), blocking=False)
time.sleep(0.01)  # the device's own thread has begun
del there
print({make}.size)
"""
    out = run(code, CROSSDOCK_SIM_LATENCY_US='20000', CROSSDOCK_SIM_MEMORY='1000000')
    assert (out.returncode, out.stderr) == (0, '') and out.stdout.strip() in ('900000', '112500')


def test_a_deleter_runs_from_a_thread_without_the_interpreter_lock() -> None:
    # A consumer may free an exported tensor from any thread.
    x = cx.ones(10, device='native:0')
    capsule = x.__dlpack__(max_version=(1, 0))
    api = ctypes.PyDLL(None)
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer = api.PyCapsule_GetPointer(capsule, b'dltensor_versioned')
    used = b'used_dltensor_versioned'
    api.PyCapsule_SetName(capsule, used)
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.cast(pointer + 16, ctypes.POINTER(ctypes.c_void_p))[0])
    before = cx.device('native:0').memory_info().used
    del x
    thread = threading.Thread(target=deleter, args=(pointer,))  # ctypes calls release the lock
    thread.start()
    thread.join()
    assert cx.device('native:0').memory_info().used == before - 80


def test_async_errors_are_device_errors() -> None:
    assert issubclass(AsyncDeviceError, DeviceError)
