"""Arrays of libraries that nobody here knows: what can be read is saved, what can be written to is filled."""

import array
import copy
import warnings

import ml_dtypes
import numpy as np
import pytest

import crossdock as xd
from crossdock.devices.backends._core import SIM
from crossdock.errors import DtypeError, GraphError, ReadOnlyError, StrictLoadError, UnknownArrayError
from crossdock.serializers import _leaf


class Lent:
    """Speaks DLPack and nothing else."""

    requires_grad = False

    def __init__(self, array):
        self.array = np.asarray(array)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Interface:
    def __init__(self, array):
        self.array = np.asarray(array)

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class Convertible:
    def __init__(self, array):
        self.array = np.asarray(array)

    def __array__(self, dtype=None, copy=None):
        return self.array


def locked(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'x.npz'


@pytest.mark.parametrize('make', [Lent, Interface, Convertible, lambda a: array.array('d', a), memoryview])
def test_whatever_the_devices_read_is_saved(path, make):
    values = np.array([1.0, 2.0])
    xd.save(path, {'x': make(values), 'deep': [make(values)]})
    got = xd.load(path)
    for value in (got['x'], got['deep']['0']):
        np.testing.assert_array_equal(value, values, strict=True)


def test_bytes_and_text_keep_their_meaning(path):
    xd.save(path, {'b': b'ab', 'a': bytearray(b'ab'), 's': 'ab', 'l': [1, 2]})
    got = xd.load(path)
    assert (got['b'].item(), got['s'].item(), sorted(got['l'])) == (b'ab', 'ab', ['0', '1'])
    assert got['a'].tolist() == [97, 98]


def test_large_and_strided(path):
    values = np.arange(4_000_000.0).reshape(2000, 2000)[::2, ::-1]
    xd.save(path, {'x': Lent(values)})
    np.testing.assert_array_equal(xd.load(path)['x'], values)


def test_a_dictionary_of_them():
    s = xd.serializers.DictionarySerializer()
    s.save({'x': Lent([1.0, 2.0])})
    assert s.target['x'].tolist() == [1, 2]


@pytest.mark.parametrize('make', [Lent, Interface, lambda a: array.array('d', a)])
def test_memory_that_can_be_written_to_is_filled(path, make):
    xd.save(path, {'x': np.array([1, 2], 'f4'), 'n': 3})
    target = {'x': make(np.zeros(2)), 'n': 0}
    x = target['x']
    xd.load(path, target)
    assert target['x'] is x
    assert target['n'] == 3
    assert xd.to_numpy(x).tolist() == [1, 2]


def test_a_view_into_other_memory_is_filled(path):
    base = np.zeros(6)
    xd.save(path, {'x': np.ones(3)})
    xd.load(path, {'x': Lent(base[::2])})
    assert base.tolist() == [1, 0, 1, 0, 1, 0]


def test_read_only_ones_are_replaced_by_copies_of_their_kind(path):
    old = Lent(locked([0.0, 0.0]))
    xd.save(path, {'x': np.ones(2)})
    target = {'x': old}
    xd.load(path, target)
    assert type(target['x']) is Lent
    assert target['x'].array.tolist() == [1, 1]
    assert old.array.tolist() == [0, 0]


class Fresh:
    """Makes a copy whenever it is asked; so one that is written to is lost."""

    def __init__(self, values):
        self.values = list(values)

    @property
    def __array_interface__(self):
        self.last = np.array(self.values)
        return self.last.__array_interface__


@pytest.mark.parametrize('make', [Convertible, Fresh, lambda a: memoryview(bytes(8)).cast('d')])
def test_what_cannot_be_written_to_is_an_error(path, make):
    xd.save(path, {'a': np.ones(1), 'x': np.ones(1)})
    target = {'a': np.zeros(1), 'x': make(np.zeros(1))}
    with pytest.raises(ReadOnlyError, match=r"'x'.* None in its place"):
        xd.load(path, target)
    assert not target['a'].any()
    xd.load(path, target, ignore='x')
    assert target['a'].all()


def test_mismatches_name_both_sides(path):
    xd.save(path, {'x': np.ones(3), 'y': np.ones(2)})
    x = Lent(np.zeros(3))
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, {'x': x, 'y': Lent(np.zeros(2, 'i4'))})
    assert caught.value.mismatched == (('y', 'float64 (2,)', 'int32 (2,)'),)
    assert not x.array.any()


def test_a_differentiable_graph_is_not_cut_unasked(path):
    x = Lent([1.0])
    x.requires_grad = True
    with pytest.raises(GraphError, match=r"cannot save 'w/0'.*detach\(\).*state_dict\(\)"):
        xd.save(path, {'w': [x]})
    xd.save(path, {'w': [1.0]})
    with pytest.raises(GraphError, match=r"cannot load into 'w/0'.*detach\(\)"):
        xd.load(path, {'w': [x]})


def test_what_cannot_be_read_is_named(path):
    class Broken(Lent):
        def __dlpack__(self, **options):
            raise BufferError('sparse')

    with pytest.raises(UnknownArrayError, match=r"cannot save 'x': Broken cannot be read .* sparse") as caught:
        xd.save(path, {'x': Broken([1.0])})
    assert caught.value.path == 'x'
    with pytest.raises(DtypeError, match=r"cannot save 'x': .*object array") as caught:
        xd.save(path, {'x': Convertible(np.array([{}]))})
    assert caught.value.path == 'x'
    with pytest.raises(UnknownArrayError, match=r"'x': object is no array.*serialize\(serializer\).*state_dict"):
        xd.save(path, {'x': object()})


class Module:
    """Keeps arrays of its own library, and takes no others."""

    def __init__(self, value, make=Lent):
        self.w = make(np.full(3, value))
        self.steps = 0

    def state_dict(self):
        return {'w': self.w, 'steps': self.steps, 'extra': None}

    def load_state_dict(self, state):
        assert type(state['w']) is Lent
        assert state['w'] is not self.w
        self.w.array[...] = state['w'].array
        self.steps = state['steps']


def test_a_state_dict_of_them_goes_back_as_they_are(path):
    old, new = Module(1.0), Module(0.0)
    old.steps = 5
    xd.save(path, old)
    w = new.w.array
    assert xd.load(path, new) is new
    assert (w.tolist(), new.steps) == ([1, 1, 1], 5)


def test_a_state_dict_that_cannot_be_copied(path):
    class Single(Lent):
        def __deepcopy__(self, memo):
            return self

    xd.save(path, Module(1.0))
    new = Module(0.0, Single)
    with pytest.raises(ReadOnlyError, match="'w'"):
        xd.load(path, new)
    assert not new.w.array.any()


def test_the_visitor_protocol(path):
    class Model:
        def __init__(self, value):
            self.w = Lent(np.full(2, value))

        def serialize(self, s):
            self.w = s('w', self.w)

    xd.save(path, Model(1.0))
    new = Model(0.0)
    w = new.w
    xd.load(path, new)
    assert new.w is w
    assert w.array.tolist() == [1, 1]


class OnDevice:
    """Memory that the host cannot touch, by an array interface; the simulator plays the library that reaches it."""

    def __init__(self, values, readonly=False):
        self.array = xd.get_device('sim:0').send(np.asarray(values))
        self.__cuda_array_interface__ = {'data': (0, readonly)}


@pytest.fixture
def reaching(monkeypatch):
    monkeypatch.setattr(SIM, 'adopt', lambda producer: producer.array)


@pytest.mark.usefixtures('reaching')
def test_unknown_memory_on_a_device(path, monkeypatch):
    monkeypatch.setattr(_leaf, 'CHUNK_NBYTES', 1024)
    values = np.arange(1000.0)
    with xd.trace_transfers() as log:
        xd.save(path, {'x': OnDevice(values)})
    assert max(row.nbytes for row in log if row.source == 'sim:0') <= 1024
    np.testing.assert_array_equal(xd.load(path)['x'], values)
    x = OnDevice(np.zeros(1000))
    xd.load(path, {'x': x})
    np.testing.assert_array_equal(xd.to_numpy(x.array), values)
    with pytest.raises(ReadOnlyError):
        xd.load(path, {'x': OnDevice(np.zeros(1000), readonly=True)})


# PyTorch itself, where it is installed


@pytest.fixture
def torch():
    return pytest.importorskip('torch')


def test_tensors(path, torch):
    tree = {'f': torch.arange(3.0), 'b': torch.ones(2, 2, dtype=torch.bfloat16), 't': torch.arange(6).reshape(2, 3).T}
    xd.save(path, tree)
    got = xd.load(path)
    assert got['b'].dtype == ml_dtypes.bfloat16
    target = {key: torch.zeros_like(value) for key, value in tree.items()}
    before = dict(target)
    xd.load(path, target)
    for key, value in tree.items():
        assert torch.equal(target[key], value)
        assert target[key] is before[key]


def test_modules(path, torch):
    def make():
        return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1).bfloat16())

    old, new = make(), make()
    xd.save(path, {'net': old, 'step': 3})
    parameters = list(new.parameters())
    xd.load(path, {'net': new, 'step': 0})
    assert all(a is b for a, b in zip(parameters, new.parameters()))
    assert all(p.requires_grad for p in parameters)
    for key, value in old.state_dict().items():
        assert torch.equal(new.state_dict()[key], value), key

    before = copy.deepcopy(new.state_dict())
    with pytest.raises(StrictLoadError):
        xd.load(path, {'net': new, 'other': 0})
    assert all(torch.equal(before[key], value) for key, value in new.state_dict().items())


def test_an_optimizer(path, torch):
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        xd.save(path, {'optimizer': optimizer})
    again = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    net(torch.ones(1, 2)).sum().backward()
    again.step()
    xd.load(path, {'optimizer': again})
    assert again.param_groups[0]['lr'] == 0.1
    for key, value in optimizer.state_dict()['state'].items():
        assert torch.equal(again.state_dict()['state'][key]['momentum_buffer'], value['momentum_buffer'])


def test_parameters_outside_a_module(path, torch):
    w = torch.nn.Parameter(torch.zeros(2))
    xd.save(path, {'w': torch.nn.Parameter(torch.ones(2))})
    xd.load(path, {'w': w})
    assert w.tolist() == [1, 1] and w.requires_grad
