"""`load`: a file into a new tree, or into the arrays of a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossdock.errors import StrictLoadError
from crossdock.transfer import Progress, tracking

from . import _arrays
from ._bare import bare
from ._format import Reader
from ._grow import keys_and_groups
from ._ignore import Ignore, check_named, ignoring, rules_of
from ._near import did_you_mean
from ._nest import check_nesting, nested
from ._open import format_at, open_file
from ._passed import following
from ._path import below, groups_of, shown
from ._receive import receive_in_tree
from ._save import Path, file_path
from ._stage import Loader
from ._swapped import warn_swapped
from ._tree import is_container
from ._unreadable import refused
from ._view import Mapped, checked, views_of
from ._visitor import canonical

__all__ = ['load', 'load_as']


def load(
    path: Path,
    obj: Any = None,
    *,
    format: str | None = None,
    device: Any = None,
    strict: bool = True,
    ignore: Ignore = None,
    prefix: str = '',
    mmap: Mapped = None,
    progress: Progress = False,
    flat: bool = False,
    checksum: bool = True,
) -> Any:
    """Load a file, into `obj` when it is given, else into nested dicts.

    Into a target, everything is read and checked before anything changes. A writable array is filled in place, where it
    lives; one that cannot be is replaced in its container by one of the same type on the same device. An array of an
    unknown library is filled if its memory can be written to, else replaced by a filled copy. Scalars and strings come
    back as the target's Python type. No code is ever run from a file.

    Parameters
    ----------
    path : str or path-like
        The file.
    obj : object, optional
        The target; anything that `save` takes.
    format : str, optional
        The format's name, whatever the suffix of `path`; by default the suffix tells. What is in the file is never
        guessed: a file of another kind is an `UnsupportedFileError`, which says of which.
    device : Device or str, optional
        Where arrays go for which no target says it; ``'@numpy'`` by default. Text stays on the host, and so
        do scalars of a type that the device lacks. Beside a target
        that is what has None in the target, and what a ``state_dict()`` has in the file and not yet in the target, as
        that of an optimizer before its first step.
    strict : bool
        Whether keys that are missing in the file, or that the target does not have, are errors. A shape or a type that
        does not fit always is one: shapes are never broadcast, floating point never becomes an integer, and integers
        must fit.
    ignore : str, callable, or iterable of them
        Keys to leave alone: names of leaves or groups, globs over the whole key path, or a function of it.
    prefix : str
        Load only this group of the file.
    mmap : bool or 'where possible', optional
        Without a target, give read-only views of the file instead of reading it; checksums are not compared then. True
        refuses a file in which an array has no such view, as a compressed one; ``'where possible'`` reads that.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
    flat : bool
        Without a target, return one dict by key paths instead of nested ones; empty containers are left out.
    checksum : bool
        False reads a file that another program has changed without its checksums, which HDF5 and safetensors files of
        ours have beside their data. Those of npz and Zarr are part of the format, and such a program renews them.

    Returns
    -------
    object
        What takes the place of `obj`: itself, unless it is a tuple or a frozen dataclass whose leaves were replaced.
        Without a target, nested dicts as saved, with positions of lists as keys ``'0'``, ``'1'``, in this order;
        scalars are 0-d arrays. Other keys are in the order of the file, with those of None and empty containers last.

    Raises
    ------
    CorruptFileError
        The file is damaged or is not what it claims to be; names the file, the key and the reason. Where that is one
        key alone, a load that leaves it out, by `ignore` or `prefix`, reads the others.
    UnsupportedFileError
        The file, or a key that is loaded, is of a kind that is not read here; the message says of which.
    DtypeError
        The device lacks the type of an array, as JAX lacks 64 bits unless told.
    StrictLoadError
        File and target do not match; every difference is listed, with both sides.
    TypeError
        Arguments that do not go together: `mmap` or `flat` beside a target, `mmap` beside a device, a `device` beside a
        target that has a place for everything.
    ValueError
        There is no such format; or with ``mmap=True`` some arrays cannot be seen in the file: each is named, with why.
    ReadOnlyError
        An array of an unknown library can neither be filled nor copied.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save
    >>> save('model.npz', {'W': np.arange(3.0), 'step': 12})
    >>> model = {'W': np.zeros(3), 'step': 0}
    >>> load('model.npz', model) is model
    True
    >>> model['step'], model['W'].tolist()
    (12, [0.0, 1.0, 2.0])
    """
    return load_as(path, obj, format, device, strict, ignore, prefix, mmap, progress, flat, checksum)


def load_as(
    path: Path,
    obj: Any,
    format: str | None,
    device: Any,
    strict: bool,
    ignore: Ignore,
    prefix: str,
    mmap: Mapped,
    progress: Progress,
    flat: bool,
    checksum: bool = True,
) -> Any:
    """As `load`, with the arguments by their positions."""
    where = file_path(path)
    reads = format_at(where, format, checksum)
    there = _arrays.device_named(device)
    _check_choices(obj, there, checked(mmap), flat)
    if mmap is True and not reads.can_mmap:
        raise ValueError(f'{reads.name} files cannot be mapped into memory; leave mmap out')
    place, rules = canonical(prefix), rules_of(ignore)
    with open_file(reads, where) as reader:
        if strict:
            _check_group(reader, where, place)
        if obj is not None:
            loader = Loader(reader, where, strict=strict, ignore=rules, device=there, progress=progress, insists=True)
            return loader.load(obj, place)
        if strict:
            check_named(where, rules, keys_and_groups(reader))
        skip = ignoring(rules)
        keys = [key for key in reader.entries if below(key, place) and key != place and not skip(key)]
        faults = [fault for key in keys if (fault := reader.entries[key].fault)]
        if faults:
            raise refused(faults, 'ignore')
        empty = []
        if not flat:
            empty = [key for key in reader.empty if below(key, place) and key != place and not skip(key)]
            check_nesting(where, keys)
        views = views_of(reader, where, keys, mmap)
        values = _values(reader, where, keys, there, views, progress)
        warn_swapped(where, [key for key in keys if reader.entries[key].swapped])
    start = len(place) + 1 if place else 0
    if flat:
        return {key[start:]: value for key, value in values.items()}
    return nested(((key[start:], value) for key, value in values.items()), (key[start:] for key in empty))


def _check_choices(obj: Any, device: Any, mmap: Mapped, flat: bool) -> None:
    """Refuse what goes with no target, or not with each other."""
    if obj is not None:
        if flat or mmap:
            given = 'flat=True' if flat else f'mmap={mmap!r}'
            raise TypeError(f'{given} is for loading without a target; leave out one of them')
        if not is_container(obj):
            raise bare(obj, 'load into')
    if mmap and device is not None and device != _arrays.device_named('@numpy'):
        raise TypeError(
            f'mmap={mmap!r} gives views of the file, which are in host memory, and device={str(device)!r} wants copies'
            ' elsewhere; leave out one of them'
        )


def _check_group(reader: Reader, path: str, place: str) -> None:
    """Refuse a prefix that is no group of the file."""
    if not place:
        return
    groups = groups_of([*reader.entries, *reader.empty]).union(reader.empty)
    if place in groups:
        return
    if place in reader.entries:
        raise StrictLoadError(
            f'{path}: {shown(place)} is a value, and no group: open_archive(path)[{shown(place)}] reads it',
            missing=(place,),
        )
    near = did_you_mean(place, groups)
    top = sorted(group for group in groups if '/' not in group)
    listed = ', '.join(map(shown, top[:8])) + (', ...' if len(top) > 8 else '')
    there = f'; those at the top are {listed}' if top else ', nor any other'
    raise StrictLoadError(f'{path} has no group {shown(place)}{near or there}', missing=(place,))


def _values(
    reader: Reader, path: str, keys: list[str], device: Any, views: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    values = {}
    total = sum(reader.entries[key].nbytes for key in keys if key not in views)
    with tracking(progress, total, 'load') as track:
        for key in keys:
            if key in views:
                values[key] = views[key]
                continue
            with following(track, reader.entries[key].nbytes):
                values[key] = receive_in_tree(reader, path, key, device)
    return values
