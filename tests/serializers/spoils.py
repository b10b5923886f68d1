"""Ways to make the leaf ``'bad'`` of a file unreadable and to leave all others whole, for each format.

Each function gives the class of the error that asking for that leaf has to be.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

from crossdock.errors import CorruptFileError, UnsupportedFileError

__all__ = ['SPOILS']

Spoil = Callable[[str], type[CorruptFileError]]


def npy(array, pickles=False) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), allow_pickle=pickles)
    return file.getvalue()


# npz


def member(content: bytes | None, kind, method=zipfile.ZIP_STORED, name='bad.npy') -> Spoil:
    """Write the archive anew, with something else in it."""

    def spoil(path):
        with zipfile.ZipFile(path) as z:
            parts = {info.filename: z.read(info) for info in z.infolist()}
        content_ = parts.pop('bad.npy') if content is None else content
        parts.pop('bad.npy', None)
        with zipfile.ZipFile(path, 'w') as z:
            for part, data in parts.items():
                z.writestr(part, data)
            z.writestr(name, content_, method)
        return kind

    return spoil


def patched(kind, *changes) -> Spoil:
    """Change fields of the local header and of the directory's row: (offset there, offset here, value)."""

    def spoil(path):
        data = bytearray(Path(path).read_bytes())
        local = data.index(b'bad.npy') - 30
        central = data.rindex(b'bad.npy') - 46
        for at_local, at_central, value in changes:
            if at_local is not None:
                struct.pack_into('<H', data, local + at_local, value)
            if at_central is not None:
                struct.pack_into('<H', data, central + at_central, value)
        Path(path).write_bytes(data)
        return kind

    return spoil


NPZ = {
    'objects': member(npy(np.array([{}], object), pickles=True), CorruptFileError),
    'fields': member(npy(np.zeros(3, 'i4,f8')), UnsupportedFileError),
    'bfloat16 as numpy.savez writes it': member(npy(np.ones(3, ml_dtypes.bfloat16)), UnsupportedFileError),
    'a .npy of version 4': member(npy(np.ones(3)).replace(b'NUMPY\1', b'NUMPY\4'), UnsupportedFileError),
    'no .npy': member(b'hello', CorruptFileError),
    'a member of another kind': member(b'hello', UnsupportedFileError, name='bad'),
    'bzip2': member(None, UnsupportedFileError, zipfile.ZIP_BZIP2),
    'LZMA': member(None, UnsupportedFileError, zipfile.ZIP_LZMA),
    'encrypted': patched(UnsupportedFileError, (6, 8, 1)),
    'encrypted, says one of two': patched(CorruptFileError, (6, None, 1)),
    'a damaged local header': patched(CorruptFileError, (0, None, 0)),
    'another name in the local header': patched(CorruptFileError, (30, None, 0x4141)),
    'another size': patched(CorruptFileError, (18, None, 7)),
    'a data type that is damaged': member(npy(np.arange(5.0)).replace(b'<f8', b'<f7'), UnsupportedFileError),
}


def damaged_type(path):
    """Of which the checksum says that it is damaged, and not of a kind that is not known."""
    data = Path(path).read_bytes()
    at = data.index(b'<f8', data.index(b'bad.npy'))
    Path(path).write_bytes(data[:at] + b'<f7' + data[at + 3 :])
    return CorruptFileError


NPZ['a flipped bit in the data type'] = damaged_type


# safetensors


def typed(name: str) -> Spoil:
    """Another data type for as many bytes, without checksums."""

    def spoil(path):
        data = Path(path).read_bytes()
        n = int.from_bytes(data[:8], 'little')
        header = json.loads(data[8 : 8 + n])
        header['bad']['dtype'] = name
        header['__metadata__'].pop('__crossdock__.crc32')
        body = json.dumps(header).encode()
        body += b' ' * (-len(body) % 8)
        Path(path).write_bytes(len(body).to_bytes(8, 'little') + body + data[8 + n :])
        return UnsupportedFileError

    return spoil


SAFETENSORS = {name: typed(name) for name in ('F4', 'F6_E2M3', 'F128', 'F8_E9M9')}


# HDF5


def dataset(make, kind=UnsupportedFileError) -> Spoil:
    def spoil(path):
        import h5py

        with h5py.File(path, 'r+') as file:
            make(h5py, file)
        return kind

    return spoil


def instead(make) -> Callable:
    def change(h5py, file):
        del file['bad']
        make(h5py, file)

    return change


def packed_by(code: int) -> Callable:
    def make(h5py, file):
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((3,))
        plan.set_filter(code, h5py.h5z.FLAG_OPTIONAL)
        h5py.h5d.create(file.id, b'bad', h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((3,)), dcpl=plan)

    return make


HDF5 = {
    'compound': dataset(instead(lambda h5py, f: f.create_dataset('bad', (3,), 'i4,f8'))),
    'text of varying length': dataset(instead(lambda h5py, f: f.create_dataset('bad', data='text'))),
    'references': dataset(instead(lambda h5py, f: f.create_dataset('bad', (3,), h5py.ref_dtype))),
    'a filter that is not installed': dataset(instead(packed_by(32015))),
    'scale and offset': dataset(
        instead(lambda h5py, f: f.create_dataset('bad', (9,), 'i4', chunks=(9,), scaleoffset=0))
    ),
    'a named type': dataset(instead(lambda h5py, f: f.__setitem__('bad', np.dtype('f4')))),
    'a soft link': dataset(instead(lambda h5py, f: f.__setitem__('bad', h5py.SoftLink('/good'))), CorruptFileError),
    'an external link': dataset(
        instead(lambda h5py, f: f.__setitem__('bad', h5py.ExternalLink('/etc/passwd', '/'))), CorruptFileError
    ),
    'never written, and large': dataset(
        instead(lambda h5py, f: f.create_dataset('bad', (10**12,), 'f8', chunks=(1000,))), CorruptFileError
    ),
    'an attribute of ours that is wrong': dataset(
        lambda h5py, f: f['bad'].attrs.__setitem__('__crossdock__', np.bytes_('{')), CorruptFileError
    ),
}


# Zarr


def edited(name: str, act) -> None:
    path = Path(name, 'zarr.json')
    content = json.loads(path.read_text())
    act(content)
    path.write_text(json.dumps(content))


def ours(change) -> Spoil:
    def spoil(path):
        change(Path(path))
        return CorruptFileError

    return spoil


def linked(root):
    (root / 'bad/c/0').unlink()
    (root / 'bad/c/0').symlink_to('/etc/passwd')


ZARR = {
    'metadata that is no JSON': ours(lambda root: (root / 'bad/zarr.json').write_bytes(b'{')),
    'no metadata': ours(lambda root: (root / 'bad/zarr.json').unlink()),
    'no folder': ours(lambda root: (root / 'bad').rename(root.parent / 'gone')),
    'another shape': ours(lambda root: edited(root / 'bad', lambda content: content.update(shape=[4]))),
    'another codec': ours(lambda root: edited(root / 'bad', lambda content: content.update(codecs=['x']))),
    'version 7': ours(lambda root: edited(root / 'bad', lambda content: content.update(zarr_format=7))),
    'a chunk is missing': ours(lambda root: (root / 'bad/c/0').unlink()),
    'a chunk is a link': ours(linked),
    'version 2': ours(lambda root: (root / 'bad/zarr.json').rename(root / 'bad/.zarray')),
}

SPOILS: dict[str, dict[str, Spoil]] = {'npz': NPZ, 'safetensors': SAFETENSORS, 'hdf5': HDF5, 'zarr': ZARR}
