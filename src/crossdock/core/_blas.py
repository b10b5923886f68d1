"""Tells the core where BLAS is. It is opened at the first matrix product, not here."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from . import _core

__all__ = ['blas_name', 'find_blas']


def find_blas() -> None:
    """Point the core at the library in the ``scipy-openblas32`` package, which need not be imported for that."""
    spec = find_spec('scipy_openblas32')
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent / 'lib'
    for library in sorted(folder.glob('libscipy_openblas.*')):
        _core._set_blas_path(str(library))
        return


def blas_name() -> str:
    """The BLAS in use, 'own' for the core's. Loads it."""
    return _core._blas_name()
