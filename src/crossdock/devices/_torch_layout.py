"""Where PyTorch's own objects keep what its tensors are asked for: found out by trying, in each process anew.

Asking takes PyTorch longer than the whole exchange. None of this is a promise of PyTorch's, so that nothing is taken
for granted: a place counts only if it is the one place that agrees with PyTorch's own answers for all of many tensors.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
from typing import Any

import numpy as np

from crossdock.core.exchange import Layout

__all__ = ['find_layout']

#: How much of a TensorImpl and of a StorageImpl is looked at, in bytes; both are that large at least.
_TENSOR_NBYTES, _STORAGE_NBYTES = 176, 64
#: What the keys of strided memory in the host may say, and no other.
_PLAIN_KEYS = {'CPU', 'Dense', 'ADInplaceOrView', 'AutogradCPU', 'AutocastCPU'}
_NOT_ZERO = None  # instead of a value


@functools.cache
def find_layout() -> Layout | None:
    """Try out where things are; None where PyTorch is not built as expected here."""
    # No such attribute, an answer of another type, a mode that makes other tensors: all mean that asking is safer.
    with contextlib.suppress(Exception):
        return _find(importlib.import_module('torch'))
    return None


def _find(torch: Any) -> Layout:
    with torch.inference_mode(False), torch.enable_grad():
        plain = [torch.ones(n, n + 2, device='cpu') for n in range(4)]
        plain += [torch.from_numpy(np.ones(n)) for n in (1, 5)]
        plain += [torch.arange(7, device='cpu'), torch.nn.Parameter(torch.ones(2, device='cpu'), requires_grad=False)]
        leaves = [torch.ones(n, n, device='cpu', requires_grad=True) for n in (1, 2, 6)]
        in_graph = [*leaves, *(x * 2 for x in leaves), *(x[:1] for x in leaves), torch.nn.Parameter(plain[1])]
        turned = torch.ones(3, dtype=torch.complex64, device='cpu').conj()
        others = [turned, turned.imag, torch._neg_view(plain[2]), torch.ones(2, device='meta')]
    with torch.inference_mode():
        others.append(torch.ones(2, device='cpu'))
    keys = {id(x): torch._C._dispatch_keys(x).raw_repr() for x in (*plain, *in_graph, *others)}
    usual = keys[id(plain[0])]
    named = str(torch._C._dispatch_keys(plain[0])).removeprefix('DispatchKeySet(').removesuffix(')')
    _check(all(type(x) is torch.Tensor for x in plain[:-1]) and set(named.split(', ')) <= _PLAIN_KEYS)
    _check(all(keys[id(x)] == usual for x in (*plain, *in_graph)) and all(keys[id(x)] != usual for x in others))
    _check(all(x.requires_grad for x in in_graph) and not any(x.requires_grad for x in plain))

    of_host = [*plain, *in_graph, *(x for x in others if not x.is_meta)]
    for x in plain[::2]:
        x.numpy()  # from now on their memory does not move
    blocks = [x.untyped_storage() for x in plain]
    _check({x.resizable() for x in blocks} == {True, False})
    return Layout(
        tensor=_place([(id(x), x._cdata) for x in of_host], torch.Tensor.__basicsize__),
        keys=_place([(x._cdata, keys[id(x)]) for x in (*plain, *in_graph, *others)], _TENSOR_NBYTES),
        graph=_place([*((x._cdata, 0) for x in plain), *((x._cdata, _NOT_ZERO) for x in in_graph)], _TENSOR_NBYTES),
        memory=_place([(x._cdata, x.untyped_storage()._cdata) for x in of_host], _TENSOR_NBYTES),
        address=_place([(x._cdata, x.data_ptr()) for x in blocks], _STORAGE_NBYTES),
        nbytes=_place([(x._cdata, x.nbytes()) for x in blocks], _STORAGE_NBYTES),
        may_move=_place([(x._cdata, int(x.resizable())) for x in blocks], _STORAGE_NBYTES, ctypes.c_uint8),
        plain=usual,
    )


def _check(holds: bool) -> None:
    if not holds:
        raise NotImplementedError('tensors are not what they were')


def _place(samples: list[tuple[int, int | None]], nbytes: int, kind: Any = ctypes.c_uint64) -> int:
    """The one offset at which there is, from each address on, the value that belongs to it."""
    places = [
        offset
        for offset in range(0, nbytes, ctypes.sizeof(kind))
        if all(_agrees(kind.from_address(address + offset).value, value) for address, value in samples)
    ]
    _check(len(places) == 1)
    return places[0]


def _agrees(found: int, expected: int | None) -> bool:
    return found != 0 if expected is _NOT_ZERO else found == expected
