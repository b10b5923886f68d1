"""Where a target takes more than it has: None in it takes a group, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._format import Reader
from ._path import below, groups_of
from ._wanting import Slot

__all__ = ['found_below', 'groups_for_none', 'keys_and_groups']


def groups_for_none(reader: Reader, slots: Mapping[str, Slot]) -> list[str]:
    """Where a target has None, and the file a container, be it empty."""
    places = [path for path, slot in slots.items() if slot.value is None and path not in reader.entries]
    if not places:
        return []
    there = keys_and_groups(reader) - reader.entries.keys() - groups_of(slots)
    return [path for path in places if path in there]


def found_below(reader: Reader, paths: Iterable[str]) -> list[str]:
    """The keys of a file that lie in any of the groups, in order of the groups."""
    return [key for path in paths for key in reader.entries if key != path and below(key, path)]


def keys_and_groups(reader: Reader) -> set[str]:
    """All names in a file."""
    return groups_of([*reader.entries, *reader.empty]).union(reader.entries, reader.empty)
