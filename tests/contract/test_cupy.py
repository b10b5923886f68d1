import pytest

from crossdock.devices.testing import BackendContract


@pytest.mark.gpu
class TestCupy(BackendContract):
    spec = '@cupy:0'
    wrong_specs = ('@cupy',)
