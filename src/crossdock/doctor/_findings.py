"""One line of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ['Finding', 'Group', 'State']

#: 'missing' is optional and not there; 'warning' works, but perhaps not as meant; 'problem' clashes or is broken.
State = Literal['ok', 'missing', 'warning', 'problem']
Group = Literal['package', 'library', 'device', 'check']


@dataclass(frozen=True)
class Finding:
    """What was found of one thing.

    Attributes
    ----------
    group : 'package', 'library', 'device' or 'check'
        What kind of thing; a 'check' is about several.
    name : str
        The thing.
    state : 'ok', 'missing', 'warning' or 'problem'
        How it is.
    detail : str
        Its version and place, or what is wrong.
    advice : str
        What to do, mostly a line for the shell; '' if nothing.
    """

    group: Group
    name: str
    state: State
    detail: str
    advice: str = ''
