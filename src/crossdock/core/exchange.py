"""The doors between the core and host memory, for the rooms above.

Host memory is seen as NumPy arrays on one side and as arrays on a host device on the other; every other copy is one
between two core arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..errors import DeviceError
from . import _core
from ._core import Array, Device, dtype
from ._core import _Reader as Reader
from ._core import _Writer as Writer
from ._dtypes import STANDARD
from ._dtypes import to_numpy as _numpy_dtype

__all__ = [
    'CHUNK_NBYTES',
    'PACK_ALIGNMENT',
    'Ends',
    'Layout',
    'Questions',
    'Reader',
    'TransferHook',
    'Writer',
    'as_numpy',
    'buffer_reader',
    'copy_into',
    'copy_writer',
    'core_reader',
    'core_writer',
    'from_numpy',
    'is_pinned',
    'numpy_reader',
    'numpy_writer',
    'pack',
    'plain_arrays',
    'set_default_device',
    'set_transfer_hook',
    'short_cut',
    'table_reader',
    'table_writer',
    'unpack',
]

#: The largest chunk of a staged copy, and block of packed arrays.
CHUNK_NBYTES: int = _core._CHUNK_NBYTES
#: Where packed arrays begin in their block is a multiple of this.
PACK_ALIGNMENT: int = _core._PACK_ALIGNMENT

_host = _core.device('native:0')
_dtypes: dict[np.dtype[Any], dtype] = {}  # NumPy's dtypes say their names slowly

_Method = TypeVar('_Method', bound=Callable[..., Any])

#: Both ends of a short cut; (None, None) where there is none; None alone is asked for again.
Ends = tuple[Reader, Writer] | tuple[None, None] | None

#: ``hook(op, nbytes, source, target, implicit, host, route)``, called before a transfer; what it raises forbids it. If
#: it returns an object and not None, that one's ``seconds`` are set afterwards, and ``failed = True`` if it failed.
TransferHook = Callable[[str, int, str, str, bool, bool, str], object]


def from_numpy(array: np.ndarray[Any, Any], device: Device | str | None = None) -> Array:
    """See a NumPy array's memory as an array on a host device.

    Parameters
    ----------
    array : numpy.ndarray
        Any byte strides. It is kept alive as long as the result.
    device : Device or str, optional
        A host device; ``native:0`` when omitted.

    Returns
    -------
    Array
        An alias of the same memory, read-only where ``array`` is.

    Raises
    ------
    DtypeError
        For a data type that the core does not have, or in foreign byte order.
    DeviceError
        For a device whose memory is not the host's.
    """
    found = _dtypes.get(array.dtype)
    if found is None:
        found = _dtypes[array.dtype] = _core._dtype(array.dtype)
        if np.dtype(array.dtype.type) is array.dtype:  # one that others have as well, such as that of long long
            _core._learn_numpy_dtype(array.dtype, found, canonical=False)
    return _core._wrap(array, found, _host if device is None else device)


def as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """See a host array as a NumPy array.

    Parameters
    ----------
    array : Array
        On a host device.

    Returns
    -------
    numpy.ndarray
        An alias of the same memory, read-only where ``array`` is. bfloat16, float8 and int4 come in their
        ``ml_dtypes`` types.

    Raises
    ------
    DeviceError
        When the memory is not the host's.
    """
    if not array.device.is_host:
        raise DeviceError(
            f"an array on '{array.device}' has no host memory to see; copy it over with crossdock.to_numpy(x)",
            device=str(array.device),
        )
    dtype = _numpy_dtype(array.dtype.name)
    if dtype.isbuiltin == 1:
        return np.asarray(memoryview(array))
    return np.asarray(memoryview(array._bits())).view(dtype)


def copy_into(
    dst: Array,
    src: Array,
    *,
    source: str | None = None,
    target: str | None = None,
    op: str = 'copy',
    implicit: bool = False,
    blocking: bool = True,
) -> None:
    """Write one core array into another, on any devices and in any layouts.

    Parameters
    ----------
    dst, src : Array
        ``src`` is broadcast to ``dst``'s shape and converted to its dtype as C would, unchecked. Overlap is handled.
    source, target : str, optional
        What a trace calls both ends; the devices' specs when omitted.
    op : str
        What a trace calls the operation.
    implicit : bool
        Whether nobody asked for this transfer by name.
    blocking : bool
        False: return before a host source has been read; it is held until then and must not change.

    Raises
    ------
    ReadOnlyError
        When ``dst`` is read-only.
    DimensionError
        When the shapes do not broadcast.
    """
    _core._copy_into(dst, src, from_=source, to=target, op=op, implicit=implicit, blocking=blocking)


def is_pinned(view: np.ndarray[Any, Any], device: Device) -> bool:
    """Whether a NumPy array is contiguous, and in memory that copies to a device need not wait for.

    Parameters
    ----------
    view : numpy.ndarray
        The array.
    device : Device
        Where it shall go.

    Returns
    -------
    bool
        True for what `crossdock.core.pinned_memory_pool` has given for that kind of device.
    """
    return _core._has_pinned_arrays(device) and _core._is_pinned(device, from_numpy(view))


def pack(blocks: list[list[tuple[Array, dtype]]], device: Device) -> list[Array]:
    """Copy many small arrays to an accelerator, by one allocation and one transfer for each block.

    Parameters
    ----------
    blocks : list of list of (Array, dtype)
        Arrays on host devices, in any layout, and the data types that they become. No more than `CHUNK_NBYTES` in
        each block, counting from each array to the next a multiple of `PACK_ALIGNMENT`.
    device : Device
        An accelerator. The transfer hook is not called.

    Returns
    -------
    list of Array
        In order, C-contiguous; those of a block are views of one allocation. The sources have been read.
    """
    return _core._pack(device, blocks)


def plain_arrays(leaves: list[Any], reader: Reader, device: Device, below_nbytes: int) -> list[Array | None]:
    """See those objects as host arrays that need neither a plan nor Python to be packed.

    Parameters
    ----------
    leaves : list of object
        Anything.
    reader : Reader
        What reads them.
    device : Device
        The accelerator that they are for.
    below_nbytes : int
        The size that they must stay below.

    Returns
    -------
    list of Array or None
        None for objects that the reader does not read, and for arrays that are empty, not C-contiguous, too large,
        in pinned memory, or of bools, which may be bytes other than 0 and 1.
    """
    return _core._plain_arrays(device, leaves, reader, below_nbytes)


def unpack(blocks: list[list[tuple[Array, Array]]], device: Device) -> None:
    """Copy many small arrays of an accelerator to the host, by one transfer for each block, and wait.

    Parameters
    ----------
    blocks : list of list of (Array, Array)
        Arrays on host devices, and arrays of the same shape on `device` that are written into them. Bounded as for
        `pack`, by the narrower data types.
    device : Device
        An accelerator. The transfer hook is not called.
    """
    _core._unpack(device, blocks)


def set_transfer_hook(hook: TransferHook | None) -> None:
    """Install the one hook that is called before every transfer; None removes it."""
    _core._set_transfer_hook(hook)


def set_default_device(function: Callable[[], Device | None] | None) -> Callable[[], Device | None] | None:
    """Install what creation functions ask when they get no ``device``; its None means ``native:0``.

    Returns
    -------
    callable or None
        What was installed before.
    """
    return _core._set_default_device(function)


def short_cut(find: Callable[[Any, type], Ends]) -> Callable[[_Method], _Method]:
    """Give a method of one argument, by decoration, compiled short cuts.

    A call ``receiver.method(array)`` whose receiver and type of array have been met before goes from the `Reader` to
    the `Writer` that were found then, without any Python. All other calls, and those where one of the two cannot tell,
    are calls of the method.

    Parameters
    ----------
    find : callable
        Called as ``find(receiver, type(array))``.

    Returns
    -------
    callable
        The decorator. What it makes has the name, documentation and signature of the method, a method ``forget()`` that
        has everything found again, and ``each(receiver, arrays)``: a list of what the short cuts make of the arrays in
        a list, with None for those that have none.
    """

    def decorate(method: _Method) -> _Method:
        made: Any = functools.update_wrapper(_core._ShortCut(method, find), method)
        return made  # type: ignore[no-any-return]

    return decorate


@functools.cache
def core_reader() -> Reader:
    """Read the core's arrays in host memory."""
    return _core._core_reader()


@functools.cache
def core_writer(device: Device) -> Writer:
    """Make arrays on a device of the core, if its memory is the host's."""
    return _core._core_writer(device)


@functools.cache
def numpy_reader() -> Reader | None:
    """Read NumPy's arrays; None where NumPy is built in a way that is not known here."""
    _teach_dtypes()
    return _core._numpy_reader()


@functools.cache
def numpy_writer() -> Writer | None:
    """Make NumPy's arrays; None as for `numpy_reader`."""
    _teach_dtypes()
    return _core._numpy_writer()


@dataclass(frozen=True)
class Questions:
    """What arrays of a library are asked before they are read through its DLPack exchange table.

    Properties and methods are given as their types have them, such as ``torch.Tensor.is_neg``.

    Attributes
    ----------
    globals, key, quiet : dict, str, object
        Everything is left to the general path while ``globals[key] is not quiet``.
    unless_graph, unless_kind, unless_complex : tuple of property or method
        Arrays for which one of them is not False are left to the general path: those that take part in a graph, those
        that are more than strided memory, and of the latter what only complex arrays can be.
    memory : property or method
        Of an array, what keeps its memory.
    address, nbytes : property or method
        Of that, where the memory begins and how long it is.
    may_move : property or method
        Of that, whether a resize may move the memory elsewhere.
    pin : method
        Of an array, what makes `may_move` False.
    """

    globals: dict[str, Any]
    key: str
    quiet: object
    unless_graph: tuple[Any, ...]
    unless_kind: tuple[Any, ...]
    unless_complex: tuple[Any, ...]
    memory: Any
    address: Any
    nbytes: Any
    may_move: Any
    pin: Any


@dataclass(frozen=True)
class Layout:
    """Where a library's own objects keep the answers to `Questions`, so that they can be read instead of asked for.

    Whoever makes one has tried it out in this process. All but `plain` are offsets in bytes.

    Attributes
    ----------
    tensor : int
        In an array: the address of its tensor.
    keys, graph, memory : int
        In the tensor: 64 bits that say of what kind it is; what it keeps for a graph, 0 if it takes part in none; the
        address of its memory's keeper.
    address, nbytes, may_move : int
        In that: where the memory begins, its length, and a byte that is 0 once a resize cannot move it.
    plain : int
        The `keys` of arrays that are strided memory in the host and nothing else.
    """

    tensor: int
    keys: int
    graph: int
    memory: int
    address: int
    nbytes: int
    may_move: int
    plain: int


def table_reader(array_type: type, questions: Questions, layout: Layout | None = None) -> Reader | None:
    """Read a library's arrays through its DLPack exchange table.

    Parameters
    ----------
    array_type : type
        The type of the arrays, which are all writable.
    questions : Questions
        What each is asked.
    layout : Layout, optional
        Where most answers can be read.

    Returns
    -------
    Reader or None
        None for a type without such a table, or with one that cannot be used.
    """
    return _core._table_reader(array_type, **vars(questions), layout=layout)


def buffer_reader(array_type: type) -> Reader:
    """Read a library's arrays through the buffer protocol.

    Parameters
    ----------
    array_type : type
        The type of the arrays, which never change. Those that do not show their memory so, or not as read-only, are
        left to the general path.
    """
    return _core._buffer_reader(array_type)


def table_writer(
    array_type: type, *, readonly: bool, negative_strides: bool, odd_strides: bool, dtypes: Iterable[str]
) -> Writer | None:
    """Make a library's arrays over host memory through its DLPack exchange table.

    Parameters
    ----------
    array_type : type
        The type of the arrays.
    readonly, negative_strides, odd_strides : bool
        Whether they can be read-only, and have such strides.
    dtypes : iterable of str
        The data types that they can have.

    Returns
    -------
    Writer or None
        None as for `table_reader`.
    """
    return _core._table_writer(
        array_type, readonly=readonly, negative_strides=negative_strides, odd_strides=odd_strides, dtypes=dtypes
    )


def copy_writer(take_over: Callable[[np.ndarray[Any, Any]], Any], dtypes: Iterable[str]) -> Writer | None:
    """Make a library's arrays, which never change, of copies.

    Parameters
    ----------
    take_over : callable
        Makes an array of a NumPy array: contiguous, aligned to 64 bytes, and nobody else holds it.
    dtypes : iterable of str
        The data types that the arrays always can have.

    Returns
    -------
    Writer or None
        None as for `numpy_reader`.
    """
    writer = numpy_writer()
    return None if writer is None else _core._copy_writer(writer, take_over, dtypes)


def _teach_dtypes() -> None:
    for name in STANDARD:
        _numpy_dtype(name)
