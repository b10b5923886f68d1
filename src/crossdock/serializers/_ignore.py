"""Which keys a load leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from ._path import below

__all__ = ['Ignore', 'ignoring']

Rule = str | Callable[[str], bool]
Ignore = Rule | Iterable[Rule] | None


def ignoring(ignore: Ignore) -> Callable[[str], bool]:
    """A test for key paths.

    Parameters
    ----------
    ignore : str, callable, iterable of them, or None
        A name stands for the leaf or the whole group of that name. A glob is matched against the whole path, and its
        ``*`` crosses slashes. A callable gets the path.

    Examples
    --------
    >>> skip = ignoring(['enc', '*/b'])
    >>> [skip(key) for key in ('enc/W', 'dec/b', 'dec/W')]
    [True, True, False]
    """
    rules = [] if ignore is None else [ignore] if isinstance(ignore, str) or callable(ignore) else list(ignore)
    for rule in rules:
        if not isinstance(rule, str) and not callable(rule):
            raise TypeError(f'ignore takes names, globs and callables, not {rule!r}')
    return lambda key: any(_matches(rule, key) for rule in rules)


def _matches(rule: Rule, key: str) -> bool:
    if not isinstance(rule, str):
        return bool(rule(key))
    name = rule.strip('/')
    return bool(name) and (below(key, name) or fnmatchcase(key, name))
