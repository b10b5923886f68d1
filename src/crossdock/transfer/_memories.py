"""In which memory the device of a spec has its arrays, as the room of devices says."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ['direction', 'find_memories_by']

_find: Callable[[str], str] = str
_on_host: dict[str, bool] = {}


def find_memories_by(find: Callable[[str], str]) -> None:
    """Have `find` say which memory (`PlaceFacts.physical`) the device of a spec has."""
    global _find
    _find = find
    _on_host.clear()


def direction(source: str, target: str) -> str:
    """'host_to_device', 'device_to_host' or 'device_to_device'; '' from host to host."""
    return _DIRECTIONS[_is_host(source), _is_host(target)]


_DIRECTIONS = {
    (True, False): 'host_to_device',
    (False, True): 'device_to_host',
    (False, False): 'device_to_device',
    (True, True): '',
}


def _is_host(spec: str) -> bool:
    found = _on_host.get(spec)
    if found is None:
        try:
            found = _find(spec) == 'host'
        except Exception:  # what a library calls by a name of its own is no host
            return False
        _on_host[spec] = found
    return found
