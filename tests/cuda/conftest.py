"""The fake CUDA libraries, built once for each session; see fake/."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from .driver import Driver

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

SAMPLES = [
    ('samples.cuh', expression)
    for expression in (
        ['add<float>', 'add<double>', 'add<long>', 'sum<float>', 'sum<double>', 'sum<long>', 'reverse<int>']
        + ['count_bins', 'lanes', 'misbehave']
    )
]


def load_build() -> ModuleType:
    """fake/build.py; the tests are no package."""
    spec = importlib.util.spec_from_file_location('fake_cuda_build', HERE / 'fake/build.py')
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope='session')
def sample_library() -> Path:
    """The fake driver with the sample kernels alone, under a name of its own: no test takes it for the real one."""
    build = load_build()
    if reason := build.missing():
        pytest.skip(reason)
    headers = [*build.HEADERS, HERE / 'fake']
    folder: Path = build.build(SAMPLES, ROOT / 'build/fake_cuda_samples', headers, name='crossdock-fake-cuda')
    return folder / 'libcrossdock-fake-cuda.so.1'


@pytest.fixture(scope='session')
def fake_gpu() -> dict[str, str]:
    """Environment variables for a process that shall find the fake libraries, with all of the core's kernels."""
    build = load_build()
    if reason := build.missing():
        pytest.skip(reason)
    folder = ROOT / 'build/fake_cuda'
    library = build.build(build.generate.of_the_core(), folder)
    paths = [str(library), *filter(None, [os.environ.get('LD_LIBRARY_PATH')])]
    return {'LD_LIBRARY_PATH': os.pathsep.join(paths), 'CROSSDOCK_CACHE_DIR': str(folder / 'cache')}


@pytest.fixture
def on_fake_gpu(fake_gpu: dict[str, str]) -> Callable[..., str]:
    """Runs Python code in a process that has fake GPUs, and returns what it printed; it must end well.

    Keywords are more of the environment: ``FAKE_CUDA_DEVICES='2'``, see fake/settings.h.
    """

    def run(code: str, timeout_s: float = 60, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, '-X', 'faulthandler', '-c', code],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env={**os.environ, **fake_gpu, **environment},
        )
        assert done.returncode == 0, f'exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}'
        return done.stdout

    return run


@pytest.fixture(scope='session')
def fake_driver(sample_library: Path) -> Driver:
    os.environ['FAKE_CUDA_DEVICES'] = '2'
    os.environ['FAKE_CUDA_MEMORY'] = str(256 << 20)
    made = Driver(sample_library)
    made.cuInit(0)
    del os.environ['FAKE_CUDA_DEVICES'], os.environ['FAKE_CUDA_MEMORY']
    return made


@pytest.fixture
def cuda(fake_driver: Driver) -> Iterator[Driver]:
    """Device 0's context is current; nothing is left from the test before."""
    fake_driver.library.fake_cuda_heal()
    context = fake_driver.get('cuDevicePrimaryCtxRetain', 0)
    fake_driver.cuCtxPushCurrent_v2(context)
    fake_driver.library.fake_cuda_reset_counters()
    try:
        yield fake_driver
    finally:
        fake_driver.library.fake_cuda_hold(0)
        fake_driver.library.fake_cuda_delay(0)
        fake_driver.library.fake_cuda_heal()
        while fake_driver.get('cuCtxGetCurrent'):
            fake_driver.cuCtxPopCurrent_v2(None)
        fake_driver.cuDevicePrimaryCtxRelease_v2(0)
