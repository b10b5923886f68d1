"""File formats by name and by suffix, found on first use."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ._format import CONTRACT_VERSION, Format

__all__ = ['GROUP', 'is_builtin', 'format_of', 'format_named', 'format_for']

GROUP = 'crossdock.formats'

# These are always there and need no search through the metadata of every installed package.
_formats: dict[str, Format] = {}
_BUILTIN = {
    'hdf5': 'crossdock.serializers.formats._hdf5:FORMAT',
    'npz': 'crossdock.serializers.formats._npz:FORMAT',
    'safetensors': 'crossdock.serializers.formats._safetensors:FORMAT',
    'zarr': 'crossdock.serializers.formats._zarr:FORMAT',
}
_SUFFIXES = {'.h5': 'hdf5', '.hdf5': 'hdf5', '.npz': 'npz', '.safetensors': 'safetensors', '.zarr': 'zarr'}


def is_builtin(format: Format) -> bool:
    """Whether a format is one of ours."""
    return format.name in _BUILTIN


def format_of(path: str, name: str | None, checksum: bool = True) -> Format:
    """The format called `name`, or where that is None the one of the suffix.

    Parameters
    ----------
    checksum : bool
        Whether checksums that files have beside their data are compared when they are read.

    Raises
    ------
    ValueError
        There is no such format, or none of its checksums can be left out.
    """
    found = format_for(path) if name is None else format_named(name)
    if checksum:
        return found
    unchecked = getattr(found, 'unchecked', None)
    if unchecked is None:
        raise ValueError(
            f'checksums are part of the format {found.name}: whoever changes data renews them; leave checksum=False out'
        )
    without: Format = unchecked()
    return without


def format_named(name: str) -> Format:
    """The format called `name`.

    Raises
    ------
    ValueError
        No format has that name; the message lists those that are there.
    """
    if not isinstance(name, str):
        raise TypeError(f'a format is named by a string, not {type(name).__name__}')
    found = _formats.get(name) or _load_builtin(name) or _load_entry_points().get(name)
    if found is None:
        raise ValueError(f'no file format {name!r}; known formats: {_listing()}')
    return found


def format_for(path: str) -> Format:
    """The format of a file, by the suffix of its name (in any case).

    Raises
    ------
    ValueError
        No format has that suffix; the message lists those that are there.
    """
    suffix = os.path.splitext(path.rstrip('/'))[1].lower()
    if suffix in _SUFFIXES:
        return format_named(_SUFFIXES[suffix])
    for candidate in _load_entry_points().values():
        if suffix and suffix in candidate.suffixes:
            return candidate
    what = f'the suffix {suffix!r}' if suffix else 'no suffix'
    raise ValueError(f'{path!r} has {what}, which names no file format; known formats: {_listing()}')


def _load_builtin(name: str) -> Format | None:
    target = _BUILTIN.get(name)
    if target is None:
        return None
    module, _, attribute = target.partition(':')
    return _admit(name, getattr(import_module(module), attribute))


def _load_entry_points() -> dict[str, Format]:
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        if point.name not in _formats:
            _admit(point.name, point.load())
    for name in _BUILTIN:
        if name not in _formats:
            _load_builtin(name)
    return _formats


def _admit(name: str, candidate: Any) -> Format:
    version = getattr(candidate, 'contract_version', None)
    if version != CONTRACT_VERSION:
        raise RuntimeError(
            f'the file format {name!r} is written for contract version {version!r}; here it is {CONTRACT_VERSION}'
        )
    found: Format = candidate
    _formats[name] = found
    return found


def _listing() -> str:
    return ', '.join(f'{f.name} ({" ".join(f.suffixes)})' for _, f in sorted(_load_entry_points().items()))
