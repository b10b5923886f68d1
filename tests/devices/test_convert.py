import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import DeviceError, DeviceUnavailableError, GraphError

from ..accelerator import FIRST, KIND, SECOND

SPECS = ['@numpy', 'native:0', 'native:1', FIRST, SECOND]


@pytest.mark.parametrize('to', [xd.to_numpy, xd.to_cpu])
@pytest.mark.parametrize('spec', SPECS)
def test_to_numpy(to, spec):
    x = np.arange(3.0)
    back = to({'a': [xd.get_device(spec).send(x), None, 2]})
    assert type(back['a'][0]) is np.ndarray
    assert back['a'][0].tolist() == [0, 1, 2]
    assert back['a'][1] is None
    assert back['a'][2].dtype == np.int64
    assert np.shares_memory(back['a'][0], x) == (not spec.startswith(KIND))
    assert not np.shares_memory(xd.to_numpy(xd.get_device(spec).send(x), copy=True), x)


def test_to_core_follows_the_memory():
    x = np.arange(3.0)
    far = xd.get_device(SECOND).send(x)
    near = xd.get_device('native:1').send(x)
    out = xd.to_core([x, far, near, memoryview(x), 1.5])
    assert out[1] is far
    assert out[2] is near
    assert [str(y.device) for y in out] == ['native:0', SECOND, 'native:1', 'native:0', 'native:0']
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


class Parameter:
    """As of a library that is not known here: it exports itself without its graph only."""

    def __init__(self, array, requires_grad=True):
        self.array, self.requires_grad = array, requires_grad

    def detach(self):
        return Parameter(self.array, requires_grad=False)

    def __dlpack__(self, **options):
        assert not self.requires_grad
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Kept(Parameter):
    def detach(self):
        return self


class Stuck(Parameter):
    detach = None


class Known(Parameter):
    def detach(self):
        return xd.get_device('native').send(self.array)


@pytest.mark.parametrize('kind', [Parameter, Known])
def test_a_graph_of_an_unknown_library_is_left_behind_when_asked(kind):
    x = np.arange(3.0)
    for tree in (kind(x), {'layer': [kind(x)]}):
        with pytest.raises(GraphError, match='detach'):
            xd.to_numpy(tree)
    with pytest.raises(GraphError, match=r"at \['layer'\]\[0\].*detach"):
        xd.get_device(FIRST).send({'layer': [kind(x)]})
    out = xd.to_numpy({'layer': [kind(x)]}, detach=True)['layer'][0]
    assert type(out) is np.ndarray
    assert np.shares_memory(out, x)
    assert xd.to_numpy(kind(x), detach=True).tolist() == [0, 1, 2]
    y = np.zeros(3)
    xd.copyto(y, kind(x))
    assert y.tolist() == [0, 1, 2]


@pytest.mark.parametrize('kind', [Kept, Stuck])
def test_a_graph_that_cannot_be_left_behind(kind):
    with pytest.raises(GraphError):
        xd.to_numpy(kind(np.zeros(3)), detach=True)


def test_without_a_graph_nothing_is_detached():
    class Plain(Parameter):
        def detach(self):
            raise AssertionError

    assert xd.to_numpy(Plain(np.zeros(3), requires_grad=False), detach=True).tolist() == [0, 0, 0]
