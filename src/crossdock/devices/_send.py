"""Bring the leaves of a tree to a place: read them all, plan them all, and only then move the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from crossdock.devices._backend import Backend
from crossdock.devices._dtype import resolve_dtype
from crossdock.devices._leaf import Leaf, read_leaf
from crossdock.devices._located import located
from crossdock.devices._registry import owner
from crossdock.devices._tree import Tree
from crossdock.transfer import PlaceFacts, Plan, Progress, at_path, batch, listening, tracking

__all__ = ['End', 'Prepared', 'prepare', 'run_prepared', 'send']

#: About what one second moves; a bar for less would only flicker.
SECOND_NBYTES = 2 * 1024**3


class End(NamedTuple):
    """Where a leaf goes."""

    backend: Backend
    place: PlaceFacts


class Prepared(NamedTuple):
    """A tree taken apart, and for each of its leaves the end and the plan."""

    tree: Tree
    leaves: list[Leaf]
    ends: list[End]
    plans: list[Plan]


def send(
    target: Backend,
    place: PlaceFacts,
    tree: Any,
    *,
    copy: bool | None = None,
    dtype: Any = None,
    blocking: bool = True,
    progress: Progress = False,
    detach: bool = False,
) -> Any:
    """See `Device.send`; `detach` leaves differentiable graphs behind."""
    wanted = None if dtype is None else resolve_dtype(dtype)
    if owner(type(tree)) is not None and not progress:
        # A lone array, by far the most frequent case, needs no walk.
        leaf = read_leaf(tree, target, detach=detach)
        made = leaf.plan(place, copy=copy, dtype=wanted)
        if made.zero_copy or not listening():
            return leaf.run(made, target, blocking=blocking)
        with batch():
            return leaf.run(made, target, blocking=blocking)
    end = End(target, place)
    prepared = prepare(tree, lambda leaf: end, scalars=target, copy=copy, dtype=wanted, detach=detach)
    return run_prepared(prepared, blocking=blocking, progress=progress)


def prepare(
    tree: Any,
    choose: Callable[[Leaf], End],
    *,
    scalars: Backend,
    copy: bool | None = None,
    dtype: np.dtype[Any] | None = None,
    detach: bool = False,
) -> Prepared:
    """Take a tree apart, and choose an end and plan the way for each leaf. Moves nothing."""
    made = Prepared(Tree(tree), [], [], [])
    for value, path in zip(made.tree.leaves, made.tree.paths):
        with located(path):
            leaf = read_leaf(value, scalars, detach=detach)
            end = choose(leaf)
            made.plans.append(leaf.plan(end.place, copy=copy, dtype=dtype))
            made.ends.append(end)
            made.leaves.append(leaf)
    return made


def run_prepared(prepared: Prepared, *, blocking: bool = True, progress: Progress = False) -> Any:
    """Move the leaves, and build the tree from what arrives."""
    total = sum(made.nbytes_moved for made in prepared.plans) if progress else 0
    with tracking(progress if callable(progress) or total >= SECOND_NBYTES else False, total, 'sending') as report:
        return prepared.tree.build(_run_leaves(prepared, blocking=blocking, report=report))


def _run_leaves(prepared: Prepared, *, blocking: bool, report: Callable[[int], None]) -> list[Any]:
    tree, leaves, ends, plans = prepared
    done: list[Any] = []
    try:
        with batch():
            for leaf, end, made, path in zip(leaves, ends, plans, tree.paths):
                with at_path(path), located(path):
                    done.append(leaf.run(made, end.backend, blocking=blocking))
                report(made.nbytes_moved)
    except BaseException:
        # The traceback holds this frame, and with it whatever has arrived already.
        done.clear()
        raise
    return done
