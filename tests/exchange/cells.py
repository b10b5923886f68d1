"""Every ordered pair of libraries x data type x layout: what `send` does there, observed.

Used by `test_matrix.py`, which says what it has to be, and by `docs/_exchange.py`, which makes a page of it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import crossdock as xd
from crossdock import errors

sys.path.insert(0, str(Path(__file__).parents[1]))
from accelerator import FIRST

SPECS = ('@numpy', 'native:0', FIRST, '@torch:cpu', '@jax:0')

DTYPES = (
    *('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'),
    *('float16', 'float32', 'float64', 'complex64', 'complex128'),
    *('bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz', 'float8_e8m0fnu'),
    *('float8_e3m4', 'float8_e4m3', 'float8_e4m3b11fnuz', 'int4', 'uint4'),
)

ROUTES = {'same object': 'same', 'alias': 'alias'}  # all others copy


def _misaligned(a: np.ndarray) -> np.ndarray:
    memory = np.zeros(a.nbytes + 65, 'u1')
    start = -memory.ctypes.data % 64 + 1
    own = memory[start : start + a.nbytes].view(a.dtype).reshape(a.shape)
    own[...] = a
    return own


def _odd_steps(a: np.ndarray) -> np.ndarray:
    records = np.zeros(a.shape[0], [('value', a.dtype), ('gap', 'u1')])
    records['value'] = a[:, 0]
    return records['value']


def _size_one(a: np.ndarray) -> np.ndarray:
    return np.ndarray((1, 4), a.dtype, a, strides=(3, a.itemsize))


def _readonly(a: np.ndarray) -> np.ndarray:
    a.flags.writeable = False
    return a


#: Layouts as NumPy makes them from a C-contiguous array of shape (6, 4).
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    'C order': lambda a: a,
    'F order': lambda a: a.T,
    'strided': lambda a: a[::2, 1:3],
    'negative strides': lambda a: a[::-1, ::-2],
    'broadcast': lambda a: np.broadcast_to(a[0], (6, 4)),
    'read-only': _readonly,
    'misaligned': _misaligned,
    'odd steps': _odd_steps,
    'size-1 axis with odd stride': _size_one,
    'zero size': lambda a: a[:0],
    '0-d': lambda a: a[2, 3, ...],
}

#: Layouts that arrays of a library can have, where they cannot have all.
LIMITED = {
    FIRST: ('C order', 'F order', 'strided', 'negative strides', 'broadcast', 'zero size', '0-d'),
    '@torch:cpu': ('C order', 'F order', 'strided', 'broadcast', 'misaligned', 'odd steps', 'zero size', '0-d'),
    '@jax:0': ('C order', 'zero size', '0-d'),
}


@dataclass(frozen=True)
class Cell:
    """What happened to one array on its way from one library to another."""

    source: str
    target: str
    dtype: str
    layout: str
    route: str  # 'same', 'alias', 'copy', 'refuse'
    readonly: bool | None = None
    why: str = ''


def values(dtype: str) -> np.ndarray:
    """A C-contiguous array of shape (6, 4) with any bits that the type has."""
    rng = np.random.default_rng(24)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    if dtype in ('int4', 'uint4', 'bool'):
        low, high = {'int4': (-8, 8), 'uint4': (0, 16), 'bool': (0, 2)}[dtype]
        return rng.integers(low, high, (6, 4)).astype(kind)
    return rng.integers(0, 256, 24 * kind.itemsize, dtype='u1').view(kind).reshape(6, 4)


def make(spec: str, dtype: str, layout: str) -> tuple[Any, np.ndarray] | None:
    """An array of that library with that type and layout, and the values that it has; None if there is none."""
    want = LAYOUTS[layout](values(dtype))
    place = xd.get_device(spec)._place
    if layout not in LIMITED.get(spec, LAYOUTS):
        return None
    if place.dtypes is not None and dtype not in _ever(spec, place.dtypes):
        return None
    with _all_dtypes(spec):
        if spec in ('@numpy', 'native:0'):
            return xd.get_device(spec).send(want), want
        if layout == 'broadcast' and spec == '@torch:cpu':
            return xd.get_device(spec).send(values(dtype)[0]).expand(6, 4), want
        if spec == FIRST:
            return _on_sim(values(dtype), layout), want
        x = xd.get_device(spec).send(want)
    facts = xd.get_device(spec)._backend.facts(x)
    return (x, want) if facts.strides_nbytes == want.strides and not _readonly_lost(want, facts) else None


def _on_sim(host: np.ndarray, layout: str) -> Any:
    base = xd.get_device(FIRST).send(host)
    return xd.core.broadcast_to(base[0], (6, 4)) if layout == 'broadcast' else LAYOUTS[layout](base)


def _readonly_lost(want: np.ndarray, facts: Any) -> bool:
    return not want.flags.writeable and not facts.readonly


def _ever(spec: str, dtypes: Any) -> Any:
    return {*dtypes, 'int64', 'uint64', 'float64', 'complex128'} if spec.startswith('@jax') else dtypes


@contextlib.contextmanager
def _all_dtypes(spec: str) -> Iterator[None]:
    """Where types are a matter of a flag, arrays of them can have been made while it was set."""
    if not spec.startswith('@jax'):
        yield
        return
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update('jax_enable_x64', True)
    try:
        yield
    finally:
        jax.config.update('jax_enable_x64', before)


def bits(x: Any) -> bytes:
    """The elements in C order."""
    return np.ascontiguousarray(xd.to_numpy(x)).tobytes()


def share(x: Any, y: Any) -> bool:
    """Whether two arrays lie in the same host memory."""
    one, other = xd.to_numpy(x), xd.to_numpy(y)
    return np.may_share_memory(one, other)


def observe(source: str, target: str, dtype: str, layout: str) -> Cell | None:
    """Send one array, and check that plan and outcome agree and that no value has changed.

    None if the source has no such array.
    """
    made = make(source, dtype, layout)
    if made is None:
        return None
    x, want = made
    device = xd.get_device(target)
    try:
        plan = xd.plan(x, device)
    except errors.DtypeError as error:
        _check_refused(x, device, str(error))
        return Cell(source, target, dtype, layout, 'refuse', why=_cut(str(error)))
    y = device.send(x)
    facts = device._backend.facts(y)
    where = (source, target, dtype, layout, str(plan))
    assert facts.place.device == device.name and facts.dtype == want.dtype and facts.shape == want.shape, where
    assert bits(y) == want.tobytes(), where
    assert plan.zero_copy == (plan.nbytes_moved == 0 and plan.nbytes_allocated == 0) or not want.size, where
    if plan.route == 'same object':
        assert y is x, where
    elif plan.zero_copy:
        assert not want.size or share(x, y), where
    elif want.size and plan.source.place.physical == device.physical == 'host':
        assert not share(x, y), where
    _check_copies(x, device, want, plan.zero_copy, where)
    route = ROUTES.get(plan.route, 'copy')
    why = dict(plan.refused).get('alias', '') if route == 'copy' else ''
    return Cell(source, target, dtype, layout, route, facts.readonly, why)


def _check_refused(x: Any, device: Any, message: str) -> None:
    for options in ({}, {'copy': True}, {'copy': False}):
        try:
            device.send(x, **options)
        except (errors.DtypeError, errors.CopyRequiredError):
            continue
        raise AssertionError(f'planned to refuse, but sent: {message}')


def _check_copies(x: Any, device: Any, want: np.ndarray, zero_copy: bool, where: Any) -> None:
    """``copy=False`` shares or raises, ``copy=True`` never shares."""
    try:
        shared = device.send(x, copy=False)
    except errors.CopyRequiredError:
        assert not zero_copy, where
    else:
        assert zero_copy or device._place.immutable, where
        assert bits(shared) == want.tobytes(), where
    try:
        own = device.send(x, copy=True)
    except errors.DtypeError:
        # It stays where it is, and no copy of it can be made while the flag is off.
        assert x is device.send(x) and not device._place.dtypes >= {want.dtype.name}, where
        return
    assert bits(own) == want.tobytes(), where
    if want.size and device.physical == 'host' and xd.get_device_from_array(x).physical == 'host':
        assert not share(x, own), where


def _cut(message: str) -> str:
    return message.split('; it has ')[0]


def cells() -> Iterator[Cell]:
    """Every cell that exists, in order."""
    for source in SPECS:
        for target in SPECS:
            for layout in LAYOUTS:
                for dtype in DTYPES:
                    cell = observe(source, target, dtype, layout)
                    if cell is not None:
                        yield cell
