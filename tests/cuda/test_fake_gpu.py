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
