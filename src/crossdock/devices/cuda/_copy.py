"""Bring arrays to a GPU, away from it, and from one to another."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from crossdock.devices._context import current_device
from crossdock.devices._convert import to_numpy
from crossdock.devices._copyto import copyto
from crossdock.devices._cuda_library import library
from crossdock.devices._device import Device
from crossdock.devices._lookup import get_device
from crossdock.devices._modules import get_device_from_array
from crossdock.devices.cuda._dummy import DummyDeviceType, on_gpu
from crossdock.transfer import Progress

__all__ = ['copy', 'to_cpu', 'to_gpu']


def to_gpu(array: Any, device: Any = None, stream: Any = None, *, progress: Progress = False) -> Any:
    """Bring arrays to a GPU, as arrays of CuPy's.

    Parameters
    ----------
    array : array or nesting of arrays
        As for `crossdock.Device.send`.
    device : int, cupy.cuda.Device, str or Device, optional
        Which GPU. If it is left out, the device in force here if that is one of CuPy's, else CuPy's current one.
    stream : cupy.cuda.Stream, optional
        A stream of that GPU to copy on; CuPy's current one if it is left out.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    cupy.ndarray or nesting of these
        Arrays that are there already are returned themselves. The sources have been read and may be changed; the
        values are there in the order of the stream.

    Raises
    ------
    DeviceUnavailableError
        CuPy or the GPU is not here.
    """
    target = _target(device)
    with _on(stream, target):
        return target.send(array, progress=progress)


def to_cpu(array: Any, stream: Any = None, *, progress: Progress = False) -> Any:
    """Bring arrays to NumPy.

    Parameters
    ----------
    array : array or nesting of arrays
        As for `crossdock.to_numpy`.
    stream : cupy.cuda.Stream, optional
        The stream whose work has to be done first, and on which to copy; CuPy's current one if it is left out.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    numpy.ndarray or nesting of these
        Views of arrays in host memory, copies of others. The values are there.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.devices import cuda
    >>> x = np.arange(3)
    >>> cuda.to_cpu(x) is x
    True
    """
    with _on(stream, None):
        return to_numpy(array, progress=progress)


def copy(array: Any, out: Any = None, out_device: Any = None, stream: Any = None, *, progress: Progress = False) -> Any:
    """Copy an array, on its GPU or to another one.

    Parameters
    ----------
    array : array
        Of any library.
    out : array, optional
        Where to write, on whatever device. `out_device` is not looked at then.
    out_device : int, cupy.cuda.Device, str or Device, optional
        The GPU of the copy. If it is left out, that of `array`, or for an array on no GPU the one that `to_gpu` takes.
    stream : cupy.cuda.Stream, optional
        A stream of the GPU that is written, to copy on; CuPy's current one if it is left out.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

    Returns
    -------
    cupy.ndarray
        `out`, or an array of its own, which shares no memory with `array`.

    Raises
    ------
    DeviceUnavailableError
        CuPy or the GPU is not here.
    DimensionError, DtypeError
        `array` does not fit into `out`.
    """
    if out is not None:
        library()
        with _on(stream, get_device_from_array(out)):
            copyto(out, array, progress=progress)
        return out
    if out_device is None:
        source = get_device_from_array(array)
        out_device = int(source.physical.removeprefix('cuda:')) if on_gpu(source) else None
    target = _target(out_device)
    with _on(stream, target):
        return target.send(array, copy=True, progress=progress)


def _target(device: Any) -> Device:
    cupy = library()
    if device is None or isinstance(device, DummyDeviceType):
        current = current_device()
        return current if current.kind == 'cupy' else get_device(cupy.cuda.Device())
    target = get_device(device)
    if not on_gpu(target):
        raise TypeError(f'{target} is no GPU; give its number, as in to_gpu(x, 0), or @cupy:N')
    return target if target.kind == 'cupy' else get_device(f'@cupy:{target.physical.removeprefix("cuda:")}')


@contextlib.contextmanager
def _on(stream: Any, target: Device | None) -> Iterator[None]:
    """Make a stream CuPy's current one, on its own device, and leave the current device as it was."""
    if stream is None:
        yield
        return
    cupy = library()
    number = stream.device_id
    if number < 0:  # a stream without a device of its own, such as Stream.null: every device has one
        number = int(target.physical.removeprefix('cuda:')) if target and on_gpu(target) else cupy.cuda.Device().id
    if target and on_gpu(target) and target.physical != f'cuda:{number}':
        raise ValueError(
            f'the stream belongs to GPU {number}, and the copy is written on {target}; give one of its own'
        )
    device = cupy.cuda.Device(number)
    before = cupy.cuda.get_current_stream(number)
    with device:
        stream.use()
    try:
        yield
    finally:
        with device:
            before.use()
