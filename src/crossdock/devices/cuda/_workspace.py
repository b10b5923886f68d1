"""How much scratch memory cuDNN's convolutions may take."""

from __future__ import annotations

import operator
import sys
from typing import Any, SupportsIndex

__all__ = ['get_max_workspace_size', 'set_max_workspace_size']

_nbytes = 8 * 1024 * 1024


def get_max_workspace_size() -> int:
    """The most scratch memory, in bytes, that a convolution through cuDNN may take.

    Examples
    --------
    >>> from crossdock.devices import cuda
    >>> cuda.get_max_workspace_size()
    8388608
    """
    cudnn = _cudnn()
    return _nbytes if cudnn is None else int(cudnn.get_max_workspace_size())


def set_max_workspace_size(size: SupportsIndex) -> None:
    """Set the most scratch memory that a convolution through cuDNN may take.

    More lets it choose faster algorithms. Remembered without a GPU too. CuPy has functions of cuDNN up to version 13
    and hears of it if they have been imported; later versions have none.

    Parameters
    ----------
    size : int
        Bytes, at least 0.
    """
    global _nbytes
    nbytes = operator.index(size)
    if nbytes < 0:
        raise ValueError(f'a workspace has {nbytes} bytes; allowed are 0 and more')
    _nbytes = nbytes
    cudnn = _cudnn()
    if cudnn is not None:
        cudnn.set_max_workspace_size(nbytes)


def _cudnn() -> Any:
    return sys.modules.get('cupy.cudnn') or sys.modules.get('cupyx.cudnn')
