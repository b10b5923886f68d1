import re

import numpy as np
import pytest

from crossdock.errors import StrictLoadError, UnsupportedFileError
from crossdock.serializers import load
from crossdock.serializers._ignore import ignoring

KEYS = ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'a[0]', 'step']


@pytest.mark.parametrize(
    ('ignore', 'left'),
    [
        (None, KEYS),
        ([], KEYS),
        ('step', ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'a[0]']),
        ('enc', ['encoder/W', 'dec/W', 'a[0]', 'step']),
        ('enc/', ['encoder/W', 'dec/W', 'a[0]', 'step']),
        ('*/W', ['enc/b', 'a[0]', 'step']),
        ('a[0]', ['enc/W', 'enc/b', 'encoder/W', 'dec/W', 'step']),
        ('', KEYS),
        (['enc/b', 'd*'], ['enc/W', 'encoder/W', 'a[0]', 'step']),
        (lambda key: key.endswith('W'), ['enc/b', 'a[0]', 'step']),
        ([lambda key: key == 'step', 'enc'], ['encoder/W', 'dec/W', 'a[0]']),
    ],
)
def test_names_globs_and_callables(ignore, left):
    skip = ignoring(ignore)
    assert [key for key in KEYS if not skip(key)] == left


def test_other_rules():
    with pytest.raises(TypeError, match='3'):
        ignoring([3])


TREE = {'model': {'l1': {'W': np.ones(2)}, 'bare': []}, 'optimizer': {'lr': 0.1}, 'a[0]': 1}


def target():
    return {'model': {'l1': {'W': np.zeros(2)}}, 'optimizer': {'lr': 0.0}, 'a[0]': 0, 'mine': 7}


@pytest.mark.parametrize(
    ('name', 'meant'),
    [
        ('optimzer', "'optimizer'"),
        ('W', "'model/l1/W'"),
        ('l1', "'model/l1'"),
        ('/model/l2/', "'model/l1'"),
        ('zzz', ''),
    ],
)
def test_a_name_of_nothing(file, name, meant):
    path = file(TREE)
    have = target()
    question = f'; did you mean {meant}' if meant else '; strict=False'
    for attempt in (lambda: load(path, ignore=[name]), lambda: load(path, have, ignore=(x for x in ['mine', name]))):
        with pytest.raises(
            StrictLoadError, match=f'has nothing called {name.strip("/")!r}, which ignore= names{question}'
        ):
            attempt()
    assert not have['model']['l1']['W'].any()
    load(path, ignore=name, strict=False)
    load(path, have, ignore=name, strict=False)
    assert have['optimizer']['lr'] == 0.1


def test_names_of_something(file):
    """In the file or the target alone, of empty containers, globs, functions, nothing, and outside of the prefix."""
    path = file(TREE)
    have = target()
    load(path, have, ignore=(x for x in ['mine', 'model/bare', '*/nothing', lambda key: False, '', 'a[0]', 'a[9]']))
    assert have['optimizer']['lr'] == 0.1
    assert set(load(path, ignore=(x for x in ['model/bare', 'optimizer']))) == {'model', 'a[0]'}
    load(path, {'l1': {'W': np.zeros(2)}}, prefix='model', ignore='optimizer')


@pytest.mark.parametrize(
    ('prefix', 'says'),
    [
        ('modle', "has no group 'modle'; did you mean 'model'?"),
        ('l1', "has no group 'l1'; did you mean 'model/l1'?"),
        ('zzz', "has no group 'zzz'; those at the top are 'model', 'optimizer'"),
        ('model/l1/W', "'model/l1/W' is a value, and no group: open_archive(path)['model/l1/W'] reads it"),
    ],
)
def test_a_prefix_that_is_no_group(file, prefix, says):
    path = file(TREE)
    for attempt in (lambda: load(path, prefix=prefix), lambda: load(path, {'W': np.zeros(2)}, prefix=prefix)):
        with pytest.raises(StrictLoadError, match=re.escape(says)) as caught:
            attempt()
        assert caught.value.missing == (prefix,)
    assert load(path, prefix=prefix, strict=False) == {}


def test_what_cannot_be_read_says_how_to_load_the_rest(tmp_path):
    path = tmp_path / 'x.npz'
    np.savez(path, W=np.ones(2), o=np.zeros(2, 'i4,f8'))
    for attempt in (lambda: load(path), lambda: load(path, {'W': np.zeros(2), 'o': None})):
        with pytest.raises(UnsupportedFileError, match="\nignore='o' loads the rest"):
            attempt()
    assert set(load(path, ignore='o')) == {'W'}
