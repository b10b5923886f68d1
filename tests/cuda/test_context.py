"""The calling thread's current context is the caller's business: used devices never change it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .frame import framed

Run = Callable[..., str]

ACTS = """
def current(): return get('cuCtxGetCurrent')
a = np.arange(1000.0)
contexts = [None]
driver.cuInit(0)
contexts += [get('cuDevicePrimaryCtxRetain', i) for i in range(2)]
x, y = send(a), send(a, 'cuda:1')
capsules = []
def acts():
    yield lambda: send(a)
    yield lambda: send(np.arange(2e6), 'cuda:1')
    yield lambda: xd.to_numpy(y)
    yield lambda: float(x[5])
    yield lambda: x + 1
    yield lambda: (x + 1).to_device('cuda:1')
    yield lambda: y.device.synchronize()
    yield lambda: x.device.memory_info()
    yield lambda: y.device._trim()
    yield lambda: cx.empty(10, device='cuda:1')
    yield lambda: capsules.append(y.__dlpack__(stream=2))
    yield capsules.clear
    yield lambda: cx.pinned_memory_pool('cuda:0').empty(1000, dtype='float32')
    yield cx.pinned_memory_pool('cuda:0').free_all_blocks
    yield lambda: xd.plan(x, 'cuda:1')
    yield lambda: send({'a': a, 'b': a[:10]}, 'cuda:1')
    yield gc.collect
def refused():
    yield 'cuMemAlloc_v2', 999, lambda: (y.device._trim(), cx.empty(7 * MIB, device='cuda:1'))
    yield 'cuMemcpyHtoDAsync_v2', 999, lambda: send(a, 'cuda:1')
    yield 'cuMemcpyDtoHAsync_v2', 1, lambda: xd.to_numpy(y)
    yield 'cuLaunchKernel', 701, lambda: y + 1
    yield 'cuEventRecord', 999, lambda: y.to_device('cuda:0')
    yield 'cuMemcpyPeerAsync', 999, lambda: x.to_device('cuda:1')
    yield 'cuStreamQuery', 999, lambda: x.device.synchronize()
"""


def test_it_stays_whatever_it_was(on_fake_gpu: Run) -> None:
    code = framed(f"""{ACTS}
for context in contexts:
    assert driver.cuCtxSetCurrent(ctypes.c_void_p(context)) == 0
    for i, act in enumerate(acts()):
        act()
        assert current() == context, i
    for entry, result, act in refused():
        act()
        fail(entry, result)
        error = error_of(act, DeviceError)
        assert f'({{result}})' in str(error), (entry, error)
        assert current() == context, entry
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_in_many_threads_each_with_its_own(on_fake_gpu: Run) -> None:
    code = framed(f"""{ACTS}
failed = []
def work(context):
    try:
        assert driver.cuCtxSetCurrent(ctypes.c_void_p(context)) == 0
        for _ in range(5):
            for i, act in enumerate(acts()):
                if act is not capsules.clear: act()
                assert current() == context, i
    except BaseException:
        failed.append(traceback.format_exc())
threads = [threading.Thread(target=work, args=(context,)) for context in contexts * 2]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed[0]
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


@pytest.mark.parametrize('device', ['cuda:0', 'cuda:1'])
def test_a_process_that_has_none_gets_none(on_fake_gpu: Run, device: str) -> None:
    code = framed(f"""
x = send(np.arange(10.0), {device!r})
same(x + x, np.arange(10.0) * 2)
assert get('cuCtxGetCurrent') is None
done = []
def work():
    assert float((x + 1)[1]) == 2
    done.append(get('cuCtxGetCurrent'))
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert done == [None]
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'
