"""The errors for what cannot be read: damage, or a kind of file that is not supported."""

from __future__ import annotations

from collections.abc import Sequence

from crossdock.errors import CorruptFileError, UnsupportedFileError

from ._path import shown

__all__ = ['Unsupported', 'again', 'corrupt', 'refused', 'unreadable', 'unsupported']

_LISTED = 20


class Unsupported(ValueError):
    """What parts of readers raise, who know neither file nor key, for what may be whole; the text is the reason."""


def corrupt(path: str, reason: str, key: str | None = None) -> CorruptFileError:
    """The error for something wrong in the file at `path`."""
    return CorruptFileError(_message(path, reason, key), path=path, key=key, reason=reason)


def unsupported(path: str, reason: str, key: str | None = None) -> UnsupportedFileError:
    """The error for something in the file at `path` that is not read here, and may be whole."""
    return UnsupportedFileError(_message(path, reason, key), path=path, key=key, reason=reason)


def unreadable(path: str, error: ValueError, key: str | None = None) -> CorruptFileError:
    """The error for what a part of a reader has found, which knows neither file nor key."""
    return (unsupported if isinstance(error, Unsupported) else corrupt)(path, str(error), key)


def again(fault: CorruptFileError) -> CorruptFileError:
    """A new error like one that is kept, whose traceback would grow each time it is raised."""
    return type(fault)(str(fault), path=fault.path, key=fault.key, reason=fault.reason)


def refused(faults: Sequence[CorruptFileError], way_out: str = '') -> CorruptFileError:
    """One error for all entries that were asked for and cannot be read; about damage, if any of them is damaged.

    `way_out` is an argument that leaves keys alone.
    """
    first = next((fault for fault in faults if not isinstance(fault, UnsupportedFileError)), faults[0])
    others = [fault for fault in faults if fault is not first]
    lines = [str(first)]
    lines += [f'  {shown(fault.key)}: {fault.reason}' for fault in others[:_LISTED]]
    if len(others) > _LISTED:
        lines.append(f'  and {len(others) - _LISTED} more')
    if others:
        lines[0] += f'; {len(others)} more of its keys cannot be read:'
    if way_out and len(others) < _LISTED:
        named = [fault.key for fault in faults if fault.key is not None]
        given = shown(named[0]) if len(named) == 1 else f'[{", ".join(map(shown, named))}]'
        lines.append(f'{way_out}={given} loads the rest')
    return type(first)('\n'.join(lines), path=first.path, key=first.key, reason=first.reason)


def _message(path: str, reason: str, key: str | None) -> str:
    return f'{path}: {shown(key)}: {reason}' if key is not None else f'{path}: {reason}'
