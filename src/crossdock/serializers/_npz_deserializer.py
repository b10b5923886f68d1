"""`NpzDeserializer`: the visitor protocol out of an npz file."""

from __future__ import annotations

from ._file_deserializer import FileDeserializer
from ._open import OpenFile, open_file
from ._registry import format_named
from ._save import Path, file_path

__all__ = ['NpzDeserializer']


class NpzDeserializer(FileDeserializer):
    """Loads an npz file into objects, part by part; `load_npz` is the short way when there is one object.

    Its ``metadata`` is what was given to `save` as ``metadata``.

    Parameters
    ----------
    file : str or path-like
        The file.
    prefix : str
        The group of the file to begin in.
    strict, ignore, device
        As for `crossdock.serializers.load`.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
        Each object or value that is asked for is followed by itself.

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

    @staticmethod
    def opened(file: Path) -> OpenFile:
        """The file at a path."""
        return open_file(format_named('npz'), file_path(file))
