"""Files of another kind than their name says, or of one that is not read: they are called what they are."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import crossdock as xd
from crossdock.cli import main
from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import convert
from crossdock.serializers._open import open_file

from .faults.formats import EACH, suffix_of

TREE = {'good': np.arange(3.0), 'group': {'x': np.ones((2, 2), 'int16')}, 'none': None}
KEYS = ['good', 'group/x', 'none']


@pytest.fixture(params=EACH)
def name(request):
    return request.param


MAGIC = {
    'a PNG image': b'\x89PNG\r\n\x1a\n' + bytes(50),
    'a pickle': b'\x80\x04N.',
    'text': b'text that is no file of arrays',
    'a web page': b'<!DOCTYPE html>\n<html><body>404</body></html>',
    'a pointer of Git LFS': b'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n',
    'a .npy file': b'\x93NUMPY\x01\x00' + bytes(50),
    'compressed by gzip': b'\x1f\x8b\x08' + bytes(50),
    'a GGUF file': b'GGUF' + bytes(50),
}


def test_a_file_is_called_what_it_begins_with(name, tmp_path):
    path = tmp_path / f'x{suffix_of(name)}'
    for what, content in MAGIC.items():
        path.write_bytes(content)
        with pytest.raises(UnsupportedFileError) as caught:
            xd.load(path)
        assert caught.value.reason.startswith(f'is {what}'), what
        assert (caught.value.path, caught.value.key) == (str(path), None)


def test_a_format_of_somebody_else_says_itself_what_is_wrong(tmp_path):
    """Its files may begin with anything."""

    class Theirs:
        name = 'theirs'

        def open(self, path):
            raise CorruptFileError('their words', path=path, reason='their words')

    for content in MAGIC.values():
        (tmp_path / 'x').write_bytes(content)
        with pytest.raises(CorruptFileError, match='their words'):
            open_file(Theirs(), str(tmp_path / 'x'))


def torch_zip(path):
    """As torch.save makes it."""
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr('archive/data.pkl', pickle.dumps({'W': 1}, 2))
        z.writestr('archive/data/0', bytes(12))
        z.writestr('archive/version', b'3\n')


def keras(path):
    with zipfile.ZipFile(path, 'w') as z:
        for part in ('metadata.json', 'config.json', 'model.weights.h5'):
            z.writestr(part, b'{}')


def zipped(path):
    with zipfile.ZipFile(path, 'w') as z:
        z.writestr('report.txt', b'text')


def single(path):
    with open(path, 'wb') as file:
        np.save(file, np.ones(3))


def index(path):
    Path(path).write_text('{"metadata": {"total_size": 1}, "weight_map": {"W": "model-00001-of-00002.safetensors"}}')


def tar(path):
    import tarfile

    with tarfile.open(path, 'w') as file:
        file.addfile(tarfile.TarInfo('x'))


KINDS = {
    'torch.save': (torch_zip, 'is a file of torch.save, .*weights_only=True'),
    'Keras': (keras, 'is a model of Keras'),
    'ZIP': (zipped, r'is a ZIP archive without any \.npy in it'),
    '.npy': (single, r'is a \.npy file, .*numpy.load reads it'),
    'pickle': (lambda path: Path(path).write_bytes(pickle.dumps([1, 2])), 'is a pickle, which is never loaded'),
    'old torch.save': (
        lambda path: Path(path).write_bytes(pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)),
        'is a file of an old torch.save',
    ),
    'index': (index, 'is the index of a model in several safetensors files'),
    'tar': (tar, 'is a tar archive'),
    'text in UTF-8': (lambda path: Path(path).write_text('é' * 5000), 'is text'),
}


@pytest.mark.parametrize('what', KINDS)
@pytest.mark.parametrize('suffix', ['.npz', '.safetensors', '.pt', '.npy', '', '.h5'])
def test_other_kinds_of_files(tmp_path, what, suffix, capsys):
    if suffix == '.h5':
        pytest.importorskip('h5py', reason='h5py is not installed')
    make, words = KINDS[what]
    path = tmp_path / f'x{suffix}'
    make(path)
    for attempt in (
        lambda: xd.load(path),
        lambda: xd.load(path, {'W': np.zeros(3)}),
        lambda: xd.open_archive(path),
        lambda: convert(path, tmp_path / 'y.npz'),
    ):
        with pytest.raises(UnsupportedFileError, match=words) as caught:
            attempt()
        assert (caught.value.path, caught.value.key) == (str(path), None)
    assert main(['inspect', str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count('\n')) == ('', 1)
    assert main(['inspect', str(path), '--json']) == 2
    found = json.loads(capsys.readouterr().out)
    assert found['path'] == str(path)
    assert found['error']['type'] == 'UnsupportedFileError'
    assert found['error']['reason'] == caught.value.reason
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize('there', EACH)
@pytest.mark.parametrize('here', EACH)
def test_a_format_under_the_name_of_another(tmp_path, here, there):
    path = tmp_path / f'x{suffix_of(here)}'
    xd.save(path, TREE)
    if here == there:
        assert sorted(xd.load(path, flat=True)) == KEYS
        return
    wrong = tmp_path / f'x{suffix_of(there)}'
    path.rename(wrong)
    words = f'load_{here} or format={here!r} reads it, or name it {suffix_of(here)}'.replace('.', r'\.')
    with pytest.raises(UnsupportedFileError, match=words):
        xd.load(wrong)
    assert sorted(getattr(xd, f'load_{here}')(wrong, flat=True)) == KEYS


def test_folders(tmp_path):
    for name in ('x.npz', 'x.safetensors'):
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError):
            xd.load(tmp_path / name)
    (tmp_path / 'x').mkdir()
    with pytest.raises(ValueError, match='known formats'):
        xd.load(tmp_path / 'x')


def test_a_folder_that_is_no_zarr_store(tmp_path):
    pytest.importorskip('google_crc32c', reason='zarr is not installed')
    path = tmp_path / 'x.zarr'
    path.mkdir()
    (path / 'thesis').mkdir()
    with pytest.raises(UnsupportedFileError, match=r'a folder without zarr\.json'):
        xd.load(path)
    (path / 'thesis' / 'zarr.json').write_text('{}')
    with pytest.raises(CorruptFileError, match=r'has no zarr\.json'):
        xd.load(path)


def test_stores_of_zarr_that_are_not_read(tmp_path):
    zarr = pytest.importorskip('zarr', reason='zarr is not installed')
    old = zarr.open_group(str(tmp_path / 'old.zarr'), mode='w', zarr_format=2)
    old.create_array('a', data=np.ones(3))
    with pytest.raises(UnsupportedFileError, match=r'Zarr version 2, .*zarr migrate v3'):
        xd.load(tmp_path / 'old.zarr')
    (tmp_path / 'old.zarr/zarr.json').write_text('{"zarr_format": 3, "node_type": "group"}')
    with pytest.raises(UnsupportedFileError, match="'a': is of Zarr version 2"):
        xd.load(tmp_path / 'old.zarr')
    zarr.save_array(str(tmp_path / 'array.zarr'), np.ones(3), zarr_format=3)
    with pytest.raises(UnsupportedFileError, match=r'zarr\.open_array reads it'):
        xd.load(tmp_path / 'array.zarr')
    new = zarr.open_group(str(tmp_path / 'new.zarr'), mode='w', zarr_format=3)
    new.create_array('sharded', data=np.ones((8, 8)), chunks=(2, 2), shards=(4, 4))
    new.create_array('good', data=np.arange(3.0))
    with pytest.raises(UnsupportedFileError, match="'sharded': is sharded"):
        xd.load(tmp_path / 'new.zarr')
    assert xd.load(tmp_path / 'new.zarr', ignore='sharded')['good'].tolist() == [0, 1, 2]


def test_real_files_of_torch(tmp_path):
    torch = pytest.importorskip('torch', reason='torch is not installed')
    for i, options in enumerate(({}, {'_use_new_zipfile_serialization': False})):
        path = tmp_path / f'{i}.pt'
        torch.save({'W': torch.ones(3)}, path, **options)
        with pytest.raises(UnsupportedFileError, match=r'torch\.load\(path, weights_only=True\) reads it'):
            xd.load(path)


def test_an_empty_file_is_damage(tmp_path, name):
    path = tmp_path / f'x{suffix_of(name)}'
    path.write_bytes(b'')
    with pytest.raises(CorruptFileError, match='empty' if name != 'zarr' else 'is a file; a Zarr store is a folder'):
        xd.load(path)
