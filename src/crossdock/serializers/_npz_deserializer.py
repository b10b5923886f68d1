"""`NpzDeserializer`: the visitor protocol out of an npz file."""

from __future__ import annotations

from typing import Any

from ._file_deserializer import FileDeserializer
from ._ignore import Ignore
from ._registry import format_named
from ._save import Path, file_path
from ._visitor import canonical

__all__ = ['NpzDeserializer']


class NpzDeserializer(FileDeserializer):
    """Loads an npz file into objects, part by part; `load_npz` is the short way when there is one object.

    Its ``metadata`` is what was given to `save` as ``metadata``.

    Parameters
    ----------
    path : str or path-like
        The file.
    prefix : str
        The group of the file to begin in.
    strict, ignore, device
        As for `crossdock.serializers.load`.

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
        reader = format_named('npz').open(where)
        super().__init__(reader, where, place, strict=strict, ignore=ignore, device=device)
