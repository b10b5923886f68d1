"""Which keys a load leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatchcase

from crossdock.errors import StrictLoadError

from ._near import did_you_mean
from ._path import below, shown

__all__ = ['Ignore', 'check_named', 'ignoring', 'rules_of']

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
    rules = rules_of(ignore)
    return lambda key: any(_matches(rule, key) for rule in rules)


def rules_of(ignore: Ignore) -> list[Rule]:
    """What was given, one by one."""
    rules = [] if ignore is None else [ignore] if isinstance(ignore, str) or callable(ignore) else list(ignore)
    for rule in rules:
        if not isinstance(rule, str) and not callable(rule):
            raise TypeError(f'ignore takes names, globs and callables, not {rule!r}')
    return rules


def check_named(path: str, ignore: Ignore, there: Collection[str], beside: str = '') -> None:
    """Refuse a name that is none of a leaf or group; globs and functions may well match nothing.

    Parameters
    ----------
    path : str
        The file, for the message.
    there : collection of str
        Keys and groups that there are.
    beside : str
        Where else than in the file they are, for the message.

    Raises
    ------
    StrictLoadError
        A name may be misspelt.
    """
    for rule in rules_of(ignore):
        name = rule.strip('/') if isinstance(rule, str) else ''
        if name and name not in there and not any(char in name for char in '*?['):
            near = did_you_mean(name, there) or ';'
            raise StrictLoadError(
                f'{path}{beside} has nothing called {shown(name)}, which ignore= names{near}'
                ' strict=False allows it; nothing has been loaded'
            )


def _matches(rule: Rule, key: str) -> bool:
    if not isinstance(rule, str):
        return bool(rule(key))
    name = rule.strip('/')
    return bool(name) and (below(key, name) or fnmatchcase(key, name))
