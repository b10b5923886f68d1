"""JSON from strangers: one object in UTF-8, no key twice, no NaN."""

from __future__ import annotations

import json
from typing import Any

__all__ = ['read_object']


def read_object(data: bytes) -> dict[str, Any]:
    """The object that `data` holds.

    Raises
    ------
    ValueError
        It holds none; the text is the reason.

    Examples
    --------
    >>> read_object(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: not JSON in UTF-8 (a key appears twice)
    """
    try:
        content = json.loads(data.decode('utf-8'), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f'not JSON in UTF-8 ({error})') from error
    if not isinstance(content, dict):
        raise ValueError('not a JSON object')
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError('a key appears twice')
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f'{name} is not JSON')
