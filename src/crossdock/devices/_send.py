"""Bring the leaves of a tree to a place: read them all, plan them all, and only then move the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from crossdock.devices._backend import Backend
from crossdock.devices._dtype import resolve_dtype
from crossdock.devices._leaf import Leaf, read_leaf
from crossdock.devices._located import located
from crossdock.devices._registry import owner
from crossdock.devices._tree import Tree
from crossdock.transfer import (
    COPY,
    PACKED,
    SMALL_NBYTES,
    STEP_NBYTES,
    Block,
    Event,
    PlaceFacts,
    Plan,
    Progress,
    Track,
    announce,
    at_path,
    batch,
    foresee,
    group,
    guarded,
    legs,
    listening,
    packable,
    share_time,
    tracking,
)

__all__ = ['End', 'Prepared', 'prepare', 'run_prepared', 'send']

#: Makes of arrays what their plans would, or None where there is more to do.
Short = Callable[[list[Any]], list[Any]]
_NOWHERE = nullcontext()


class End(NamedTuple):
    """Where a leaf goes."""

    backend: Backend
    place: PlaceFacts


class Prepared(NamedTuple):
    """A tree taken apart.

    Attributes
    ----------
    tree : Tree
        What it was.
    leaves, ends, plans : list of Leaf, of End, of Plan
        What the leaves are, where they go and how. Those in `plain` and `done` have no leaf and no plan.
    blocks : list of tuple of int
        Which of them cross together.
    plain : list
        The target's views of small arrays that need no plan; None for the others; empty for none at all.
    done : list
        What has arrived already, as arrays that only change hands have; None for the others.
    """

    tree: Tree
    leaves: list[Leaf | None]
    ends: list[End]
    plans: list[Plan | None]
    blocks: list[Block]
    plain: list[Any]
    done: list[Any]


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
    short: Short | None = None,
    what: str = 'send',
) -> Any:
    """See `Device.send`; `detach` leaves differentiable graphs behind, and `what` is the label of a bar.

    `short` makes of arrays that only change hands what their plans would, and None of the others.
    """
    if blocking is not True and blocking is not False:
        raise TypeError(f'blocking={blocking!r}: it is True or False')
    wanted = None if dtype is None else resolve_dtype(dtype)
    if owner(type(tree)) is not None and progress is False:
        # A lone array, by far the most frequent case, needs no walk.
        leaf = read_leaf(tree, target, detach=detach)
        made = leaf.plan(target, place, copy=copy, dtype=wanted)
        if made.zero_copy or not listening():
            return leaf.run(made, target, blocking=blocking)
        with batch():
            return leaf.run(made, target, blocking=blocking)
    end = End(target, place)
    quick = place.chunk_nbytes > 0 and dtype is None and copy is not False and progress is False
    prepared = prepare(
        *(tree, lambda leaf: end),
        scalars=target,
        copy=copy,
        dtype=wanted,
        detach=detach,
        end=end,
        packs=quick,
        short=short if copy is None and dtype is None else None,
    )
    return run_prepared(prepared, blocking=blocking, progress=progress, what=what)


def prepare(
    tree: Any,
    choose: Callable[[Leaf], End],
    *,
    scalars: Backend,
    copy: bool | None = None,
    dtype: np.dtype[Any] | None = None,
    detach: bool = False,
    end: End | None = None,
    packs: bool = False,
    short: Short | None = None,
) -> Prepared:
    """Take a tree apart, and choose an end and plan the way for each leaf. Moves nothing.

    `end` is the one where all go, if that is known: then `short` is as for `send`, and `packs` says that small NumPy
    arrays may be packed without a plan: with a copy, no conversion, and nobody who wants to see it.
    """
    made = Tree(tree)
    count = len(made.leaves)
    done = short(made.leaves) if end and short else [None] * count
    plain = (end and packs and count > 1 and end.backend.plain_arrays(made.leaves, end.place, SMALL_NBYTES)) or []
    leaves: list[Leaf | None] = []
    ends: list[End] = []
    plans: list[Plan | None] = []
    for i, value in enumerate(made.leaves):
        if end and (done[i] is not None or (plain and plain[i] is not None)):
            leaves.append(None)
            ends.append(end)
            plans.append(None)
            continue
        with located(made.paths[i]):
            leaf = read_leaf(value, scalars, detach=detach)
            chosen = choose(leaf)
            plans.append(leaf.plan(chosen.backend, chosen.place, copy=copy, dtype=dtype))
            ends.append(chosen)
            leaves.append(leaf)
    return Prepared(made, leaves, ends, plans, _blocks(ends, plans, plain), plain, done)


def _blocks(ends: list[End], plans: list[Plan | None], plain: list[Any]) -> list[Block]:
    if len(plans) < 2:
        return []
    small = []
    chunk_nbytes = 0
    for i, plan in enumerate(plans):
        if plan is None:
            if plain and plain[i] is not None:
                small.append((i, '', plain[i].nbytes))
                chunk_nbytes = ends[i].place.chunk_nbytes
        elif packable(plan):
            source, target = plan.source.place, plan.target
            chunk_nbytes = source.chunk_nbytes or target.chunk_nbytes
            small.append((i, '' if source.physical == 'host' else source.device, plan.nbytes_moved))
    return group(small, chunk_nbytes)


def run_prepared(prepared: Prepared, *, blocking: bool = True, progress: Progress = False, what: str = 'send') -> Any:
    """Move the leaves, and build the tree from what arrives."""
    total = sum(made.nbytes_moved for made in prepared.plans if made) if progress is not False else 0
    with tracking(progress, total, what) as track:
        return prepared.tree.build(_run_leaves(prepared, blocking=blocking, track=track))


def _run_leaves(prepared: Prepared, *, blocking: bool, track: Track) -> list[Any]:
    done = prepared.done
    packed = {i for block in prepared.blocks for i in block}
    seen = listening()
    told: dict[int, Event] = {}
    try:
        with batch():
            if guarded():
                _foresee(prepared)
            for i, (leaf, end, made) in enumerate(zip(prepared.leaves, prepared.ends, prepared.plans)):
                if i in packed or (prepared.plain and prepared.plain[i] is not None):
                    if seen:  # told in its turn, moved with the others
                        _tell_small(prepared, i, PACKED if i in packed else COPY, told)
                    continue
                if leaf is None or made is None:
                    continue
                path = prepared.tree.paths[i]
                with track.share(made.nbytes_moved) as advance, at_path(path), located(path):
                    done[i] = leaf.run(made, end.backend, blocking=blocking, advance=advance)
            _run_blocks(prepared, packed, done, told, track)
    except BaseException:
        # The traceback holds this frame, and with it whatever has arrived already.
        done.clear()
        raise
    return done


def _foresee(prepared: Prepared) -> None:
    """Have a guard refuse any leaf before one has moved."""
    for i, made in enumerate(prepared.plans):
        if made is not None or (prepared.plain and prepared.plain[i] is not None):
            with at_path(prepared.tree.paths[i]):
                foresee(legs(made) if made is not None else [_small_leg(prepared, i)])


def _tell_small(prepared: Prepared, i: int, route: str, told: dict[int, Event]) -> None:
    nbytes, source, target = _small_leg(prepared, i)
    with at_path(prepared.tree.paths[i]) if guarded() else _NOWHERE:
        event = announce('copy', nbytes, source, target, False, False, route)
    if event is not None:
        event.path = prepared.tree.paths[i]
        event.failed = True  # as long as it has not moved
        told[i] = event


def _small_leg(prepared: Prepared, i: int) -> tuple[int, str, str]:
    made = prepared.plans[i]
    if made is None:  # an array of NumPy's, as the target sees it
        return prepared.plain[i].nbytes, '@numpy', prepared.ends[i].place.device
    return made.nbytes_moved, made.source.place.device, made.target.device


def _run_blocks(prepared: Prepared, packed: set[int], done: list[Any], told: dict[int, Event], track: Track) -> None:
    # An array that needs no plan and has no company is a block of its own.
    blocks = [
        *prepared.blocks,
        *((i,) for i, plain in enumerate(prepared.plain) if plain is not None and i not in packed),
    ]
    ways: dict[str, list[Block]] = {}
    for block in blocks:
        plan = prepared.plans[block[0]]
        origin = '' if plan is None or plan.target.physical != 'host' else plan.source.place.device
        ways.setdefault(origin, []).append(block)
    for origin, all_blocks in ways.items():
        for together in _steps(prepared, all_blocks) if track.followed else [all_blocks]:
            members = [i for block in together for i in block]
            began = perf_counter()
            arrived = _unpack(prepared, together) if origin else _pack(prepared, together)
            if told:
                share_time([told[i] for i in members if i in told], began)
            for i, array in zip(members, arrived):
                done[i] = array
            if track.followed:
                for i in members:
                    track.advance(_small_leg(prepared, i)[0])


def _steps(prepared: Prepared, blocks: list[Block]) -> Iterator[list[Block]]:
    """As many blocks at once as are moved before anybody asks how far it is."""
    some: list[Block] = []
    nbytes = 0
    for block in blocks:
        some.append(block)
        nbytes += sum(_small_leg(prepared, i)[0] for i in block)
        if nbytes >= STEP_NBYTES:
            yield some
            some, nbytes = [], 0
    if some:
        yield some


def _pack(prepared: Prepared, blocks: list[Block]) -> list[Any]:
    """From the host to one accelerator."""
    end = prepared.ends[blocks[0][0]]

    def parcel(i: int) -> tuple[Any, Any]:
        leaf, plan = prepared.leaves[i], prepared.plans[i]
        return (prepared.plain[i], None) if leaf is None or plan is None else (leaf.view(), plan.dtype)

    return end.backend.pack([[parcel(i) for i in block] for block in blocks], end.place)


def _unpack(prepared: Prepared, blocks: list[Block]) -> list[Any]:
    """From one accelerator to the host."""
    arrived: list[Any] = []
    contents: list[list[tuple[Any, Any]]] = []
    source: tuple[Backend, PlaceFacts] | None = None
    for block in blocks:
        contents.append([])
        for i in block:
            leaf, plan, end = prepared.leaves[i], prepared.plans[i], prepared.ends[i]
            assert leaf and plan, 'what is on an accelerator has a plan'
            arrived.append(end.backend.allocate(plan.source.shape, plan.dtype, plan.target))
            contents[-1].append((end.backend.alias_out(arrived[-1]), leaf.array))
            source = leaf.backend, plan.source.place
    if source:
        source[0].unpack(contents, source[1])
    return arrived
