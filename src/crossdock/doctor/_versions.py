"""Versions, as far as they have to be compared; and those that the project needs."""

from __future__ import annotations

import re

from crossdock.doctor._optional import OPTIONAL

__all__ = ['MINIMUM', 'NEEDED', 'release', 'text']

#: The oldest of what crossdock needs (as in setup.cfg), by normalised name.
NEEDED = {
    'numpy': '2.1',
    'ml-dtypes': '0.5',
    'optree': '0.14',
    'rich': '13',
    'click': '8.1',
    'scipy-openblas32': '0.3.28',
    'zlib-ng': '0.5',
}
#: Likewise of what it can use.
MINIMUM = (
    NEEDED | {'cupy-cuda12x': '13.6', 'cupy-cuda13x': '13.6'} | {package.name: package.oldest for package in OPTIONAL}
)


def release(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: (2, 1) of '2.1rc1'."""
    return tuple(int(number) for number in re.findall(r'\d+', (re.match(r'[\d.]*', version) or [''])[0]))


def text(version: tuple[int, ...]) -> str:
    """(13, 0) as '13.0'."""
    return '.'.join(map(str, version))
