"""One value on its way into a file: an array of any library, a Python scalar, a string, or None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from crossdock.errors import DtypeError, GraphError, UnknownArrayError

from . import _arrays
from ._advice import PARTS, advice_for
from ._dtypes import refusal

__all__ = ['Leaf', 'SCALARS', 'scalar_array']

SCALARS = (bool, int, float, complex, str, bytes)
_FILLED = '; have None in its place, with device= for where the array goes, or an array, as of zeros'
CHUNK_NBYTES = 4 * 2**20


class Leaf:
    """A value that a file can hold, with its data still where it lives.

    Parameters
    ----------
    value : object
    path : str
        Its key path.
    verb : str
        What cannot be done, for messages.

    Attributes
    ----------
    path : str
    shape : tuple of int
    dtype : numpy.dtype or None
        In native byte order; None when the value is None.
    fortran : bool
        Whether `chunks` gives the data in Fortran order.
    swapped : bool
        Whether the value has the other byte order, which a file never has.
    watch : callable or None
        Called with the size of each piece that is about to be given, in bytes.

    Raises
    ------
    UnknownArrayError
        The value is nothing that a file can hold.
    DtypeError
        It is an array of a type that no file holds: Python objects, fields, unknown extension types.
    GraphError
        It is an array of an unknown library, and takes part in a differentiable graph.
    """

    def __init__(self, value: object, path: str, verb: str = 'save') -> None:
        self.path = path
        self.watch: Callable[[int], object] | None = None
        self._value: Any = None
        self.shape: tuple[int, ...] = ()
        self.dtype: np.dtype[Any] | None = None
        self.fortran = self.swapped = False
        if value is None:
            return
        self._value = _array_of(value, path, verb)
        try:
            dtype = _arrays.dtype_of(self._value)
        except TypeError as error:
            raise DtypeError(
                f'cannot {verb} {path!r}: an array of {self._value.dtype}, which is no data type of numbers; give the'
                ' numbers that it is made of, as jax.random.key_data(key)',
                path=path,
            ) from error
        why = refusal(dtype)
        if why:
            raise DtypeError(f'cannot {verb} {path!r}: an array of {dtype}: {why}', dtype=dtype, path=path)
        self.shape = tuple(int(n) for n in self._value.shape)
        self.swapped = not dtype.isnative
        self.dtype = dtype.newbyteorder('=') if self.swapped else dtype
        if _arrays.is_on_host(self._value):
            self._value = _arrays.to_host(self._value, self.path)
            flags = self._value.flags
            self.fortran = bool(flags.f_contiguous and not flags.c_contiguous)

    @property
    def nbytes(self) -> int:
        """Size of the data, in bytes."""
        count = 1
        for n in self.shape:
            count *= n
        return count * self.dtype.itemsize if self.dtype is not None else 0

    @property
    def on_host(self) -> bool:
        """Whether `host` gives what is in host memory already."""
        return self._value is None or isinstance(self._value, np.ndarray)

    def chunks(self) -> Iterator[np.ndarray[Any, Any]]:
        """The data in the order of `fortran`, as one-dimensional contiguous pieces of at most 8 MiB (at present 4).

        A piece aliases the value's memory where that is dense host memory; it must not be written to.
        """
        if self._value is None or 0 in self.shape:
            return
        for block in _blocks(self._value.T if self.fortran else self._value):
            for piece in _dense(_arrays.to_host(block, self.path), self.dtype):
                if self.watch is not None:
                    self.watch(piece.nbytes)
                yield piece

    def host(self) -> np.ndarray[Any, Any] | None:
        """The whole value as a NumPy array: an alias of host memory, else a copy of its own."""
        return None if self._value is None else _arrays.to_host(self._value, self.path, self.watch)


def scalar_array(value: bool | int | float | complex | str | bytes, path: str) -> np.ndarray[Any, Any]:
    """A Python scalar or string as the 0-d array that stands for it in files.

    Raises
    ------
    DtypeError
        The value does not fit: an int outside 64 bits, text or bytes that end in NUL (which NumPy drops).
    """
    if isinstance(value, str | bytes):
        if value[-1:] in ('\0', b'\0'):
            raise DtypeError(f'cannot save {path!r}: {value[:40]!r} ends in NUL, which files drop', path=path)
        # The base class's own text: an enum that is a string prints as something else.
        return np.array(str.__str__(value) if isinstance(value, str) else bytes(value))
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise DtypeError(f'cannot save {path!r}: an int of {value.bit_length()} bits does not fit in 64', path=path)
    return np.asarray(value)


def _array_of(value: object, path: str, verb: str) -> Any:
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, SCALARS):
        return scalar_array(value, path)
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise DtypeError(f'cannot {verb} {path!r}: a masked array; fill it first', dtype=value.dtype, path=path)
        return np.asarray(value.data)
    if isinstance(value, np.ndarray):
        return np.asarray(value)  # a subclass may index and reshape by rules of its own
    return _known(value, path, verb)


def _known(value: object, path: str, verb: str) -> Any:
    """An array of a known library, from an array of any."""
    try:
        return _arrays.known(value)
    except GraphError as error:
        raise GraphError(f'cannot {verb} {path!r}: {error}; the state_dict() of a module is detached') from None
    except DtypeError as error:
        raise DtypeError(f'cannot {verb} {path!r}: {_said(error, verb)}', dtype=error.dtype, path=path) from error
    except UnknownArrayError as error:
        raise UnknownArrayError(f'cannot {verb} {path!r}: {_why_not(value, error, verb)}', path=path) from error


def _said(error: Exception, verb: str) -> str:
    """What a back-end says, which speaks of sending."""
    if verb == 'load into' and str(error).startswith('a meta tensor'):
        return "a meta tensor has no memory; give its module some first, as by model.to_empty(device='cpu')"
    return str(error).replace('; send ', '; save ') if verb == 'save' else str(error)


def _why_not(value: object, error: UnknownArrayError, verb: str) -> str:
    """Why something is no leaf, and what to do."""
    name = type(value).__name__
    why = str(error).partition('cannot be read as an array: ')[2]
    if why:
        return f'{name} cannot be read as an array: {why}'
    if ' is no array: ' not in str(error) and ' is a container' not in str(error):
        return _said(error, verb)
    advice = advice_for(value)
    if advice is PARTS and isinstance(getattr(value, 'shape', None), tuple) and hasattr(value, 'dtype'):
        return f'{name} has a shape and a data type, and no values that can be read{_FILLED if verb != "save" else ""}'
    return f'{name} is no array, scalar, string or container; {advice}'


def _blocks(x: Any) -> Iterator[Any]:
    """Split an array along its leading axes, until a block is small enough to be pulled to the host."""
    if _arrays.is_on_host(x) or not x.shape or _nbytes(x) <= CHUNK_NBYTES:
        yield x
        return
    rows = x.shape[0]
    step = max(1, CHUNK_NBYTES * rows // _nbytes(x))
    for begin in range(0, rows, step):
        block = x[begin : begin + step]
        yield from _blocks(block[0]) if step == 1 else [block]


def _nbytes(x: Any) -> int:
    count = 1
    for n in x.shape:
        count *= int(n)
    return count * _arrays.dtype_of(x).itemsize


def _dense(host: np.ndarray[Any, Any], dtype: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The elements in C order as dense pieces in native byte order; bools become 0 or 1."""
    step = max(1, CHUNK_NBYTES // dtype.itemsize)
    if host.flags.c_contiguous:
        flat = host.reshape(-1)
        pieces: Iterator[Any] = (flat[begin : begin + step] for begin in range(0, flat.size, step))
    else:
        pieces = _gathered(host, step)
    for piece in pieces:
        if piece.dtype != dtype:
            piece = piece.astype(dtype)
        if dtype.kind == 'b' and piece.view(np.uint8).max() > 1:
            piece = piece.view(np.uint8) != 0
        yield piece


def _gathered(host: np.ndarray[Any, Any], step: int) -> Iterator[np.ndarray[Any, Any]]:
    if host.ndim and host.size > step:
        rows = max(1, host.shape[0] * step // host.size)
        for begin in range(0, host.shape[0], rows):
            block = host[begin : begin + rows]
            yield from _gathered(block[0], step) if block.size > step else [np.ascontiguousarray(block).reshape(-1)]
    else:
        yield np.ascontiguousarray(host).reshape(-1)
