import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crossdock import devices
from crossdock.devices.testing import BackendContract


class TestJax(BackendContract):
    spec = '@jax:cpu:0'
    wrong_specs = ('@jax', '@jax:cpu', '@jax:tpu:0', '@jax:0:cpu', '@jax:cpu:0:0', 'jax:0')


class TestJaxByNumber(BackendContract):
    """Whatever JAX's first device is."""

    spec = '@jax:0'

    @property
    def canonical(self):
        return str(devices.get_device('@jax:0'))


class TestThirdJax(BackendContract):
    """Runs where JAX was told to have several devices on the host, as by the test below."""

    spec = '@jax:cpu:2'


@pytest.mark.gpu
class TestJaxCuda(BackendContract):
    spec = '@jax:cuda:0'


@pytest.mark.skipif(importlib.util.find_spec('jax') is None, reason='JAX is not installed')
@pytest.mark.skipif('CROSSDOCK_TEST_HOST_DEVICES' in os.environ, reason='this is the process with several devices')
def test_several_host_devices():
    """In a process of its own, for JAX reads the number when it starts."""
    flags = '--xla_force_host_platform_device_count=3'
    environment = {**os.environ, 'XLA_FLAGS': flags, 'JAX_PLATFORMS': 'cpu', 'CROSSDOCK_TEST_HOST_DEVICES': '3'}
    exchange = Path(__file__).parents[1] / 'exchange' / 'test_jax.py'
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', __file__, str(exchange)]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert out.returncode == 0, out.stdout + out.stderr
    assert 'cpu:2 is not available' not in out.stdout
