"""`NpzDeserializer`: the visitor protocol out of an npz file."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from ._ignore import Ignore
from ._registry import format_named
from ._save import Path, file_path
from ._stage import Loader
from ._tree import Hand
from ._visitor import Deserializer, canonical

__all__ = ['NpzDeserializer']


class _Loading(Hand):
    """Each value asked for is a load of its own."""

    def __init__(self, loader: Loader) -> None:
        super().__init__()
        self.loader = loader

    def part(self, node: Any, path: str) -> Any:
        return self.loader.load(node, path, whole=False)

    def whole(self, node: Any, path: str) -> Any:
        return self.loader.load(node, path)


class NpzDeserializer(Deserializer):
    """Loads an npz file into objects, part by part; `load_npz` is the short way when there is one object.

    Parameters
    ----------
    path : str or path-like
        The file.
    prefix : str
        The group of the file to begin in.
    strict, ignore, device
        As for `crossdock.serializers.load`.

    Attributes
    ----------
    metadata : mapping
        What was given to `save` as `metadata`.

    Examples
    --------
    >>> import numpy as np
    >>> from crossdock.serializers import save_npz
    >>> save_npz('model.npz', {'W': np.arange(3.0), 'step': 7})
    >>> W = np.zeros(3)
    >>> with NpzDeserializer('model.npz') as d:
    ...     step = d('step', 0)
    ...     W = d('W', W)
    >>> step, W.tolist()
    (7, [0.0, 1.0, 2.0])
    """

    def __init__(
        self,
        path: Path,
        *,
        prefix: str = '',
        strict: bool = True,
        ignore: Ignore = None,
        device: Any = None,
    ) -> None:
        place = canonical(prefix)
        where = file_path(path)
        self._reader = format_named('npz').open(where)
        loader = Loader(self._reader, where, strict=strict, ignore=ignore, device=device)
        super().__init__(_Loading(loader), place)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What was given to `save` as `metadata`."""
        return self._reader.metadata

    def close(self) -> None:
        """Close the file; leaving the context does it too."""
        self._reader.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
