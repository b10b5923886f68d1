"""What in metadata is no JSON, by its place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

__all__ = ['why_not_json']

_ALLOWED = 'it takes dicts, lists, tuples, text, ints, finite floats, bool and None'
_INSTEAD = 'save it as text, or None'


def why_not_json(value: Any, place: str = '') -> str | None:
    """The first value in it that JSON cannot hold, what is allowed, and what to do; None if there is none.

    What contains itself is not for here.

    Examples
    --------
    >>> why_not_json({'best': [float('nan')]})
    "['best'][0] is nan, and JSON has finite numbers alone; save it as text, or None"
    """
    if value is None or isinstance(value, str | int):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f'{place} is {value}, and JSON has finite numbers alone; {_INSTEAD}'
    parts: Iterable[tuple[Any, Any]]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str | int | float | None):
                return f'{place} has the key {key!r}, a {type(key).__name__}; keys are text'
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    else:
        return f'{place} is a {_name(value)}; {_ALLOWED}{_advice(value)}'
    found = (why_not_json(part, f'{place}[{key!r}]') for key, part in parts)
    return next((why for why in found if why), None)


def _name(value: Any) -> str:
    home = type(value).__module__
    return type(value).__name__ if home == 'builtins' else f'{home}.{type(value).__name__}'


def _advice(value: Any) -> str:
    if not hasattr(value, 'dtype'):
        return ''
    return '; give its item()' if getattr(value, 'shape', None) == () else '; arrays go into the tree, or as a list'
