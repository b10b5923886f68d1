"""Hear of the copies that JAX makes by itself, as ``float(x)``, ``jax.device_put`` and ``np.asarray(x)`` do.

JAX has no hook for them, so methods of its arrays are replaced while somebody listens, and only then.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from crossdock.devices._replaced import Facts, Hook, Replaced, called, calling, told
from crossdock.errors import TransferForbiddenError

__all__ = ['listen_to', 'stop_listening']

Method = Callable[..., Any]

#: What pulls one value, and what a trace calls it.
_SCALARS = {
    '__float__': 'float',
    '__int__': 'int',
    '__bool__': 'bool',
    '__complex__': 'complex',
    '__index__': 'index',
    'item': 'item',
}
#: What pulls all values.
_PULLS = {'tolist': 'tolist', '__array__': 'asarray', 'tobytes': 'tobytes', '__reduce__': 'pickle'}
#: What makes its way by the methods above.
_CALLERS = {'__format__': 'format', 'nonzero': 'nonzero', '__getitem__': 'getitem'}
_SHOWS = {'__repr__': 'repr', '__str__': 'str'}
#: Functions that bring values to a device, and of these the ones that JAX does not always do in Python.
_PUTS = ('device_put', 'to_device')
_MAKERS = ('array', 'asarray')

_replaced = Replaced()


def listen_to(jax: Any, hook: Hook, spec: Callable[[Any], str]) -> None:
    """Call `hook`, which `Backend.observe` describes, before each of JAX's own copies from now on.

    Parameters
    ----------
    jax : module
        JAX.
    hook : callable
        See `Backend.observe`.
    spec : callable
        The spec of one of JAX's device objects.
    """
    _replaced.put_back()
    # A private place: in a JAX that has it elsewhere, what arrays do by themselves goes unseen.
    array: Any = getattr(sys.modules.get('jax._src.array'), 'ArrayImpl', None)
    old = {} if array is None else vars(array)
    new: dict[str, Any] = {name: _pulling(old[name], op, hook, spec) for name, op in _SCALARS.items() if name in old}
    new |= {name: _pulling(old[name], op, hook, spec, every=True) for name, op in _PULLS.items() if name in old}
    new |= {name: _calling(old[name], op) for name, op in _CALLERS.items() if name in old}
    new |= {name: _showing(old[name], op) for name, op in _SHOWS.items() if name in old}
    if '__contains__' in old:
        new['__contains__'] = _containing(old['__contains__'])
    if isinstance(old.get('_value'), property):
        new['_value'] = property(_pulling(old['_value'].fget, 'value', hook, spec, every=True))
    if 'to_device' in old:
        new['to_device'] = _calling(old['to_device'], 'to_device')
    if array is not None:
        _replaced.replace(array, new)
    put, get = _calling(jax.device_put, 'device_put'), _getting(jax.device_get, hook, spec)
    _replaced.replace(jax, {'device_put': put, 'device_get': get})
    functions = jax.numpy
    _replaced.replace(functions, {name: _making(jax, getattr(functions, name), name, hook, spec) for name in _MAKERS})
    ways: Any = sys.modules.get('jax._src.interpreters.pxla')
    if hasattr(ways, 'batched_device_put'):
        _replaced.replace(ways, {'batched_device_put': _putting(ways.batched_device_put, hook, spec)})


def stop_listening() -> None:
    """Have JAX as it was."""
    _replaced.put_back()


def _pulling(original: Method, op: str, hook: Hook, spec: Callable[[Any], str], *, every: bool = False) -> Method:
    @functools.wraps(original)
    def pull(array: Any, *args: Any, **kwargs: Any) -> Any:
        facts = _pull(array, op, spec, every=every)
        if facts is None:
            with calling(op):
                return original(array, *args, **kwargs)
        with told(hook, facts):
            return original(array, *args, **kwargs)

    return pull


def _pull(array: Any, op: str, spec: Callable[[Any], str], *, every: bool) -> Facts | None:
    """What a pull transfers; None where it pulls nothing."""
    if array.is_deleted() or not array.size or (array.size != 1 and not every):
        return None
    device = next(iter(array.devices()))
    host = _on_host(device)
    if host and every:
        return None
    # What has been pulled before JAX keeps, and nothing moves; a guard should not depend on it.
    moves = not host and getattr(array, '_npy_value', None) is None
    return called(op), array.nbytes if moves else 0, spec(device), '@numpy', True, host


def _calling(original: Method, op: str) -> Method:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        with calling(op):
            return original(*args, **kwargs)

    return call


def _containing(original: Method) -> Method:
    @functools.wraps(original)
    def contains(array: Any, value: Any) -> bool:
        with calling('in'):
            return bool(original(array, value))  # as `in` does with what it gets

    return contains


def _showing(original: Method, op: str) -> Method:
    show_values = _calling(original, op)

    @functools.wraps(original)
    def show(array: Any) -> str:
        try:
            return show_values(array)  # type: ignore[no-any-return]
        except TransferForbiddenError:  # debuggers call it, which a guard must not stop
            return f'Array(<guarded>, shape={array.shape}, dtype={array.dtype.name}, device={array.device})'

    return show


def _getting(original: Method, hook: Hook, spec: Callable[[Any], str]) -> Method:
    @functools.wraps(original)
    def device_get(x: Any) -> Any:
        jax = sys.modules['jax']
        arrays = [
            leaf for leaf in jax.tree_util.tree_leaves(x)
            if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)
        ]  # fmt: skip
        found = [facts for leaf in arrays if (facts := _pull(leaf, 'device_get', spec, every=True)) is not None]
        with told(hook, *((*facts[:4], False, False) for facts in found)):
            return original(x)

    return device_get


def _making(jax: Any, original: Method, op: str, hook: Hook, spec: Callable[[Any], str]) -> Method:
    @functools.wraps(original)
    def make(value: Any, *args: Any, **kwargs: Any) -> Any:
        device = kwargs.get('device') or jax.config.jax_default_device or jax.local_devices()[0]
        if not isinstance(value, np.ndarray | np.generic) or not value.size or not _is_eager(jax):
            return original(value, *args, **kwargs)
        if not isinstance(device, jax.Device) or _on_host(device):  # or a plan for several
            return original(value, *args, **kwargs)
        dtype = jax.dtypes.canonicalize_dtype(kwargs.get('dtype') or (args[0] if args else None) or value.dtype)
        with told(hook, (called(op), value.size * dtype.itemsize, '@numpy', spec(device), False, False)):
            return original(value, *args, **kwargs)

    return make


def _is_eager(jax: Any) -> bool:
    """Whether no function is being traced, in which arrays become constants."""
    clean = getattr(jax._src.core, 'trace_state_clean', None)
    return clean is None or clean()


def _putting(original: Method, hook: Hook, spec: Callable[[Any], str]) -> Method:
    @functools.wraps(original)
    def put(aval: Any, sharding: Any, xs: Any, devices: Any, *args: Any, **kwargs: Any) -> Any:
        op = called('device_put')
        facts: list[Facts] = []
        for x, device in zip(xs, devices) if op in _PUTS and (op == called('') or _is_explicit()) else ():
            source = next(iter(x.devices())) if isinstance(x, sys.modules['jax'].Array) else None
            if not _near(source, device) and math.prod(x.shape):
                start = '@numpy' if source is None else spec(source)
                nbytes = math.prod(x.shape) * aval.dtype.itemsize
                facts.append((op, nbytes, start, spec(device), False, False))
        with told(hook, *facts):
            return original(aval, sharding, xs, devices, *args, **kwargs)

    return put


def _is_explicit() -> bool:
    """Whether JAX is in its own `device_put`, however that was imported.

    What else brings values to a device are arguments of compiled functions, which go unseen from the second call on.
    """
    guards: Any = sys.modules.get('jax._src.lib.guard_lib') or getattr(sys.modules['jax._src.lib'], 'guard_lib', None)
    try:
        return bool(guards.thread_local_state().explicit_device_put)
    except AttributeError:
        return False


def _near(source: Any, device: Any) -> bool:
    return source == device or (_on_host(device) and (source is None or _on_host(source)))


def _on_host(device: Any) -> bool:
    return device.platform == 'cpu'  # type: ignore[no-any-return]
