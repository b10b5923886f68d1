"""Decompression of a member, by the method that its row in the directory names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .._checksum import decompressobj, error

__all__ = ['DEFLATED', 'STORED', 'ZSTD', 'Expander', 'ExpandError', 'expander']

STORED, DEFLATED, ZSTD = 0, 8, 93


class ExpandError(ValueError):
    """Damaged data; the text is the reason."""


class Expander(Protocol):
    """One stream of compressed bytes."""

    @property
    def eof(self) -> bool:
        """Whether the compressed data has ended by itself."""

    @property
    def unused(self) -> bool:
        """Whether bytes were taken that come after its end."""

    def expand(self, limit: int, more: Callable[[], bytes]) -> bytes:
        """The next bytes, at most `limit`, and none only at the end; `more` gives compressed ones, empty for no more.

        Raises
        ------
        ExpandError
        """


def expander(method: int) -> Expander:
    """What expands a member of that method.

    Raises
    ------
    ImportError
        The library that it needs is not installed.
    """
    return _Inflate() if method == DEFLATED else _Unzstd()


class _Inflate:
    def __init__(self) -> None:
        self._engine = decompressobj(-15)
        self._input = b''

    @property
    def eof(self) -> bool:
        return bool(self._engine.eof)

    @property
    def unused(self) -> bool:
        return bool(self._engine.unused_data)

    def expand(self, limit: int, more: Callable[[], bytes]) -> bytes:
        while not self._engine.eof:
            self._input = self._input or more()
            starved = not self._input
            try:
                data: bytes = self._engine.decompress(self._input, limit)
            except error as why:
                raise ExpandError(f'its compressed data is damaged ({why})') from why
            self._input = self._engine.unconsumed_tail
            if data or starved:
                return data
        return b''


class _Unzstd:
    def __init__(self) -> None:
        from ._zstd import decompressor, failure

        self._engine: Any = decompressor()
        self._failure = failure()

    @property
    def eof(self) -> bool:
        return bool(self._engine.eof)

    @property
    def unused(self) -> bool:
        return bool(self._engine.unused_data)

    def expand(self, limit: int, more: Callable[[], bytes]) -> bytes:
        while not self._engine.eof:
            hungry = self._engine.needs_input
            taken = more() if hungry else b''
            try:
                data: bytes = self._engine.decompress(taken, limit)
            except self._failure as why:
                raise ExpandError(f'its compressed data is damaged ({why})') from why
            if data or (hungry and not taken):
                return data
        return b''
