"""Arguments of `load`, `save` and `open_archive`: what they may be, and what does not go together."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import crossdock as xd
from crossdock.errors import CorruptFileError, UnsupportedFileError
from crossdock.serializers import convert

from .faults.formats import EACH, suffix_of

LAYERS = {'l1': {'W': np.arange(6.0).reshape(2, 3), 'b': np.zeros(3)}, 'best': None}


@pytest.mark.parametrize('name', EACH)
def test_a_format_by_name_whatever_the_suffix(tmp_path, name):
    path = tmp_path / 'model.weights'
    xd.save(path, LAYERS, format=name)
    with pytest.raises(ValueError, match='names no file format'):
        xd.load(path)
    assert xd.load(path, format=name)['l1']['W'].tolist() == [[0, 1, 2], [3, 4, 5]]
    target = {'l1': {'W': np.zeros((2, 3)), 'b': np.ones(3)}, 'best': None}
    xd.load(path, target, format=name)
    assert target['l1']['W'].sum() == 15
    with xd.open_archive(path, format=name) as archive:
        assert archive['l1/b'].shape == (3,)


@pytest.mark.parametrize('other', EACH)
@pytest.mark.parametrize('name', EACH)
def test_the_content_is_not_guessed(tmp_path, name, other):
    path = tmp_path / f'x{suffix_of(name)}'
    xd.save(path, LAYERS)
    if name == other:
        return
    words = f'and not {other}: load_{name} or format={name!r} reads it$'
    with pytest.raises(UnsupportedFileError, match=words) as caught:
        xd.load(path, format=other)
    assert caught.value.path == str(path)
    assert xd.load(path, format=name)['l1']['W'].sum() == 15


def test_a_format_that_is_none(tmp_path):
    xd.save(tmp_path / 'x.npz', LAYERS)
    for act in (
        lambda: xd.load(tmp_path / 'x.npz', format='npy'),
        lambda: xd.save(tmp_path / 'y.npz', LAYERS, format='npy'),
        lambda: xd.open_archive(tmp_path / 'x.npz', format='npy'),
    ):
        with pytest.raises(ValueError, match=r"no file format 'npy'; known formats: hdf5 .*npz"):
            act()


@pytest.mark.parametrize('name', EACH)
def test_without_the_checksums_beside_the_data(tmp_path, name):
    path = tmp_path / f'x{suffix_of(name)}'
    value = np.arange(1000.0)
    xd.save(path, {'a': value})
    if name in ('npz', 'zarr'):
        for act in (lambda: xd.load(path, checksum=False), lambda: xd.open_archive(path, checksum=False)):
            with pytest.raises(ValueError, match=f'part of the format {name}.*leave checksum=False out'):
                act()
        return
    data = path.read_bytes()
    path.write_bytes(data.replace(np.float64(500).tobytes(), np.float64(-1).tobytes()))
    with pytest.raises(CorruptFileError, match='CRC-32'):
        xd.load(path)
    target = {'a': np.zeros(1000)}
    assert xd.load(path, checksum=False)['a'][500] == -1
    assert xd.load(path, target, checksum=False)['a'][500] == -1
    with xd.open_archive(path, checksum=False) as archive:
        assert archive['a'].read()[500] == -1
    with pytest.raises(CorruptFileError, match='CRC-32'):
        xd.load(path)  # the choice is of one call


@pytest.mark.parametrize('name', EACH)
def test_a_device_beside_a_target_that_has_a_place_for_all(tmp_path, name):
    path = tmp_path / f'x{suffix_of(name)}'
    xd.save(path, LAYERS)
    target = {'l1': {'W': np.zeros((2, 3)), 'b': np.ones(3)}, 'best': None}
    with pytest.raises(TypeError, match=r"device='sim:0' beside a target is for what has None there"):
        xd.load(path, target, device='sim:0')
    assert not target['l1']['W'].any()
    target['l1']['W'] = None
    xd.load(path, target, device='sim:0')
    assert str(xd.get_device_from_array(target['l1']['W'])) == 'sim:0'
    assert isinstance(target['l1']['b'], np.ndarray)


def test_a_device_for_what_is_asked_for_later(tmp_path):
    class Grows:
        def __init__(self):
            self.n, self.layers = 0, []

        def serialize(self, s):
            self.n = s('n', self.n)
            self.layers += [None] * (self.n - len(self.layers))
            self.layers = [s(f'layer{i}', layer) for i, layer in enumerate(self.layers)]

    old = Grows()
    old.n, old.layers = 2, [np.ones(2), np.zeros(2)]
    xd.save(tmp_path / 'x.npz', old)
    new = xd.load(tmp_path / 'x.npz', Grows(), strict=False, device='sim:1')
    assert [str(xd.get_device_from_array(layer)) for layer in new.layers] == ['sim:1', 'sim:1']


def test_what_goes_with_no_target(tmp_path):
    path = tmp_path / 'x.npz'
    xd.save(path, {'a': np.ones(3)})
    target = {'a': np.zeros(3)}
    for options in ({'mmap': True}, {'mmap': 'where possible'}, {'flat': True}):
        given = ', '.join(f'{name}={value!r}' for name, value in options.items())
        with pytest.raises(TypeError, match=f'{given} is for loading without a target'):
            xd.load(path, target, **options)
    assert not target['a'].any()
    with pytest.raises(TypeError, match=r"mmap=True .* device='sim:0'"):
        xd.load(path, mmap=True, device='sim:0')
    assert not xd.load(path, mmap=True, device='@numpy')['a'].flags.writeable
    for act in (lambda: xd.load(path, mmap='always'), lambda: xd.open_archive(path, mmap='r')):
        with pytest.raises(ValueError, match="mmap is True, False or 'where possible'"):
            act()


def unmapped(name, path):
    """A file of which some arrays can be seen and others not, with the reason for each that cannot."""
    tree = {'a': np.arange(1000.0), 'none': None, 'nothing': np.zeros((0, 3))}
    if name == 'npz':
        xd.save(path, tree)
        with zipfile.ZipFile(path, 'a') as archive:
            for key, dtype, method in (('swapped', '>i4', zipfile.ZIP_STORED), ('packed', '<i4', zipfile.ZIP_DEFLATED)):
                data = io.BytesIO()
                np.save(data, np.zeros(100, dtype))
                archive.writestr(f'{key}.npy', data.getvalue(), method)
        return {'swapped': 'is in the other byte order', 'packed': 'is compressed'}
    if name == 'hdf5':
        xd.save(path, {**tree, 'text': 'é'})
        return {'text': 'is text, in UTF-8 in the file'}
    if name == 'zarr':
        xd.save(path, {**tree, 'large': np.zeros(9_000_000)})
        return {'large': r'lies in chunks of \(4500000,\)'}
    text = b'{"a":{"dtype":"F64","shape":[1],"data_offsets":[1,9]},"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    text += b' ' * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, 'little') + text + bytes(9))
    return {'a': 'is not aligned in the file'}


@pytest.mark.filterwarnings('ignore:.*native byte order')
@pytest.mark.parametrize('name', EACH)
def test_a_view_or_the_reason_why_not(tmp_path, name):
    path = tmp_path / f'x{suffix_of(name)}'
    whys = unmapped(name, path)
    with xd.open_archive(path) as archive:
        seen = [key for key, value in archive.items() if value is not None and key not in whys]
        assert seen
        for key in seen:
            assert not archive[key].map().flags.writeable
        for key, why in whys.items():
            with pytest.raises(ValueError, match=f"'{key}' cannot be mapped: it {why}.*; read\\(\\) gives a copy"):
                archive[key].map()
    with pytest.raises(ValueError, match='cannot be mapped') as caught:
        xd.load(path, mmap=True)
    first, *rows, last = str(caught.value).splitlines()
    assert first == f'{path} cannot be mapped into memory as a whole'
    assert len(rows) == len(whys)
    assert last == "mmap='where possible' reads these, and maps the rest"
    got = xd.load(path, mmap='where possible')
    assert [got[key].flags.writeable for key in (*seen, *whys)] == [False] * len(seen) + [True] * len(whys)
    assert xd.load(path, mmap=True, ignore=list(whys)).keys() == got.keys() - whys.keys()
    with xd.open_archive(path, mmap=True) as archive:
        assert not archive[seen[0]][:1].flags.writeable
        for key in whys:
            for act in (lambda key=key: archive[key][...], lambda key=key: np.asarray(archive[key])):
                with pytest.raises(ValueError, match='cannot be mapped'):
                    act()
    with xd.open_archive(path, mmap='where possible') as archive:
        assert not archive[seen[0]][:1].flags.writeable
        assert all(archive[key][...].flags.writeable for key in whys)


@pytest.mark.parametrize('name', EACH)
def test_compressed_arrays_have_no_view(tmp_path, name):
    path = tmp_path / f'x{suffix_of(name)}'
    for compression in xd.serializers._registry.format_named(name).compressions:
        xd.save(path, {'a': np.arange(1000.0)}, compression=compression)
        with pytest.raises(ValueError, match="'a' is compressed"):
            xd.load(path, mmap=True)
        assert xd.load(path, mmap='where possible')['a'].sum() == 499500


@pytest.mark.parametrize('name', EACH)
def test_deflate_and_gzip_are_one_method(tmp_path, name):
    paths = [tmp_path / f'{word}{suffix_of(name)}' for word in ('deflate', 'gzip')]
    tree = {'a': np.zeros(10_000)}
    for path in paths:
        if name == 'safetensors':
            with pytest.raises(ValueError, match=r'safetensors has no .*; it has: None \(not compressed\)$'):
                xd.save(path, tree, compression=path.stem)
            continue
        xd.save(path, tree, compression=path.stem)
        convert(path, tmp_path / f'again{path.suffix}', compression=path.stem)
        for written in (path, tmp_path / f'again{path.suffix}'):
            with xd.open_archive(written) as archive:
                assert archive._reader.compression == ('deflate' if name == 'npz' else 'gzip')
    if name == 'npz':
        assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize('name', EACH)
def test_there_are_no_levels(tmp_path, name):
    for wrong in (4, 0, True, 1.5):
        with pytest.raises(TypeError, match=f'a name and has no levels, not {wrong}; {name} has: '):
            xd.save(tmp_path / f'x{suffix_of(name)}', {'a': 1}, compression=wrong)
    assert not list(tmp_path.iterdir())
