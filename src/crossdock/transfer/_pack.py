"""Many small arrays cross together: which of them, and in which blocks. Nothing moves here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossdock.transfer._plan import COPY, HOST, PACKED, STAGED, Plan

__all__ = ['ALIGNMENT', 'SMALL_NBYTES', 'Block', 'block_nbytes', 'explain', 'group', 'packable']

#: Larger ones gain nothing.
SMALL_NBYTES = 256 * 1024
#: Where each begins in its block is a multiple of this.
ALIGNMENT = 256

#: Positions of plans, in order.
Block = tuple[int, ...]


def packable(plan: Plan) -> bool:
    """Whether an array may cross together with others."""
    return plan.route in (COPY, STAGED) and not _against_packing(plan)


def group(arrays: Iterable[tuple[int, str, int]], chunk_nbytes: int) -> list[Block]:
    """Put small arrays into blocks.

    Parameters
    ----------
    arrays : iterable of (int, str, int)
        For each its position, where it comes from (arrays from several places cross apart), and its bytes.
    chunk_nbytes : int
        What no block is larger than.

    Returns
    -------
    list of tuple of int
        The positions in each block; none has less than two.
    """
    blocks: list[list[int]] = []
    ends: dict[str, tuple[list[int], int]] = {}
    for i, origin, nbytes in arrays:
        block, begin = ends.get(origin, ([], 0))
        if not block or begin + nbytes > chunk_nbytes:
            block, begin = [], 0
            blocks.append(block)
        block.append(i)
        ends[origin] = block, begin + _aligned(nbytes)
    return [tuple(block) for block in blocks if len(block) > 1]


def explain(plans: Sequence[Plan], blocks: Iterable[Block]) -> list[Plan]:
    """The plans of one `send`, with the route 'packed' for those in blocks, and why the others are not there."""
    together = {i for block in blocks for i in block}
    made = []
    for i, plan in enumerate(plans):
        if i in together:
            made.append(plan._replace(route=PACKED, refused=_cheaper(plan), order=()))
        elif plan.route in (COPY, STAGED) and len(plans) > 1:
            made.append(_with_reason(plan, _against_packing(plan) or 'no other small array goes with it'))
        else:
            made.append(plan)
    return made


def block_nbytes(sizes: Iterable[int]) -> int:
    """Bytes of a block of arrays of these sizes, the gaps included."""
    end = 0
    for size in sizes:
        end = _aligned(end) + size
    return end


def _aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def _against_packing(plan: Plan) -> str:
    source, target = plan.source, plan.target
    up = source.place.physical == HOST and target.chunk_nbytes
    down = target.physical == HOST and source.place.chunk_nbytes
    if not (up or down) or target.immutable:
        return f'that is not done between {source.place.device} and {target.device}'
    if not source.size:
        return 'it is empty'
    if plan.nbytes_moved >= SMALL_NBYTES:
        return f'{plan.nbytes_moved} bytes are not less than {SMALL_NBYTES}'
    if up and plan.dtype.itemsize > source.dtype.itemsize:
        return f'it is widened to {plan.dtype.name} on {target.device}'
    return ''


def _cheaper(plan: Plan) -> tuple[tuple[str, str], ...]:
    return tuple((route, reason) for route, reason in plan.refused if route != COPY)


def _with_reason(plan: Plan, why: str) -> Plan:
    copy = tuple((route, reason) for route, reason in plan.refused if route == COPY)
    return plan._replace(refused=(*_cheaper(plan), (PACKED, why), *copy))
