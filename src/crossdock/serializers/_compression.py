"""Compressions by name; one algorithm may have two."""

from __future__ import annotations

from typing import Any

from ._format import Format

__all__ = ['compression_named', 'gzip_or_none']

# Both are DEFLATE, as ZIP and NumPy call it, and as HDF5 and Zarr do.
_ALIASES = {'deflate': 'gzip', 'gzip': 'deflate'}


def compression_named(format: Format, name: Any) -> str | None:
    """The format's own name of a compression.

    Raises
    ------
    TypeError
        It is given by something else than a name, such as a level.
    ValueError
        The format has no such compression; the message lists what it has.

    Examples
    --------
    >>> from ._registry import format_named
    >>> compression_named(format_named('npz'), 'gzip')
    'deflate'
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f'compression is a name and has no levels, not {name!r}; {format.name} has: {_listing(format)}')
    own = name if name in format.compressions else _ALIASES.get(name, name)
    if own not in format.compressions:
        raise ValueError(f'{format.name} has no compression {name!r}; it has: {_listing(format)}')
    return own


def gzip_or_none(compression: Any) -> Any:
    """The name that stands for a level of gzip, which older programs give for HDF5; names stay what they are."""
    if isinstance(compression, bool) or not isinstance(compression, int):
        return compression
    if not 0 <= compression <= 9:
        raise ValueError(f'a level of gzip is between 0 and 9, not {compression}')
    return 'gzip' if compression else None


def _listing(format: Format) -> str:
    names = []
    for name in format.compressions:
        alias = _ALIASES.get(name)
        names.append(repr(name) if alias is None or alias in format.compressions else f'{name!r} (or {alias!r})')
    return ', '.join([*names, 'None (not compressed)'])
