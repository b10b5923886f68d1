"""What a file is, whatever its name says: told by its first bytes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from .archive._directory import DirectoryError, read_directory

__all__ = ['Kind', 'kind_of']

_HEAD_NBYTES = 4096
_NUMPY = 'numpy.load reads it; crossdock.save keeps several arrays by their names'
_TORCH = 'torch.load(path, weights_only=True) reads it; crossdock.save keeps what it gives'
_NETCDF = 'xarray or netCDF4 reads it'
_UNPACK = 'unpack it first'


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    what : str
        In words, with the article.
    advice : str
        What reads it, where that is known.
    format : str or None
        The format of ours that it is.
    """

    what: str
    advice: str = ''
    format: str | None = None


_BY_MAGIC = (
    (b'\x89HDF\r\n\x1a\n', Kind('an HDF5 file', format='hdf5')),
    (b'\x93NUMPY', Kind('a .npy file, one array without a name', _NUMPY)),
    (b'\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.', Kind('a file of an old torch.save, and a pickle', _TORCH)),
    (b'GGUF', Kind('a GGUF file', 'the package gguf reads it')),
    (b'PAR1', Kind('a Parquet file', 'pyarrow or pandas reads it')),
    (b'ARROW1', Kind('an Arrow file', 'pyarrow reads it')),
    (b'CDF\x01', Kind('a NetCDF file, version 3', _NETCDF)),
    (b'CDF\x02', Kind('a NetCDF file, version 3', _NETCDF)),
    (b'MATLAB 5.0', Kind("a file of MATLAB's", 'scipy.io.loadmat reads it')),
    (b'SQLite format 3\0', Kind('an SQLite database')),
    (b'\x89PNG\r\n\x1a\n', Kind('a PNG image')),
    (b'\xff\xd8\xff', Kind('a JPEG image')),
    (b'GIF8', Kind('a GIF image')),
    (b'%PDF-', Kind('a PDF document')),
    (b'\x7fELF', Kind('a program or library')),
    (b'\x1f\x8b', Kind('compressed by gzip', _UNPACK)),
    (b'BZh', Kind('compressed by bzip2', _UNPACK)),
    (b'\xfd7zXZ\0', Kind('compressed by xz', _UNPACK)),
    (b'\x28\xb5\x2f\xfd', Kind('compressed by zstd', _UNPACK)),
    (b'7z\xbc\xaf\x27\x1c', Kind('a 7z archive', _UNPACK)),
)
_LFS = Kind('a pointer of Git LFS in place of the file', 'fetch the file with git lfs pull')
_INDEX = Kind('the index of a model in several safetensors files', 'load each of those that it names')
_PICKLE = Kind(
    'a pickle, which is never loaded since it may run any code',
    'load it with what wrote it, if you trust it; crossdock.save keeps the arrays',
)
_TAR = Kind('a tar archive', _UNPACK)
_NPZ = Kind('an npz file', format='npz')
_NO_NPZ = Kind('a ZIP archive without any .npy in it', _UNPACK)


def kind_of(path: str) -> Kind | None:
    """What the file or folder at `path` is, as far as its first bytes and names in it tell; None if they do not."""
    try:
        if os.path.isdir(path):
            return _of_folder(os.listdir(path))
        with open(path, 'rb', buffering=0) as file:
            return _of_file(file.fileno(), os.fstat(file.fileno()).st_size)
    except OSError:
        return None


def _of_folder(names: list[str]) -> Kind | None:
    if any(name in names for name in ('zarr.json', '.zgroup', '.zarray')):
        return Kind('a Zarr store', format='zarr')
    return None


def _of_file(descriptor: int, size: int) -> Kind | None:
    head = os.pread(descriptor, _HEAD_NBYTES, 0)
    for magic, kind in _BY_MAGIC:
        if head.startswith(magic):
            return kind
    if head.startswith((b'PK\x03\x04', b'PK\x05\x06')):
        return _of_zip(descriptor, size)
    if head[257:262] == b'ustar':
        return _TAR
    length = int.from_bytes(head[:8], 'little')
    if head[8:9] == b'{' and 2 <= length <= size - 8:
        return Kind('a safetensors file', format='safetensors')
    if len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5 and os.pread(descriptor, 1, size - 1) == b'.':
        return _PICKLE
    return _of_text(head)


def _of_zip(descriptor: int, size: int) -> Kind:
    """What an archive is by the names in it; what cannot be read of it is for its reader to say."""
    try:
        rows, _ = read_directory(lambda offset, nbytes: os.pread(descriptor, nbytes, offset), size)
    except (DirectoryError, ValueError):
        return _NPZ
    names = [row.name for row in rows]
    if any(re.fullmatch(r'[^/]+/data\.pkl', name) for name in names):
        return Kind('a file of torch.save, and holds a pickle', _TORCH)
    if 'model.weights.h5' in names:
        return Kind('a model of Keras', 'keras.saving.load_model reads it')
    if any(name.endswith(('zarr.json', '.zgroup', '.zarray')) for name in names):
        return Kind('a Zarr store in a ZIP archive', _UNPACK)
    return _NPZ if not names or any(name.endswith('.npy') for name in names) else _NO_NPZ


def _of_text(head: bytes) -> Kind | None:
    if head.startswith(b'version https://git-lfs'):
        return _LFS
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(head) < _HEAD_NBYTES:
            return None
        text = head[: error.start].decode()
    if not text or not all(char.isprintable() or char in '\t\n\r\f' for char in text):
        return None
    begin = text.lstrip()[:100].lower()
    if begin.startswith(('<!doctype html', '<html')):
        return Kind('a web page', 'perhaps a download that failed')
    if '"weight_map"' in text:
        return _INDEX
    return Kind('text')
