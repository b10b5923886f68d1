"""The visitor protocol out of an open file, of whatever format."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from crossdock.transfer import Progress, check_progress

from ._ignore import Ignore
from ._open import OpenFile
from ._stage import Loader
from ._tree import Hand
from ._visitor import Deserializer, canonical

__all__ = ['FileDeserializer']


class _Loading(Hand):
    """Each value asked for is a load of its own."""

    def __init__(self, loader: Loader) -> None:
        super().__init__()
        self.loader = loader

    def part(self, node: Any, path: str) -> Any:
        return self.loader.load(node, path, whole=False)

    def whole(self, node: Any, path: str) -> Any:
        return self.loader.load(node, path)


class FileDeserializer(Deserializer):
    """Loads a file into objects, part by part; a context that closes the file.

    A format derives from it, and says by `opened` how its files are opened.
    """

    def __init__(
        self,
        file: Any,
        *,
        prefix: str = '',
        strict: bool = True,
        ignore: Ignore = None,
        device: Any = None,
        progress: Progress = False,
    ) -> None:
        place = canonical(prefix)
        check_progress(progress)
        self._reader = self.opened(file)
        where = self._reader.path
        loader = Loader(self._reader, where, strict=strict, ignore=ignore, device=device, progress=progress)
        super().__init__(_Loading(loader), place)

    @staticmethod
    def opened(file: Any) -> OpenFile:
        """What was given as the file, opened."""
        raise NotImplementedError

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What was given to `save` as ``metadata``."""
        return self._reader.metadata

    def close(self) -> None:
        """Close the file; leaving the context does it too."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
