"""What the root of a Zarr store of ours says of all of it, as an attribute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._checksum import crc32
from .._path import RESERVED, fault_of_path, shown
from .._unreadable import Unsupported

__all__ = ['Root', 'RootError', 'GROUP', 'is_ours', 'read_root', 'write_root']

VERSION = 1
GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'
_MEMBERS = {'zarr_format', 'node_type', 'attributes', 'consolidated_metadata'}
_FIELDS = {'version', 'keys', 'none', 'metadata', 'crc32'}
_MAX_NBYTES = 16 * 2**20


class RootError(ValueError):
    """Metadata of a root that is none; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Root:
    """What was saved.

    Attributes
    ----------
    keys : dict of str to None, or None
        All key paths in the order of saving; None when the store is not of ours.
    none : frozenset of str
        Those whose value is None.
    metadata : mapping
    """

    keys: dict[str, None] | None = None
    none: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def write_root(keys: list[str], none: list[str], metadata: Mapping[str, Any]) -> bytes:
    """``zarr.json`` of a root.

    Raises
    ------
    ValueError
        It would be too large to be read.
    """
    said: dict[str, Any] = {'version': VERSION, 'keys': keys, 'none': none, 'metadata': dict(metadata)}
    said['crc32'] = _sum(said)
    content = {'zarr_format': 3, 'node_type': 'group', 'attributes': {RESERVED: said}}
    data = json.dumps(content, allow_nan=False, ensure_ascii=False).encode()
    if len(data) > _MAX_NBYTES:
        raise ValueError(f'metadata and the names of all keys take {len(data)} bytes; the limit is {_MAX_NBYTES}')
    return data


def is_ours(content: dict[str, Any]) -> bool:
    """Whether metadata was written here, by what is in its attributes, whatever they are called by now."""
    return any(isinstance(value, dict) and RESERVED in value for value in content.values())


def read_root(content: dict[str, Any]) -> Root:
    """Check what the root says.

    Raises
    ------
    RootError
        It says something else than what `write_root` does.
    Unsupported
        A later version has written it, or uses what is not known here.
    """
    for name in sorted(content.keys() - _MEMBERS):
        other = content[name]
        if not isinstance(other, dict) or other.get('must_understand') is not False:
            if is_ours(content):
                raise RootError(f'{shown(name)} is not among what was saved')
            raise Unsupported(f'{shown(name)} in its metadata is not known here')
    attributes = content.get('attributes', {})
    if not isinstance(attributes, dict):
        raise RootError("'attributes' is no object")
    said = attributes.get(RESERVED)
    if said is None:
        for name, value in attributes.items():
            if isinstance(value, dict) and value.keys() == _FIELDS:
                raise RootError(f'the attribute {shown(name)} is what {RESERVED!r} was: damaged')
        return Root()
    if not isinstance(said, dict) or said.keys() != _FIELDS:
        raise RootError(f'the attribute {RESERVED!r} has other fields than {sorted(_FIELDS)}')
    if said['crc32'] != _sum(said):
        raise RootError('it does not have the CRC-32 that it was saved with: damaged')
    if type(said['version']) is int and said['version'] > VERSION:
        raise Unsupported(
            f'is of format version {said["version"]}, of a later crossdock; this one reads version {VERSION}: update it'
        )
    if said['version'] != VERSION or type(said['version']) is not int:
        raise RootError(f'format version {shown(said["version"])}; this library reads version {VERSION}')
    keys, none, metadata = said['keys'], said['none'], said['metadata']
    for name, value in (('keys', keys), ('none', none)):
        if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
            raise RootError(f'{name!r} is no list of keys')
        if len(set(value)) != len(value):
            raise RootError(f'{name!r} has a key twice')
    if not isinstance(metadata, dict):
        raise RootError("'metadata' is no object")
    for key in keys:
        why = fault_of_path(key)
        if why:
            raise RootError(f'{shown(key)} is no key: {why}')
    if not set(none) <= set(keys):
        raise RootError("'none' has a key that 'keys' lacks")
    return Root(dict.fromkeys(keys), frozenset(none), metadata)


def _sum(said: Mapping[str, Any]) -> int:
    told = [said[name] for name in ('version', 'keys', 'none', 'metadata')]
    return crc32(json.dumps(told, sort_keys=True).encode())
