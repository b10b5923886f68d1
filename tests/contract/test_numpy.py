from crossdock.devices.testing import BackendContract


class TestNumpy(BackendContract):
    spec = '@numpy'
    wrong_specs = ('@numpy:0',)
