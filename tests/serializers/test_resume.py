"""A training that is saved and goes on in another process, as if nothing had been."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, DtypeError, StrictLoadError

from .faults.formats import EACH, suffix_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'run.npz'


class Training:
    """Everything that a step depends on."""

    def __init__(self, torch, seed, make=None):
        torch.manual_seed(seed)
        random.seed(seed)
        self.torch = torch
        self.rng = np.random.default_rng(seed)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(3, 8),
            torch.nn.BatchNorm1d(8),
            torch.nn.Dropout(0.5),
            torch.nn.ReLU(),
            torch.nn.Linear(8, 1),
        )
        first, *others = self.model.parameters()
        groups = [{'params': [first], 'lr': 0.1 * (seed + 1)}, {'params': others}]
        self.optimizer = (make or (lambda p: torch.optim.AdamW(p, lr=0.01)))(groups)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
        self.epoch = 0

    def step(self):
        x = self.torch.from_numpy(self.rng.standard_normal((4, 3)).astype('float32') * random.random())
        self.optimizer.zero_grad()
        loss = self.model(x).square().mean()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        self.epoch += 1
        return loss.item()

    def tree(self):
        return {
            'model': self.model,
            'optimizer': self.optimizer,
            'scheduler': self.scheduler,
            'rng': self.torch.get_rng_state(),
            'epoch': self.epoch,
        }

    def save(self, path):
        xd.save(path, self.tree(), metadata={'numpy': self.rng.bit_generator.state, 'random': random.getstate()})

    def load(self, path):
        state = xd.load(path, self.tree(), device='@torch:cpu')
        self.torch.set_rng_state(state['rng'])
        self.epoch = state['epoch']
        with xd.open_archive(path) as archive:
            self.rng.bit_generator.state = archive.metadata['numpy']
            version, numbers, last = archive.metadata['random']
            random.setstate((version, tuple(numbers), last))


@pytest.fixture
def torch():
    return pytest.importorskip('torch', reason='PyTorch is not installed')


OPTIMIZERS = {
    'AdamW': lambda torch: lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    'SGD': lambda torch: lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    'SGD without a state': lambda torch: lambda p: torch.optim.SGD(p, lr=0.1),
    'Adagrad': lambda torch: lambda p: torch.optim.Adagrad(p),
    'RMSprop': lambda torch: lambda p: torch.optim.RMSprop(p, momentum=0.5, centered=True),
    'NAdam': lambda torch: lambda p: torch.optim.NAdam(p),
    'Adadelta': lambda torch: lambda p: torch.optim.Adadelta(p),
}


@pytest.mark.parametrize('name', EACH)
def test_the_same_numbers_as_without_a_break(tmp_path, torch, name):
    path = tmp_path / f'run{suffix_of(name)}'
    old = Training(torch, 0)
    for _ in range(3):
        old.step()
    old.save(path)
    want = [old.step() for _ in range(4)]
    new = Training(torch, 1)
    new.load(path)
    assert new.epoch == 3
    assert [new.step() for _ in range(4)] == want
    assert new.scheduler.state_dict() == old.scheduler.state_dict()
    assert new.optimizer.state_dict()['param_groups'] == old.optimizer.state_dict()['param_groups']


@pytest.mark.parametrize('name', OPTIMIZERS)
def test_an_optimizer_before_its_first_step(path, torch, name):
    make = OPTIMIZERS[name](torch)
    old = Training(torch, 0, make)
    for _ in range(3):
        old.step()
    old.save(path)
    want = old.step()
    new = Training(torch, 1, make)
    new.load(path)
    state, wanted = new.optimizer.state_dict()['state'], old.optimizer.state_dict()['state']
    assert state.keys() == wanted.keys()
    assert all(type(key) is int for key in state)
    assert new.step() == want
    for key, parts in wanted.items():
        for part, value in parts.items():
            assert (torch.equal(state[key][part], value) if value is not None else state[key][part] is None) or part


def test_what_state_dict_gave_loads_into_the_objects(path, torch):
    old = Training(torch, 0)
    old.step()
    xd.save(path, {'model': old.model.state_dict(), 'optimizer': old.optimizer.state_dict()})
    new = Training(torch, 1)
    xd.load(path, {'model': new.model, 'optimizer': new.optimizer}, device='@torch:cpu')
    assert torch.equal(new.model[0].weight, old.model[0].weight)
    state, wanted = new.optimizer.state_dict(), old.optimizer.state_dict()
    assert state['param_groups'] == wanted['param_groups']
    assert all(torch.equal(state['state'][0][part], value) for part, value in wanted['state'][0].items())


def test_without_a_device_the_error_says_what_to_do(path, torch):
    old = Training(torch, 0)
    old.step()
    old.save(path)
    new = Training(torch, 1)
    before = new.model[0].weight.clone()
    with pytest.raises(StrictLoadError, match=r"'optimizer/state' is empty yet in the target: device= says") as caught:
        xd.load(path, new.tree())
    assert 'optimizer/state/0/exp_avg' in caught.value.unexpected
    assert not new.optimizer.state
    assert torch.equal(new.model[0].weight, before)
    xd.load(path, new.tree(), strict=False)
    assert not new.optimizer.state
    xd.load(path, new.tree(), ignore='optimizer/state', device=None)
    assert not new.optimizer.state
    assert torch.equal(new.model[0].weight, xd.get_device('@torch:cpu').send(xd.load(path)['model']['0.weight']))


def test_nothing_has_a_state_when_the_file_is_damaged(path, torch):
    old = Training(torch, 0)
    old.step()
    old.save(path)
    data = bytearray(path.read_bytes())
    value = old.optimizer.state_dict()['state'][2]['exp_avg_sq'].numpy().tobytes()
    data[data.index(value)] ^= 1
    path.write_bytes(data)
    new = Training(torch, 1)
    with pytest.raises(CorruptFileError, match='optimizer/state/2/exp_avg_sq'):
        new.load(path)
    assert not new.optimizer.state


class Later:
    """Has a state of any nesting once it has been used."""

    def __init__(self, state=None, fixed=None):
        self.state, self.fixed, self.given = state or {}, fixed or {}, None

    def state_dict(self):
        return {'state': self.state, 'fixed': self.fixed}

    def load_state_dict(self, state):
        self.given = state


def test_what_a_state_gets(path):
    kept = {'0': {'x': np.ones(2), 'old': [np.zeros(1), {}], 'note': 'é'}, '7': {}, 'n': None}
    xd.save(path, {'first': Later(kept), 'second': Later({0: 1, 1: {'2': 3}}), 'third': Later({}, {'a': 1})})
    target = {'first': Later(), 'second': Later(), 'third': Later({}, {'a': 0})}
    xd.load(path, target, device='sim:0')
    state = target['first'].given['state']
    assert str(xd.get_device_from_array(state['0']['x'])) == 'sim:0'
    assert state['0'].keys() == {'x', 'old', 'note'}
    assert state['0']['note'].item() == 'é'
    assert (state['0']['old'].keys(), state['0']['old'][1], state['7'], state['n']) == ({0, 1}, {}, {}, None)
    assert xd.to_numpy(target['second'].given['state']) == {0: 1, 1: {2: 3}}
    assert target['third'].given == {'state': {}, 'fixed': {'a': 1}}
    assert target['first'].state == {}


def test_a_plain_dict_and_a_state_of_its_own_do_not_grow(path):
    class Nothing:
        def state_dict(self):
            return {}

        def load_state_dict(self, state):
            raise AssertionError

    xd.save(path, {'a': {'x': np.ones(2)}, 'b': None})
    for target in ({'a': {}, 'b': None}, {'a': Nothing(), 'b': None}):
        with pytest.raises(StrictLoadError, match="unexpected in the file: 'a/x'"):
            xd.load(path, target, device='sim:0')
    assert target['b'] is None


def test_keys_that_cannot_be_nested(path):
    np.savez(path, **{'state/a': np.ones(1), 'state/a/b': np.ones(1)})
    with pytest.raises(CorruptFileError, match='is an array and a group'):
        xd.load(path, Later(), device='sim:0')


class AdamState(NamedTuple):
    """As Optax has it."""

    count: Any
    mu: Any
    nu: Any


class EmptyState(NamedTuple):
    """As Optax has it."""


@pytest.mark.parametrize('name', EACH)
def test_a_pytree_of_jax(tmp_path, name):
    jax = pytest.importorskip('jax', reason='JAX is not installed')
    path = tmp_path / f'run{suffix_of(name)}'

    def initial(seed):
        key = jax.random.key(seed)
        params = {
            'dense': {'W': jax.random.normal(key, (3, 2)), 'b': jax.numpy.zeros(2)},
            'scales': [jax.numpy.ones(1)],
        }
        zeros = jax.tree.map(jax.numpy.zeros_like, params)
        return params, (AdamState(jax.numpy.int32(0), zeros, zeros), EmptyState(), (EmptyState(),)), key

    def step(params, state, key):
        key, part = jax.random.split(key)
        x = jax.random.normal(part, (4, 3))
        gradient = jax.grad(lambda p: ((x @ p['dense']['W'] + p['dense']['b']) ** 2).mean() * p['scales'][0].sum())(
            params
        )
        adam, *rest = state
        mu = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, adam.mu, gradient)
        params = jax.tree.map(lambda p, m: p - 0.1 * m, params, mu)
        return params, (AdamState(adam.count + 1, mu, adam.nu), *rest), key

    run = step(*step(*initial(0)))
    xd.save(path, {'params': run[0], 'state': run[1], 'key': jax.random.key_data(run[2])})
    want = step(*run)
    params, state, key = initial(1)
    got = xd.load(path, {'params': params, 'state': state, 'key': jax.random.key_data(key)})
    again = got['params'], got['state'], jax.random.wrap_key_data(got['key'])
    assert jax.tree.structure(again) == jax.tree.structure(run)
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(again))
    assert int(again[1][0].count) == 2
    for one, other in zip(jax.tree.leaves(step(*again)[:2]), jax.tree.leaves(want[:2])):
        np.testing.assert_array_equal(one, other)


def test_a_typed_key_is_refused_by_name(path):
    jax = pytest.importorskip('jax', reason='JAX is not installed')
    with pytest.raises(DtypeError, match=r"cannot save 'rng/0': key<fry> is no number.*save jax\.random\.key_data"):
        xd.save(path, {'rng': [jax.random.key(0)]})
    assert not path.exists()
