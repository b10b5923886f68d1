"""The one pickled value that is read: None, as older libraries stored it in a 0-d object array.

The pickle is run by an unpickler whose every name leads to an inert stand-in, never to NumPy's or anybody's own
function; what it builds is then compared with the one value that is accepted.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

__all__ = ['is_pickled_none', 'MAX_NBYTES']

MAX_NBYTES = 1024

# Where NumPy has kept its functions, and how Python 3 writes bytes in the protocols before it.
_NAMES = {
    ('numpy.core.multiarray', '_reconstruct'),
    ('numpy._core.multiarray', '_reconstruct'),
    ('numpy', 'ndarray'),
    ('numpy', 'dtype'),
    ('_codecs', 'encode'),
}


class _StandIn:
    """Takes the place of what a pickle calls, and remembers with what it was called."""

    __slots__ = ('arguments', 'name', 'state')

    def __init__(self, name: str, arguments: tuple[Any, ...] | None = None) -> None:
        self.name = name
        self.arguments = arguments
        self.state: Any = None

    def __call__(self, *arguments: Any) -> _StandIn:
        return _StandIn(self.name, arguments)

    def __setstate__(self, state: Any) -> None:
        self.state = state


# The version written in Python: the C one reserves memory for whatever memo index a pickle names.
class _Unpickler(pickle._Unpickler):
    def find_class(self, module: str, name: str) -> _StandIn:
        if (module, name) in _NAMES:
            return _StandIn(name)
        raise pickle.UnpicklingError(f'{module}.{name} is not part of a pickled None')

    def get_extension(self, code: int) -> None:
        raise pickle.UnpicklingError('an extension code is not part of a pickled None')


def is_pickled_none(data: bytes) -> bool:
    """Whether `data` is exactly the pickle of ``numpy.array(None, dtype=object)``.

    Examples
    --------
    >>> import numpy as np
    >>> is_pickled_none(np.array(None, dtype=object).dumps()), is_pickled_none(np.array([None]).dumps())
    (True, False)
    """
    if len(data) > MAX_NBYTES:
        return False
    file = io.BytesIO(data)
    try:
        value = _Unpickler(file, encoding='latin-1').load()
    except Exception:  # whatever a hostile pickle provokes, it is not the value
        return False
    return not file.read(1) and _is_none_array(value)


def _is_none_array(value: Any) -> bool:
    if type(value) is not _StandIn or value.name != '_reconstruct' or value.arguments is None:
        return False
    if type(value.state) is not tuple or len(value.state) != 5:
        return False
    version, shape, dtype, _fortran, items = value.state
    return (
        version == 1
        and shape == ()
        and type(dtype) is _StandIn
        and dtype.name == 'dtype'
        and dtype.arguments is not None
        and dtype.arguments[:1] in (('O8',), ('O4',), ('O',), ('|O',))
        and type(items) is list
        and len(items) == 1
        and items[0] is None
    )
