"""How results are scaled."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ['Norm']

Norm: TypeAlias = Literal['backward', 'ortho', 'forward']
