import copy
import dataclasses
import pickle
from collections import OrderedDict, deque, namedtuple

import numpy as np
import pytest

import crossdock as xd
from crossdock.devices import Visitor
from crossdock.errors import DtypeError, MixedDevicesError, UnknownArrayError

from ..accelerator import FIRST, SECOND


class Linear(xd.DeviceResident):
    def __init__(self, n=2):
        self.W = np.ones((n, n), 'float32')
        self.b = None
        self.name = 'linear'


class Model(xd.DeviceResident):
    def __init__(self):
        self.first = Linear()
        self.layers = [Linear(3), (Linear(1), {'extra': np.zeros(2)})]
        self.tied = self.first.W
        self.parent = self  # a way back must not end in a circle


def test_the_device_is_that_of_the_contents():
    # chainer's models told where they had last been sent, whatever they held
    model = Model()
    assert model.device is xd.get_device('@numpy')
    model.first.W = xd.get_device('native:0').send(model.first.W)
    with pytest.raises(MixedDevicesError, match='native:0'):
        _ = model.device
    assert model.first.device is xd.get_device('native:0')


def test_attributes_are_named():
    model = Model().to_device(FIRST)
    sim = xd.get_device(FIRST)
    object.__setattr__(model.first, 'b', np.zeros(2))
    model.layers[1][1]['extra'] = xd.get_device('native:1').send(np.zeros(2))
    with pytest.raises(MixedDevicesError) as caught:
        _ = model.device
    assert str(caught.value) == (
        f'the arrays of a Model are on several devices: first.W, layers[0].W, layers[1][0].W on {FIRST}; '
        "first.b on @numpy; layers[1][1]['extra'] on native:1; bring them together with its to_device(...)"
    )
    assert caught.value.arguments[1] == ('first.b', '@numpy')
    assert caught.value.devices == (FIRST, '@numpy', 'native:1')
    object.__setattr__(model.layers[0], 'W', np.array(['text']))
    with pytest.raises(DtypeError, match=r'^at \.layers\[0\]\.W: '):
        model.to_device(FIRST)
    model.layers.clear()
    with xd.trace_transfers() as log:
        model.to_device(FIRST)
    assert [row.path for row in log] == ['.first.b']
    assert model.device is sim


def test_of_many_attributes_a_few_are_named():
    model = Linear()
    model.bag = [np.zeros(1) for _ in range(9)]
    model.b = xd.get_device('native:0').send(np.zeros(2))
    with pytest.raises(MixedDevicesError, match=r'W, bag\[0\], bag\[1\] and 7 more on @numpy; b on native:0'):
        _ = model.device


def test_a_model_is_sent_by_its_own_method():
    for tree in (Linear(), [Linear()]):
        with pytest.raises(UnknownArrayError, match=r"Linear is a model.*model\.to_device\('@numpy'\)"):
            xd.get_device(FIRST).send(tree)
    with pytest.raises(UnknownArrayError, match='is no array'):
        xd.get_device(FIRST).send(Linear)


def test_everything_moves():
    model = Model()
    assert model.to_device(SECOND) is model
    sim = xd.get_device(SECOND)
    assert model.device is model.layers[0].device is model.layers[1][0].device is sim
    assert sim.is_array_supported(model.layers[1][1]['extra'])
    assert model.tied is model.first.W
    assert model.first.name == 'linear'
    assert model.to_device('@numpy').first.W.tolist() == [[1, 1], [1, 1]]


def test_what_comes_later_follows():
    model = Model().to_device(FIRST)
    sim = xd.get_device(FIRST)
    model.first.b = np.zeros(2)
    model.late = Linear()
    model.bag = [np.zeros(1)]
    model.number = 1.5
    assert sim.is_array_supported(model.first.b)
    assert sim.is_array_supported(model.bag[0])
    assert model.number == 1.5
    model.late.b = np.zeros(3)
    assert model.device is sim


def test_before_to_device_nothing_is_moved():
    model = Linear()
    model.W = x = xd.get_device(FIRST).send(model.W)
    assert model.W is x


def test_without_arrays():
    empty = xd.DeviceResident()
    with xd.using_device('native:1'):
        assert str(empty.device) == 'native:1'
    assert str(empty.to_device(FIRST).device) == FIRST


def test_nothing_moves_when_one_array_cannot():
    model = Model()
    model.layers[0].W = np.array(['text'])
    with pytest.raises(TypeError):
        model.to_device(FIRST)
    assert type(model.first.W) is np.ndarray
    model.first.b = np.zeros(2)
    assert type(model.first.b) is np.ndarray


def test_visitors():
    class Count(Visitor):
        def __init__(self, log):
            self.log = log

        def visit_array(self, array):
            self.log.append(array.shape)
            return array * 0

        def visit_device_resident(self, resident):
            self.log.append(type(resident).__name__)

    class Odd(Linear):
        def device_resident_accept(self, visitor):
            super().device_resident_accept(visitor)
            self.__dict__['hidden'] = (visitor.visit_array(np.ones(7)),)

    log = []
    model = Odd()
    model.device_resident_accept(Count(log))
    assert log == ['Odd', (2, 2), (7,)]
    assert not model.W.any()


def test_copies_keep_the_device():
    # explosion/thinc#812, cupy/cupy#254: a deep copy ended on another device
    model = Linear().to_device('native:1')
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        again.b = np.zeros(2)
        assert again.device is xd.get_device('native:1')


@dataclasses.dataclass
class Part:
    w: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: object


Pair = namedtuple('Pair', 'w other')


class Holder(xd.DeviceResident):
    def __init__(self, content):
        self.content = content


@pytest.mark.parametrize(
    'hold',
    [
        Part,
        Frozen,
        lambda x: Pair(x, 1),
        lambda x: deque([x]),
        lambda x: OrderedDict(w=x),
        lambda x: [Frozen({'w': (Part(x),)})],
    ],
)
def test_every_container_moves(hold):
    model = Holder(hold(np.zeros(2)))
    kind = type(model.content)
    with xd.using_device('native:1'):
        assert model.device is xd.get_device('@numpy')
    assert model.to_device(FIRST).device is xd.get_device(FIRST)
    assert type(model.content) is kind
    with xd.using_device('native:1'):
        assert model.to_device('@numpy').device is xd.get_device('@numpy')


def test_what_others_hold_too_is_changed_in_place():
    part, shared = Part(np.zeros(1)), deque([np.zeros(1)])
    model = Holder([part, shared])
    model.to_device(FIRST)
    assert model.content[0] is part
    assert model.content[1] is shared
    assert xd.get_device_from_array(part.w, shared[0]) is xd.get_device(FIRST)


class Slotted(xd.DeviceResident):
    __slots__ = ('unset', 'w')


def test_slots_are_attributes():
    model = Slotted()
    model.w = np.zeros(2)
    with xd.using_device('native:1'):
        assert model.device is xd.get_device('@numpy')
    model.to_device(FIRST)
    assert xd.get_device_from_array(model.w) is model.device is xd.get_device(FIRST)


def test_containers_that_contain_themselves():
    model = Holder({'w': np.zeros(1)})
    model.content['again'] = [model.content]
    assert model.to_device(FIRST).device is xd.get_device(FIRST)
