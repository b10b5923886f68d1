"""The inspection API of the namespace (array API standard, "Inspection")."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Device, dtype

__all__ = ['__array_namespace_info__']

_NAMES = {
    'bool': ('bool',),
    'signed integer': ('int8', 'int16', 'int32', 'int64'),
    'unsigned integer': ('uint8', 'uint16', 'uint32', 'uint64'),
    'real floating': ('float32', 'float64'),
    'complex floating': ('complex64', 'complex128'),
}
_GROUPS = {
    'integral': ('signed integer', 'unsigned integer'),
    'numeric': ('signed integer', 'unsigned integer', 'real floating', 'complex floating'),
}


class ArrayNamespaceInfo:
    """What this namespace has (array API standard 2024.12)."""

    def capabilities(self) -> dict[str, bool | int]:
        """Optional features, and the largest number of dimensions."""
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}

    def default_device(self) -> Device:
        """The device of a creation function without ``device=``."""
        return _core.device(None)

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, dtype]:
        """The dtypes of creation functions without ``dtype=``; the same on every device."""
        _core.device(device)
        names = {'real floating': 'float64', 'complex floating': 'complex128', 'integral': 'int64', 'indexing': 'int64'}
        return {kind: _core._dtype(name) for kind, name in names.items()}

    def devices(self) -> list[Device]:
        """All devices of the core that are here."""
        return _core.devices()

    def dtypes(self, *, device: Device | str | None = None, kind: Any = None) -> dict[str, dtype]:
        """The standard's dtypes by name, all or of a kind; the same on every device."""
        _core.device(device)
        kinds = tuple(_NAMES) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        names: list[str] = []
        for one in kinds:
            if one not in _NAMES and one not in _GROUPS:
                raise ValueError(f'dtypes: no kind {one!r}; kinds are {", ".join((*_NAMES, *_GROUPS))}')
            for member in _GROUPS.get(one, (one,)):
                names += _NAMES[member]
        return {name: _core._dtype(name) for name in names}


def __array_namespace_info__() -> ArrayNamespaceInfo:
    """Return what this namespace has.

    Returns
    -------
    ArrayNamespaceInfo
        With methods capabilities, default_device, default_dtypes, devices and dtypes.

    Notes
    -----
    Array API standard 2024.12, "Inspection": ``__array_namespace_info__``.
    """
    return ArrayNamespaceInfo()
