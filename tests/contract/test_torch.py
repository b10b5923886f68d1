import pytest

from crossdock.devices.testing import BackendContract


class TestTorch(BackendContract):
    spec = '@torch:cpu'
    wrong_specs = ('@torch', '@torch:cuda', '@torch:cpu:0', '@torch:meta', '@torch:0', 'torch:cpu')


@pytest.mark.gpu
class TestTorchCuda(BackendContract):
    spec = '@torch:cuda:0'
