"""Have array libraries tell of their transfers that the user has imported, or imports while somebody listens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from crossdock.devices._registry import backend_of, entries_by_kind
from crossdock.errors import CrossdockError

__all__ = ['observe_arrivals']

#: The kinds whose library has the same name, and transfers of its own.
_KINDS = ('cupy', 'torch', 'jax')


def observe_arrivals(hook: Callable[..., Any] | None) -> None:
    """As `Backend.observe`; loads the back-ends of libraries that are here, which are then told by themselves."""
    _finder.hook = hook
    if hook is None:
        if _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        return
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for kind in _KINDS:
        if kind in sys.modules:
            _observe(kind, None)


def _observe(kind: str, hook: Callable[..., Any] | None) -> None:
    entry = entries_by_kind().get(kind)
    if entry is None:
        return
    try:
        backend = backend_of(entry)
    except CrossdockError:  # it cannot be loaded, as whoever asks for its devices is told
        return
    if hook is not None:
        backend.observe(hook)


class _Finder:
    """Leaves it to the others to find modules, and looks after those that are libraries of arrays."""

    hook: Callable[..., Any] | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in _KINDS:
            return None
        for finder in sys.meta_path:
            find: Any = None if finder is self else getattr(finder, 'find_spec', None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Loads as the loader does that it stands for, which it leaves in its place."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        if self._finder.hook is not None:
            _observe(module.__name__, self._finder.hook)


_finder = _Finder()
