"""Tells the core where packages are installed: NVIDIA's bring CUDA's libraries. Opened at the first use, not here."""

from __future__ import annotations

import sys

from . import _core

__all__ = ['show_packages']


def show_packages() -> None:
    """Point the core at the folders that Python imports from, without a look into them."""
    _core._set_cuda_package_folders([folder for folder in sys.path if isinstance(folder, str)])
