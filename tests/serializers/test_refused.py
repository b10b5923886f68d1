"""What no file holds: the error names its path, says what it is, and what to do."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import functools
import os
import pathlib

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CrossdockError, DtypeError, GraphError, UnknownArrayError


def refused(tmp_path, value, kind, words):
    """Save it, and load into it; both are refused, and nothing is written or changed."""
    path, good = tmp_path / 'no.npz', tmp_path / 'good.npz'
    with pytest.raises(kind, match=words) as caught:
        xd.save(path, {'model': {'layers': [np.zeros(2), value]}})
    assert str(caught.value).startswith("cannot save 'model/layers/1': ")
    if kind is not GraphError:
        assert caught.value.path == 'model/layers/1'
    assert isinstance(caught.value, (CrossdockError, TypeError))
    assert len(str(caught.value)) < 400
    assert not path.exists()
    xd.save(good, {'x': np.ones(2), 'y': np.ones(2)})
    target = {'x': np.zeros(2), 'y': value}
    with pytest.raises(kind, match="cannot load into 'y': "):
        xd.load(good, target)
    assert not target['x'].any()
    assert os.listdir(tmp_path) == ['good.npz']


class Colour(enum.Enum):
    RED = 1


class Sparse:
    def todense(self):
        return np.zeros((2, 2))


@pytest.mark.parametrize(
    ('value', 'kind', 'words'),
    [
        (len, UnknownArrayError, 'it is code, which no file holds; leave it out'),
        (lambda x: x, UnknownArrayError, 'function is no array.*it is code'),
        (functools.partial(len), UnknownArrayError, 'it is code'),
        (dict, UnknownArrayError, 'it is code'),
        (np, UnknownArrayError, 'it is code'),
        ({1, 2}, UnknownArrayError, 'make a list of it'),
        (range(3), UnknownArrayError, 'make a list of it'),
        ((i for i in [1]), UnknownArrayError, 'make a list of it'),
        (datetime.datetime(2026, 1, 1), UnknownArrayError, r'make numpy\.datetime64 of it'),
        (datetime.timedelta(1), UnknownArrayError, r'make numpy\.timedelta64 of it'),
        (datetime.time(1), UnknownArrayError, 'isoformat'),
        (decimal.Decimal(1), UnknownArrayError, 'make a float or text of it'),
        (fractions.Fraction(1, 2), UnknownArrayError, 'make a float or text of it'),
        (pathlib.Path('x'), UnknownArrayError, r'make text of it by str\(\)'),
        (Colour.RED, UnknownArrayError, 'save its value or its name'),
        (Sparse(), UnknownArrayError, 'a sparse matrix'),
        (object(), UnknownArrayError, r'give it a serialize\(serializer\) method'),
        (np.array([{}], object), DtypeError, r'Python objects would need pickle.*astype\(\), or a list of arrays'),
        (np.zeros(2, 'i4,f8'), DtypeError, 'save each field by itself'),
        (np.zeros(2, 'V8'), DtypeError, 'view it as an unsigned integer'),
        (np.ma.array([1, 2], mask=[0, 1]), DtypeError, 'masked array; fill it first'),
    ],
    ids=lambda value: '' if isinstance(value, (str, type)) else type(value).__name__,
)
def test_objects(tmp_path, value, kind, words):
    refused(tmp_path, value, kind, words)


def torch_values(torch):
    from torch._subclasses.fake_tensor import FakeTensorMode

    yield torch.empty(3, device='meta'), UnknownArrayError, r'has a shape but no values; .*to_empty\(\)'
    yield torch.nn.Linear(2, 2, device='meta').weight, UnknownArrayError, 'has a shape but no values'
    yield torch.eye(3).to_sparse(), UnknownArrayError, r'no dense memory; (save|send) its to_dense\(\)'
    yield torch.eye(3).to_sparse_csr(), UnknownArrayError, r'no dense memory; (save|send) its to_dense\(\)'
    yield torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), UnknownArrayError, 'layout nested'
    yield torch.nn.LazyLinear(3).weight, UnknownArrayError, 'UninitializedParameter has no data'
    yield torch.empty(3, dtype=torch.bits8), DtypeError, r'torch\.bits8 is known to PyTorch alone; convert it'
    yield torch.ones(3, dtype=torch.complex32), DtypeError, r'torch\.complex32 is known to PyTorch alone'
    with FakeTensorMode():
        fake = torch.ones(3)
    yield fake, UnknownArrayError, 'has no memory of its own; (save|send) the tensors inside'


@pytest.mark.filterwarnings('ignore')
def test_tensors_of_torch(tmp_path):
    torch = pytest.importorskip('torch', reason='torch is not installed')
    for value, kind, words in torch_values(torch):
        refused(tmp_path, value, kind, words)
        (tmp_path / 'good.npz').unlink()


@pytest.mark.filterwarnings('ignore')
def test_quantised_tensors_of_torch(tmp_path):
    torch = pytest.importorskip('torch', reason='torch is not installed')
    value = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    refused(tmp_path, value, UnknownArrayError, r'quantized tensor .*; (save|send) its dequantize\(\)')


def test_arrays_of_jax(tmp_path):
    jax = pytest.importorskip('jax', reason='jax is not installed')
    keys = r'random keys do not travel; (save|send) jax\.random\.key_data\(key\)'
    refused(tmp_path, jax.random.key(0), DtypeError, keys)
    (tmp_path / 'good.npz').unlink()
    deleted = jax.numpy.ones(3)
    deleted.delete()
    refused(tmp_path, deleted, UnknownArrayError, 'was deleted, or donated')


def test_a_module_is_refused_by_the_path_of_its_parameter(tmp_path):
    torch = pytest.importorskip('torch', reason='torch is not installed')
    with pytest.raises(UnknownArrayError, match="cannot save 'net/weight': a meta tensor"):
        xd.save(tmp_path / 'no.npz', {'net': torch.nn.Linear(2, 2, device='meta')})
    assert not os.listdir(tmp_path)
