"""What nobody should pass to the core: wrong types, huge numbers, odd arrays, objects that lie or raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import crossdock.core as cx

from ...accelerator import FIRST, SECOND


class Boom(Exception):
    """What hostile objects raise."""


def raises(*_: Any, **__: Any) -> Any:
    raise Boom


# What a special method gives that should give something else.
RUBBISH: list[Callable[..., Any]] = [
    raises,
    lambda *_, **__: None,
    lambda *_, **__: 'x',
    lambda *_, **__: -1,
    lambda *_, **__: 2**100,
    lambda *_, **__: object(),
    lambda self, *_, **__: self,
    lambda *_, **__: iter(()),
    lambda *_, **__: (1, 2),
    lambda *_, **__: {'shape': (2**62,), 'typestr': '<f8', 'data': (1, False), 'version': 3},
]
METHODS = [
    '__index__',
    '__len__',
    '__getitem__',
    '__iter__',
    '__float__',
    '__int__',
    '__complex__',
    '__bool__',
    '__array__',
    '__dlpack__',
]
METHODS += [
    '__dlpack_device__',
    '__repr__',
    '__eq__',
    '__hash__',
    '__array_interface__',
    '__array_namespace__',
    '__buffer__',
]
METHODS += ['core_device', 'dtype', 'shape', '__numpy_dtype__', '__contains__', '__next__']
BASES: list[type] = [object, list, tuple, dict, int, float, complex, str, np.ndarray, np.float64]


def liar(base: type, method: str, behaviour: Callable[..., Any], as_property: bool) -> Any:
    """An object one method of which does not what it should."""
    kind = type('Liar', (base,), {method: property(behaviour) if as_property else behaviour})
    return kind((2,)) if base is np.ndarray else kind()


def numbers() -> list[Any]:
    plain = [True, 0, 1, -1, 3, 2**31, -(2**31), 2**62, 2**63, -(2**63), 2**64, 10**400, 10**5000]
    reals = [0.5, -0.0, 1e308, float('nan'), float('inf'), -float('inf'), 1j, complex('nan')]
    scalars = [np.float32(3), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.longdouble(1), np.datetime64('nat')]
    return plain + reals + scalars


def others() -> list[Any]:
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    texts = ['', 'float32', 'float', 'native:0', FIRST, 'cuda:0', 'sim:99', '\ud800', 'a\0b', b'x', bytearray(b'xyz')]
    sequences = [(), (0,), (1, 2), (-1,), (2**62, 4), (2**62,), (2**70,), [0, 1], [[1], [2, 3]], {}, {1}, range(3)]
    sequences += [(0, 0), (0, 1), [None], ['a'], (1,) * 65, (1,) * 1000, [[]], [True, False], (1.5,), ('x',)]
    slices = [
        slice(None),
        slice(5, -5, -1),
        slice(0, 2**70, 3),
        slice(1, 2, 0),
        slice('a'),
        ...,
        (..., ...),
        (None,) * 70,
    ]
    things = [None, object(), int, float, bool, np.float64, np.dtype('M8[s]'), cx.float32, cx.int4, len, NotImplemented]
    things += [cx.device('native:0'), memoryview(b'abc'), iter([1]), Exception(), lambda: 1]
    arrays = [np.zeros(3), np.zeros((2, 3), '>f4'), np.array(['a']), np.array(1), np.zeros((0, 3)), frozen]
    arrays += [np.zeros((1,) * 64), np.array([object()]), np.zeros(2, 'i4,i4'), np.ma.array([1, 2], mask=[0, 1])]
    return texts + sequences + slices + things + arrays


def core_arrays(device: str) -> list[cx.Array]:
    """Right type, odd in other ways; `huge` ones are last, see `HUGE`."""
    line = cx.arange(6, device=device)
    elsewhere = SECOND if device != SECOND else FIRST
    return [
        cx.zeros((), device=device),
        cx.zeros((0, 4), dtype='int8', device=device),
        cx.zeros((1,) * 64, device=device),
        cx.broadcast_to(cx.zeros((1,) * 64, dtype='bool', device=device), (1,) * 63 + (3,)),
        line[::-2],
        cx.broadcast_to(line[:1], (4, 3)),
        cx.ones((2, 2), device=device)._as_readonly(),
        cx.full((3, 2), 2, dtype='bfloat16', device=device).T,
        cx.ones(3, dtype='float16', device=device),
        cx.ones(3, dtype='float8_e4m3fn', device=device),
        cx.ones(2, dtype='int4', device=device),
        cx.ones(2, dtype='complex64', device=device),
        cx.asarray([np.nan, np.inf, -np.inf, 1e300], device=device),
        cx.full(2, 2**64 - 1, dtype='uint64', device=device),
        cx.full(3, -(2**63), dtype='int64', device=device),
        cx.asarray([True, False, True], device=device),
        cx.ones(3, device='native:1'),
        cx.ones((2, 2), device=elsewhere),
        cx.broadcast_to(cx.ones((), device=device), (2**31, 2**28)),
        cx.zeros((2**62 // 8, 0), device=device),
        cx.broadcast_to(cx.ones((), dtype='int8', device=device), (2**62,)),
    ]


HUGE = 3
