"""Do what a plan says. No decision is taken here."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossdock.transfer._facts import PlaceFacts
from crossdock.transfer._hook import announce
from crossdock.transfer._plan import ALIAS, SAME, Plan
from crossdock.transfer._port import Port

__all__ = ['copy_between', 'run']

HOST = 'host'


def run(plan: Plan, array: Any, source: Port, target: Port, *, blocking: bool = True) -> Any:
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

    Returns
    -------
    array
        At ``plan.target``: the very same object, a view of its memory, or a new C-contiguous array.
    """
    if plan.route == SAME:
        return array
    if plan.route == ALIAS:
        return target.alias_in(source.alias_out(array), plan.target)
    out = target.allocate(plan.source.shape, plan.dtype, plan.target)
    if plan.source.size:
        copy_between(out, plan.target, target, array, plan.source.place, source, blocking=blocking)
    return out


def copy_between(
    dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port, *, blocking: bool
) -> None:
    """Write `src` into `dst`, wherever the two live; broadcasts, and casts without a check."""
    if dst_place.library == src_place.library:
        _announce(dst_place, dst_port, src, src_place, src_port)
        dst_port.copy(dst, src)
    elif src_place.physical == HOST:
        _announce(dst_place, dst_port, src, src_place, src_port)
        dst_port.copy_in(dst, src_port.alias_out(src), source=src_place.device, blocking=blocking)
    elif dst_place.physical == HOST:
        _announce(dst_place, dst_port, src, src_place, src_port)
        src_port.copy_out(dst_port.alias_out(dst), src, target=dst_place.device)
    elif dst_place.physical == src_place.physical:
        dst_port.copy(dst, dst_port.alias_in(src_port.alias_out(src), dst_place))
    else:
        _copy_through_host(dst, dst_place, dst_port, src, src_place, src_port, blocking=blocking)


def _copy_through_host(
    dst: Any, dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port, *, blocking: bool
) -> None:
    facts = src_port.facts(src)
    staging = np.empty(facts.shape, facts.dtype)
    if not src_port.reports_transfers:
        announce('copy', facts.nbytes, src_place.device, '@numpy')
    src_port.copy_out(staging, src, target='@numpy')
    if not dst_port.reports_transfers:
        announce('copy', facts.nbytes, '@numpy', dst_place.device)
    dst_port.copy_in(dst, staging, source='@numpy', blocking=blocking)


def _announce(dst_place: PlaceFacts, dst_port: Port, src: Any, src_place: PlaceFacts, src_port: Port) -> None:
    if dst_place.physical == src_place.physical:
        return
    if not (dst_port.reports_transfers or src_port.reports_transfers):
        announce('copy', src_port.facts(src).nbytes, src_place.device, dst_place.device)
