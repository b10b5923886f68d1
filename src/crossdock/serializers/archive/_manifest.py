"""The reserved member ``__crossdock__.npy``: what ``.npy`` itself has no word for."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._dtypes import TAGGED
from .._empty import contradiction
from .._path import RESERVED, fault_of_path, shown
from .._unreadable import Unsupported
from ._json import read_object

__all__ = ['MEMBER', 'VERSION', 'MAX_NBYTES', 'Manifest', 'ManifestError']

MEMBER = RESERVED + '.npy'
VERSION = 1
MAX_NBYTES = 16 * 2**20  # as JSON; objects in memory take many times more


class ManifestError(ValueError):
    """A reserved member that is not one; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of the reserved member.

    Attributes
    ----------
    none : list of str
        Keys whose value is None; they have no member.
    empty : list of str
        Containers that hold nothing.
    dtypes : dict of str to str
        The data types of members that hold raw bits.
    metadata : dict
        The user's own, any JSON object.
    """

    none: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    dtypes: dict[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def encode(self) -> bytes | None:
        """UTF-8 JSON, or None when there is nothing to say."""
        parts = {'none': self.none, 'empty': self.empty, 'dtypes': self.dtypes, 'metadata': self.metadata}
        said = {name: part for name, part in parts.items() if part}
        if not said:
            return None
        data = json.dumps({'version': VERSION, **said}, ensure_ascii=False, allow_nan=False).encode()
        if len(data) > MAX_NBYTES:
            raise ValueError(
                f'metadata and the names of special keys take {len(data)} bytes; the limit is {MAX_NBYTES}'
            )
        return data

    @classmethod
    def decode(cls, data: bytes, known: Container[str] = TAGGED) -> Manifest:
        """Read and check what `encode` writes.

        Parameters
        ----------
        data : bytes
        known : container of str
            The names that a data type may have.

        Raises
        ------
        ManifestError
            It is something else.
        Unsupported
            It is of a later version.
        """
        try:
            content = read_object(data)
        except ValueError as error:
            raise ManifestError(str(error)) from error
        version = content.pop('version', None)
        if type(version) is int and version > VERSION:
            raise Unsupported(
                f'is of format version {version}, of a later crossdock; this one reads version {VERSION}: update it'
            )
        if version != VERSION or isinstance(version, bool):
            raise ManifestError(f'format version {shown(version)}; this library reads version {VERSION}')
        lists = {name: content.pop(name, []) for name in ('none', 'empty')}
        dtypes = content.pop('dtypes', {})
        metadata = content.pop('metadata', {})
        if content:
            raise ManifestError(f'unknown fields {shown(sorted(content))}')
        for name, keys in lists.items():
            if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
                raise ManifestError(f'{name!r} is not a list of keys')
            if len(set(keys)) != len(keys):
                raise ManifestError(f'{name!r} has a key twice')
        if not isinstance(dtypes, dict) or not all(isinstance(name, str) for name in dtypes.values()):
            raise ManifestError("'dtypes' does not map keys to names")
        if not isinstance(metadata, dict):
            raise ManifestError("'metadata' is not an object")
        _check_keys([*lists['none'], *lists['empty'], *dtypes])
        for key, name in dtypes.items():
            if name not in known:
                raise ManifestError(f'unknown data type {shown(name)} of {shown(key)}')
        return cls(lists['none'], lists['empty'], dtypes, metadata)

    def fault(self, keys: Collection[str]) -> tuple[str, str] | None:
        """A key that cannot be what is said of it beside the arrays `keys`, with the reason."""
        for key in self.none:
            if key in keys:
                return key, 'is an array, and None as well'
        for key in self.dtypes:
            if key not in keys:
                return key, 'has a data type, but no data'
        return contradiction(self.empty, {*keys, *self.none}) if self.empty else None


def _check_keys(keys: list[str]) -> None:
    for key in keys:
        why = fault_of_path(key)
        if why:
            raise ManifestError(f'{shown(key)} is no key: {why}')
