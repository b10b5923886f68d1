"""`plan`: how arrays would get to a device, without moving them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import DTypeLike

from crossdock.devices._dtype import resolve_dtype
from crossdock.devices._lookup import get_device
from crossdock.devices._send import End, prepare
from crossdock.transfer import Plan, block_nbytes, explain

__all__ = ['TreePlan', 'plan']


@dataclass(frozen=True, slots=True)
class TreePlan:
    """The plans for the leaves of a tree. Iterating gives pairs of path and plan.

    Attributes
    ----------
    device : str
        Where they go.
    leaves : tuple of (str, Plan)
        For each leaf its path in the tree, such as ``['layer1'].bias``, and its plan.
    packed : tuple of tuple of str
        The paths of small arrays that cross together, one tuple for each block of memory.
    """

    device: str
    leaves: tuple[tuple[str, Plan], ...]
    packed: tuple[tuple[str, ...], ...] = ()

    def __iter__(self) -> Iterator[tuple[str, Plan]]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    @property
    def zero_copy(self) -> bool:
        """Whether every leaf shares its memory with the source."""
        return all(made.zero_copy for _, made in self.leaves)

    @property
    def nbytes_moved(self) -> int:
        """Bytes that are read and written elsewhere."""
        return sum(made.nbytes_moved for _, made in self.leaves)

    @property
    def nbytes_allocated(self) -> int:
        """Bytes of new memory that the results hold, the gaps in blocks on an accelerator included."""
        plans = dict(self.leaves)
        total = sum(made.nbytes_allocated for made in plans.values())
        for block in self.packed:
            if plans[block[0]].target.physical != 'host':
                sizes = [plans[path].nbytes_allocated for path in block]
                total += block_nbytes(sizes) - sum(sizes)
        return total

    def __str__(self) -> str:
        head = (
            f'{len(self.leaves)} arrays -> {self.device}: '
            f'{self.nbytes_moved} bytes moved, {self.nbytes_allocated} bytes allocated'
        )
        together = [f'packed: {", ".join(paths)}' for paths in self.packed]
        return '\n'.join([head, *together, *(f'{path}: {made}' for path, made in self.leaves)])


def plan(tree: Any, spec: Any, *, copy: bool | None = None, dtype: DTypeLike | None = None) -> Plan | TreePlan:
    """How ``get_device(spec).send(tree)`` would go about it. Moves nothing.

    Parameters
    ----------
    tree : array or nesting of arrays
        As for `Device.send`.
    spec : str, int, Device or a library's device object
        As for `get_device`.
    copy, dtype
        As for `Device.send`.

    Returns
    -------
    Plan or TreePlan
        For one array its plan; for a nesting the plans of its leaves. Print it to see the route, the bytes that
        would be moved and allocated, and why each cheaper route is refused.

    Raises
    ------
    CrossdockError
        Whatever `Device.send` would raise before it moves anything. ``copy=False`` where a copy is needed raises
        `CopyRequiredError`, which carries the plan.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> print(xd.plan(np.zeros((2, 3)), 'sim:0'))
    copy: @numpy -> sim:0
      array      shape=(2, 3), dtype=float64
      moved      48 bytes
      allocated  48 bytes
      no same object: sim:0 cannot reach the memory 'host', only 'sim:0'
      no alias: sim:0 cannot reach the memory 'host', only 'sim:0'
      no device copy: the memories 'host' and 'sim:0' differ
      no peer copy: @numpy and sim:0 are no accelerators of one kind
      no direct: it does not lie in pinned host memory
    """
    device = get_device(spec)
    end = End(device._backend, device._place)
    wanted = None if dtype is None else resolve_dtype(dtype)
    prepared = prepare(tree, lambda leaf: end, scalars=device._backend, copy=copy, dtype=wanted)
    paths, blocks = prepared.tree.paths, prepared.blocks
    plans = explain([made for made in prepared.plans if made], blocks)
    if paths == ['']:
        return plans[0]
    packed = tuple(tuple(paths[i] for i in block) for block in blocks)
    return TreePlan(device.name, tuple(zip(paths, plans)), packed)
