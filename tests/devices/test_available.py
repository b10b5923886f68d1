"""What is not here says why, and what to do."""

import pytest

import crossdock as xd
from crossdock.devices import _lookup
from crossdock.devices._nvidia import Gpus
from crossdock.devices._registry import backend_of, entry_of_head
from crossdock.devices.backends import _jax, _torch
from crossdock.errors import DeviceUnavailableError

NO_GPU = Gpus(0, 'no GPU in this test')


@pytest.fixture
def torch(monkeypatch):
    """The back-end of a PyTorch that is not imported, with CUDA or without."""
    backend = backend_of(entry_of_head('@torch'))
    monkeypatch.setattr(type(backend), 'unavailable', lambda self: '')

    def put(gpus, built_with_cuda):
        _lookup._forget('torch')
        monkeypatch.setattr(_torch, '_gpus', lambda: gpus)
        monkeypatch.setattr(_torch, '_built_with_cuda', lambda: built_with_cuda)

    yield put
    _lookup._forget('torch')


@pytest.fixture
def jax(monkeypatch):
    """The back-end of a JAX that has not been started."""
    backend = backend_of(entry_of_head('@jax'))
    monkeypatch.setattr(type(backend), 'unavailable', lambda self: '')
    monkeypatch.setattr(_jax, '_started', lambda: False)
    monkeypatch.setattr(_jax, '_find', lambda suffix: None)

    def put(gpus, plugin, platforms=''):
        _lookup._forget('jax')
        monkeypatch.setattr(_jax, '_gpus', lambda: gpus)
        monkeypatch.setattr(_jax, '_has_plugin', lambda: plugin)
        monkeypatch.setenv('JAX_PLATFORMS', platforms)

    yield put
    _lookup._forget('jax')


def why(spec):
    """The reason of the error, which is that of the list too."""
    with pytest.raises(DeviceUnavailableError) as caught:
        xd.get_device(spec)
    assert caught.value.reason in str(caught.value)
    listed = {row['spec']: row for row in xd.describe_devices()}
    first = f'{spec.rpartition(":")[0]}:0'
    assert listed[first]['reason'] == caught.value.reason
    assert not listed[first]['available']
    return caught.value.reason


@pytest.mark.parametrize('spec', ['@torch:cuda:0', '@torch:cuda:3'])
def test_a_pytorch_without_a_gpu(torch, spec):
    torch(NO_GPU, True)
    assert why(spec) == 'no GPU in this test'
    torch(Gpus(1, ''), False)
    assert 'built without CUDA' in why(spec) and 'https://pytorch.org' in why(spec)


def test_a_pytorch_with_a_gpu_counts(torch):
    torch(Gpus(1, ''), True)
    with pytest.raises(DeviceUnavailableError, match='there are 2 of its kind here: @torch:cpu, @torch:cuda:0'):
        xd.get_device('@torch:cuda:3')
    assert [row['spec'] for row in xd.describe_devices() if row['kind'] == 'torch'] == ['@torch:cpu', '@torch:cuda:0']


def test_a_jax_without_a_gpu(jax):
    jax(NO_GPU, True)
    assert why('@jax:cuda:1') == 'no GPU in this test'
    jax(Gpus(1, ''), False)
    assert "pip install 'jax[cuda13]'" in why('@jax:cuda:0')


def test_a_jax_that_was_told_to_leave_places_out(jax):
    jax(Gpus(1, ''), True, 'cuda')
    assert why('@jax:cpu:0') == 'JAX_PLATFORMS=cuda leaves it out; unset that, or add cpu'
    jax(Gpus(1, ''), True, 'cpu')
    assert why('@jax:cuda:0') == 'JAX_PLATFORMS=cpu leaves it out; unset that, or add cuda'
    jax(NO_GPU, True, 'gpu')
    assert why('@jax:cuda:0') == 'no GPU in this test'
    with pytest.raises(DeviceUnavailableError, match='none of its kind is here'):
        xd.get_device('@jax:4')


def test_every_reason_on_this_machine_says_what_to_do():
    words = ('install', 'unset', 'reboot', 'start', 'update', 'reach', '//')
    for row in xd.describe_devices():
        assert row['available'] or any(word in row['reason'] for word in words), row
