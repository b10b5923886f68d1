"""Which kinds of device there are, and their back-ends, imported when first needed."""

from __future__ import annotations

import importlib
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crossdock.devices._backend import CONTRACT_VERSION, Backend
from crossdock.errors import DeviceUnavailableError
from crossdock.transfer import hide_frames, register_observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    'HEAD',
    'Entry',
    'backend_of',
    'backends',
    'entries',
    'entries_by_kind',
    'entry_of_head',
    'known_heads',
    'on_replaced',
    'owner',
    'register_backend',
]

GROUP = 'crossdock.backends'

#: How a spec can begin.
HEAD = re.compile(r'@?[a-z][a-z0-9_]*', re.ASCII)


@dataclass
class Entry:
    """A kind of device, and where its back-end is to be had.

    Attributes
    ----------
    kind, head : str
        The kind's name, and how its specs begin.
    load : callable
        Imports the back-end.
    backend : Backend or None
        The back-end, once loaded.
    failure : str
        Why it cannot be loaded; '' as long as nothing failed.
    """

    kind: str
    head: str
    load: Callable[[], object]
    backend: Backend | None = field(default=None)
    failure: str = ''


_lock = threading.RLock()
_entries: dict[str, Entry] = {}
_heads: dict[str, Entry] = {}
_owners: dict[type, Backend] = {}
_on_replaced: list[Callable[[str], None]] = []
_scanned = False

#: Python's own types, which trees and arguments are full of, are not worth asking every back-end about.
_NO_ARRAYS = frozenset({type(None), bool, int, float, complex, str, bytes, list, tuple, dict})


def register_backend(backend: Backend) -> None:
    """Add a back-end from outside, without an entry point.

    Parameters
    ----------
    backend : Backend
        The back-end. It takes the place of an earlier one of its kind.

    Raises
    ------
    TypeError
        It is no back-end, or was written for another version of the contract.
    """
    failure = _fault(backend, backend.kind if isinstance(backend, Backend) else '')
    if failure:
        raise TypeError(failure)
    with _lock:
        _add(Entry(backend.kind, backend.prefix + backend.kind, lambda: backend))
        _load(_entries[backend.kind])


def entries() -> list[Entry]:
    """Every kind, those of installed third parties included."""
    _scan()
    return list(_entries.values())


def entries_by_kind() -> dict[str, Entry]:
    """The kinds that are known so far; looks for no third parties."""
    return _entries


def entry_of_head(head: str) -> Entry | None:
    """The kind whose specs begin so."""
    entry = _heads.get(head)
    if entry is None and not _scanned:
        _scan()
        entry = _heads.get(head)
    return entry


def known_heads() -> tuple[str, ...]:
    """How specs can begin, sorted."""
    _scan()
    return tuple(sorted(_heads))


def backend_of(entry: Entry) -> Backend:
    """The back-end of a kind, imported if it has not been.

    Raises
    ------
    DeviceUnavailableError
        It cannot be imported; the error says why.
    """
    backend = entry.backend or _load(entry)
    if backend is None:
        raise DeviceUnavailableError(f'{entry.head} is not available here: {entry.failure}', reason=entry.failure)
    return backend


def owner(array_type: type) -> Backend | None:
    """The back-end whose arrays have that type; None if there is none. Imports no array library."""
    found = _owners.get(array_type)
    return found if found is not None else _find_owner(array_type)


def on_replaced(forget: Callable[[str], None]) -> None:
    """Have `forget(kind)` called when a kind gets another back-end, to drop what was cached about the earlier one."""
    _on_replaced.append(forget)


def _find_owner(array_type: type) -> Backend | None:
    if array_type in _NO_ARRAYS:
        return None
    for backend in backends():
        if backend.owns(array_type):
            # Types that nobody owns are not kept: they may be many, and would never be freed.
            _owners[array_type] = backend
            return backend
    return None


def backends() -> Iterator[Backend]:
    """Every back-end that can be imported."""
    for entry in entries():
        backend = entry.backend or _load(entry)
        if backend is not None:
            yield backend


def _load(entry: Entry) -> Backend | None:
    if entry.backend is not None or entry.failure:
        return entry.backend
    try:
        # Not under the lock: another thread may be importing the same file, and ask us for a device meanwhile.
        loaded = entry.load()
    except Exception as error:  # a third party's file may fail in any way, and must not take us with it
        entry.failure = f'its back-end cannot be imported: {type(error).__name__}: {error}'
        return None
    failure = _fault(loaded, entry.kind)
    if failure:
        entry.failure = failure
        return None
    assert isinstance(loaded, Backend)
    with _lock:
        if entry.backend is None:
            _accept(entry, loaded)
    return entry.backend


def _accept(entry: Entry, backend: Backend) -> None:
    head = backend.prefix + backend.kind
    if entry.head != head:
        _heads.pop(entry.head, None)
        _heads[head] = entry
        entry.head = head
    entry.backend = backend
    hide_frames(backend.module_name, *backend.inner_modules)
    register_observer(backend.observe)


def _fault(loaded: object, kind: str) -> str:
    if not isinstance(loaded, Backend):
        return f'its back-end is a {type(loaded).__name__}, not a crossdock.devices.Backend'
    if loaded.contract_version != CONTRACT_VERSION:
        return (
            f'its back-end was written for version {loaded.contract_version} of the contract, '
            f'and this crossdock has version {CONTRACT_VERSION}'
        )
    if loaded.kind != kind:
        return f'its back-end calls itself {loaded.kind!r}'
    if not HEAD.fullmatch(loaded.prefix + loaded.kind):
        return f'no spec can begin with {loaded.prefix + loaded.kind!r}'
    return ''


def _add(entry: Entry) -> None:
    old = _entries.get(entry.kind)
    if old is not None:
        _heads.pop(old.head, None)
    _entries[entry.kind] = entry
    _heads[entry.head] = entry
    if old is not None:
        _owners.clear()
        for forget in _on_replaced:
            forget(entry.kind)


def _scan() -> None:
    global _scanned
    if _scanned:
        return
    with _lock:
        # Slow (tens of milliseconds), hence only once somebody asks for a kind that is not ours.
        from importlib.metadata import entry_points

        for point in _by_name(entry_points(group=GROUP)):
            if point.name not in _entries:
                _add(Entry(point.name, '@' + point.name, point.load))
        _scanned = True


def _by_name(points: Iterable[Any]) -> list[Any]:
    return sorted(points, key=lambda point: (point.name, point.value))


def _ours(module: str, attribute: str) -> Callable[[], object]:
    return lambda: getattr(importlib.import_module(f'crossdock.devices.backends.{module}'), attribute)


#: Kind, how its specs begin, and its back-end. They are entry points like all others (setup.cfg); the table saves
#: reading the metadata of every installed package, and the prefix of each is known without importing it.
OURS = (
    ('numpy', '@numpy', '_numpy', 'BACKEND'),
    ('native', 'native', '_core', 'NATIVE'),
    ('sim', 'sim', '_core', 'SIM'),
    ('cuda', 'cuda', '_core', 'CUDA'),
    ('cupy', '@cupy', '_cupy', 'BACKEND'),
    ('intel64', '@intel64', '_intel64', 'BACKEND'),
    ('torch', '@torch', '_torch', 'BACKEND'),
    ('jax', '@jax', '_jax', 'BACKEND'),
)
for _kind, _head, _module, _attribute in OURS:
    _add(Entry(_kind, _head, _ours(_module, _attribute)))
