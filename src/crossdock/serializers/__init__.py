"""Arrays to files and back, from and to any device.

`save` and `load` choose the format by the suffix of the file; `save_npz`, `load_npz` and the like name it.
`open_archive` reads nothing before it is asked for it. Objects with a ``serialize(serializer)`` method say themselves
what belongs to them.
"""

from ._convert import convert
from ._dictionary import DictionarySerializer
from ._format import Entry, Format, Reader, Writer
from ._hdf5 import load_hdf5, save_hdf5
from ._hdf5_deserializer import HDF5Deserializer
from ._hdf5_serializer import HDF5Serializer
from ._lazy import LazyArchive, LazyArray, open_archive
from ._leaf import Leaf
from ._load import load
from ._npz import load_npz, save_npz
from ._npz_deserializer import NpzDeserializer
from ._safetensors import load_safetensors, save_safetensors
from ._save import save
from ._visitor import Deserializer, Serializer
from ._zarr import load_zarr, save_zarr

__all__ = [
    # files
    'save',
    'load',
    'save_npz',
    'load_npz',
    'save_safetensors',
    'load_safetensors',
    'save_hdf5',
    'load_hdf5',
    'save_zarr',
    'load_zarr',
    'open_archive',
    'convert',
    'LazyArchive',
    'LazyArray',
    # the visitor protocol
    'Serializer',
    'Deserializer',
    'DictionarySerializer',
    'NpzDeserializer',
    'HDF5Serializer',
    'HDF5Deserializer',
    # for those who add a format
    'Format',
    'Writer',
    'Reader',
    'Entry',
    'Leaf',
]
