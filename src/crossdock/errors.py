"""What can go wrong, as one tree.

Every error of ours derives from `CrossdockError` and from the builtin that fits, so that code which knows nothing of
this project still catches it::

    CrossdockError(Exception)
      SpecError(ValueError)                  a device spec outside the grammar
        SpecTypeError(TypeError)             a device spec of a wrong type
      DeviceError(RuntimeError)              something about a device
        DeviceUnavailableError               a known kind of device that is not here
        MixedDevicesError(TypeError)         arguments on several devices or of several libraries
        TransferForbiddenError               a transfer guard said no
        OutOfMemoryError(MemoryError)        a device has no room left
        AsyncDeviceError                     an earlier operation failed, found at a later synchronisation
          AsyncLinAlgError(LinAlgError)      ... on a matrix that is singular, or the like
          AsyncIndexError(IndexError)        ... on an index out of bounds
      UnknownArrayError(TypeError)           not an array that can be read
      DtypeError(TypeError)                  a data type that does not fit
      ProgressError(TypeError)               a ``progress=`` that nothing can be told by
      DimensionError(ValueError)             shapes or axes that do not fit
      LinAlgError(numpy's LinAlgError)       a matrix that is singular, or has no such factorization
      GraphError(TypeError)                  would cut a differentiable graph
      StaleGraphError(RuntimeError)          a graph whose saved arrays have changed or are freed
      CopyRequiredError(BufferError, ValueError)
                                             ``copy=False`` where a copy is needed
      ReadOnlyError(ValueError)              a write into a read-only array
      CorruptFileError(ValueError)           a file, or a part of one, that cannot be read
        UnsupportedFileError                 ... for it is of a kind that is not read here
      ClosedFileError(ValueError)            a file that was open is closed
      FormatError(ValueError)                a file format that cannot hold a value
      StrictLoadError(ValueError)            a file and a target that do not match

Each carries its facts as attributes; a fact that is not known is ``None`` (or empty, for a collection).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    'CrossdockError',
    'SpecError',
    'SpecTypeError',
    'DeviceError',
    'DeviceUnavailableError',
    'MixedDevicesError',
    'TransferForbiddenError',
    'OutOfMemoryError',
    'AsyncDeviceError',
    'AsyncLinAlgError',
    'AsyncIndexError',
    'UnknownArrayError',
    'DtypeError',
    'ProgressError',
    'DimensionError',
    'LinAlgError',
    'GraphError',
    'StaleGraphError',
    'CopyRequiredError',
    'ReadOnlyError',
    'CorruptFileError',
    'UnsupportedFileError',
    'ClosedFileError',
    'FormatError',
    'StrictLoadError',
]


class CrossdockError(Exception):
    """Base of every error that crossdock raises of its own."""

    def __init__(self, message: str = '', **facts: Any) -> None:
        super().__init__(message)
        for name, value in facts.items():
            if not hasattr(type(self), name):
                raise TypeError(f'{type(self).__name__} has no fact {name!r}')
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # BaseException keeps only positional arguments; the facts travel as the instance's state.
        return type(self), (str(self.args[0]) if self.args else '',), self.__dict__


class SpecError(CrossdockError, ValueError):
    """A device spec that the grammar does not know.

    Attributes
    ----------
    spec : object
        The value as it was given.
    known : tuple of str
        The kinds that can be written.
    nearest : str or None
        The spec that was most likely meant.
    """

    spec: Any = None
    known: tuple[str, ...] = ()
    nearest: str | None = None


class SpecTypeError(SpecError, TypeError):
    """A device spec of a type that cannot name a device."""


class DeviceError(CrossdockError, RuntimeError):
    """Something about a device.

    Attributes
    ----------
    device : str or None
        The spec of the device concerned.
    devices : tuple of str
        All devices concerned, when there are several.
    """

    device: str | None = None
    devices: tuple[str, ...] = ()


class DeviceUnavailableError(DeviceError):
    """A device of a known kind that is not here.

    Attributes
    ----------
    reason : str
        Why: library not installed, no driver, index out of range.
    count : int or None
        How many devices of the kind there are, where that is known.
    """

    reason: str = ''
    count: int | None = None


class MixedDevicesError(DeviceError, TypeError):
    """Arguments that live on several devices or belong to several libraries.

    Attributes
    ----------
    arguments : sequence of (position, str)
        Each array argument's position and the spec of its device.
    """

    arguments: Sequence[tuple[Any, str]] = ()


class TransferForbiddenError(DeviceError):
    """A transfer that the guard in force forbids.

    Attributes
    ----------
    transfer : object
        The facts of the transfer.
    """

    transfer: Any = None


class OutOfMemoryError(DeviceError, MemoryError):
    """A device has no room for an allocation.

    Attributes
    ----------
    requested, free, pooled : int or None
        Bytes asked for, bytes that the device could still give, bytes that its pool holds unused.
    """

    requested: int | None = None
    free: int | None = None
    pooled: int | None = None


class AsyncDeviceError(DeviceError):
    """An operation that was queued earlier has failed; found when its stream was waited for.

    It comes once, at the next wait for that device, whatever array that wait is for: what was queued behind the failure
    is dropped, and results from there on hold nothing that means anything. Where the cause has a class that code for
    host memory catches, the error is of that class as well: `AsyncLinAlgError`, `AsyncIndexError`. To find the call
    that failed, wait with the device's ``synchronize()`` after each.

    Attributes
    ----------
    op : str or None
        The operation that failed.
    """

    op: str | None = None


class UnknownArrayError(CrossdockError, TypeError):
    """An object that is not an array anybody here can read.

    Attributes
    ----------
    path : str
        Where in the tree it was found; empty for the root.
    """

    path: str = ''


class DtypeError(CrossdockError, TypeError):
    """A data type that does not exist, does not fit, or cannot travel.

    Attributes
    ----------
    dtype : object
        The data type.
    path : str
        Where in the tree it was found; empty for the root.
    """

    dtype: Any = None
    path: str = ''


class ProgressError(CrossdockError, TypeError):
    """A ``progress=`` that is neither a bool nor a function of two numbers of bytes.

    Attributes
    ----------
    progress : object
        What was given.
    """

    progress: Any = None


class DimensionError(CrossdockError, ValueError):
    """Shapes or axes that do not fit together.

    Attributes
    ----------
    shapes : tuple
        The shapes concerned.
    """

    shapes: tuple[Any, ...] = ()


class LinAlgError(CrossdockError, np.linalg.LinAlgError):
    """A matrix that is singular, not positive definite, or whose decomposition does not converge.

    It is a `numpy.linalg.LinAlgError` (and with that a `ValueError`), so that code written for NumPy catches it. On an
    accelerator it comes later, as an `AsyncLinAlgError`, which is one too.
    """


class AsyncLinAlgError(AsyncDeviceError, LinAlgError):
    """An `AsyncDeviceError` whose cause is a `LinAlgError`."""


class AsyncIndexError(AsyncDeviceError, IndexError):
    """An `AsyncDeviceError` whose cause is an IndexError."""


class GraphError(CrossdockError, TypeError):
    """An array that takes part in a differentiable graph, where that would be lost."""


class StaleGraphError(CrossdockError, RuntimeError):
    """A graph that cannot be walked any more: a saved array has changed, or it has been freed."""


class CopyRequiredError(CrossdockError, BufferError, ValueError):
    """A copy is needed and ``copy=False`` forbids it.

    Both words of the array API standard: ``from_dlpack`` says BufferError, ``asarray`` and ``reshape`` say ValueError.

    Attributes
    ----------
    plan : object
        The plan that shows why.
    """

    plan: Any = None


class ReadOnlyError(CrossdockError, ValueError):
    """A write into an array that is read-only."""


class CorruptFileError(CrossdockError, ValueError):
    """A file, or one entry of it, that cannot be read: damaged, contradicting itself, or able to do harm.

    Get it again, or from a backup. Harm is what would run code (a pickle, as in an array of Python objects) or leads
    out of the file (links). What may be whole is an `UnsupportedFileError`, which is one of these, so that one
    ``except`` is enough for whatever a file may hold.

    What is about one entry comes when that entry is asked for; the others can be read.

    Attributes
    ----------
    path : str or None
        The file.
    key : str or None
        The entry in the file; None when it is about all of it.
    reason : str
        Why.
    """

    path: str | None = None
    key: str | None = None
    reason: str = ''


class UnsupportedFileError(CorruptFileError):
    """A file with which nothing may be wrong, of a kind that is not read here; the message says of which, and what
    reads it.
    """


class ClosedFileError(CrossdockError, ValueError):
    """Something was asked of a file that is closed by now, as a lazy array is after its archive.

    Attributes
    ----------
    path : str or None
        The file.
    """

    path: str | None = None


class FormatError(CrossdockError, ValueError):
    """A file format cannot hold what it is given.

    Attributes
    ----------
    refusals : tuple of str
        One line for each value, with its key path.
    """

    refusals: tuple[str, ...] = ()


class StrictLoadError(CrossdockError, ValueError):
    """A file and a target that do not match; every difference is listed at once.

    Attributes
    ----------
    missing, unexpected : tuple of str
        Keys the target wants and the file lacks, and the reverse.
    mismatched : tuple of (key, in_file, wanted)
        Keys whose shape or dtype differs, with both sides.
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Any, ...] = ()
