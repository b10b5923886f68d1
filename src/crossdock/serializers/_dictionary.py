"""`DictionarySerializer`: the visitor protocol into a dict."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from crossdock.transfer import Progress

from ._leaf import Leaf
from ._taking import Taking
from ._visitor import Serializer, canonical

__all__ = ['DictionarySerializer']


class _Filling(Taking):
    def __init__(self, target: MutableMapping[str, Any], progress: Progress) -> None:
        super().__init__(progress, 'to_numpy')
        self.target = target

    def take(self, path: str, leaf: Leaf) -> None:
        if path in self.target:
            raise ValueError(f'two values have the key {path!r}')
        self.target[path] = leaf.host()

    def nbytes_of(self, leaf: Leaf) -> int:
        return 0 if leaf.on_host else leaf.nbytes


class DictionarySerializer(Serializer):
    """Saves into a flat dictionary of NumPy arrays.

    Parameters
    ----------
    target : mutable mapping, optional
        Where the values go; a new dict when it is not given.
    path : str
        The key path in front of every key.
    progress : bool or callable
        True shows a bar on a terminal; a callable gets ``(done, total)`` in bytes.
        Each object or value that is given to be saved is followed by itself.

    Attributes
    ----------
    target : mutable mapping of str to numpy.ndarray or None
        Arrays in host memory are aliased, those of a device are copied to the host; scalars and strings are 0-d.

    Examples
    --------
    >>> import numpy as np
    >>> s = DictionarySerializer()
    >>> s.save({'l1': {'W': np.zeros((2, 3))}, 'step': 7})
    >>> {key: value.shape for key, value in s.target.items()}
    {'l1/W': (2, 3), 'step': ()}
    """

    def __init__(
        self, target: MutableMapping[str, Any] | None = None, path: str = '', *, progress: Progress = False
    ) -> None:
        self.target: MutableMapping[str, Any] = {} if target is None else target
        super().__init__(_Filling(self.target, progress), canonical(path))
