"""What is here of Intel's libraries for neural networks on the processor: iDeep (``ideep4py``) and oneDNN.

Importing this module imports none of them.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdock.devices._leaf import unwrap
from crossdock.devices.backends import _intel64
from crossdock.errors import DeviceUnavailableError

if TYPE_CHECKING:
    mdarray: Any

__all__ = ['check_ideep_available', 'inputs_all_ready', 'is_ideep_available', 'is_onednn_available', 'mdarray']


class _NoArray:
    """Stands for `ideep4py.mdarray`, which is not here: no object is one, and none can be made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        check_ideep_available()
        raise AssertionError('taken before iDeep was here')


def is_ideep_available() -> bool:
    """Whether iDeep is here and can be imported.

    Examples
    --------
    >>> from crossdock.devices import intel64
    >>> intel64.is_ideep_available() in (True, False)
    True
    """
    return not _against_ideep()


def is_onednn_available() -> bool:
    """Whether oneDNN's library is here, where its package or the system puts it. Loads nothing."""
    return not _intel64.wrong_machine() and _intel64.has_onednn()


def check_ideep_available() -> None:
    """Raise unless iDeep is here.

    Raises
    ------
    DeviceUnavailableError
        With the reason. It is a RuntimeError.
    """
    reason = _against_ideep()
    if reason:
        instead = '; oneDNN is here, which @intel64 takes as well' if is_onednn_available() else ''
        raise DeviceUnavailableError(f'iDeep is not available here: {reason}{instead}', reason=reason)


def inputs_all_ready(inputs: Iterable[Any], supported_ndim: Collection[int] = (2, 4)) -> bool:
    """Whether all inputs are such as accelerated functions take.

    Parameters
    ----------
    inputs : iterable of array
        Arrays, or wrappers of these.
    supported_ndim : collection of int
        The numbers of axes that the function takes.

    Returns
    -------
    bool
        True if iDeep or oneDNN is here and each input is an array of NumPy's or iDeep's, of float32, not empty, with
        one of these numbers of axes. False for anything else, and never an error.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.devices import intel64
    >>> intel64.inputs_all_ready([np.zeros((2, 3), 'float64')])
    False
    """
    if not (is_onednn_available() or is_ideep_available()):
        return False
    return all(_is_ready(unwrap(value), supported_ndim) for value in inputs)


def _is_ready(array: Any, supported_ndim: Collection[int]) -> bool:
    if not issubclass(type(array), np.ndarray | _mdarray()):
        return False
    return bool(array.dtype == np.float32 and array.ndim in supported_ndim and array.size > 0)


def _mdarray() -> type:
    if not is_ideep_available():
        return _NoArray
    found: type = importlib.import_module('ideep4py').mdarray
    return found


@functools.cache
def _against_ideep() -> str:
    wrong = _intel64.wrong_machine()
    if wrong:
        return wrong
    if importlib.util.find_spec('ideep4py') is None:
        return 'ideep4py is not installed; pip install ideep4py'
    try:
        importlib.import_module('ideep4py')
    except Exception as error:  # its compiled part may fail in any way
        return f'ideep4py cannot be imported: {type(error).__name__}: {error}'
    return ''


def __getattr__(name: str) -> Any:
    if name == 'mdarray':
        return _mdarray()
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
