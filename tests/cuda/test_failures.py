"""What fails behind the host's back: told by the next wait, with the operation, once or for good."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .frame import framed

Run = Callable[..., str]


@pytest.mark.parametrize(
    ('result', 'name'),
    [(700, 'CUDA_ERROR_ILLEGAL_ADDRESS'), (719, 'CUDA_ERROR_LAUNCH_FAILED'), (214, 'CUDA_ERROR_ECC_UNCORRECTABLE')],
)
def test_a_failed_kernel_is_told_at_the_next_wait_and_by_all_later_calls(
    on_fake_gpu: Run, result: int, name: str
) -> None:
    code = framed(f"""
x = cx.ones(1000, device='cuda:0')
float(x[0])
fail('run:launch', {result})
y = x * 2
first = error_of(x.device.synchronize)
assert type(first) is AsyncDeviceError and first.op == 'multiply' and first.device == 'cuda:0'
assert str(first).startswith('multiply failed on cuda:0: {name} ({result}): '), first
for act in (
    x.device.synchronize, lambda: float(x[0]), lambda: x.tolist(), lambda: x + 1, lambda: send(np.ones(3)),
    lambda: x.to_device('cuda:1'), lambda: cx.empty(5 * MIB, device='cuda:0'), lambda: x.__dlpack__(stream=2),
):
    again = error_of(act)
    assert type(again) is AsyncDeviceError and str(again) == str(first), again
other = cx.ones(3, device='cuda:1')
assert float((other + 1).sum()) == 6, 'the other device is well'
heal()
assert float(x[0]) == 1
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2').splitlines() == ['sane']


def test_which_of_several_operations_it_was(on_fake_gpu: Run) -> None:
    code = """
x = cx.ones(1000, device='cuda:0')
float(x[0])
hold(1)
fail('run:launch', 719, after=1)
def work():
    y = x * 2
    z = y + 1
    return z - 3
try:
    w = work()
    hold(0)
    x.device.synchronize()
except AsyncDeviceError as error:
    hold(0)
    print(error, [entry.name for entry in traceback.extract_tb(error.__traceback__)])
"""
    out = on_fake_gpu(framed(code))
    assert 'one of the last operations (multiply, add, subtract) failed on cuda:0: CUDA_ERROR_LAUNCH_FAILED' in out
    assert 'set CUDA_LAUNCH_BLOCKING=1 to find which one' in out
    out = on_fake_gpu(framed(code.replace('hold(1)', '')), CUDA_LAUNCH_BLOCKING='1')
    assert out.startswith('add failed on cuda:0: CUDA_ERROR_LAUNCH_FAILED (719)') and "'work'" in out, out


def test_an_index_outside_is_told_once_by_any_wait(on_fake_gpu: Run) -> None:
    code = framed("""
x = cx.arange(3, device='cuda:0')
def beyond():
    return cx.take(x, cx.asarray([0, 3, 1], device='cuda:0'))
for wait in (
    x.device.synchronize, lambda: float(x[0]), lambda: x.tolist(), lambda: repr(x), lambda: xd.to_numpy(x),
):
    y = beyond()
    error = error_of(wait, IndexError)
    assert type(error) is AsyncIndexError and error.op == 'gather' and 'on cuda:0' in str(error), error
    assert 'index 3 is out of bounds for axis 0 with size 3' in str(error)
    assert x.tolist() == [0, 1, 2]
    x.device.synchronize()
try:
    beyond()
except NotImplementedError as error:
    raise SystemExit(str(error))
many = [beyond() for _ in range(20)]
error_of(x.device.synchronize, IndexError)
x.device.synchronize()
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_a_device_that_took_data_of_a_failed_one_says_so(on_fake_gpu: Run) -> None:
    code = framed("""
x = cx.arange(3, device='cuda:0')
y = cx.take(x, cx.asarray([7], device='cuda:0')).to_device('cuda:1')
error = error_of(y.tolist, IndexError)
assert error.device == 'cuda:0' and str(error).startswith('an earlier operation failed on cuda:0: gather: '), error
cx.device('cuda:1').synchronize()
error = error_of(cx.device('cuda:0').synchronize, IndexError)
cx.device('cuda:0').synchronize()
assert (x + 1).to_device('cuda:1').tolist() == [1, 2, 3]
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


@pytest.mark.parametrize('entry', ['cuMemcpyHtoDAsync_v2', 'cuMemcpyDtoHAsync_v2', 'cuMemcpyDtoDAsync_v2'])
def test_copies_that_cannot_be_queued(on_fake_gpu: Run, entry: str) -> None:
    code = framed(f"""
device = xd.get_device('cuda:0')
a = np.arange(1000.0)
x = send(a)
acts = dict(
    cuMemcpyHtoDAsync_v2=lambda: send(a),
    cuMemcpyDtoHAsync_v2=lambda: xd.to_numpy(x),
    cuMemcpyDtoDAsync_v2=lambda: device.send(x, copy=True),
)
act = acts['{entry}']
before = calls('{entry}')
act()
if calls('{entry}') == before:
    act = None  # done otherwise, as by a kernel
else:
    used = device.memory_info().used
    for result in (1, 999):
        fail('{entry}', result)
        error = error_of(act, DeviceError)
        assert '{entry.removesuffix('_v2')} failed on cuda:0' in str(error) and f'({{result}})' in str(error), error
        assert type(error) is DeviceError and error.device == 'cuda:0'
        error = None  # and the frames that it holds
        assert device.memory_info().used == used
same(x, a) and same(send(a), a)
device.synchronize()
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_copies_that_fail_on_the_way(on_fake_gpu: Run) -> None:
    code = framed("""
a = np.arange(3e6)
x = send(a)
x.device.synchronize()
fail('run:copy', 719)
error = error_of(lambda: (send(a), x.device.synchronize()), AsyncDeviceError)
assert 'upload' in error.op and '(719)' in str(error), error
assert error_of(lambda: xd.to_numpy(x), AsyncDeviceError).op == error.op
heal()
same(x, a)
fail('run:copy', 700)
error = error_of(lambda: xd.to_numpy(x), AsyncDeviceError)
assert 'download' in error.op, error
heal()
same(x, a)
_core._drain()
assert cx.pinned_memory_pool('cuda:0').statistics().used == 0
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_a_kernel_that_does_not_load(on_fake_gpu: Run) -> None:
    code = framed("""
x = cx.ones(10, device='cuda:0')
x.device.synchronize()
for entry, result, word in (
    ('cuModuleLoadData', 209, 'CUDA_ERROR_NO_BINARY_FOR_GPU'), ('cuModuleGetFunction', 500, 'CUDA_ERROR_NOT_FOUND'),
    ('cuModuleLoadData', 2, 'CUDA_ERROR_OUT_OF_MEMORY'),
):
    fail(entry, result)
    error = error_of(lambda: x / 3, DeviceError)
    assert word in str(error) and 'cuda:0' in str(error) and 'Divide' in str(error), error
fail('cuLaunchKernel', 701)
error = error_of(lambda: x / 3, DeviceError)
assert type(error) is DeviceError and 'cuLaunchKernel failed on cuda:0: CUDA_ERROR_LAUNCH_OUT_OF_RES' in str(error)
same(x / 2, np.full(10, 0.5))
""")
    assert on_fake_gpu(code) == 'sane\n'


@pytest.mark.parametrize('entry', ['cuInit', 'cuDeviceGet', 'cuDevicePrimaryCtxRetain', 'cuMemHostAlloc'])
def test_a_start_that_fails_can_be_tried_again(on_fake_gpu: Run, entry: str) -> None:
    code = framed(f"""
fail('{entry}', 101 if '{entry}' != 'cuMemHostAlloc' else 2)
error = error_of(lambda: cx.ones(3, device='cuda:0'), DeviceError)
assert '{entry} failed on cuda' in str(error), error
assert float(cx.ones(3, device='cuda:0')[0]) == 1
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_a_lost_device(on_fake_gpu: Run) -> None:
    code = framed("""
a = np.arange(1000.0)
x, y = send(a), send(a, 'cuda:1')
xd.get_device('cuda:0').synchronize()
driver.fake_cuda_lose_device(0, 999)
for act in (
    lambda: x + 1, lambda: float(x[0]), lambda: xd.to_numpy(x), lambda: send(a), x.device.synchronize,
    lambda: x.to_device('cuda:1'), lambda: y.to_device('cuda:0'), lambda: cx.empty(5 * MIB, device='cuda:0'),
    lambda: x.__dlpack__(stream=2), lambda: repr(x),
):
    error = error_of(act, DeviceError)
    assert 'cuda:0' in str(error) and '(999)' in str(error), error
same(y + 1, a + 1)
del x
gc.collect()
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'


def test_what_nothing_waited_for_is_told_at_exit(on_fake_gpu: Run) -> None:
    code = """
import os
x = cx.ones(1000, device='cuda:0')
float(x[0])
sys.stdout.flush()
os.dup2(1, 2)
"""
    said = '(nothing has waited for it)'
    index = framed(code + "y = cx.take(x, cx.asarray([2000], device='cuda:0'))")
    assert 'crossdock: gather failed on cuda:0: index 2000 is out of bounds' in on_fake_gpu(index)
    broken = code + "fail('run:launch', 719)\ny = x + 1\n"
    out = on_fake_gpu(framed(broken))
    assert 'crossdock: add failed on cuda:0: CUDA_ERROR_LAUNCH_FAILED (719)' in out and said in out
    told = on_fake_gpu(framed(broken + 'error_of(x.device.synchronize)'))
    assert said not in told
