"""Models that move as a whole name their arrays by their attributes."""

import dataclasses
import weakref

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import StrictLoadError

from ..accelerator import FIRST, SECOND


class Linear(xd.DeviceResident):
    def __init__(self, value=0.0):
        self.W, self.b = np.full((2, 3), value), np.full(2, value)
        self.n_in, self.name, self.activation, self.best = 3, 'linear', np.tanh, None


@dataclasses.dataclass
class Statistics:
    mean: np.ndarray
    count: int = 0


class Slotted(xd.DeviceResident):
    __slots__ = ('hidden',)

    def __init__(self, value):
        self.hidden = np.full(1, value)


class Network(xd.DeviceResident):
    def __init__(self, value=0.0):
        self.layers = [Linear(value), np.tanh, (Linear(value), 'note')]
        self.named = {'s': Statistics(np.full(4, value)), (1, 2): 'any key', 'lr': 0.1}
        self.slotted = Slotted(value)
        self.settings = {(1, 2): [object()]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'x.npz'


def test_arrays_are_named_by_attributes(path):
    xd.save(path, Network(1.0))
    assert list(xd.load(path, flat=True)) == [
        'layers/0/W',
        'layers/0/b',
        'layers/2/0/W',
        'layers/2/0/b',
        'named/s/mean',
        'slotted/hidden',
    ]


@pytest.mark.parametrize('spec', ['@numpy', 'native:1', FIRST])
def test_saved_are_those_that_move_and_they_come_back(path, spec):
    old = Network(1.0).to_device(SECOND)
    xd.save(path, {'model': old, 'step': 3})
    new = Network().to_device(spec)
    kept = new.layers[0].W
    new.layers[0].n_in = 7
    xd.load(path, {'model': new, 'step': 0})
    assert new.layers[0].W is kept
    assert new.layers[0].n_in == 7
    assert str(new.device) == spec
    assert str(old.device) == SECOND

    class Values(xd.devices.Visitor):
        def __init__(self):
            self.found = []

        def visit_array(self, array):
            self.found.append(xd.to_numpy(array))
            return array

    seen = Values()
    new.device_resident_accept(seen)
    assert len(seen.found) == len(xd.load(path, flat=True)) - 1
    assert all(array.all() for array in seen.found)


def test_read_only_arrays_are_replaced(path):
    xd.save(path, Linear(1.0))
    new = Linear()
    new.W.flags.writeable = False
    old = new.W
    xd.load(path, new)
    assert new.W is not old
    assert new.W.all()


def test_strict_here_too(path):
    xd.save(path, Linear(1.0))
    new = Linear()
    new.W, new.c = np.zeros((2, 4)), np.zeros(1)
    del new.b
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, new)
    assert (caught.value.missing, caught.value.unexpected) == (('c',), ('b',))
    assert caught.value.mismatched[0][0] == 'W'


def test_references_back_are_no_parts(path):
    network = Network(1.0)
    for layer in network.layers[::2]:
        (layer[0] if isinstance(layer, tuple) else layer).parent = network
    network.slotted.owners = [network]
    network.slotted.proxy = weakref.ref(network)
    xd.save(path, network)
    assert len(xd.load(path, flat=True)) == 6


def test_a_model_may_say_it_itself(path):
    class Own(Linear):
        def serialize(self, s):
            self.n_in = s('n_in', self.n_in)
            self.W = s('W', self.W)

    class Outer(xd.DeviceResident):
        def __init__(self):
            self.own = Own(1.0)
            self.bias = np.ones(1)

    xd.save(path, Outer())
    assert list(xd.load(path, flat=True)) == ['own/n_in', 'own/W', 'bias']


def test_arrays_without_names_are_an_error(path):
    class Hidden(xd.DeviceResident):
        def device_resident_accept(self, visitor):
            super().device_resident_accept(visitor)

    network = Network(1.0)
    network.layers.append(Hidden())
    with pytest.raises(TypeError, match=r"'layers/3': Hidden .* device_resident_accept.*serialize\(serializer\)"):
        xd.save(path, network)
    assert not path.exists()


def test_a_dataclass_among_models(path):
    @dataclasses.dataclass
    class Layer(xd.DeviceResident):
        W: np.ndarray
        act: object = np.tanh

    xd.save(path, Layer(np.ones(2)))
    new = Layer(np.zeros(2))
    xd.load(path, new)
    assert new.W.all()
