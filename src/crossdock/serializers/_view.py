"""Arrays seen in the file itself, in place of copies of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from ._format import Host, Reader
from ._path import shown

__all__ = ['Mapped', 'checked', 'view_of', 'views_of']

Mapped = bool | Literal['where possible'] | None


def checked(mmap: Mapped) -> Mapped:
    """`mmap`, if it is one of the values that it may have."""
    if mmap is None or isinstance(mmap, bool) or mmap == 'where possible':
        return mmap
    raise ValueError(f"mmap is True, False or 'where possible', not {mmap!r}")


def view_of(reader: Reader, key: str) -> Host | None:
    """A read-only view of a leaf, which is not None; None where there is no such view."""
    entry = reader.entry(key)
    if entry.nbytes:
        return reader.map(key)
    nothing = np.empty(entry.shape, entry.dtype)
    nothing.flags.writeable = False
    return nothing


def views_of(reader: Reader, path: str, keys: Iterable[str], mmap: Mapped) -> dict[str, Any]:
    """Views of the leaves that have one, and are to be seen.

    Raises
    ------
    ValueError
        One of them has none, and `mmap` is True; all of those are listed, each with the reason.
    """
    if not mmap:
        return {}
    found = {key: view_of(reader, key) for key in keys if reader.entries[key].dtype is not None}
    unseen = [key for key, view in found.items() if view is None]
    if unseen and mmap is True:
        lines = [f'{path} cannot be mapped into memory as a whole']
        lines += [f'  {shown(key)} {reader.why_no_view(key)}' for key in unseen]
        lines.append("mmap='where possible' reads these, and maps the rest")
        raise ValueError('\n'.join(lines))
    return {key: view for key, view in found.items() if view is not None}
