"""Everything that takes `progress=`, each as a function of the progress and a look at whether anything has changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import crossdock as xd
from crossdock import serializers
from crossdock.devices import cuda
from crossdock.serializers._registry import format_named
from crossdock.serializers._report import damage

from ..accelerator import FIRST, SECOND
from ..serializers.faults.formats import suffix_of

__all__ = ['WORKS', 'Work', 'value']

#: 20 MB.
_SHAPE = (1250, 2000)


def value() -> np.ndarray[Any, Any]:
    """What moves."""
    return np.arange(2_500_000.0).reshape(_SHAPE)


@dataclass
class Work:
    """One piece of work.

    Attributes
    ----------
    run : callable
        Does it: ``run(progress)``.
    untouched : callable
        Whether all is as it was before.
    """

    run: Callable[[Any], object]
    untouched: Callable[[], bool] = lambda: True


def _send(source: str, target: str, **options: Any) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        there = xd.get_device(source).send(value())
        return Work(lambda progress: xd.get_device(target).send(there, progress=progress, **options))

    return made


def _small(folder: Path) -> Work:
    tree = {str(i): np.full(20_000, i) for i in range(150)}
    return Work(lambda progress: xd.get_device(FIRST).send(tree, progress=progress))


def _small_back(folder: Path) -> Work:
    tree = xd.get_device(FIRST).send({str(i): np.full(20_000, i) for i in range(150)})
    return Work(lambda progress: xd.to_numpy(tree, progress=progress))


def _permuted(folder: Path) -> Work:
    return Work(lambda progress: xd.get_device(FIRST).send(value().T, progress=progress))


def _pull(function: Callable[..., Any]) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        there = xd.get_device(FIRST).send([value(), value()[:10]])
        return Work(lambda progress: function(there, progress=progress))

    return made


def _copyto(target: str, **options: Any) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        dst = xd.get_device(target).send(np.zeros(_SHAPE), copy=True)
        return Work(lambda progress: xd.copyto(dst, value(), progress=progress, **options))

    return made


def _fill(folder: Path) -> Work:
    dst = np.zeros(_SHAPE)
    return Work(lambda progress: xd.copyto(dst, 7, progress=progress))


def _masked_there(folder: Path) -> Work:
    dst = xd.get_device(FIRST).send(np.zeros(_SHAPE))
    return Work(lambda progress: xd.copyto(dst, value(), where=value() > 9, progress=progress))


class _Model(xd.DeviceResident):
    def __init__(self) -> None:
        self.W, self.b = value(), np.ones(7)


def _resident(folder: Path) -> Work:
    models = [_Model()]

    def run(progress: Any) -> None:
        models[:] = [_Model()]
        models[0].to_device(FIRST, progress=progress)

    return Work(run, lambda: isinstance(models[0].W, np.ndarray))


def _tree() -> dict[str, Any]:
    return {'W': value(), 'there': xd.get_device(FIRST).send(value()[:500]), 'step': 7, 'none': None, 'e': np.zeros(0)}


def _save(name: str, compression: str | None = None) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = folder / f'x{suffix_of(name)}'
        xd.save(path, {'old': 1})
        tree = _tree()
        save = getattr(serializers, f'save_{name}')
        options = {} if compression is None else {'compression': compression}
        return Work(
            lambda progress: save(path, tree, progress=progress, **options),
            lambda: os.listdir(folder) == [path.name] and list(xd.load(path)) == ['old'],
        )

    return made


def _file(folder: Path, name: str, compression: str | None) -> Path:
    path = folder / f'x{suffix_of(name)}'
    xd.save(path, {'W': value(), 'b': np.ones(7)}, compression=compression)
    return path


def _load(name: str, compression: str | None = None, **options: Any) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = _file(folder, name, compression)
        return Work(lambda progress: xd.load(path, progress=progress, **options))

    return made


def _load_into(name: str, compression: str | None = None, where: str = '@numpy') -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = _file(folder, name, compression)
        target = xd.get_device(where).send({'W': np.zeros(_SHAPE), 'b': np.zeros(7)})
        return Work(
            lambda progress: xd.load(path, target, progress=progress),
            lambda: not any(xd.to_numpy(x).any() for x in target.values()),
        )

    return made


def _lazy(act: Callable[..., Any]) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = _file(folder, 'npz', None)

        def run(progress: Any) -> None:
            with xd.open_archive(path) as archive:
                act(archive['W'], progress)

        return Work(run)

    return made


def _visited(name: str) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = _file(folder, name, None)
        kind = getattr(serializers, {'npz': 'NpzDeserializer', 'hdf5': 'HDF5Deserializer'}[name])
        target = {'W': np.zeros(_SHAPE), 'b': np.zeros(7)}

        def run(progress: Any) -> None:
            with kind(path, progress=progress) as deserializer:
                deserializer.load(target)

        return Work(run, lambda: not target['W'].any())

    return made


def _hdf5_serializer(folder: Path) -> Work:
    import h5py

    tree = _tree()

    def run(progress: Any) -> None:
        with h5py.File(folder / 'x.h5', 'w') as file:
            serializers.HDF5Serializer(file, progress=progress).save(tree)

    return Work(run)


def _dictionary(folder: Path) -> Work:
    there = xd.get_device(FIRST).send(value())
    return Work(lambda progress: serializers.DictionarySerializer(progress=progress).save({'a': there, 'b': value()}))


def _convert(name: str, compression: str | None = None) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        source = _file(folder, 'npz', None)
        target = folder / f'y{suffix_of(name)}'
        return Work(
            lambda progress: serializers.convert(source, target, compression=compression, progress=progress),
            lambda: os.listdir(folder) == [source.name],
        )

    return made


def _check(name: str, compression: str | None = None) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        path = _file(folder, name, compression)

        def run(progress: Any) -> None:
            with format_named(name).open(os.fspath(path)) as reader:
                assert damage(reader, progress=progress) == []

        return Work(run)

    return made


WORKS: dict[str, Callable[[Path], Work]] = {
    'send there': _send('@numpy', FIRST),
    'send there from native': _send('native:0', FIRST),
    'send back': _send(FIRST, '@numpy'),
    'send across': _send(FIRST, SECOND),
    'send a copy': _send('@numpy', '@numpy', copy=True),
    'send a copy there': _send(FIRST, FIRST, copy=True),
    'send converted': _send('@numpy', FIRST, dtype='float32'),
    'send without waiting': _send('@numpy', FIRST, blocking=False),
    'send permuted': _permuted,
    'send many': _small,
    'pull many': _small_back,
    'to_numpy': _pull(xd.to_numpy),
    'to_cpu': _pull(xd.to_cpu),
    'cuda.to_cpu': _pull(cuda.to_cpu),
    'copyto there': _copyto(FIRST),
    'copyto here': _copyto('@numpy'),
    'copyto where': _copyto('@numpy', where=value() > 9),
    'copyto where there': _masked_there,
    'copyto a number': _fill,
    'to_device': _resident,
    'save npz': _save('npz'),
    'save npz zstd': _save('npz', 'zstd'),
    'save npz deflate': _save('npz', 'deflate'),
    'save safetensors': _save('safetensors'),
    'save hdf5': _save('hdf5'),
    'save hdf5 gzip': _save('hdf5', 'gzip'),
    'save hdf5 lzf': _save('hdf5', 'lzf'),
    'save zarr': _save('zarr'),
    'save zarr zstd': _save('zarr', 'zstd'),
    'load npz': _load('npz'),
    'load npz deflate': _load('npz', 'deflate'),
    'load npz there': _load('npz', device=FIRST),
    'load safetensors': _load('safetensors'),
    'load hdf5': _load('hdf5'),
    'load hdf5 gzip': _load('hdf5', 'gzip'),
    'load zarr': _load('zarr'),
    'load zarr zstd': _load('zarr', 'zstd'),
    'load into npz': _load_into('npz'),
    'load into npz zstd': _load_into('npz', 'zstd'),
    'load into npz there': _load_into('npz', where=FIRST),
    'load into safetensors': _load_into('safetensors'),
    'load into hdf5': _load_into('hdf5'),
    'load into hdf5 gzip': _load_into('hdf5', 'gzip'),
    'load into zarr': _load_into('zarr'),
    'load into zarr zstd': _load_into('zarr', 'zstd'),
    'LazyArray.read': _lazy(lambda array, progress: array.read(progress=progress)),
    'LazyArray.to': _lazy(lambda array, progress: array.to(FIRST, progress=progress)),
    'NpzDeserializer': _visited('npz'),
    'HDF5Deserializer': _visited('hdf5'),
    'HDF5Serializer': _hdf5_serializer,
    'DictionarySerializer': _dictionary,
    'convert to npz': _convert('npz', 'deflate'),
    'convert to safetensors': _convert('safetensors'),
    'convert to hdf5': _convert('hdf5', 'gzip'),
    'convert to zarr': _convert('zarr'),
    'convert to zarr zstd': _convert('zarr', 'zstd'),
    'check npz': _check('npz', 'zstd'),
    'check safetensors': _check('safetensors'),
    'check hdf5': _check('hdf5'),
    'check zarr': _check('zarr', 'zstd'),
}
