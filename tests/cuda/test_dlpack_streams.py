"""DLPack and the CUDA array interface with other libraries' streams: whoever goes on sees what was written before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .frame import framed

Run = Callable[..., str]

# A consumer's own stream that no other waits for, and a copy of an array's memory in its order.
STREAM = f"""
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
a = np.arange(1000.0)
x = send(a)
x.device.synchronize()
context = get('cuDevicePrimaryCtxRetain', 0)
assert driver.cuCtxPushCurrent_v2(ctypes.c_void_p(context)) == 0
stream = ctypes.c_void_p()
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
def read(y, handle):
    out = get('cuMemHostAlloc', 8000, 0)
    found = (ctypes.c_double * 1000).from_address(out)
    assert driver.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(out), ctypes.c_void_p(y.data_ptr), 8000, handle) == 0
    return found
def wait(handle): assert driver.cuStreamSynchronize(handle) == 0
"""


def test_a_consumers_stream_comes_after_ours(on_fake_gpu: Run) -> None:
    code = framed(f"""{STREAM}
delay_us(30_000)
for number, handle in ((stream.value, stream), (1, ctypes.c_void_p(1)), (2, ctypes.c_void_p(2)), (None, None)):
    y = x + 5
    waits = calls('cuStreamQuery')
    capsule = y.__dlpack__(stream=number)
    assert calls('cuStreamQuery') == waits, 'the host does not wait'
    got = read(y, handle)
    wait(handle)
    assert list(got) == list(a + 5), number
y = x + 6
before = calls('cuStreamWaitEvent')
y.__dlpack__(stream=-1)
assert calls('cuStreamWaitEvent') == before
for wrong in (0, -2, 1.5, 'x', True):
    error_of(lambda: y.__dlpack__(stream=wrong), BufferError)
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_a_producer_is_told_our_stream(on_fake_gpu: Run) -> None:
    code = framed(f"""{STREAM}
from producers import Producer
asked = []
class Theirs:
    def __init__(self, y): self.y = y
    def __dlpack_device__(self): return self.y.__dlpack_device__()
    def __dlpack__(self, **keywords):
        asked.append(keywords.get('stream'))
        return self.y.__dlpack__(**keywords)
delay_us(20_000)
y = x + 1
z = cx.from_dlpack(Theirs(y))
assert asked == [1], asked
assert z.data_ptr == y.data_ptr and z.device == y.device
same(z, a + 1)
w = xd.get_device('cuda:0').send(Theirs(y))
assert w.data_ptr == y.data_ptr
z[0] = 100
assert float(y[0]) == 100
del y
gc.collect()
assert float(z[0]) == 100
""")
    assert on_fake_gpu(code) == 'sane\n'


def test_the_cuda_array_interface(on_fake_gpu: Run) -> None:
    code = framed(f"""{STREAM}
y = (x + 1).reshape(50, 20)[::2, ::-1]
facts = y.__cuda_array_interface__
assert facts['shape'] == (25, 20) and facts['strides'] == (320, -8) and facts['typestr'] == '<f8', facts
assert facts['data'] == (y.data_ptr, False) and facts['version'] == 3 and facts['stream'] == 1
for host in (cx.ones(3, device='native:0'), cx.ones(3, device='sim:0')):
    assert not hasattr(host, '__cuda_array_interface__')
class Theirs:
    __cuda_array_interface__ = facts
    keep = y
error = error_of(lambda: xd.get_device('cuda:0').send(Theirs()), xd.errors.UnknownArrayError)
assert 'a CUDA device' in str(error), 'only CuPy reads this interface'
""")
    assert on_fake_gpu(code) == 'sane\n'


@pytest.mark.parametrize('spec', ['cuda:0', 'cuda:1'])
def test_capsules_that_nobody_takes(on_fake_gpu: Run, spec: str) -> None:
    code = framed(f"""
device = xd.get_device({spec!r})
x = device.send(np.ones(1000))
used = device.memory_info().used
capsules = [x.__dlpack__(stream=number) for number in (None, 1, 2, -1) for _ in range(25)]
del x
gc.collect()
assert device.memory_info().used == used
def drop():
    while capsules: capsules.pop()
threads = [threading.Thread(target=drop) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert device.memory_info().used == 0
""")
    assert on_fake_gpu(code, FAKE_CUDA_DEVICES='2') == 'sane\n'
