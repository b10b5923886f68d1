"""Key paths: the name of a leaf in a file, such as ``'child/linear/W'``.

A path is made of components joined by ``'/'``, with no slash before, after or doubled. Every format uses the same
paths, and the same components are refused in all of them, on saving and on loading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

__all__ = ['join', 'split', 'fault', 'fault_of_path', 'shown', 'below', 'clashes', 'groups_of', 'RESERVED', 'MAX_DEPTH']

RESERVED = '__crossdock__'
MAX_DEPTH = 128  # well before the walks of a tree reach Python's own limit


def fault(component: str) -> str | None:
    """Why `component` cannot be part of a path, or None when it can.

    Examples
    --------
    >>> fault('W') is None
    True
    >>> fault('..')
    "the component '..' is refused"
    """
    if not component:
        return 'a component is empty'
    if component in ('.', '..'):
        return f'the component {shown(component)} is refused'
    if '\0' in component:
        return f'the component {shown(component)} holds a NUL character'
    if component.endswith('.npy'):
        return f"the component {shown(component)} ends in '.npy'"
    if component.startswith(RESERVED):
        return f'the component {shown(component)} starts with the reserved {RESERVED!r}'
    if not component.isascii() and any('\ud800' <= c <= '\udfff' for c in component):
        return f'the component {shown(component)} is not Unicode text (it holds a surrogate)'
    return None


def fault_of_path(path: str) -> str | None:
    """Why `path` is not a canonical key path, or None when it is one."""
    if path.count('/') >= MAX_DEPTH:
        return f'nested deeper than {MAX_DEPTH} levels'
    return next((why for why in map(fault, path.split('/')) if why), None)


def split(key: object, parent: str = '') -> list[str]:
    """The components that `key` of a container stands for; a ``'/'`` inside a string nests.

    Parameters
    ----------
    key : str or int
        A mapping's key, a sequence's position, or a name given to a serializer.
    parent : str
        The path of the container, for the message.

    Raises
    ------
    TypeError
        The key is neither a string nor an int.
    ValueError
        A component of it is refused.
    """
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise TypeError(f'cannot save under the key {key!r} in {where(parent)}: a key is a string or an int')
    # The base class's own text: an enum that is a string prints as something else.
    parts = str.__str__(key).split('/') if isinstance(key, str) else [int.__repr__(key)]
    for why in map(fault, parts):
        if why:
            raise ValueError(f'cannot save under the key {shown(key)} in {where(parent)}: {why}')
    return parts


def join(parent: str, key: object) -> str:
    """The path of `key` below `parent` (``''`` is the root).

    Examples
    --------
    >>> join('', 'l1'), join('l1', 0), join('l1', 'a/b')
    ('l1', 'l1/0', 'l1/a/b')
    """
    parts = split(key, parent)
    path = '/'.join([parent, *parts] if parent else parts)
    if path.count('/') >= MAX_DEPTH:
        raise ValueError(f'nested deeper than {MAX_DEPTH} levels: {shown(path)}')
    return path


def where(path: str) -> str:
    """The path as messages write it."""
    return shown(path) if path else 'the root'


def shown(key: object) -> str:
    """A key as messages write it, cut when it is long."""
    text = repr(key)
    return text if len(text) <= 120 else f'{text[:100]}... ({len(text)} characters)'


def below(path: str, group: str) -> bool:
    """Whether `path` is `group` or lies in it; everything lies in the root.

    Examples
    --------
    >>> below('enc/W', 'enc'), below('encoder/W', 'enc'), below('x', '')
    (True, False, True)
    """
    return not group or path == group or path.startswith(group + '/')


def groups_of(paths: Iterable[str]) -> set[str]:
    """The groups that paths lie in, the root excepted.

    Examples
    --------
    >>> sorted(groups_of(['a/b/W', 'a/c', 'd']))
    ['a', 'a/b']
    """
    return {above for path in paths for above in _above(path)}


def clashes(paths: Iterable[str]) -> list[str]:
    """The paths that are both a leaf and a group of other leaves, which no nesting can hold.

    Examples
    --------
    >>> clashes(['a', 'a/b', 'c/d'])
    ['a']
    """
    # With NUL, which no path holds, in place of '/', what lies in a group comes right after it.
    ordered = sorted(paths, key=lambda path: path.replace('/', '\0'))
    return [path for path, following in pairwise(ordered) if following.startswith(path + '/')]


def _above(path: str) -> Iterator[str]:
    at = path.find('/')
    while at >= 0:
        yield path[:at]
        at = path.find('/', at + 1)
