from crossdock.devices.testing import BackendContract


class TestIntel64(BackendContract):
    spec = '@intel64'
    wrong_specs = ('@intel64:0',)
