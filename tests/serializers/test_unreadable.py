"""Files that are partly unreadable, of kinds that are not supported, or of another kind than their name says."""

from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import crossdock as xd
from crossdock.cli import main
from crossdock.errors import (
    ClosedFileError,
    CorruptFileError,
    StrictLoadError,
    UnsupportedFileError,
)
from crossdock.serializers import LazyArray, convert

from .faults.formats import EACH, suffix_of
from .spoils import SPOILS, npy

TREE = {'good': np.arange(3.0), 'bad': np.arange(5.0), 'group': {'x': np.ones((2, 2), 'int16')}, 'none': None}
OTHERS = ['good', 'group/x', 'none']


OF_AN_ARRAY = (
    lambda array: array.read(),
    lambda array: array.map(),
    lambda array: array[...],
    lambda array: list(array),
    lambda array: np.asarray(array),
    lambda array: array.to('sim:0'),
    lambda array: array.to(None),
)
OF_AN_ARCHIVE = (
    lambda archive: list(archive),
    lambda archive: list(archive.keys()),
    lambda archive: list(archive.items()),
    lambda archive: len(archive),
    lambda archive: archive['x'],
    lambda archive: archive['no such key'],
    lambda archive: 'x' in archive,
    lambda archive: archive.metadata,
    lambda archive: archive.unreadable,
)


@pytest.fixture(params=EACH)
def name(request):
    return request.param


@pytest.fixture
def spoiled(name, tmp_path):
    """A path and the class of the error, for each way to make a leaf unreadable, one after the other."""

    def each():
        for i, (why, spoil) in enumerate(SPOILS[name].items()):
            path = tmp_path / f'{i}{suffix_of(name)}'
            xd.save(path, TREE)
            yield why, path, spoil(str(path))

    return each


def raises(kind, key='bad'):
    return pytest.raises(kind, match=f"'{key}'")


def test_load_reads_what_is_left(spoiled):
    for why, path, kind in spoiled():
        for options in ({}, {'flat': True, 'device': 'sim:0'}, {'mmap': True}):
            with raises(kind) as caught:
                xd.load(path, **options)
            assert type(caught.value) is kind, why
        assert sorted(xd.load(path, ignore='bad', flat=True)) == OTHERS
        assert xd.load(path, prefix='group')['x'].tolist() == [[1, 1], [1, 1]]
        assert xd.load(path, ignore=lambda key: key == 'bad')['good'].tolist() == [0, 1, 2]


def test_load_into_a_target(spoiled):
    for why, path, kind in spoiled():
        target = {'good': np.zeros(3), 'bad': np.zeros(5), 'group': {'x': np.zeros((2, 2), 'int16')}, 'none': None}
        for strict in (True, False):
            with raises(kind) as caught:
                xd.load(path, target, strict=strict)
            assert type(caught.value) is kind, why
        assert not target['good'].any()
        assert xd.load(path, target, ignore='bad') is target
        assert target['good'].tolist() == [0, 1, 2]
        assert not target['bad'].any()
        del target['bad']
        with pytest.raises(StrictLoadError) as caught:
            xd.load(path, target)
        assert caught.value.unexpected == ('bad',)
        target['good'][:] = 0
        xd.load(path, target, strict=False)
        assert target['good'].tolist() == [0, 1, 2]
        assert xd.load(path, {'x': np.zeros((2, 2))}, prefix='group')['x'].all()


def test_open_archive_lists_it_and_says_why(spoiled):
    for why, path, kind in spoiled():
        with xd.open_archive(path) as archive:
            assert sorted(archive) == sorted(['bad', *OTHERS])
            assert len(dict(archive)) == 4
            assert 'bad' in archive
            assert list(archive.unreadable) == ['bad'], why
            fault = archive.unreadable['bad']
            assert (type(fault), fault.key, fault.path) == (kind, 'bad', str(path))
            assert archive['group'].unreadable == {}
            bad = archive['bad']
            assert isinstance(bad, LazyArray)
            assert bad.key == 'bad'
            assert 'cannot be read' in repr(bad)
            assert fault.reason in repr(bad)
            for ask in OF_AN_ARRAY:
                with raises(kind):
                    ask(bad)
            for fact in ('shape', 'dtype', 'nbytes', 'ndim', 'size'):
                with raises(kind):
                    getattr(bad, fact)
            with raises(kind):
                len(bad)
            assert not hasattr(bad, 'nothing')
            assert archive['good'].read().tolist() == [0, 1, 2]
            assert archive['none'] is None


def test_convert_refuses_it_by_name(spoiled, tmp_path):
    target = tmp_path / 'target.npz'
    target.write_bytes(b'old')
    for _, path, kind in spoiled():
        with raises(kind):
            convert(path, target)
        assert main(['convert', str(path), str(target)]) == (1 if kind is CorruptFileError else 2)
        assert target.read_bytes() == b'old'


def test_inspect_lists_it_with_the_reason(spoiled, capsys):
    for why, path, _ in spoiled():
        with xd.open_archive(path) as archive:
            reason = archive.unreadable['bad'].reason
        for check in ([], ['--check']):
            assert main(['inspect', str(path), *check]) == 1, why
            out, err = capsys.readouterr()
            assert [line.split()[0] for line in out.splitlines()].count('bad') == 1
            assert f'  bad: {reason}' in out.splitlines()
            assert err == ''
            assert 'good' in out
            assert main(['inspect', str(path), '--json', *check]) == 1
            found = json.loads(capsys.readouterr().out)
            rows = {row['key']: row['unreadable'] for row in found['arrays']}
            assert rows == {'good': None, 'bad': reason, 'group/x': None, 'none': None}
            assert found['error'] is None
            assert found['damaged'] == ([] if check else None)


def test_all_that_cannot_be_read_is_in_one_error(tmp_path):
    path = tmp_path / 'x.npz'
    parts = {'a': npy(np.zeros(3, 'i4,f8')), 'b': b'no array', 'c': npy(np.zeros(3)), 'd': npy(np.zeros(2, 'V2'))}
    with zipfile.ZipFile(path, 'w') as z:
        for key, data in parts.items():
            z.writestr(f'{key}.npy', data)
    target = dict.fromkeys(parts)
    for attempt in (lambda: xd.load(path), lambda: xd.load(path, target), lambda: convert(path, tmp_path / 'y.npz')):
        with pytest.raises(CorruptFileError) as caught:
            attempt()
        assert type(caught.value) is CorruptFileError  # damage comes first
        assert caught.value.key == 'b'
        first, *others = str(caught.value).splitlines()
        assert first.startswith(f"{path}: 'b': not an array")
        assert first.endswith('2 more of its keys cannot be read:')
        if not others[-1].startswith(' '):
            assert others.pop() == "ignore=['a', 'b', 'd'] loads the rest"
        assert [line.split(':')[0] for line in others] == ["  'a'", "  'd'"]
    assert xd.load(path, ignore=['a', 'b', 'd'])['c'].tolist() == [0, 0, 0]
    with pytest.raises(UnsupportedFileError, match='structured'):
        xd.load(path, ignore='b')
    assert list(xd.load(path, ignore=['a', 'b', 'd'])) == ['c']
    many = tmp_path / 'many.npz'
    with zipfile.ZipFile(many, 'w') as z:
        for i in range(1000):
            z.writestr(f'{i}.npy', b'no array')
    with pytest.raises(CorruptFileError, match='and 979 more') as caught:
        xd.load(many)
    assert len(str(caught.value).splitlines()) == 22
    pickle.loads(pickle.dumps(caught.value))


# A file that is closed.


def test_after_an_archive_is_closed(name, tmp_path):
    path = tmp_path / f'x{suffix_of(name)}'
    xd.save(path, TREE, metadata={'epoch': 3})
    for mmap in (False, True):
        archive = xd.open_archive(path, mmap=mmap)
        array, group, view = archive['good'], archive['group'], archive['good'].map()
        archive.close()
        archive.close()
        asked = [(ask, it) for it in (archive, group) for ask in OF_AN_ARCHIVE]
        for ask, it in [*asked, *((ask, array) for ask in OF_AN_ARRAY)]:
            with pytest.raises(ClosedFileError) as caught:
                ask(it)
            assert str(caught.value) == f'{path} is closed: read what you need while it is open, or open it again'
            assert caught.value.path == str(path)
            assert isinstance(caught.value, ValueError)
        assert (array.key, array.shape, array.dtype, array.nbytes) == ('good', (3,), 'f8', 24)
        assert repr(archive) == f'<LazyArchive {path}: closed>'
        assert 'float64' in repr(array)
        assert archive.path == str(path)
        if view is not None:
            assert view.tolist() == [0, 1, 2]


def test_after_a_deserializer_is_closed(tmp_path):
    xd.save(tmp_path / 'x.npz', TREE, metadata={'epoch': 3})
    with xd.serializers.NpzDeserializer(tmp_path / 'x.npz') as d:
        pass
    for ask in (lambda: d('good', np.zeros(3)), lambda: d['group']('x', None), lambda: d.metadata):
        with pytest.raises(ClosedFileError, match='is closed'):
            ask()


def test_after_the_owner_of_a_group_has_closed_it(tmp_path):
    h5py = pytest.importorskip('h5py', reason='h5py is not installed')
    xd.save(tmp_path / 'x.h5', TREE)
    with h5py.File(tmp_path / 'x.h5') as file:
        d = xd.serializers.HDF5Deserializer(file['group'])
        assert d('x', None).shape == (2, 2)
    with pytest.raises(ClosedFileError, match='closed'):
        d('x', None)


def test_inspect_gives_json_of_a_damaged_file_too(tmp_path, capsys):
    path = tmp_path / 'x.npz'
    xd.save(path, TREE)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CorruptFileError) as caught:
        xd.load(path)
    assert main(['inspect', str(path), '--json']) == 1
    out, err = capsys.readouterr()
    error = {'type': 'CorruptFileError', 'key': None, 'reason': caught.value.reason}
    assert json.loads(out) == {'path': str(path), 'error': error}
    assert err == f'crossdock: {caught.value}\n'
    assert main(['inspect', str(tmp_path / 'no.npz'), '--json']) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)['error']['type'] == 'FileNotFoundError'
    assert 'No such file' in json.loads(out)['error']['reason']


def test_the_errors_say_different_things():
    assert issubclass(UnsupportedFileError, CorruptFileError)
    assert issubclass(CorruptFileError, ValueError)


def test_an_unreadable_leaf_in_memory_of_its_own(tmp_path):
    """The errors that are kept hold no file open."""
    buffer = io.BytesIO(npy(np.zeros(3, 'i4,f8')))
    path = tmp_path / 'x.npz'
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr('a.npy', buffer.getvalue())
    with xd.open_archive(path) as archive:
        fault = archive.unreadable['a']
        assert fault.__traceback__ is None
        assert fault.__cause__ is None
        for _ in range(3):
            with pytest.raises(UnsupportedFileError):
                archive['a'].read()
        assert archive.unreadable['a'].__traceback__ is None
