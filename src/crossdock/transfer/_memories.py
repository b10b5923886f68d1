"""In which memory the device of a spec has its arrays, as the room of devices says."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ['direction', 'find_memories_by', 'memory_of']

_find: Callable[[str], str] = str
_found: dict[str, str] = {}


def find_memories_by(find: Callable[[str], str]) -> None:
    """Have `find` say which memory (`PlaceFacts.physical`) the device of a spec has."""
    global _find
    _find = find
    _found.clear()


def memory_of(spec: str) -> str:
    """The memory of a device; the spec itself where that is unknown."""
    found = _found.get(spec)
    if found is None:
        try:
            found = _find(spec)
        except Exception:  # what a library calls by a name of its own is no host
            return spec
        _found[spec] = found
    return found


def direction(source: str, target: str) -> str:
    """'host_to_device', 'device_to_host' or 'device_to_device'; '' from host to host."""
    return _DIRECTIONS[memory_of(source) == 'host', memory_of(target) == 'host']


_DIRECTIONS = {
    (True, False): 'host_to_device',
    (False, True): 'device_to_host',
    (False, False): 'device_to_device',
    (True, True): '',
}
