"""Choose the cheapest route between two places, and say why each cheaper one was refused. Nothing moves here."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from crossdock.errors import CopyRequiredError, DtypeError, GraphError
from crossdock.transfer._facts import ArrayFacts, PlaceFacts

__all__ = ['ROUTES', 'Plan', 'against_alias', 'has_dtype', 'plan']

#: Cheapest first.
ROUTES = ('same object', 'alias', 'device copy', 'peer copy', 'direct', 'packed', 'copy', 'staged')
SAME, ALIAS, DEVICE_COPY, PEER_COPY, DIRECT, PACKED, COPY, STAGED = ROUTES

#: The memory that accelerators exchange arrays with, unless they are peers.
HOST = 'host'


class Plan(NamedTuple):
    """The route that an array will take.

    Attributes
    ----------
    route : str
        'same object', 'alias', 'device copy' (within one memory), 'peer copy' (between accelerators, without the host),
        'direct' (from pinned host memory), 'packed' (with other small arrays, as one block), 'copy' (as one piece, or
        as the library does it) or 'staged' (piece by piece through pinned host memory, gathered and converted there).
    source : ArrayFacts
        What leaves.
    target : PlaceFacts
        Where it goes.
    dtype : numpy.dtype
        The data type that it will have there.
    refused : tuple of (route, reason)
        The cheaper routes, and why each cannot be taken.
    order : tuple of int
        The axes in the order in which they lie in memory, there as here, if that is not C order; else ().
    """

    route: str
    source: ArrayFacts
    target: PlaceFacts
    dtype: np.dtype[Any]
    refused: tuple[tuple[str, str], ...] = ()
    order: tuple[int, ...] = ()

    @property
    def zero_copy(self) -> bool:
        """Whether the result shares its memory with the source."""
        return self.route in (SAME, ALIAS)

    @property
    def nbytes_moved(self) -> int:
        """Bytes that are read and written elsewhere, in the narrower of both data types; 0 where memory is shared."""
        return 0 if self.zero_copy else self.source.size * min(self.source.dtype.itemsize, self.dtype.itemsize)

    @property
    def nbytes_allocated(self) -> int:
        """Bytes of new memory that the result holds."""
        return 0 if self.zero_copy else self.source.size * self.dtype.itemsize

    def __str__(self) -> str:
        source = self.source
        lines = [
            f'{self.route}: {source.place.device} -> {self.target.device}',
            f'  array      shape={source.shape}, dtype={source.dtype.name}'
            + (f' -> {self.dtype.name}' if self.dtype != source.dtype else '')
            + (', read-only' if source.readonly else '')
            + (f', axes {self.order} in memory' if self.order else ''),
            f'  moved      {self.nbytes_moved} bytes',
            f'  allocated  {self.nbytes_allocated} bytes',
        ]
        lines += [f'  no {route}: {reason}' for route, reason in self.refused]
        return '\n'.join(lines)


def plan(
    source: ArrayFacts, target: PlaceFacts, *, copy: bool | None = None, dtype: np.dtype[Any] | None = None
) -> Plan:
    """Plan how an array gets to a place.

    Parameters
    ----------
    source : ArrayFacts
        The array.
    target : PlaceFacts
        The place.
    copy : bool, optional
        True: the result shares no memory with the source. False: it must. None: as is cheapest.
    dtype : numpy.dtype, optional
        Convert to this data type.

    Returns
    -------
    Plan
        The cheapest route, with the reasons against each cheaper one.

    Raises
    ------
    CopyRequiredError
        ``copy=False``, and no route without a copy exists; carries the plan with a copy.
    DtypeError
        The target has no such data type, or the conversion would drop imaginary parts.
    GraphError
        The array takes part in a differentiable graph that would be lost.
    ValueError
        `copy` is something else.
    """
    if copy not in (None, True, False):
        raise ValueError(f'copy={copy!r}: it is True, False or None')
    dtype = source.dtype if dtype is None else dtype
    made = _cheapest(source, target, dtype, copy=copy)
    if made.route != SAME:
        _check_dtype(source, target, dtype)
    if source.graph and made.route != SAME:
        raise GraphError(
            f'an array on {source.place.device} takes part in a differentiable graph, which would be lost on the way '
            f'to {target.device}; call its detach() first'
        )
    if copy is not None and not copy and not made.zero_copy:
        reasons = '; '.join(f'no {route}: {reason}' for route, reason in made.refused if route in (SAME, ALIAS))
        raise CopyRequiredError(
            f'{source.place.device} -> {target.device} needs a copy and copy=False forbids it ({reasons})', plan=made
        )
    return made


def _cheapest(source: ArrayFacts, target: PlaceFacts, dtype: np.dtype[Any], *, copy: bool | None) -> Plan:
    shared = _against_sharing(source, target, dtype, copy=copy)
    same = shared or _against_same(source, target)
    if not same:
        return Plan(SAME, source, target, dtype)
    alias = shared or against_alias(source, target, copy=copy)
    if not alias:
        return Plan(ALIAS, source, target, dtype, ((SAME, same),))
    near = _against_device_copy(source.place, target)
    if not near:
        return Plan(DEVICE_COPY, source, target, dtype, ((SAME, same), (ALIAS, alias)))
    refused = ((SAME, same), (ALIAS, alias), (DEVICE_COPY, near))
    return _across(source, target, dtype, refused)


def _across(source: ArrayFacts, target: PlaceFacts, dtype: np.dtype[Any], refused: tuple[tuple[str, str], ...]) -> Plan:
    """From one memory to another."""
    peer = _against_peer_copy(source.place, target)
    if not peer:
        return Plan(PEER_COPY, source, target, dtype, refused)
    contiguous = source.contiguous
    order = source.order if not contiguous and target.keeps_order and source.place.physical == HOST else ()
    whole = _against_one_piece(source, target, dtype, contiguous or bool(order))
    direct = whole or _against_direct(source, target)
    refused += ((PEER_COPY, peer), (DIRECT, direct))
    if not direct:
        return Plan(DIRECT, source, target, dtype, refused[:-1], order)
    copy = whole or _against_copy(source, target)
    if not copy:
        return Plan(COPY, source, target, dtype, refused, order)
    return Plan(STAGED, source, target, dtype, (*refused, (COPY, copy)), order)


def _against_sharing(source: ArrayFacts, target: PlaceFacts, dtype: np.dtype[Any], *, copy: bool | None) -> str:
    if copy:
        return 'copy=True was asked for'
    if source.place.physical != target.physical:
        return f'{target.device} cannot reach the memory {source.place.physical!r}, only {target.physical!r}'
    if dtype != source.dtype:
        return f'{source.dtype.name} becomes {dtype.name}'
    return ''


def _against_same(source: ArrayFacts, target: PlaceFacts) -> str:
    if source.place.library != target.library or source.foreign:
        return f'it is no array of the library {target.library!r}'
    if source.place.home != target.home:
        return f'it lives on {source.place.device}'
    return ''


def against_alias(source: ArrayFacts, target: PlaceFacts, *, copy: bool | None) -> str:
    """Why an array of another library cannot be a view of this memory; '' if it can."""
    if source.unresolved:
        return source.unresolved
    if target.immutable and copy is None:
        return f'arrays on {target.device} never change, but shared memory may; copy=False shares it all the same'
    if source.readonly and not target.keeps_readonly:
        return f'it is read-only, which arrays on {target.device} cannot be'
    # Strides along axes with fewer than two elements lead nowhere, and mean nothing.
    steps = [step for step, extent in zip(source.strides_nbytes, source.shape) if extent > 1] if source.size else []
    if not target.negative_strides and any(step < 0 for step in steps):
        return f'it has negative strides, which arrays on {target.device} cannot have'
    if not target.odd_strides and any(step % source.dtype.itemsize for step in steps):
        return f'its strides are no multiple of the itemsize, as arrays on {target.device} need'
    if target.contiguous and not source.contiguous:
        return f'it is not C-contiguous, as arrays on {target.device} are'
    if target.alignment > 1 and source.size and source.address is not None and source.address % target.alignment:
        return f'its memory is not aligned to {target.alignment} bytes, as arrays on {target.device} need'
    return ''


def _against_device_copy(source: PlaceFacts, target: PlaceFacts) -> str:
    if source.physical != target.physical:
        return f'the memories {source.physical!r} and {target.physical!r} differ'
    return ''


def _against_peer_copy(source: PlaceFacts, target: PlaceFacts) -> str:
    if not source.peers or source.peers != target.peers:
        return f'{source.device} and {target.device} are no accelerators of one kind'
    return ''


def _against_one_piece(source: ArrayFacts, target: PlaceFacts, dtype: np.dtype[Any], dense: bool) -> str:
    if source.place.physical != HOST and target.physical != HOST:
        return f'{source.place.device} and {target.device} meet in host memory'
    if not (source.place.chunk_nbytes or target.chunk_nbytes):
        return ''
    if source.unresolved:
        return source.unresolved
    if dtype != source.dtype:
        return f'{source.dtype.name} becomes {dtype.name} on the way'
    if not dense:
        return 'it is not C-contiguous, and is gathered on the way'
    return ''


def _against_direct(source: ArrayFacts, target: PlaceFacts) -> str:
    if not target.chunk_nbytes:
        return f'nobody knows how {target.device} reads pinned memory'
    if not source.pinned:
        return 'it does not lie in pinned host memory'
    return ''


def _against_copy(source: ArrayFacts, target: PlaceFacts) -> str:
    chunk = source.place.chunk_nbytes or target.chunk_nbytes
    if chunk and source.nbytes > chunk:
        return f'{source.nbytes} bytes are more than a chunk of {chunk}'
    return ''


def _check_dtype(source: ArrayFacts, target: PlaceFacts, dtype: np.dtype[Any]) -> None:
    if source.dtype.kind == 'c' and dtype.kind != 'c' and dtype != source.dtype:
        raise DtypeError(
            f'{source.dtype.name} -> {dtype.name} would drop the imaginary parts; take the real part first', dtype=dtype
        )
    if target.dtypes is not None and not has_dtype(target, dtype):
        advice = dict(target.dtype_advice).get(_name(dtype), f'it has {", ".join(sorted(target.dtypes))}')
        raise DtypeError(f'{target.device} has no data type {dtype.name}; {advice}', dtype=dtype)


def has_dtype(place: PlaceFacts, dtype: np.dtype[Any]) -> bool:
    """Whether arrays there can have that data type."""
    return place.dtypes is None or _name(dtype) in place.dtypes


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    # NumPy puts the name together anew each time, in microseconds.
    return dtype.name
