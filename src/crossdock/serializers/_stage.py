"""Load into a target: collect what is wanted, read and check all of it, then put it in place.

What fills arrays of the target is read twice beyond a certain size: once to be checked, once into its place. Holding it
all would take as much memory as the target has, and a file that has just been read is in the page cache.
"""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from enum import Enum
from typing import Any

import numpy as np

from crossdock.errors import CorruptFileError, StrictLoadError
from crossdock.transfer import Progress, Track, tracking

from . import _arrays
from ._format import Entry, Reader
from ._grow import found_below, groups_for_none, keys_and_groups
from ._ignore import Ignore, check_named, ignoring, rules_of
from ._leaf import SCALARS
from ._match import describe_entry, describe_value, loses, may_lose, wanted_dtype
from ._nest import check_nesting, nested, with_positions
from ._passed import following, passed
from ._path import below, groups_of, shown
from ._pour import refill
from ._receive import receive_in_tree
from ._shared import pairs_apart, places_apart
from ._states import check_library, load_states
from ._swapped import warn_swapped
from ._tree import Hand, visit
from ._unreadable import refused
from ._visitor import Deserializer
from ._wanting import Slot, Wanting

__all__ = ['Loader']

# How much of what fills arrays is held between the check and the commit, so that small loads read once.
STAGED_NBYTES = 64 * 2**20


class _Mark(Enum):
    """Stands for data that is not held."""

    LATER = 'it has been checked, and will be read again into its place'
    LOST = 'its values do not fit'


_LATER, _LOST = _Mark.LATER, _Mark.LOST


class _Committing(Hand):
    """The second pass: loaded values take their places."""

    commits = True

    def __init__(self, loader: Loader, slots: dict[str, Slot], staged: dict[str, Any], apart: Collection[str]) -> None:
        super().__init__()
        self.apart = apart
        self.loader = loader
        self.slots = slots
        self.staged = staged
        self.loaded: set[str] = set()

    def enters(self, node: Any, path: str) -> bool:
        if path in self.loaded:
            return False
        self.loaded.add(path)
        return True

    def leaf(self, path: str, value: Any) -> Any:
        if path not in self.slots and path not in self.loader.groups:
            # An object that asks for more once it has loaded a value: read it now.
            self.slots[path] = Slot.of(path, value, self)
            self.staged.update(self.loader.stage_more(path, self.slots))
        if path in self.loader.groups:
            found = self._nested(path)
            return found if self.state is None else with_positions(found)
        if path not in self.staged:
            return value
        slot, loaded = self.slots[path], self.staged.pop(path)
        if not slot.fills or loaded is None:
            return loaded
        there = value is slot.seen or self._takes(path, value)
        if loaded is _LATER:
            return self.loader.read_late(path, value if there else None, slot)
        if not there:
            return _arrays.place_like(slot.seen, loaded, path)
        _arrays.fill(value, loaded)
        return value

    def in_state(self, node: MutableMapping[Any, Any], path: str) -> None:
        if not node:
            node.update(with_positions(self._nested(path)))

    def _nested(self, path: str) -> dict[str, Any]:
        """What was staged for places that the target does not have."""
        start = len(path) + 1
        keys = [key for key in self.staged if below(key, path)]
        empty = [key[start:] for key in self.loader.reader.empty if below(key, path) and key != path] if keys else ()
        return nested(((key[start:], self.staged.pop(key)) for key in keys), empty)

    def _takes(self, path: str, value: Any) -> bool:
        """Whether an array that was not there in the dry pass can be filled with what was staged for another."""
        slot, seen = Slot.of(path, value, self), self.slots[path].value
        if not slot.fills:
            return False
        return tuple(slot.value.shape) == tuple(seen.shape) and bool(wanted_dtype(slot.value) == wanted_dtype(seen))

    def serializer(self, path: str) -> Deserializer:
        return Deserializer(self, path)


class Loader:
    """Loads parts of one open file into targets.

    Parameters
    ----------
    reader : Reader
    path : str
        The file, for messages.
    strict : bool
        Whether missing and unexpected keys are errors. What does not fit is one in any case.
    ignore : str, callable, iterable of them, or None
        Keys that are left alone.
    device : Device, str or None
        Where arrays go for which the target has None, or nothing yet.
    progress : bool or callable
    insists : bool
        Whether a device that nothing goes to is an error.
    """

    def __init__(
        self,
        reader: Reader,
        path: str,
        *,
        strict: bool = True,
        ignore: Ignore = None,
        device: Any = None,
        progress: Progress = False,
        insists: bool = False,
    ) -> None:
        self.reader = reader
        self.path = path
        self.strict = strict
        self._rules = rules_of(ignore)
        self.ignored = ignoring(self._rules)
        self.device = _arrays.device_named(device)
        self.progress = progress
        self.insists = insists
        self.groups: set[str] = set()
        self._unborn: list[str] = []
        self._began = False
        self._track: Track | None = None

    def load(self, target: Any, place: str = '', *, whole: bool = True) -> Any:
        """Load what lies at `place` into `target`, and return what takes its place.

        Parameters
        ----------
        whole : bool
            Whether `target` stands for all of `place`, so that keys it does not ask for are unexpected.
        """
        wanting = Wanting()
        visit(target, place, wanting)
        if self.strict and self.insists and self._rules:
            there = keys_and_groups(self.reader).union(wanting.slots, groups_of(wanting.slots))
            check_named(self.path, self._rules, there, ', like the target,')
        may_grow = any(state.has_mappings for state in wanting.states)
        self._unborn, self.insists = wanting.unborn, self.insists and not may_grow
        born = self._grow(wanting.slots) + self._born(wanting.slots)
        if self.device is not None:
            check_library(wanting.states, born, self.device)
        slots = wanting.slots
        keys = self._wanted(slots, place, whole)
        late = self._late(keys, slots)
        total = sum(self.reader.entries[key].nbytes for key in [*keys, *late])
        with tracking(self.progress, total, 'load') as track:
            staged = self.stage(slots, keys, late, track)
            replaced = [key for key in keys if not slots[key].fills]
            apart = places_apart(self.reader, wanting.places.values(), replaced)
            if not late:
                track.finish()  # and nothing has changed yet, if whoever hears of it will have none of it
            self._began, self._track = True, track
            try:
                hand = _Committing(self, slots, staged, apart)
                load_states(wanting.states, hand)
                return visit(target, place, hand)
            finally:
                self._began, self._track = False, None

    def _born(self, slots: dict[str, Slot]) -> list[str]:
        """Add slots for what the file has in the empty parts of a state, such as that of an optimizer before a step."""
        paths = () if self.device is None else self._unborn
        return self._add(slots, [key for key in found_below(self.reader, paths) if key not in slots], False)

    def _grow(self, slots: dict[str, Slot]) -> list[str]:
        """Have slots of None that stand for groups of the file replaced by slots for what is in them."""
        born = []
        for path in groups_for_none(self.reader, slots):
            if not self.ignored(path):
                self.groups.add(path)
                born += self._add(slots, found_below(self.reader, [path]), slots.pop(path).fixed)
        return born

    def _add(self, slots: dict[str, Slot], keys: list[str], fixed: bool) -> list[str]:
        added = [key for key in keys if not self.ignored(key)]
        check_nesting(self.path, added)
        slots.update((key, Slot(None, None, False, fixed)) for key in added)
        return added

    def stage(self, slots: dict[str, Slot], keys: list[str], late: set[str], track: Track) -> dict[str, Any]:
        """Read and check the loaded value of every slot; nothing of the target changes.

        Raises
        ------
        StrictLoadError
            Values do not fit; all of them are listed.
        CorruptFileError
            The data of a key is damaged.
        """
        staged: dict[str, Any] = {}
        lost = []
        for key in keys:
            with following(track, self.reader.entries[key].nbytes):
                staged[key] = self._staged(key, slots[key], key in late)
            if staged[key] is _LOST:
                have = f'{describe_entry(self.reader.entries[key])} with values that do not fit'
                lost.append((key, have, describe_value(slots[key].value)))
        if lost:
            raise self._mismatch((), (), tuple(lost))
        warn_swapped(self.path, [key for key in keys if self.reader.entries[key].swapped])
        return staged

    def stage_more(self, path: str, slots: dict[str, Slot]) -> dict[str, Any]:
        """As `stage`, for what an object asks for later; it was in no total that anybody was told."""
        asked = {path: slots.pop(path)}
        self._grow(asked)
        slots.update(asked)
        keys = self._wanted(asked, path, whole=True)
        with tracking(False, 0, 'load') as track:
            return self.stage(slots, keys, self._late(keys, slots), track)

    def _wanted(self, slots: dict[str, Slot], place: str, whole: bool) -> list[str]:
        """The keys to load; `StrictLoadError` if any is missing, unexpected, or does not fit, with all of them."""
        found = self._match(slots, place, whole)
        keys = [key for key in found if key in slots]
        self._check_fixed(keys, slots)
        if self.insists and not self._began and len(keys) == len(found):  # else more may be asked for by and by
            self._check_device(keys, slots)
        self._check_shared(keys, slots)
        return keys

    def _late(self, keys: list[str], slots: dict[str, Slot]) -> set[str]:
        """What fills arrays and is not held until then, but read again."""
        room = STAGED_NBYTES
        late = set()
        for key in keys:
            entry = self.reader.entries[key]
            if slots[key].fills and entry.dtype is not None:
                if entry.nbytes > room:
                    late.add(key)
                else:
                    room -= entry.nbytes
        return late

    def _match(self, slots: dict[str, Slot], place: str, whole: bool) -> list[str]:
        entries: dict[str, Entry] = {
            key: entry for key, entry in self.reader.entries.items() if below(key, place) and not self.ignored(key)
        }
        missing = tuple(key for key in slots if key not in entries and not self.ignored(key))
        unexpected = tuple(key for key in entries if key not in slots) if whole else ()
        faults = [entry.fault for key, entry in entries.items() if entry.fault is not None and key in slots]
        if faults:
            raise refused(faults, 'ignore')
        mismatched = tuple(
            (key, describe_entry(entry), describe_value(slots[key].value))
            for key, entry in entries.items()
            if key in slots and not slots[key].takes(entry)
        )
        if not self.strict:
            missing = unexpected = ()
        if missing or unexpected or mismatched:
            raise self._mismatch(missing, unexpected, mismatched)
        return list(entries)

    def _mismatch(
        self, missing: tuple[str, ...], unexpected: tuple[str, ...], mismatched: tuple[tuple[str, str, str], ...]
    ) -> StrictLoadError:
        extent = 'a part has been loaded' if self._began else 'nothing has been loaded'
        lines = [f'{self.path} and the target do not match; {extent}']
        lines += [f'  missing in the file: {shown(key)}' for key in missing]
        lines += [f'  unexpected in the file: {shown(key)}' for key in unexpected]
        lines += [f'  {shown(key)}: {have} in the file, {want} in the target' for key, have, want in mismatched]
        unborn = [path for path in self._unborn if any(below(key, path) for key in unexpected)]
        if unborn:
            named = ', '.join(map(shown, unborn))
            lines.append(f"{named} is empty yet in the target: device= says what fills it, as device='@torch:cpu'")
        lines.append(
            'ignore= leaves keys alone'
            + ('; strict=False allows missing and unexpected ones' if missing or unexpected else '')
        )
        return StrictLoadError('\n'.join(lines), missing=missing, unexpected=unexpected, mismatched=mismatched)

    def _check_fixed(self, keys: list[str], slots: dict[str, Slot]) -> None:
        for key in keys:
            slot = slots[key]
            if slot.fixed and not slot.fills and not (slot.value is None and self.reader.entries[key].dtype is None):
                raise TypeError(
                    f'cannot load {key!r}: {type(slot.seen).__name__} cannot be changed in place,'
                    ' and the mapping that holds it cannot be changed either'
                )

    def _check_shared(self, keys: list[str], slots: dict[str, Slot]) -> None:
        arrays = [(key, slots[key].seen) for key in keys if slots[key].fills]
        rows = [
            (other, f'other values than those of {shown(first)}', f'the same array as {shown(first)}')
            for first, other in pairs_apart(self.reader, arrays)
        ]
        if rows:
            raise self._mismatch((), (), tuple(rows))

    def _check_device(self, keys: list[str], slots: dict[str, Slot]) -> None:
        entries = self.reader.entries
        if self.device is None or any(slots[key].value is None and entries[key].dtype is not None for key in keys):
            return
        raise TypeError(
            f'device={str(self.device)!r} beside a target is for what has None there, and this target has a place for'
            ' each array: they are loaded to where those of the target are; leave device out, and send the target'
        )

    def read_late(self, key: str, value: Any, slot: Slot) -> Any:
        """Read what has been checked into `value`, or, where that is None, into an array like the one of the dry pass.

        Raises
        ------
        CorruptFileError, OSError
            The file has changed since, or cannot be read any more; a note says that a part has been loaded.
        """
        try:
            with following(self._track, self.reader.entries[key].nbytes):
                if value is None:
                    host = np.asarray(self.reader.read(key)).astype(wanted_dtype(slot.value), copy=False)
                    return _arrays.place_like(slot.seen, host, key)
                refill(self.reader, key, _arrays.known(value))
        except (CorruptFileError, OSError) as error:
            error.add_note('The file was whole a moment ago: it has been written to meanwhile. A part has been loaded.')
            raise
        return value

    def _staged(self, key: str, slot: Slot, late: bool) -> Any:
        """What the committing pass needs for one leaf, which has been checked; `_LOST` if its values do not fit."""
        if late:
            return _LOST if self._loses(key, slot) else _LATER
        if slot.value is None:
            return receive_in_tree(self.reader, self.path, key, self.device)
        host = self.reader.read(key)
        if host is not None and loses(host, slot.value):
            return _LOST
        return self._value(host, slot, key)

    def _loses(self, key: str, slot: Slot) -> bool:
        """Check the data of a leaf without keeping it; whether values of it do not fit."""
        if not may_lose(self.reader.entries[key], slot.value):
            self.reader.verify(key)
            return False
        lost = False
        for _, piece in self.reader.pieces(key):  # all of them, for the checks
            lost |= loses(piece, slot.value)
            passed(piece.nbytes)
        return lost

    def _value(self, host: np.ndarray[Any, Any] | None, slot: Slot, key: str) -> Any:
        """What the committing pass needs: data in the target's type to fill with, or the new value itself."""
        value = slot.value
        if host is None:
            return None
        if isinstance(value, SCALARS) and not isinstance(value, np.generic):
            return host.item() if slot.widens(host.dtype) else type(value)(host.item())
        host = host.astype(wanted_dtype(value), copy=False)
        if isinstance(value, np.generic):
            return host[()]
        return host if slot.fills else _arrays.place_like(slot.seen, host, key)
