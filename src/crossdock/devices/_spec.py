"""The grammar of device specs: ``@LIBRARY[:PLACE]`` or ``KIND[:INDEX]``, parsed here and nowhere else."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from crossdock.devices._backend import Backend
from crossdock.devices._registry import HEAD, Entry, backend_of, entry_of_head, known_heads
from crossdock.errors import DeviceUnavailableError, SpecError, SpecTypeError

__all__ = ['Spec', 'from_number', 'parse', 'wrong_type']

_NUMBER = re.compile(r'[0-9]+', re.ASCII)
_OTHER_NAMES = {
    'cpu': '@numpy',
    'host': '@numpy',
    '@cpu': '@numpy',
    'gpu': '@cupy:0',
    '@gpu': '@cupy:0',
    'np': '@numpy',
}


class Spec(NamedTuple):
    """A spec that is in the grammar: whose device, and the canonical suffix."""

    backend: Backend
    suffix: str


def parse(text: str, given: object = None) -> Spec:
    """Parse a spec.

    Parameters
    ----------
    text : str
        The spec.
    given : object, optional
        What the user wrote, where that was another way to say `text`.

    Raises
    ------
    SpecError
        It is not in the grammar; the error names the value, the known kinds and the nearest spec.
    DeviceUnavailableError
        The kind's back-end cannot be imported.
    """
    given = text if given is None else given
    if text == '-1':
        text = '@numpy'
    elif _NUMBER.fullmatch(text):
        text = f'@cupy:{text}'
    head, colon, suffix = text.partition(':')
    entry = entry_of_head(head) if HEAD.fullmatch(head) else None
    if entry is None:
        raise _unknown_kind(text, given, head)
    backend = backend_of(entry)
    try:
        return Spec(backend, backend.parse_suffix(suffix if colon else None))
    except ValueError as error:
        raise _bad_suffix(entry, given, suffix, str(error)) from None


def from_number(number: int | np.integer[Any]) -> Spec:
    """The device of a number: -1 is NumPy, N >= 0 is GPU N through CuPy."""
    return parse(str(int(number)), given=number)


def wrong_type(value: object) -> SpecTypeError:
    """The error for a value of a type that names no device."""
    shown = repr(value) if isinstance(value, bool | float | bytes | type(None)) else f'a {type(value).__name__}'
    known = known_heads()
    return SpecTypeError(
        f'{shown} names no device; write a spec such as {_examples(known)}, an int, or a device object',
        spec=value,
        known=known,
    )


def _examples(known: tuple[str, ...]) -> str:
    return ', '.join(repr(_usual(head)) for head in known)


def _unknown_kind(text: str, given: object, head: str) -> SpecError:
    known = known_heads()
    nearest = _nearest(text, known)
    kind = f'no device kind {head!r} in {given!r}' if head and head != given else f'no device kind in {given!r}'
    return SpecError(
        f'{kind}; known kinds: {", ".join(known)}.{_hint(nearest)}', spec=given, known=known, nearest=nearest
    )


def _bad_suffix(entry: Entry, given: object, suffix: str, why: str) -> SpecError:
    assert entry.backend is not None
    leading = re.match(r'[1-9][0-9]{0,4}(?![0-9])|0', suffix, re.ASCII)
    nearest = _accepted(f'{entry.head}:{leading.group()}') if leading else None
    nearest = nearest or _usual(entry.head)
    return SpecError(
        f'bad device spec {given!r}: {why}; the grammar is {entry.head}{entry.backend.grammar}.{_hint(nearest)}',
        spec=given,
        known=known_heads(),
        nearest=nearest,
    )


def _hint(nearest: str | None) -> str:
    return f' Did you mean {nearest!r}?' if nearest else ''


def _nearest(text: str, known: tuple[str, ...]) -> str | None:
    """The spec that was most likely meant; None if nothing comes near."""
    from difflib import get_close_matches

    plain = text.strip().lower()
    head, colon, suffix = plain.partition(':')
    if head in _OTHER_NAMES:
        return _OTHER_NAMES[head]
    tries = [plain, '@' + plain, plain.lstrip('@')]
    close = get_close_matches(head, known, 1, 0.6) or get_close_matches('@' + head, known, 1, 0.6)
    if close:
        tries += [close[0] + colon + suffix, _usual(close[0])]
    return next((spec for spec in map(_accepted, tries) if spec), None)


def _usual(head: str) -> str:
    """The usual device of a kind, as a spec."""
    entry = entry_of_head(head)
    return entry.backend.spec(entry.backend.example) if entry is not None and entry.backend is not None else head


def _accepted(text: str) -> str | None:
    """The canonical form of `text` if it is in the grammar."""
    if text == '-1':
        return text
    head, colon, suffix = text.partition(':')
    entry = entry_of_head(head) if HEAD.fullmatch(head) else None
    if entry is None:
        return None
    try:
        backend = backend_of(entry)
        return backend.spec(backend.parse_suffix(suffix if colon else None))
    except (ValueError, DeviceUnavailableError):
        return None
