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
_MOST_GPUS = 10**5  # an index has five digits at most
_NEAR = 0.65  # difflib's own 0.6 takes 'mps' for '@numpy'
_OTHER_NAMES = {
    'cpu': '@numpy',
    'host': '@numpy',
    '@cpu': '@numpy',
    'gpu': '@cupy',
    '@gpu': '@cupy',
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
    if -1 <= number < _MOST_GPUS:
        return parse(str(int(number)), given=number)
    nearest = '-1' if number < 0 else '@cupy:0'
    raise SpecError(
        f'{_shown(number)} names no device: -1 is @numpy, and N >= 0, of at most five digits, is @cupy:N.'
        f'{_hint(nearest)}',
        spec=number,
        known=known_heads(),
        nearest=nearest,
    )


def wrong_type(value: object) -> SpecTypeError:
    """The error for a value of a type that names no device."""
    shown = repr(value) if isinstance(value, bool | float | bytes | type(None)) else f'a {type(value).__name__}'
    known = known_heads()
    examples = ', '.join(repr(_usual(head)) for head in known)
    return SpecTypeError(
        f'{shown} names no device; write a spec such as {examples}, an int, or a device object',
        spec=value,
        known=known,
    )


def _shown(given: object) -> str:
    """What the user wrote, cut when it is long."""
    if isinstance(given, int | np.integer) and int(given).bit_length() > 256:
        return f'an int of {int(given).bit_length()} bits'
    text = repr(given)
    return text if len(text) <= 80 else f'{text[:60]}... ({len(text)} characters)'


def _unknown_kind(text: str, given: object, head: str) -> SpecError:
    known = known_heads()
    if text.strip().lower() == 'auto':
        return SpecError(
            f'{_shown(given)} names no device; choose_device() picks the best one, and so does --device auto on the '
            f'command line. Known kinds: {", ".join(known)}.',
            spec=given,
            known=known,
        )
    nearest = _nearest(text, known)
    kind = f'no device kind {_shown(head)} in' if head and head != given else 'no device kind in'
    return SpecError(
        f'{kind} {_shown(given)}; known kinds: {", ".join(known)}.{_hint(nearest)}',
        spec=given,
        known=known,
        nearest=nearest,
    )


def _bad_suffix(entry: Entry, given: object, suffix: str, why: str) -> SpecError:
    assert entry.backend is not None
    leading = re.match(r'[1-9][0-9]{0,4}(?![0-9])|0', suffix, re.ASCII)
    number = leading.group() if leading else ''
    place = suffix.lower().replace('gpu', 'cuda')
    tries = [number, f'cuda:{number}', place, f'{place}:0', place.partition(':')[0]]
    nearest = next(filter(None, (_accepted(f'{entry.head}:{each}') for each in tries)), None) or _usual(entry.head)
    return SpecError(
        f'bad device spec {_shown(given)}: {why}; the grammar is {entry.head}{entry.backend.grammar}.{_hint(nearest)}',
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
    tries = [plain, '@' + plain, plain.lstrip('@')]
    close = (
        [_OTHER_NAMES[head]]
        if head in _OTHER_NAMES
        else get_close_matches(head, known, 1, _NEAR) or get_close_matches('@' + head, known, 1, _NEAR)
    )
    if close:
        tries += [close[0] + colon + suffix, _usual(close[0])]
    return next((spec for spec in map(_accepted, tries) if spec), None)


def _usual(head: str) -> str:
    """The usual device of a kind, as a spec."""
    entry = entry_of_head(head)
    if entry is None:
        return head
    try:
        backend = backend_of(entry)
    except DeviceUnavailableError:
        return head
    return backend.spec(backend.example)


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
