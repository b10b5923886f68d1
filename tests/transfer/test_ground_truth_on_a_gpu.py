"""Traces compared with the driver of a real GPU, by the real CUPTI."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.core import cuda
from crossdock.errors import DeviceUnavailableError

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not cuda.count_gpus()[0], reason='no GPU here'),
    pytest.mark.skipif(importlib.util.find_spec('cupti') is None, reason='cupti-python is not installed'),
]
AGREES = Path(__file__).parents[1] / 'cuda/truth_agrees.py'


@pytest.fixture(autouse=True)
def cupti_that_fits():
    try:
        with xd.trace_transfers(ground_truth=True):
            pass
    except DeviceUnavailableError as error:
        # The one reason that is no fault of ours.
        if 'does not fit the driver' not in error.reason:
            raise
        pytest.skip(error.reason)


def traced(act):
    with xd.trace_transfers(ground_truth=True) as log:
        act()
    print(log.ground_truth.summary())
    assert not log.ground_truth.problems
    return log.ground_truth


def sums(truth):
    return {(pair.source, pair.target): (pair.copied_nbytes, pair.row_nbytes) for pair in truth.pairs}


def test_what_the_core_moves():
    host, device = np.random.default_rng(0).random(3_000_000), xd.get_device('cuda:0')

    def act():
        x = device.send(host)
        few = device.send([np.ones(n) for n in range(1, 30)])
        xd.to_numpy([x, *few])
        float(x.sum())

    device.send(np.ones(3)).sum()  # kernels are compiled and loaded before
    truth = traced(act)
    assert not truth.unseen and not truth.unmade
    small = sum(8 * n for n in range(1, 30))
    # Packed blocks have gaps.
    for (copied, told), due in zip(
        (sums(truth)['host', 'cuda:0'], sums(truth)['cuda:0', 'host']),
        (host.nbytes + small, host.nbytes + small + 8),
    ):
        assert told == due <= copied <= due + 29 * 256


def test_random_programs_agree():
    command = [sys.executable, '-X', 'faulthandler', str(AGREES), '0', '12', 'cuda:0']
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert done.stdout.startswith('12 programs agree')


def test_what_cupy_moves():
    cupy = pytest.importorskip('cupy')
    cupy.asarray(np.ones(2))
    truth = traced(lambda: cupy.asarray(np.ones(1000)).get())
    assert sums(truth) == {('host', 'cuda:0'): (8000, 8000), ('cuda:0', 'host'): (8000, 8000)}


def test_what_pytorch_moves_unseen():
    torch = pytest.importorskip('torch')
    if not torch.cuda.is_available():
        pytest.skip('this PyTorch has no CUDA')
    torch.ones(2).to('cuda')
    assert not traced(lambda: torch.ones(1000).to('cuda').cpu()).unseen
    truth = traced(lambda: torch.tensor([1.0] * 500, device='cuda'))
    assert [(one.nbytes, one.source, one.target) for one in truth.unseen] == [(2000, 'host', 'cuda:0')]
