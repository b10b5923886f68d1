import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import DeviceError, DeviceUnavailableError

SPECS = ['@numpy', 'native:0', 'native:1', 'sim:0', 'sim:1']


@pytest.mark.parametrize('to', [xd.to_numpy, xd.to_cpu])
@pytest.mark.parametrize('spec', SPECS)
def test_to_numpy(to, spec):
    x = np.arange(3.0)
    back = to({'a': [xd.get_device(spec).send(x), None, 2]})
    assert type(back['a'][0]) is np.ndarray
    assert back['a'][0].tolist() == [0, 1, 2]
    assert back['a'][1] is None
    assert back['a'][2].dtype == np.int64
    assert np.shares_memory(back['a'][0], x) == (not spec.startswith('sim'))
    assert not np.shares_memory(xd.to_numpy(xd.get_device(spec).send(x), copy=True), x)


def test_to_core_follows_the_memory():
    x = np.arange(3.0)
    far = xd.get_device('sim:1').send(x)
    near = xd.get_device('native:1').send(x)
    out = xd.to_core([x, far, near, memoryview(x), 1.5])
    assert out[1] is far
    assert out[2] is near
    assert [str(y.device) for y in out] == ['native:0', 'sim:1', 'native:1', 'native:0', 'native:0']
    x[0] = 9
    assert float(out[0][0]) == float(out[3][0]) == 9


def test_from_core():
    x = np.arange(3.0)
    out = xd.from_core({'a': xd.to_core(x), 'b': x})
    assert out['b'] is x
    assert np.shares_memory(out['a'], x)
    with pytest.raises(DeviceError, match=r"at \['a'\].*simulated memory"):
        xd.from_core({'a': xd.get_device('sim:0').send(x)})


def test_to_gpu():
    with pytest.raises(TypeError, match='no device of its'):
        xd.to_gpu(np.zeros(3), 'native:0')
    if not any(device.kind == 'cupy' for device in xd.available_devices()):
        with pytest.raises(DeviceUnavailableError, match='@cupy:0'):
            xd.to_gpu(np.zeros(3))
        with pytest.raises(DeviceUnavailableError, match='@cupy:1'):
            xd.to_gpu(np.zeros(3), 1)
