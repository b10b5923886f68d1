"""What to do with an object that no file holds."""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

__all__ = ['PARTS', 'advice_for']

PARTS = (
    'give it a serialize(serializer) method or state_dict() and load_state_dict(), make it a dataclass,'
    ' or put its parts in a dict'
)

_CODE = (FunctionType, BuiltinFunctionType, MethodType, partial, type, ModuleType)
_ADVICE: tuple[tuple[Any, str], ...] = (
    (_CODE, 'it is code, which no file holds; leave it out, or save its name'),
    ((Set, Iterator, range), 'make a list of it'),
    (date, 'make numpy.datetime64 of it'),
    (time, 'make text of it by isoformat()'),
    (timedelta, 'make numpy.timedelta64 of it'),
    ((Decimal, Fraction), 'make a float or text of it'),
    (PurePath, 'make text of it by str()'),
    (Enum, 'save its value or its name'),
)


def advice_for(value: object) -> str:
    """What to make of `value`, which is neither an array nor a container, so that it can be saved.

    Examples
    --------
    >>> advice_for({1, 2})
    'make a list of it'
    """
    for kinds, advice in _ADVICE:
        if isinstance(value, kinds):
            return advice
    if hasattr(value, 'todense') or hasattr(value, 'to_dense'):
        return 'a sparse matrix is saved as its todense(), or by the arrays that it consists of'
    return PARTS
