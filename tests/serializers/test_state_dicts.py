"""Objects with ``state_dict()`` and ``load_state_dict()``: PyTorch's modules and optimizers, and anybody's."""

from __future__ import annotations

import copy
from collections import OrderedDict

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError

SPECS = ['@numpy', 'native:1', 'sim:0', 'sim:1']


class Anybody:
    """Values on several devices, and counts what is given back."""

    def __init__(self, value, n=3):
        self.state = {spec: xd.get_device(spec).send(np.full(n, value, 'float32'), copy=True) for spec in SPECS} | {
            'count': int(value),
            'names': ['a', ('b', None)],
            3: {'lr': 0.5 * value},
        }
        self.given = []

    def state_dict(self):
        return dict(self.state)

    def load_state_dict(self, state):
        self.given.append(state)
        self.state = state


def test_each_value_comes_back_on_its_own_device(tmp_path):
    path = tmp_path / 'x.npz'
    xd.save(path, {'model': Anybody(2.0), 'epoch': 1})
    new = Anybody(0.0)
    old = dict(new.state)
    xd.load(path, {'model': new, 'epoch': 0})
    assert len(new.given) == 1
    for spec in SPECS:
        assert str(xd.get_device_from_array(new.state[spec])) == spec
        assert (xd.to_numpy(new.state[spec]) == 2).all()
        assert not xd.to_numpy(old[spec]).any(), 'the object was not asked, but written to'
    assert (new.state['count'], new.state['names'], new.state[3]) == (2, ['a', ('b', None)], {'lr': 1.0})


def test_nothing_is_given_back_where_something_is_wrong(tmp_path):
    path = tmp_path / 'x.npz'
    xd.save(path, {'model': Anybody(2.0), 'other': np.ones(3)})
    new = Anybody(0.0, n=4)
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, {'model': new, 'other': np.ones(3)})
    assert [row[0] for row in caught.value.mismatched] == [f'model/{spec}' for spec in SPECS]
    data = bytearray(path.read_bytes())
    data[data.rindex(np.ones(3).tobytes())] ^= 1
    path.write_bytes(data)
    new = Anybody(0.0)
    with pytest.raises(CorruptFileError):
        xd.load(path, {'model': new, 'other': np.ones(3)})
    assert not new.given


def network(torch, seed=0):
    """Parameters, buffers, a running count, and a weight that two layers share."""
    torch.manual_seed(seed)
    embed, head = torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5, bias=False)
    head.weight = embed.weight
    middle = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 4).bfloat16())
    model = torch.nn.ModuleDict({'embed': embed, 'middle': middle, 'head': head})
    model.register_buffer('mask', torch.arange(6).reshape(2, 3).t() > seed)
    model.register_buffer('passing', torch.zeros(1), persistent=False)
    return model


@pytest.fixture
def torch():
    return pytest.importorskip('torch', reason='PyTorch is not installed')


@pytest.mark.parametrize('suffix', ['.npz', '.safetensors'])
def test_a_module(tmp_path, torch, suffix):
    path = tmp_path / f'x{suffix}'
    old, new = network(torch, 0), network(torch, 1)
    old['middle'][1](torch.randn(7, 4))  # the running mean, and the count of batches
    parameters = dict(new.named_parameters())
    xd.save(path, old)
    assert set(xd.load(path, flat=True)) == set(old.state_dict())
    xd.load(path, new)
    assert dict(new.named_parameters()).keys() == parameters.keys()
    for name, value in new.named_parameters():
        assert value is parameters[name], 'an optimizer would lose it'
        assert value.requires_grad
    for key, value in old.state_dict().items():
        assert torch.equal(new.state_dict()[key], value), key
        assert new.state_dict()[key].dtype is value.dtype
    assert int(new.state_dict()['middle.1.num_batches_tracked']) == 1


def test_a_shared_parameter_is_saved_under_each_name_and_stays_shared(tmp_path, torch):
    path = tmp_path / 'x.npz'
    old, new = network(torch, 0), network(torch, 1)
    xd.save(path, old)
    flat = xd.load(path, flat=True)
    np.testing.assert_array_equal(flat['embed.weight'], flat['head.weight'])
    xd.load(path, new)
    assert new['head'].weight is new['embed'].weight
    assert torch.equal(new['head'].weight, old['embed'].weight)
    # A module that does not share takes the same file.
    apart = network(torch, 2)
    apart['head'].weight = torch.nn.Parameter(torch.zeros(5, 4))
    xd.load(path, apart)
    assert torch.equal(apart['head'].weight, old['head'].weight)


def test_a_module_among_other_things_and_of_other_shapes(tmp_path, torch):
    path = tmp_path / 'x.npz'
    old, new = network(torch, 0), network(torch, 1)
    xd.save(path, {'net': old, 'scale': np.ones(2), 'step': 3})
    new['middle'][0] = torch.nn.Linear(4, 3)
    before = copy.deepcopy(new.state_dict())
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, {'net': new, 'scale': np.zeros(2), 'step': 0})
    assert [row[0] for row in caught.value.mismatched] == ['net/middle.0.weight', 'net/middle.0.bias']
    assert all(torch.equal(value, before[key]) for key, value in new.state_dict().items())
    xd.load(path, {'net': new, 'scale': np.zeros(2), 'step': 0}, ignore='net/middle.0.*')
    assert torch.equal(new['embed'].weight, old['embed'].weight)


def trained(torch, make, seed, steps):
    """A model and its optimizer after some steps."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(3, 2)
    optimizer = make(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).square().mean().backward()
        optimizer.step()
    return model, optimizer


OPTIMIZERS = {
    'Adam': lambda torch, p: torch.optim.Adam(p, lr=0.01, amsgrad=True),
    'AdamW': lambda torch, p: torch.optim.AdamW(p, lr=0.01),
    'SGD': lambda torch, p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    'SGD without momentum': lambda torch, p: torch.optim.SGD(p, lr=0.1),
    'Adagrad': lambda torch, p: torch.optim.Adagrad(p),
    'RMSprop': lambda torch, p: torch.optim.RMSprop(p, momentum=0.5, centered=True),
}


@pytest.mark.parametrize('name', OPTIMIZERS)
def test_an_optimizer_goes_on_where_it_was(tmp_path, torch, name):
    """Its state has ints as keys, None, tuples and lists of parameters."""

    def make(parameters):
        return OPTIMIZERS[name](torch, parameters)

    path = tmp_path / 'x.npz'
    model, optimizer = trained(torch, make, 0, 3)
    xd.save(path, {'model': model, 'optimizer': optimizer})
    # A new optimizer has no state before its first step.
    other, fresh = trained(torch, make, 1, 1)
    fresh.param_groups[0]['lr'] = 77.0
    xd.load(path, {'model': other, 'optimizer': fresh})
    assert fresh.param_groups[0]['lr'] == optimizer.param_groups[0]['lr']
    groups, want = fresh.state_dict()['param_groups'][0], optimizer.state_dict()['param_groups'][0]
    assert groups == want
    assert [type(value) for value in groups.values()] == [type(value) for value in want.values()]
    for _ in range(2):
        for one, its in ((model, optimizer), (other, fresh)):
            its.zero_grad()
            one(torch.ones(4, 3)).square().mean().backward()
            its.step()
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters()))


def test_an_optimizer_without_a_state_says_which_keys_it_lacks(tmp_path, torch):
    def make(parameters):
        return torch.optim.Adam(parameters)

    path = tmp_path / 'x.npz'
    xd.save(path, trained(torch, make, 0, 1)[1])
    with pytest.raises(StrictLoadError) as caught:
        xd.load(path, trained(torch, make, 0, 0)[1])
    assert 'state/0/exp_avg' in caught.value.unexpected


def test_a_scheduler(tmp_path, torch):
    def scheduled(steps):
        _, optimizer = trained(torch, lambda p: torch.optim.SGD(p, lr=0.1), 0, 0)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
        for _ in range(steps):
            optimizer.step()
            scheduler.step()
        return scheduler

    old, new = scheduled(5), scheduled(0)
    xd.save(tmp_path / 'x.npz', old)
    xd.load(tmp_path / 'x.npz', new)
    assert new.state_dict() == old.state_dict()


def test_a_state_keeps_its_kind(tmp_path, torch):
    old, new = network(torch, 0), network(torch, 1)
    xd.save(tmp_path / 'x.npz', old)
    seen = []
    load = new.load_state_dict
    new.load_state_dict = lambda state: seen.append(state) or load(state)
    xd.load(tmp_path / 'x.npz', new)
    (state,) = seen
    assert isinstance(state, OrderedDict)
    assert state._metadata == old.state_dict()._metadata


class Refuses(Anybody):
    """Does not take its state, once a part of it has been taken."""

    def load_state_dict(self, state):
        self.given.append(state)
        if len(self.given) == 1:
            raise LookupError('not this one')


def values_of(anybody):
    return [xd.to_numpy(anybody.state[spec]).tolist() for spec in SPECS]


@pytest.mark.parametrize('first', [True, False])
def test_an_object_that_refuses_leaves_the_rest_as_it_was(tmp_path, first):
    """Written in place, and found before or after it; arrays outside of objects, too."""

    class InPlace(Anybody):
        def load_state_dict(self, state):
            self.given.append(state)
            for spec in SPECS:
                xd.copyto(self.state[spec], state[spec])
            self.state['count'] = state['count']

    def tree(value, refuses=Anybody):
        names = ['refuses', 'one'] if first else ['one', 'refuses']
        parts = {'one': InPlace(value), 'refuses': refuses(value)}
        return (
            {'W': np.full(3, value), 'n': int(value)} | {name: parts[name] for name in names} | {'two': InPlace(value)}
        )

    path = tmp_path / 'x.npz'
    xd.save(path, tree(2.0))
    target = tree(0.0, Refuses)
    W = target['W']
    with pytest.raises(LookupError, match='not this one') as caught:
        xd.load(path, target)
    assert caught.value.__notes__ == ["The Refuses at 'refuses' did not take its state; nothing else has been loaded."]
    assert (target['W'] is W, W.tolist(), target['n']) == (True, [0.0] * 3, 0)
    for name in ('one', 'two'):
        assert values_of(target[name]) == [[0.0] * 3] * 4
        assert target[name].state['count'] == 0
    xd.load(path, target)
    assert values_of(target['one']) == values_of(target['two']) == [[2.0] * 3] * 4


@pytest.mark.parametrize('device', ['@numpy', 'sim:0', 'native:0'])
def test_new_arrays_of_an_optimizer_are_those_of_its_library(tmp_path, torch, device):
    def make(parameters):
        return torch.optim.Adam(parameters)

    path = tmp_path / 'x.npz'
    old, optimizer = trained(torch, make, 0, 2)
    xd.save(path, {'model': old, 'optimizer': optimizer})
    model, other = trained(torch, make, 1, 0)
    before = model.weight.clone()
    with pytest.raises(TypeError, match=r"device='.*', and the Adam at 'optimizer' takes arrays of @torch alone"):
        xd.load(path, {'model': model, 'optimizer': other}, device=device)
    assert torch.equal(model.weight, before)
    assert not other.state
    xd.load(path, {'model': model, 'optimizer': other}, device='@torch:cpu')
    assert torch.equal(other.state_dict()['state'][0]['exp_avg'], optimizer.state_dict()['state'][0]['exp_avg'])


def test_modules_and_optimizers_are_as_they_were_where_the_last_one_refuses(tmp_path, torch):
    class Late(torch.nn.Linear):
        def load_state_dict(self, state, **options):
            super().load_state_dict(state, **options)
            raise LookupError('not this one')

    def parts(seed, steps, kind=torch.nn.Linear):
        model, optimizer = trained(torch, lambda p: torch.optim.Adam(p, lr=0.1 * (seed + 1)), seed, steps)
        return {'model': model, 'optimizer': optimizer, 'late': kind(2, 2)}

    path = tmp_path / 'x.npz'
    xd.save(path, parts(0, 2))
    for steps in (0, 1):
        target = parts(1, steps, Late)
        before = copy.deepcopy({name: target[name].state_dict() for name in ('model', 'optimizer')})
        with pytest.raises(LookupError):
            xd.load(path, target, device='@torch:cpu' if not steps else None)
        assert all(torch.equal(value, before['model'][key]) for key, value in target['model'].state_dict().items())
        state = target['optimizer'].state_dict()
        assert state['param_groups'] == before['optimizer']['param_groups']
        assert state['state'].keys() == before['optimizer']['state'].keys()
        for key, moments in state['state'].items():
            assert all(torch.equal(value, before['optimizer']['state'][key][part]) for part, value in moments.items())


def test_a_float_for_a_setting_that_is_an_int(tmp_path, torch):
    """As after StepLR; but not into an int that is in no state, and no float is cut."""

    def scheduled(steps):
        _, optimizer = trained(torch, lambda p: torch.optim.SGD(p, lr=1), 0, 0)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        for _ in range(steps):
            optimizer.step()
            scheduler.step()
        return {'optimizer': optimizer, 'scheduler': scheduler}

    path = tmp_path / 'x.npz'
    old, new = scheduled(1), scheduled(0)
    xd.save(path, old)
    xd.load(path, new)
    assert new['optimizer'].state_dict() == old['optimizer'].state_dict()
    assert new['scheduler'].state_dict() == old['scheduler'].state_dict()
    assert new['optimizer'].param_groups[0]['lr'] == 0.5
    xd.save(path, {'model': Anybody(2.0), 'n': 1.5})
    with pytest.raises(StrictLoadError, match=r"'n': float64 .* in the file, a Python int in the target"):
        xd.load(path, {'model': Anybody(2.0), 'n': 1})
    model = Anybody(2.0)
    model.state['count'] = 0.5
    xd.load(path, {'model': model, 'n': 1.0})
    assert (model.state['count'], type(model.state['count'])) == (2.0, float)
