"""Bring arrays to a library by its name: `to_numpy`, `to_cpu`, `to_gpu`, `to_core`, `from_core`."""

from __future__ import annotations

from typing import Any

from crossdock.devices._context import current_device
from crossdock.devices._device import Device
from crossdock.devices._leaf import Leaf
from crossdock.devices._lookup import get_device
from crossdock.devices._send import End, prepare, run_prepared, send
from crossdock.errors import DeviceError
from crossdock.transfer import Progress

__all__ = ['from_core', 'to_core', 'to_cpu', 'to_gpu', 'to_numpy']


def to_numpy(tree: Any, *, copy: bool | None = None, detach: bool = False, progress: Progress = False) -> Any:
    """Bring arrays to NumPy.

    Parameters
    ----------
    tree : array or nesting of arrays
        As for `Device.send`.
    copy : bool, optional
        As for `Device.send`.
    detach : bool
        Leave differentiable graphs behind, instead of refusing arrays that take part in one.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    numpy.ndarray or nesting of these
        Views of arrays in host memory, copies of all others. Has waited for the values.

    Raises
    ------
    GraphError
        An array takes part in a differentiable graph and ``detach=False``.
    CrossdockError
        As `Device.send`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> xd.to_numpy({'w': xd.get_device('sim:0').send(np.arange(3))})
    {'w': array([0, 1, 2])}
    """
    device = get_device('@numpy')
    return send(device._backend, device._place, tree, copy=copy, detach=detach, progress=progress, what='to_numpy')


def to_cpu(tree: Any, *, progress: Progress = False) -> Any:
    """Bring arrays to NumPy; `to_numpy` by its familiar name.

    Parameters
    ----------
    tree : array or nesting of arrays
        As for `Device.send`.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    numpy.ndarray or nesting of these
        As from `to_numpy`.
    """
    return to_numpy(tree, progress=progress)


def to_gpu(tree: Any, device: Any = None, *, progress: Progress = False) -> Any:
    """Bring arrays to a GPU, through CuPy.

    Parameters
    ----------
    tree : array or nesting of arrays
        As for `Device.send`.
    device : int, str or Device, optional
        Which GPU. The current device if that is one of CuPy's, else ``@cupy:0``.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    cupy.ndarray or nesting of these
        The arrays themselves where they are there already.

    Raises
    ------
    DeviceUnavailableError
        CuPy is not installed, or there is no such GPU.
    TypeError
        `device` is no GPU of CuPy's.
    """
    if device is None:
        current = current_device()
        device = current if current.kind == 'cupy' else '@cupy:0'
    target = get_device(device)
    if target.kind != 'cupy':
        raise TypeError(f'to_gpu brings arrays to CuPy, and {target} is no device of its; use get_device(...).send')
    return target.send(tree, progress=progress)


def to_core(tree: Any) -> Any:
    """View arrays as arrays of the core, in the memory where they are. Copies nothing.

    Parameters
    ----------
    tree : array or nesting of arrays
        As for `Device.send`.

    Returns
    -------
    crossdock.core.Array or nesting of these
        On ``native:0`` for host memory and on ``cuda:N`` for that of GPU N; an array of the core's is returned itself.

    Raises
    ------
    DeviceError
        No device of the core's reaches the memory.
    CrossdockError
        As `Device.send`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> x = np.zeros(3)
    >>> y = xd.to_core(x)
    >>> x[0] = 7
    >>> float(y[0]), str(y.device)
    (7.0, 'native:0')
    """
    native = get_device('native:0')
    return run_prepared(prepare(tree, _core_end, scalars=native._backend, copy=False))


def from_core(tree: Any) -> Any:
    """View arrays of the core as arrays of the library that shares their memory. Copies nothing.

    Parameters
    ----------
    tree : array of the core, or nesting of these
        Arrays of other libraries are returned as they are.

    Returns
    -------
    array or nesting of arrays
        NumPy arrays for ``native``, CuPy arrays for ``cuda``.

    Raises
    ------
    DeviceError
        No library reaches the memory, as that of ``sim``; use `to_numpy`, which copies.

    Examples
    --------
    >>> import numpy as np
    >>> import crossdock as xd
    >>> x = np.arange(3)
    >>> y = xd.from_core(xd.to_core(x))
    >>> type(y).__name__, np.shares_memory(x, y)
    ('ndarray', True)
    """
    numpy = get_device('@numpy')
    return run_prepared(prepare(tree, _end_outside_core, scalars=numpy._backend, copy=False))


def _core_end(leaf: Leaf) -> End:
    place = leaf.facts.place
    if place.library == 'core':
        return _end(get_device(place.device))
    device = get_device('native:0')
    if place.physical != device.physical:
        # The memory of an accelerator bears the name that the core has for its device.
        try:
            device = get_device(place.physical)
        except ValueError:
            raise DeviceError(
                f'no device of the core reaches the memory of {place.device}; use get_device(...).send, which copies',
                device=place.device,
            ) from None
    return _end(device)


def _end_outside_core(leaf: Leaf) -> End:
    device = get_device(leaf.facts.place.device)
    return _end(device.fallback_device if leaf.facts.place.library == 'core' else device)


def _end(device: Device) -> End:
    return End(device._backend, device._place)
