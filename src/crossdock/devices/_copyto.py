"""`copyto`: write one array into another, wherever the two live."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from crossdock.devices import _registry
from crossdock.devices._backend import Backend
from crossdock.devices._dtype import can_cast
from crossdock.devices._foreign import unknown
from crossdock.devices._leaf import Leaf, read_leaf, unwrap
from crossdock.errors import DimensionError, DtypeError, ReadOnlyError, UnknownArrayError
from crossdock.transfer import (
    Advance,
    ArrayFacts,
    Progress,
    at_path,
    batch,
    check_progress,
    copy_between,
    cuts,
    plan,
    run,
    tracking,
)

__all__ = ['copyto']

Casting = Literal['no', 'equiv', 'safe', 'same_kind', 'unsafe']

_NUMBERS = (bool, int, float, complex)


def copyto(
    dst: Any, src: Any, *, casting: Casting = 'same_kind', where: Any = True, progress: Progress = False
) -> None:
    """Write `src` into `dst`, wherever the two live, by the rules of `numpy.copyto`.

    Parameters
    ----------
    dst : array
        Array of a known library; written in place.
    src : array or number
        Array of any library, or a number; broadcast to the shape of `dst`. May overlap with it.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        Which conversions of the data type are allowed.
    where : bool or array of bool
        Where to write; broadcast to the shape of `dst`.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Raises
    ------
    ReadOnlyError
        `dst` is read-only.
    DimensionError
        `src` or `where` cannot be broadcast to the shape of `dst`.
    DtypeError
        The rule forbids the conversion, or `where` is not boolean.
    UnknownArrayError
        `dst` or `src` is no array.

    Notes
    -----
    Returns when `src` has been read. `dst` is unchanged when one of the errors above is raised; what `progress` raises
    leaves it half written.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> x = xd.get_device('sim:0').send(np.zeros((2, 3), 'float32'))
    >>> xd.copyto(x, np.arange(3.0))
    >>> xd.to_numpy(x)[1].tolist()
    [0.0, 1.0, 2.0]
    """
    if progress is not False:
        check_progress(progress)
    dst = unwrap(dst)
    backend = _registry.owner(type(dst))
    if backend is None:
        raise unknown(dst, 'copyto writes into arrays of known libraries only')
    target = backend.facts(dst)
    if target.readonly:
        raise ReadOnlyError(f'copyto: the destination on {target.place.device} is read-only')
    source = _read_source(src, backend, target, casting)
    source = _fitted('source', source, target)
    mask = None if where is True else _read_mask(where, backend, target)
    idle = target.size == 0 or mask is False
    if progress is False:
        if not idle:
            _write(dst, target, backend, source, mask or None)
        return
    nbytes = 0 if idle else target.size * min(target.dtype.itemsize, source.facts.dtype.itemsize)
    with tracking(progress, nbytes, 'copyto') as track, track.share(nbytes) as advance:
        if not idle:
            _write(dst, target, backend, source, mask or None, advance)


def _write(
    dst: Any, target: ArrayFacts, backend: Backend, source: Leaf, mask: Leaf | None, advance: Advance | None = None
) -> None:
    with batch(), at_path(''):
        if mask is None:
            ends = dst, target.place, backend, source.array, source.facts.place, source.backend
            copy_between(*ends, blocking=True, advance=advance)
        else:
            _write_where(dst, target, backend, source, mask, advance)


def _write_where(
    dst: Any, target: ArrayFacts, backend: Backend, source: Leaf, mask: Leaf, advance: Advance | None
) -> None:
    here, there = (dst, target.place, backend), (target.place, backend)
    src, where = _brought(source, backend, target, advance), _brought(mask, backend, target)
    indices = cuts(*here, src, *there) if advance is not None and cuts(*here, where, *there) else []
    if advance is None or len(indices) < 2:
        backend.copy_where(dst, src, where)
        return
    for index in indices:
        part = dst[index]
        backend.copy_where(part, _part_of(src, source, target, index), _part_of(where, mask, target, index))
        advance(backend.facts(part).size * min(target.dtype.itemsize, source.facts.dtype.itemsize))


def _part_of(array: Any, leaf: Leaf, target: ArrayFacts, index: tuple[slice, ...]) -> Any:
    """What goes into a part of the destination, of something that is broadcast to all of it."""
    shape = leaf.facts.shape
    own = index[len(target.shape) - len(shape) :]
    key = tuple(cut if extent != 1 else slice(None) for cut, extent in zip(own, shape))
    return array[key] if key else array


def _read_source(src: Any, backend: Backend, target: ArrayFacts, casting: Casting) -> Leaf:
    src = unwrap(src)
    if isinstance(src, _NUMBERS) and not isinstance(src, np.generic):
        return _read_number(src, backend, target, casting)
    if src is None or isinstance(src, list | tuple | dict):
        raise UnknownArrayError(f'copyto: the source is a {type(src).__name__}, neither an array nor a number')
    source = read_leaf(src, backend, detach=True)
    if not can_cast(source.facts.dtype, target.dtype, casting):
        raise DtypeError(
            f'copyto: casting={casting!r} does not allow {source.facts.dtype.name} -> {target.dtype.name}',
            dtype=source.facts.dtype,
        )
    return source


def _read_number(number: Any, backend: Backend, target: ArrayFacts, casting: Casting) -> Leaf:
    # A number takes the destination's data type, within its kind.
    rank = next(rank for rank, kind in enumerate(_NUMBERS) if isinstance(number, kind))
    if not can_cast(np.dtype(('?', 'u1', 'f2', 'c8')[rank]), target.dtype, casting):
        raise DtypeError(
            f'copyto: casting={casting!r} does not allow {type(number).__name__} -> {target.dtype.name}',
            dtype=target.dtype,
        )
    value = np.array(number, target.dtype) if casting != 'unsafe' else np.array(number).astype(target.dtype)
    return read_leaf(value, backend)


def _read_mask(where: Any, backend: Backend, target: ArrayFacts) -> Leaf | Literal[False]:
    if where is False:
        return False
    mask = read_leaf(np.asarray(where) if isinstance(where, list | tuple) else where, backend)
    if mask.facts.dtype != np.bool_:
        raise DtypeError(f'copyto: where has dtype {mask.facts.dtype.name}, not bool', dtype=mask.facts.dtype)
    return _fitted('where', mask, target)


def _fitted(what: str, leaf: Leaf, target: ArrayFacts) -> Leaf:
    """The leaf, without surplus leading axes of length 1, which `numpy.copyto` ignores too."""
    shape, wanted = leaf.facts.shape, target.shape
    surplus = max(len(shape) - len(wanted), 0)
    fits = all(have in (1, want) for have, want in zip(reversed(shape[surplus:]), reversed(wanted)))
    if not fits or any(extent != 1 for extent in shape[:surplus]):
        raise DimensionError(
            f'copyto: the {what} of shape {shape} cannot be broadcast to {wanted}', shapes=(shape, wanted)
        )
    if not surplus:
        return leaf
    array = leaf.array[(0,) * surplus + (...,)]
    return leaf._replace(array=array, facts=leaf.backend.facts(array))


def _brought(leaf: Leaf, backend: Backend, target: ArrayFacts, advance: Advance | None = None) -> Any:
    made = plan(leaf.facts, target.place)
    return run(made, leaf.array, leaf.backend, backend, advance=advance)
