"""A process with the fake libraries on its path takes them for those of a machine with GPUs."""

from __future__ import annotations

from collections.abc import Callable

FOUND = """
import ctypes
from crossdock.core import _core, cuda
count = ctypes.c_int()
driver = ctypes.CDLL('libcuda.so.1')
print(driver.cuInit(0), driver.cuDeviceGetCount(ctypes.byref(count)), count.value)
names = _core._cuda_kernel_names()
print(driver.fake_cuda_kernel_count() - len(set(names)))
nvrtc = ctypes.CDLL('libnvrtc.so.13')
for header, expression in names:
    assert driver.fake_cuda_lowered(expression.encode()), expression
"""


def test_the_drivers_table_has_the_cores_kernels(on_fake_gpu: Callable[..., str]) -> None:
    assert on_fake_gpu(FOUND, FAKE_CUDA_DEVICES='2').split() == ['0', '0', '2', '0']


COMPILED = """
from crossdock.core import _core, cuda
print(cuda.find_library('nvrtc').path)
names = _core._cuda_kernel_names()
print(all(_core._cuda_compile(header, expression, 'sm_90')[0] > 64 for header, expression in names))
"""


def test_kernels_are_compiled_by_what_nvrtc_there_is(on_fake_gpu: Callable[..., str]) -> None:
    """The fake one, where no wheel and no toolkit has the real one."""
    path, good = on_fake_gpu(COMPILED).split()
    assert 'libnvrtc' in path and good == 'True'


USED = """
import ctypes
import numpy as np
import crossdock as xd

print(*[str(one) for one in xd.available_devices() if one.kind == 'cuda'])
a = np.arange(300_000, dtype='f4').reshape(300, 1000)
first, second = xd.get_device('cuda:0'), xd.get_device('cuda:1')
x = first.send(a)
y = second.send(x)
assert (xd.to_numpy(x) == a).all() and (xd.to_numpy(y) == a).all()
counter = ctypes.CDLL('libcuda.so.1').fake_cuda_counter
counter.restype = ctypes.c_longlong
print(counter(b'h2d_bytes'), counter(b'd2h_bytes') >= 2 * a.nbytes, counter(b'live_bytes') > 2 * a.nbytes)
"""


def test_the_core_uses_them(on_fake_gpu: Callable[..., str]) -> None:
    devices, counts = on_fake_gpu(USED, FAKE_CUDA_DEVICES='2').splitlines()
    assert devices == 'cuda:0 cuda:1'
    assert counts == '1200000 True True'
