"""What somebody may have meant who named a key that is not there."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from ._path import shown

__all__ = ['did_you_mean']


def did_you_mean(name: str, there: Collection[str]) -> str:
    """A question to put into a message, or nothing.

    Examples
    --------
    >>> did_you_mean('modle', ['model', 'model/W', 'step'])
    "; did you mean 'model'?"
    >>> did_you_mean('W', ['model', 'model/W', 'step'])
    "; did you mean 'model/W'?"
    """
    inner = sorted(key for key in there if key.endswith('/' + name))[:3]
    near = inner or get_close_matches(name, sorted(there), 1)
    return f'; did you mean {" or ".join(map(shown, near))}?' if near else ''
