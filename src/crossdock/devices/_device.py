"""`Device`: the name of a place where arrays can live, as a cached value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from crossdock.core.exchange import short_cut
from crossdock.devices import _registry
from crossdock.devices._backend import Backend, MemoryInfo
from crossdock.devices._send import send

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import DTypeLike

    from crossdock.core.exchange import Ends
    from crossdock.transfer import PlaceFacts, Progress

__all__ = ['Device']


def _find_ends(device: Device, array_type: type) -> Ends:
    source = _registry.owner(array_type)
    if source is None:
        return None
    if source is device._backend and device._place.immutable:  # a copy, unless it lives there
        return None, None
    reader, writer = source.reader(array_type), device._backend.writer(device._place.suffix)
    return (reader, writer) if reader is not None and writer is not None else (None, None)


class Device:
    """The name of a place where arrays can live.

    A device is a frozen value and there is one object for each: ``get_device(str(d)) is d``, also after pickling and
    copying. It is equal to itself only, never to a string.

    Parameters
    ----------
    spec : str, int or device
        As for `get_device`, which this is another way to call.

    Attributes
    ----------
    name : str
        The canonical spec; ``str(device)`` gives it too.
    kind : str
        'numpy', 'native', 'sim', ...
    index : int or None
        Its number among those of its kind; None where there is only one.

    Examples
    --------
    >>> from crossdock import get_device
    >>> device = get_device('native')
    >>> device, str(device), device.kind, device.index
    (<CoreDevice native:0>, 'native:0', 'native', 0)
    >>> get_device(str(device)) is device
    True
    """

    __slots__ = ('_backend', '_place', 'index', 'kind', 'name')

    name: str
    kind: str
    index: int | None
    _backend: Backend
    _place: PlaceFacts

    def __new__(cls, spec: Any) -> Self:
        from crossdock.devices._lookup import get_device

        device = get_device(spec)
        if not isinstance(device, cls):
            raise TypeError(f'{device!r} is no {cls.__name__}')
        return device

    @classmethod
    def _make(cls, backend: Backend, suffix: str) -> Self:
        """A new device; for the cache alone."""
        device = object.__new__(cls)
        for name, value in (
            ('name', backend.spec(suffix)),
            ('kind', backend.kind),
            ('index', backend.index_of(suffix)),
            ('_backend', backend),
            ('_place', backend.place(suffix)),
        ):
            object.__setattr__(device, name, value)
        return device

    @classmethod
    def from_array(cls, array: Any) -> Self | None:
        """The device where an array lives.

        Parameters
        ----------
        array : object
            Anything.

        Returns
        -------
        Device or None
            None if `array` is no array, or lives on a device of another class than this one.

        Examples
        --------
        >>> import numpy as np
        >>> from crossdock import CoreDevice, CpuDevice
        >>> CpuDevice.from_array(np.zeros(3)), CoreDevice.from_array(np.zeros(3))
        (<CpuDevice (numpy)>, None)
        """
        from crossdock.devices._lookup import device_of

        device = device_of(array)
        return device if isinstance(device, cls) else None

    @property
    def xp(self) -> ModuleType:
        """The namespace of functions for arrays that live here. Imports the library."""
        return self._backend.xp

    @property
    def supported_array_types(self) -> tuple[type, ...]:
        """The types of arrays that live here. Imports the library."""
        _ = self._backend.xp
        return self._backend.array_types()

    @property
    def physical(self) -> str:
        """Which memory. Two devices with the same value exchange arrays without a copy."""
        return self._place.physical

    @property
    def fallback_device(self) -> Device:
        """The device that runs what this one has no function for.

        Raises
        ------
        DeviceError
            There is none.
        """
        return Device(self._backend.fallback_spec(self._place.suffix))

    @property
    def native(self) -> Any:
        """The library's own device object; None if it has none."""
        return self._backend.native_device(self._place.suffix)

    def is_array_supported(self, array: Any) -> bool:
        """Whether `array` lives here, so that functions of `xp` take it as it is."""
        from crossdock.devices._lookup import device_of

        device = device_of(array)
        return device is not None and device._place.home == self._place.home

    @short_cut(_find_ends)
    def send(
        self,
        tree: Any,
        *,
        copy: bool | None = None,
        dtype: DTypeLike | None = None,
        blocking: bool = True,
        progress: Progress = False,
    ) -> Any:
        """Bring arrays here.

        Where the memory is the same, the result is a view of it and keeps its read-only flag; an array that lives here
        already is returned itself.

        Parameters
        ----------
        tree : array or nesting of arrays
            Lists, tuples, named tuples, dicts, dataclasses and types registered with optree are walked; None stays
            None. An object met twice becomes one object. Python scalars become 0-d arrays of the device's default
            dtype, NumPy scalars keep theirs. Arrays of libraries unknown here are read by DLPack,
            ``__cuda_array_interface__``, ``__array_interface__``, the buffer protocol or ``__array__``, in that order.
        copy : bool, optional
            True: share no memory with the source. False: refuse where a copy is needed. None: as is cheapest.
        dtype : dtype, optional
            Convert every array to this data type, unchecked except that imaginary parts are not dropped.
        blocking : bool
            Whether to wait until the sources have been read, so that they may be changed.
        progress : bool or callable
            True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.

        Returns
        -------
        array or nesting of arrays
            Of the same structure, on this device, in the order of its current stream.

        Raises
        ------
        CopyRequiredError
            ``copy=False`` and a copy is needed.
        UnknownArrayError
            A leaf is no array that can be read; the error names its path in the tree.
        DtypeError
            A leaf has a data type that cannot travel, or that this device lacks.
        GraphError
            A leaf takes part in a differentiable graph that would be lost.
        TypeError
            The tree contains itself.

        Notes
        -----
        All or nothing: when one leaf is refused, nothing has moved. With ``blocking=False``, the bytes that `progress`
        is told of have been handed over, and may still be on their way.

        Examples
        --------
        >>> import numpy as np
        >>> from crossdock import get_device
        >>> x = np.arange(3.0)
        >>> y = get_device('native').send({'weights': [x, x], 'step': 1, 'note': None})
        >>> y['weights'][0] is y['weights'][1], y['note']
        (True, None)
        >>> x[0] = 7
        >>> float(y['weights'][0][0])
        7.0
        """
        return send(
            *(self._backend, self._place, tree),
            copy=copy,
            dtype=dtype,
            blocking=blocking,
            progress=progress,
            short=self._send_short,
        )

    def _send_short(self, arrays: list[Any]) -> list[Any]:
        """Those that only change hands; None for the others."""
        return type(self).send.each(self, arrays)  # type: ignore[attr-defined, no-any-return]

    def use(self) -> None:
        """Make this the default device of the process, which every thread and context without `using_device` sees."""
        from crossdock.devices._context import set_default

        set_default(self)

    def synchronize(self) -> None:
        """Wait until all work queued here is done."""
        self._backend.synchronise(self._place.suffix)

    def memory_info(self) -> MemoryInfo:
        """Free, total, used and pooled bytes; None for what the library does not tell.

        Examples
        --------
        >>> from crossdock import get_device
        >>> get_device('@numpy').memory_info().total > 0
        True
        """
        return self._backend.memory_info(self._place.suffix)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f'<{type(self).__name__} {self.name}>'

    def __reduce__(self) -> tuple[Any, ...]:
        from crossdock.devices._lookup import restore

        return restore, (self.name, self._backend.host_spec)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f'a {type(self).__name__} is a value and cannot be changed')

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f'a {type(self).__name__} is a value and cannot be changed')

    def __enter__(self) -> None:
        raise TypeError(
            f'a device is no context; write `with using_device({self.name!r}):`, or call its use() to make it the '
            'default of the process'
        )

    def __exit__(self, *exception: object) -> None:
        raise AssertionError('never entered')


_registry.on_replaced(lambda kind: Device.send.forget())  # type: ignore[attr-defined]
