"""Files that Chainer wrote, made here from the layout that its serializers have, load into targets.

In npz, one member for each key path, compressed, with None as a pickled array of one object; in HDF5, groups and
compressed datasets, with None as an empty dataspace. Links name parameters by their attributes and children by name, a
ChainList by position; an optimizer names states by the path of their parameter, with a slash before it; a trainer puts
all of that below 'updater', and the logs of its extensions as JSON text.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, StrictLoadError

# Its HDF5 files hold no text, so that logs were left out.
LOG_KEY = 'extensions/LogReport/_log'
LOG = json.dumps([{'epoch': 1, 'main/loss': 0.25}])


def snapshot():
    """A trainer's snapshot: a model of a Linear, an uninitialised one, and a list of two; an Adam; an iterator."""
    rng = np.random.default_rng(3)
    model = {
        'l1/W': rng.standard_normal((4, 3)).astype('f'),
        'l1/b': np.zeros(4, 'f'),
        'lazy/W': None,
        'lazy/b': np.zeros(2, 'f'),
        'layers/0/W': np.ones((2, 2), 'f'),
        'layers/1/W': np.full((2, 2), 2, 'f'),
        'bn/avg_mean': np.zeros(4, 'f'),
        'bn/N': 5,
    }
    optimizer = {'t': 11, 'epoch': 1}
    for name, value in model.items():
        if name.endswith('/W') and value is not None:
            optimizer |= {f'{name}/t': 11, f'{name}/m': value * 0 + 3, f'{name}/v': value * 0 + 4}
    iterator = {'current_position': 7, 'epoch': 1, 'is_new_epoch': False, 'previous_epoch_detail': -1.0}
    iterator['order'] = rng.permutation(20).astype('i4')
    return {
        **{f'updater/model:main/{key}': value for key, value in model.items()},
        **{f'updater/optimizer:main/{key}': value for key, value in optimizer.items()},
        **{f'updater/iterator:main/{key}': value for key, value in iterator.items()},
        'updater/iteration': 11,
        LOG_KEY: LOG,
        'extensions/LogReport/_trigger/previous_epoch_detail': 0.5,
        '_snapshot_elapsed_time': 12.5,
    }


def write_npz(path, values):
    np.savez_compressed(path, **{key: np.asarray(value) for key, value in values.items()})


def write_hdf5(path, values):
    h5py = pytest.importorskip('h5py', reason='h5py is not installed')
    with h5py.File(path, 'w') as file:
        for key, value in values.items():
            data = h5py.Empty('f') if value is None else np.asarray(value)
            file.create_dataset('//' + key, data=data, compression=None if value is None or data.size <= 1 else 4)


@pytest.fixture(params=['npz', 'h5'])
def file(request, tmp_path):
    path = tmp_path / f'snapshot.{request.param}'
    if request.param == 'npz':
        write_npz(path, snapshot())
    else:
        write_hdf5(path, {key: value for key, value in snapshot().items() if key != LOG_KEY})
    return path


class Link:
    """Parameters by name; None is one whose shape is not known yet."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for name, value in self.values.items():
            if hasattr(value, 'serialize'):
                value.serialize(serializer[name])
            else:
                self.values[name] = serializer(name, value)

    def parameters(self, prefix=''):
        for name, value in self.values.items():
            if isinstance(value, Link):
                yield from value.parameters(f'{prefix}/{name}')
            elif name == 'W':
                yield f'{prefix}/{name}', value


class ChainList(Link):
    def __init__(self, *links):
        super().__init__(**{str(i): link for i, link in enumerate(links)})


class Optimizer:
    def __init__(self, model):
        self.t = self.epoch = 0
        self.states = {path: {'t': 0, 'm': None, 'v': None} for path, W in model.parameters() if W is not None}

    def serialize(self, serializer):
        self.t = serializer('t', self.t)
        self.epoch = serializer('epoch', self.epoch)
        for path, state in self.states.items():  # as '/layers/0/W'
            for name in state:
                state[name] = serializer[path](name, state[name])


class Iterator:
    def __init__(self):
        self.current_position, self.epoch, self.is_new_epoch = 0, 0, True
        self.previous_epoch_detail, self.order = 0.0, np.zeros(20, 'i4')

    def serialize(self, serializer):
        for name in vars(self):
            setattr(self, name, serializer(name, getattr(self, name)))


class Trainer:
    def __init__(self, spec='@numpy'):
        def zeros(*shape):
            return xd.get_device(spec).send(np.zeros(shape, 'f'), copy=True)

        self.model = Link(
            l1=Link(W=zeros(4, 3), b=zeros(4)),
            lazy=Link(W=None, b=zeros(2)),
            layers=ChainList(Link(W=zeros(2, 2)), Link(W=zeros(2, 2))),
            bn=Link(avg_mean=zeros(4), N=0),
        )
        self.optimizer = Optimizer(self.model)
        self.iterator = Iterator()
        self.iteration, self.elapsed, self.log, self.detail = 0, 0.0, '', 0.0

    def serialize(self, serializer):
        updater = serializer['updater']
        self.model.serialize(updater['model:main'])
        self.optimizer.serialize(updater['optimizer:main'])
        self.iterator.serialize(updater['iterator:main'])
        self.iteration = updater('iteration', self.iteration)
        report = serializer['extensions']['LogReport']
        self.log = report('_log', self.log)
        self.detail = report['/_trigger/']('previous_epoch_detail', self.detail)
        self.elapsed = serializer('_snapshot_elapsed_time', self.elapsed)


@pytest.mark.parametrize('spec', ['@numpy', 'native:0', 'sim:0'])
def test_a_snapshot_loads_into_a_trainer(file, spec):
    trainer = Trainer(spec)
    kept = trainer.model.values['l1'].values['W']
    has_log = file.suffix == '.npz'
    assert xd.load(file, trainer, device=spec, ignore=None if has_log else LOG_KEY) is trainer
    want = snapshot()
    assert trainer.model.values['l1'].values['W'] is kept
    assert str(xd.get_device_from_array(kept)) == spec
    np.testing.assert_array_equal(xd.to_numpy(kept), want['updater/model:main/l1/W'])
    assert trainer.model.values['lazy'].values['W'] is None
    assert trainer.model.values['bn'].values['N'] == 5
    second = trainer.optimizer.states['/layers/1/W']
    assert second['t'] == 11
    assert type(second['t']) is int
    assert str(xd.get_device_from_array(second['m'])) == spec
    assert (xd.to_numpy(second['v']) == 4).all()
    assert trainer.iterator.current_position == 7
    assert trainer.iterator.is_new_epoch is False
    np.testing.assert_array_equal(trainer.iterator.order, want['updater/iterator:main/order'])
    assert (trainer.iteration, trainer.elapsed, trainer.detail) == (11, 12.5, 0.5)
    assert trainer.log == (LOG if has_log else '')


def test_a_part_of_a_snapshot(file):
    model = Trainer().model
    xd.load(file, model, prefix='updater/model:main')
    assert (model.values['layers'].values['1'].values['W'] == 2).all()
    assert model.values['lazy'].values['W'] is None


def test_a_snapshot_without_a_target(file):
    got, want = xd.load(file, flat=True), snapshot()
    if file.suffix != '.npz':
        del want[LOG_KEY]
    assert got.keys() == want.keys()
    for key, value in want.items():
        if value is None:
            assert got[key] is None
        else:
            np.testing.assert_array_equal(got[key], np.asarray(value), err_msg=key)
    nested = xd.load(file)['updater']
    assert list(nested['model:main']['layers']) == ['0', '1']


def test_what_does_not_fit_is_listed_and_nothing_changes(file):
    trainer = Trainer()
    trainer.model.values['l1'].values['W'] = np.zeros((4, 5), 'f')
    del trainer.model.values['bn']
    with pytest.raises(StrictLoadError) as caught:
        xd.load(file, trainer)
    assert caught.value.mismatched[0][0] == 'updater/model:main/l1/W'
    assert set(caught.value.unexpected) == {f'updater/model:main/bn/{name}' for name in ('avg_mean', 'N')}
    assert trainer.iteration == 0
    assert not trainer.model.values['layers'].values['0'].values['W'].any()


def test_our_files_load_in_its_place(tmp_path):
    """What is saved by the same ``serialize`` methods has the same keys."""
    trainer = Trainer()
    xd.save_npz(tmp_path / 'old.npz', trainer)
    want = snapshot()
    assert xd.load(tmp_path / 'old.npz', flat=True).keys() == want.keys()


def test_slashes_of_parameter_paths_in_both_directions():
    optimizer = Optimizer(Trainer().model)
    serializer = xd.serializers.DictionarySerializer()
    optimizer.serialize(serializer)
    assert 'layers/0/W/m' in serializer.target
    assert not any(key.startswith('/') or '//' in key for key in serializer.target)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ('the-bomb-went-off',)


@pytest.mark.parametrize(
    'value',
    [
        *(np.array(None, object).reshape(1), np.array([None, None]), np.array(3, object), np.array('x', object)),
        *(np.array({'a': 1}, object), np.array([[1], [2, 3]], object), np.array(Bomb(), object)),
    ],
    ids=['vector', 'two', 'int', 'str', 'dict', 'ragged', 'bomb'],
)
def test_anything_else_pickled_is_refused(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    np.savez_compressed('x.npz', allow_pickle=True, **{'updater/iteration': np.array(11), 'l1/W': value})
    target = {'updater': {'iteration': 0}, 'l1': {'W': None}}

    def lazily():
        with xd.open_archive('x.npz') as archive:
            assert archive['updater/iteration'][()] == 11
            archive['l1/W'].read()

    for attempt in (lambda: xd.load('x.npz', target), lambda: xd.load('x.npz'), lazily):
        with pytest.raises(CorruptFileError) as caught:
            attempt()
        assert (caught.value.key, caught.value.path) == ('l1/W', 'x.npz')
        assert 'never loaded' in caught.value.reason
    assert target['updater']['iteration'] == 0
    assert not Path('the-bomb-went-off').exists()


def test_none_as_python_2_pickled_it(tmp_path):
    content = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(np.array(None, object))
    np.lib.format.write_array_header_1_0(content, header)
    content.write(
        b'\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03(K\x01)'
        b'cnumpy\ndtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]'
        b'q\x06Natb.'
    )
    with zipfile.ZipFile(tmp_path / 'x.npz', 'w', zipfile.ZIP_DEFLATED) as file:
        file.writestr('l1/W.npy', content.getvalue())
    assert xd.load(tmp_path / 'x.npz') == {'l1': {'W': None}}
