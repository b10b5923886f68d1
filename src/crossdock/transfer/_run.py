"""Do what a plan says. No decision is taken here."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from crossdock.transfer._facts import PlaceFacts
from crossdock.transfer._guard import foresee
from crossdock.transfer._hook import listening, telling, together
from crossdock.transfer._plan import ALIAS, COPY, HOST, PEER_COPY, SAME, STAGED, Plan, against_alias, has_dtype
from crossdock.transfer._port import Port
from crossdock.transfer._progress import Advance
from crossdock.transfer._steps import steps

__all__ = ['copy_between', 'cuts', 'host_view', 'legs', 'run']

#: What a trace calls the host memory that two accelerators meet in.
STAGING = '@numpy'
_SILENT = nullcontext()


def run(
    plan: Plan, array: Any, source: Port, target: Port, *, blocking: bool = True, advance: Advance | None = None
) -> Any:
    """Carry out a plan.

    Parameters
    ----------
    plan : Plan
        The plan for `array`.
    array : array
        An array of the library behind `source`.
    source, target : Port
        The two ends.
    blocking : bool
        Whether to wait until the source has been read.
    advance : callable, optional
        Told of the bytes just moved. What is large moves in steps then.

    Returns
    -------
    array
        At ``plan.target``: the very same object, a view of its memory, or a new C-contiguous array.
    """
    if plan.route == SAME:
        return array
    if plan.route == ALIAS:
        return target.alias_in(source.alias_out(array), plan.target)
    if plan.target.immutable:
        return _create(plan, array, source, target)
    if plan.order:
        return _run_in_order(plan, array, source, target, blocking=blocking, advance=advance)
    out = target.allocate(plan.source.shape, plan.dtype, plan.target)
    if plan.source.size:
        if advance is None:
            _copy(out, plan.target, target, array, plan.source.place, source, blocking=blocking)
        else:
            _copy_in_steps(out, plan.target, target, array, plan.source.place, source, blocking, advance, apart=True)
    return out


def _run_in_order(
    plan: Plan, array: Any, source: Port, target: Port, *, blocking: bool, advance: Advance | None
) -> Any:
    """A dense array crosses as it lies, and is seen with its own axes again on the other side."""
    there = target.allocate(tuple(plan.source.shape[axis] for axis in plan.order), plan.dtype, plan.target)
    here = source.permute(array, plan.order)
    if advance is None:
        _copy(there, plan.target, target, here, plan.source.place, source, blocking=blocking)
    else:
        _copy_in_steps(there, plan.target, target, here, plan.source.place, source, blocking, advance, apart=True)
    return target.permute(there, tuple(plan.order.index(axis) for axis in range(len(plan.order))))


def host_view(array: Any, source: Port) -> np.ndarray[Any, Any]:
    """What `Port.pack` reads of an array in host memory."""
    return _true_bools(source.alias_out(array))


def _create(plan: Plan, array: Any, source: Port, target: Port) -> Any:
    """A new array that cannot be written afterwards."""
    have, want = plan.source.place, plan.target
    near = have.physical == want.physical
    if have.library == want.library or have.physical == HOST or near:
        view = array if have.library == want.library else source.alias_out(array)
        tells = not near and plan.source.size and not target.reports_transfers
        with telling('copy', plan.nbytes_moved, have.device, want.device, route=COPY) if tells else _SILENT:
            return target.create(_true_bools(view) if isinstance(view, np.ndarray) else view, plan.dtype, want)
    on_host = want.physical == HOST
    staging = np.empty(plan.source.shape, min(plan.source.dtype, plan.dtype, key=lambda dtype: dtype.itemsize))
    if not staging.size:
        return target.create(staging, plan.dtype, want)
    stop = want.device if on_host else STAGING
    foresee(legs(plan))
    route = COPY if on_host else STAGED
    with _leg(source, staging.nbytes, have.device, stop, route):
        source.copy_out(staging, array, target=stop)
    with _SILENT if on_host else _leg(target, staging.nbytes, STAGING, want.device, route):
        return target.create(staging, plan.dtype, want)


def legs(plan: Plan) -> list[tuple[int, str, str]]:
    """The bytes, source and target of each transfer that a plan makes."""
    have, want = plan.source.place, plan.target
    if have.physical == want.physical or plan.zero_copy or not plan.source.size:
        return []
    if HOST in (have.physical, want.physical) or plan.route == PEER_COPY:
        return [(plan.nbytes_moved, have.device, want.device)]
    return [(plan.nbytes_moved, have.device, STAGING), (plan.nbytes_moved, STAGING, want.device)]


def _leg(port: Port, nbytes: int, source: str, target: str, route: str) -> AbstractContextManager[None]:
    """A transfer that the library of `port` makes, and tells of itself if it can."""
    return _SILENT if port.reports_transfers else telling('copy', nbytes, source, target, route=route)


def copy_between(
    dst: Any,
    dst_place: PlaceFacts,
    dst_port: Port,
    src: Any,
    src_place: PlaceFacts,
    src_port: Port,
    *,
    blocking: bool,
    advance: Advance | None = None,
) -> None:
    """Write `src` into `dst`, wherever the two live; broadcasts, and casts without a check.

    `advance` is as for `run`.
    """
    if advance is None:
        _copy(dst, dst_place, dst_port, src, src_place, src_port, blocking=blocking)
    else:
        _copy_in_steps(dst, dst_place, dst_port, src, src_place, src_port, blocking, advance, apart=False)


def _copy_in_steps(
    dst: Any,
    dst_place: PlaceFacts,
    dst_port: Port,
    src: Any,
    src_place: PlaceFacts,
    src_port: Port,
    blocking: bool,
    advance: Advance,
    *,
    apart: bool,
) -> None:
    """As `_copy`, with somebody told of each step; `apart` says that the two are known to share no memory."""
    ends = dst, dst_place, dst_port, src, src_place, src_port
    indices = cuts(*ends, apart=apart)
    if len(indices) < 2:
        _copy(*ends, blocking=blocking)
        return
    near = dst_place.physical == src_place.physical
    want, nbytes = dst_port.facts(dst), _facts(*ends)[1]
    itemsize = min(src_port.facts(src).dtype.itemsize, want.dtype.itemsize)
    view = None
    if src_place.physical == HOST:
        view = np.broadcast_to(_true_bools(src_port.alias_out(src)), want.shape)
    with together(nbytes) if listening() else _SILENT:
        for index in indices:
            piece = dst[index]
            if view is None:
                part = src[index]
                _copy(piece, dst_place, dst_port, part, src_place, src_port, blocking=blocking)
            else:
                part = view[index]
                with _told(near, *ends):
                    dst_port.copy_in(piece, part, source=src_place.device, blocking=blocking)
            advance(part.size * itemsize)


def cuts(
    dst: Any,
    dst_place: PlaceFacts,
    dst_port: Port,
    src: Any,
    src_place: PlaceFacts,
    src_port: Port,
    *,
    apart: bool = False,
) -> list[tuple[slice, ...]]:
    """What to index both with, to copy in steps; fewer than two where it has to be done in one."""
    have, want = src_port.facts(src), dst_port.facts(dst)
    on_host = src_place.physical == HOST
    near = dst_place.physical == src_place.physical
    # What is broadcast crosses once. Part of an array that cannot be written is a copy, of one in a graph a node of it.
    if have.shape != want.shape and not (on_host and near):
        return []
    if want.graph or (not on_host and (src_place.immutable or have.graph)):
        return []
    if near and not apart and (not on_host or np.may_share_memory(src_port.alias_out(src), dst_port.alias_out(dst))):
        return []  # what is written over itself is copied by someone who sees all of it
    return list(steps(want.shape, min(have.dtype.itemsize, want.dtype.itemsize)))


def _copy(
    dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port, *, blocking: bool
) -> None:
    near = dst_place.physical == src_place.physical
    if dst_place.library == src_place.library and (blocking or near or src_place.physical != HOST):
        with _told(near, dst, dst_place, dst_port, src, src_place, src_port):
            dst_port.copy(dst, src)
    elif src_place.physical == HOST:
        view = _true_bools(src_port.alias_out(src))
        with _told(near, dst, dst_place, dst_port, src, src_place, src_port):
            dst_port.copy_in(dst, view, source=src_place.device, blocking=blocking)
    elif dst_place.physical == HOST:
        view = dst_port.alias_out(dst)
        with _told(near, dst, dst_place, dst_port, src, src_place, src_port):
            src_port.copy_out(view, src, target=dst_place.device)
    elif near:
        dst_port.copy(dst, _seen(dst, dst_place, dst_port, src, src_place, src_port))
    elif src_place.peers and src_place.peers == dst_place.peers:
        seen = _seen(dst, dst_place, dst_port, src, src_place, src_port)
        if dst_port.reports_transfers or not listening():
            return dst_port.copy(dst, seen)
        with telling(*_facts(dst, dst_place, dst_port, src, src_place, src_port), route=PEER_COPY):
            dst_port.copy(dst, seen)
    else:
        _copy_through_host(dst, dst_place, dst_port, src, src_place, src_port, blocking=blocking)


def _seen(dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port) -> Any:
    """The source as an array of the target's library, in the memory where it lies, or a copy of it there."""
    facts = src_port.facts(src)
    dtype = facts.dtype if has_dtype(dst_place, facts.dtype) else dst_port.facts(dst).dtype
    if dtype != facts.dtype or against_alias(facts, dst_place, copy=False):
        if src_place.immutable:
            src = src_port.create(src, dtype, src_place)
        else:
            plain = src_port.allocate(facts.shape, dtype, src_place)
            src_port.copy(plain, src)
            src = plain
    return dst_port.alias_in(src_port.alias_out(src), dst_place)


def _copy_through_host(
    dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port, *, blocking: bool
) -> None:
    facts = src_port.facts(src)
    dtype = min(facts.dtype, dst_port.facts(dst).dtype, key=lambda dtype: dtype.itemsize)
    staging = np.empty(facts.shape, dtype)
    foresee([(staging.nbytes, src_place.device, STAGING), (staging.nbytes, STAGING, dst_place.device)])
    with _leg(src_port, staging.nbytes, src_place.device, STAGING, STAGED):
        src_port.copy_out(staging, src, target=STAGING)
    with _leg(dst_port, staging.nbytes, STAGING, dst_place.device, STAGED):
        dst_port.copy_in(dst, staging, source=STAGING, blocking=blocking)


def _true_bools(view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The view itself, or one of bytes for bools that are not all 0 or 1, as views of other data have.

    What reads the bytes as bools makes them 0 and 1.
    """
    if view.dtype != np.bool_ or not view.size:
        return view
    values = view.view(np.uint8)
    return values if values.max() > 1 else view


def _told(
    near: bool, dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port
) -> AbstractContextManager[None]:
    """A copy, told of if anybody wants to know and neither library tells itself."""
    if near or dst_port.reports_transfers or src_port.reports_transfers or not listening():
        return _SILENT
    return telling(*_facts(dst, dst_place, dst_port, src, src_place, src_port), route=COPY)


def _facts(
    dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port
) -> tuple[str, int, str, str]:
    source, target = src_port.facts(src), dst_port.facts(dst)
    nbytes = source.size * min(source.dtype.itemsize, target.dtype.itemsize)
    return 'copy', nbytes, src_place.device, dst_place.device
