import pytest

from crossdock.devices.testing import BackendContract


class TestNative(BackendContract):
    spec = 'native:0'
    wrong_specs = ('@native', 'Native:0')


class TestSecondNative(BackendContract):
    spec = 'native:1'


class TestSim(BackendContract):
    spec = 'sim:0'
    wrong_specs = ('sim0', 'sim:0:0')


class TestSecondSim(BackendContract):
    spec = 'sim:1'


@pytest.mark.gpu
class TestCuda(BackendContract):
    spec = 'cuda:0'
