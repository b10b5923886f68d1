"""Where memory is short, operations raise MemoryError and the process goes on."""

from __future__ import annotations

import pytest

import crossdock.core as cx
from crossdock.errors import DimensionError, OutOfMemoryError

from .process import run

CODE = """
import resource, threading
import numpy as np
import crossdock.core as cx
from crossdock.errors import DeviceError, OutOfMemoryError

device = {device!r}
x = cx.ones((1000, 1000), device=device)
float((x @ x).sum())  # all that is made once is there
with open('/proc/self/status') as status:
    size = next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmSize'))
resource.setrlimit(resource.RLIMIT_AS, (size + {spare_mib} * 2**20, resource.RLIM_INFINITY))

def short_of_memory(act):
    try:
        act()
    except MemoryError:
        return 1
    return 0

acts = [
    lambda: cx.zeros(10**9, device='native:0'),
    lambda: x + x,
    lambda: x @ x,
    lambda: x.T.reshape(-1),
    lambda: cx.concat([x] * 20),
    lambda: float(x.sum(axis=0)[0]),
    lambda: float(cx.argmax(x, axis=0)[0]),
    lambda: cx.where(x > 0, x, x),
    lambda: cx.asarray([1.0] * 10_000, device=device),
    lambda: cx.asarray(np.ones(100_000), device=device, copy=True),
    lambda: cx.astype(x, 'complex128').device.synchronize(),
    lambda: x.tolist(),
    lambda: repr(x),
    lambda: x.to_device('native:0') if device != 'native:0' else cx.zeros_like(x),
]
kept = []

def fill(size):
    while True:
        kept.append(cx.ones(size, device='native:0'))

assert short_of_memory(lambda: fill(100_000))
assert short_of_memory(lambda: fill(100))
failed = [short_of_memory(act) for act in acts]
assert sum(failed) >= 4, failed
kept.clear()
cx.device('native:0')._trim()
x.device.synchronize()
assert float((x @ x)[0, 0]) == 1000 and float((x + x).sum()) == 2_000_000
assert [short_of_memory(act) for act in acts[1:]] == [0] * (len(acts) - 1)
print('end')
"""


@pytest.mark.parametrize('spare_mib', [150, 400])
@pytest.mark.parametrize('device', ['native:0', 'sim:0'])
def test_a_process_that_may_not_grow(device: str, spare_mib: int) -> None:
    # One thread: what a thread of BLAS does when it finds no memory is not ours to choose.
    code = CODE.format(device=device, spare_mib=spare_mib)
    assert run(code, OPENBLAS_NUM_THREADS='1') == 'end\n'


def test_a_limit_of_the_pool(device: str) -> None:
    code = f"""
import crossdock.core as cx
from crossdock.errors import OutOfMemoryError
d = cx.device({device!r})
d._set_limit(3_000_000)
x = cx.ones(200_000, device=d)
try:
    (x + x) * (x - x)
except OutOfMemoryError as error:
    assert error.requested == 1_600_000 and 0 <= error.free < error.requested, vars(error)
    assert error.device == {device!r} and '1600000 bytes' in str(error)
else:
    raise AssertionError
d.synchronize()
assert float(x.sum()) == 200_000
print('end')
"""
    assert run(code) == 'end\n'


@pytest.mark.parametrize('shape', [2**62, 2**63, 2**64, (2**32, 2**32), (2**40, 2**40, 0, 2**40), (1 << 62, 4)])
def test_sizes_beyond_64_bits(shape: int | tuple[int, ...], device: str) -> None:
    x = cx.ones(1, device=device)
    for act in (
        lambda: cx.empty(shape, device=device),
        lambda: cx.zeros(shape, device=device),
        lambda: cx.full(shape, 1, device=device),
        lambda: cx.broadcast_to(x, shape),
    ):
        with pytest.raises(DimensionError):
            act()


def test_sizes_that_no_memory_has(device: str) -> None:
    for act in (
        lambda: cx.empty(2**50, device=device),
        lambda: cx.arange(2**50, device=device),
        lambda: cx.linspace(0, 1, 2**50, device=device),
        lambda: cx.eye(2**25, 2**25, device=device),
        lambda: cx.broadcast_to(cx.ones(1, device=device), (2**50,)) + 1,
        lambda: cx.broadcast_to(cx.ones(1, device=device), (2**30, 2**25)).astype('int8'),
    ):
        with pytest.raises(OutOfMemoryError) as caught:
            act()
        assert caught.value.requested >= 2**50 and isinstance(caught.value, MemoryError)
