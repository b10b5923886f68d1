"""`memoize`: keep what a function gives, for each of its arguments."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from crossdock.devices._cuda_library import is_available, library

__all__ = ['clear_memo', 'memoize']

_Parameters = ParamSpec('_Parameters')
_Result = TypeVar('_Result')

_NOTHING: Any = object()
_NO_DEVICE = -1
#: Ends the positional arguments in a key.
_NAMED = object()


class _Cell:
    """One result, or the place where it will be. Whoever comes while it is being made waits for it."""

    __slots__ = ('lock', 'value')

    def __init__(self) -> None:
        self.value = _NOTHING
        self.lock = threading.RLock()  # a function may call itself


class _Memo:
    """The results of one function."""

    def __init__(self) -> None:
        self._cells: dict[Any, _Cell] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        cells = self._cells
        cell = cells.get(key)
        if cell is None:
            cell = cells.setdefault(key, _Cell())
        value = cell.value
        if value is not _NOTHING:
            return value
        with cell.lock:
            if cell.value is _NOTHING:
                try:
                    cell.value = make()
                except BaseException:
                    if cells.get(key) is cell:
                        del cells[key]
                    raise
            return cell.value

    def clear(self) -> None:
        # Not emptied: what is being made now belongs to the time before.
        self._cells = {}


#: Weak, so that a function that is made inside another one goes with all its results.
_memos: weakref.WeakSet[_Memo] = weakref.WeakSet()
_lock = threading.Lock()


def memoize(
    for_each_device: bool = False,
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """A decorator that keeps what a function gives, for each of its arguments.

    Works with and without a GPU. Threads that ask for the same result at once get the same object, made once. The
    results live as long as the function, or until `clear_memo`; an error is not kept.

    Parameters
    ----------
    for_each_device : bool
        Keep apart the results under each of CuPy's current devices, for such as belong to one.

    Returns
    -------
    callable
        The decorator. The arguments of the function that it gives have to be hashable. Those that are equal but of
        different types, as 1 and 1.0, are told apart.

    Examples
    --------
    >>> from crossdock.devices import cuda
    >>> @cuda.memoize()
    ... def table(size):
    ...     print('made')
    ...     return list(range(size))
    >>> table(3) is table(3)
    made
    True
    >>> cuda.clear_memo()
    """
    if not isinstance(for_each_device, bool):
        raise TypeError('memoize is called before it decorates: write @memoize(), not @memoize')

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        memo = _Memo()
        with _lock:
            _memos.add(memo)

        @functools.wraps(function)
        def remembered(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
            key = _key(function, _current_device_id() if for_each_device else _NO_DEVICE, args, kwargs)
            result: _Result = memo.get(key, lambda: function(*args, **kwargs))
            return result

        return remembered

    return decorate


def clear_memo() -> None:
    """Forget the results of every function that `memoize` decorates.

    What is being made by another thread meanwhile is given to those who wait for it, and not kept.
    """
    with _lock:
        memos = list(_memos)
    for memo in memos:
        memo.clear()


def _key(function: Callable[..., Any], device_id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    named = tuple(sorted(kwargs.items()))
    values = (*args, *(value for _, value in named))
    key = (device_id, args, _NAMED, named, tuple(map(type, values)))
    try:
        hash(key)
    except TypeError as error:
        raise TypeError(
            f'{getattr(function, "__qualname__", function)} is memoized, so its arguments have to be hashable: '
            f'{error}; give tuples in place of lists'
        ) from None
    return key


def _current_device_id() -> int:
    return int(library().cuda.runtime.getDevice()) if is_available() else _NO_DEVICE
