"""`load`: a file into a new tree, or into the arrays of a target."""

from __future__ import annotations

from typing import Any

from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.transfer import Progress, tracking

from . import _arrays
from ._bare import bare
from ._format import Format, Reader
from ._ignore import Ignore, ignoring
from ._path import below, clashes
from ._receive import receive
from ._registry import format_for, format_named
from ._save import Path, file_path
from ._stage import Loader
from ._swapped import warn_swapped
from ._tree import is_container
from ._visitor import canonical

__all__ = ['load', 'load_npz', 'load_safetensors']


def load(
    path: Path,
    obj: Any = None,
    *,
    device: Any = None,
    strict: bool = True,
    ignore: Ignore = None,
    prefix: str = '',
    mmap: bool | None = None,
    progress: Progress = False,
    flat: bool = False,
) -> Any:
    """Load a file, into `obj` when it is given, else into nested dicts.

    Into a target, everything is read and checked before anything changes. A writable array is filled in place, where it
    lives; one that cannot be is replaced in its container by one of the same type on the same device. An array of an
    unknown library is filled if its memory can be written to, else replaced by a filled copy. Scalars and strings come
    back as the target's Python type. No code is ever run from a file.

    Parameters
    ----------
    path : str or path-like
        The file; its suffix tells the format.
    obj : object, optional
        The target; anything that `save` takes.
    device : Device or str, optional
        Where arrays go for which no target says it; ``'@numpy'`` by default. Text stays on the host.
    strict : bool
        Whether keys that are missing in the file, or that the target does not have, are errors. A shape or a type that
        does not fit always is one: shapes are never broadcast, floating point never becomes an integer, and integers
        must fit.
    ignore : str, callable, or iterable of them
        Keys to leave alone: names of leaves or groups, globs over the whole key path, or a function of it.
    prefix : str
        Load only this group of the file.
    mmap : bool, optional
        Without a target and a device, give read-only views of the file instead of reading it, where they are possible.
        Checksums are not compared then. Formats that cannot map at all refuse it.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
    flat : bool
        Without a target, return one dict by key paths instead of nested ones.

    Returns
    -------
    object
        What takes the place of `obj`: itself, unless it is a tuple or a frozen dataclass whose leaves were replaced.
        Without a target, nested dicts as saved, with positions of lists as keys ``'0'``, ``'1'``, in this order;
        scalars are 0-d arrays. Other keys are in the order of the file, with those of None last.

    Raises
    ------
    CorruptFileError
        The file is damaged or is not what it claims to be; names the file, the key and the reason.
    StrictLoadError
        File and target do not match; every difference is listed, with both sides.
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
    where = file_path(path)
    return _load(where, obj, format_for(where), device, strict, ignore, prefix, mmap, progress, flat)


def load_npz(
    path: Path,
    obj: Any = None,
    *,
    device: Any = None,
    strict: bool = True,
    ignore: Ignore = None,
    prefix: str = '',
    mmap: bool | None = None,
    progress: Progress = False,
    flat: bool = False,
) -> Any:
    """Load an npz file, whatever its suffix; the parameters are those of `load`.

    Files of `numpy.savez` and `numpy.savez_compressed` are read too, unless they hold Python objects.

    Examples
    --------
    >>> import numpy as np
    >>> np.savez('plain.npz', **{'l1/W': np.ones(2), 'l1/b': np.zeros(1)})
    >>> sorted(load_npz('plain.npz')['l1'])
    ['W', 'b']
    """
    return _load(file_path(path), obj, format_named('npz'), device, strict, ignore, prefix, mmap, progress, flat)


def load_safetensors(
    path: Path,
    obj: Any = None,
    *,
    device: Any = None,
    strict: bool = True,
    ignore: Ignore = None,
    prefix: str = '',
    mmap: bool | None = None,
    progress: Progress = False,
    flat: bool = False,
    checksum: bool = True,
) -> Any:
    """Load a safetensors file, whatever its suffix; the parameters are those of `load`.

    Parameters
    ----------
    checksum : bool
        Whether the checksums that our files have in their metadata are compared. False reads a file that another
        program has changed without removing them.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save_safetensors
    >>> save_safetensors('model.safetensors', {'l1': {'W': np.ones(2), 'b': np.zeros(1)}})
    >>> sorted(load_safetensors('model.safetensors')['l1'])
    ['W', 'b']
    """
    from .formats._safetensors import SafetensorsFormat

    format = SafetensorsFormat(checksum)
    return _load(file_path(path), obj, format, device, strict, ignore, prefix, mmap, progress, flat)


def _load(
    path: str,
    obj: Any,
    format: Format,
    device: Any,
    strict: bool,
    ignore: Ignore,
    prefix: str,
    mmap: bool | None,
    progress: Progress,
    flat: bool,
) -> Any:
    if mmap and not format.can_mmap:
        raise ValueError(f'{format.name} files cannot be mapped into memory; leave mmap out')
    if obj is not None and flat:
        raise ValueError('flat=True is for loading without a target')
    if obj is not None and not is_container(obj):
        raise bare(obj, 'load into')
    place = canonical(prefix)
    with format.open(path) as reader:
        if obj is None:
            return _new_tree(reader, path, device, strict, ignore, place, bool(mmap), progress, flat)
        return Loader(reader, path, strict=strict, ignore=ignore, device=device, progress=progress).load(obj, place)


def _new_tree(
    reader: Reader,
    path: str,
    device: Any,
    strict: bool,
    ignore: Ignore,
    place: str,
    mmap: bool,
    progress: Progress,
    flat: bool,
) -> dict[str, Any]:
    skip = ignoring(ignore)
    target = _arrays.device_named(device)
    found = [key for key in reader.entries if below(key, place) and key != place]
    if place and strict and not found:
        raise StrictLoadError(f'{path} has no group {place!r}', missing=(place,))
    keys = [key for key in found if not skip(key)]
    both = [] if flat else clashes(keys)
    if both:
        reason = 'is an array and a group of others, which nested dicts cannot hold; flat=True can'
        raise CorruptFileError(f'{path}: {both[0]!r}: {reason}', path=path, key=both[0], reason=reason)
    start = len(place) + 1 if place else 0
    tree: dict[str, Any] = {}
    with tracking(progress, sum(reader.entries[key].nbytes for key in keys), 'load') as advance:
        for key in keys:
            _put(tree, [key[start:]] if flat else key[start:].split('/'), receive(reader, key, target, mmap))
            advance(reader.entries[key].nbytes)
    warn_swapped(path, [key for key in keys if reader.entries[key].swapped], stacklevel=5)
    return _in_order(tree)


def _put(tree: dict[str, Any], parts: list[str], value: Any) -> None:
    for part in parts[:-1]:
        tree = tree.setdefault(part, {})
    tree[parts[-1]] = value


def _in_order(tree: dict[str, Any]) -> dict[str, Any]:
    """The same tree, with what was a list in the order of its positions, whatever the order of the file."""
    for key, value in tree.items():
        if isinstance(value, dict):
            tree[key] = _in_order(value)
    positions = [str(i) for i in range(len(tree))]
    return {key: tree[key] for key in positions} if tree.keys() == set(positions) else tree
