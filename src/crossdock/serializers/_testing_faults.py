"""The part of the contract of file formats that is about what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from crossdock.errors import ClosedFileError, CorruptFileError

from ._format import Format, Reader
from ._open import OpenFile, open_file

__all__ = ['FaultContract']

VALUES = {'good': np.arange(3.0), 'bad': np.arange(5.0), 'group/x': np.ones((2, 2), 'int16'), 'none': None}


def asks(reader: Reader, key: str) -> list[Callable[[], Any]]:
    """Every way to ask for the data of a leaf."""
    return [
        lambda: reader.read(key),
        lambda: reader.read_into(key, np.empty(5)),
        lambda: list(reader.pieces(key)),
        lambda: reader.verify(key),
        lambda: reader.map(key),
        lambda: reader.slice(key, ...),
        lambda: reader.entry(key),
    ]


class FaultContract:
    """What every format keeps where something cannot be read."""

    format: Format

    def spoils(self) -> Mapping[str, Callable[[str], type[CorruptFileError]]]:
        """Ways to make the leaf ``'bad'`` of the file at a path unreadable and to leave the others whole.

        Each gives the class of the error that comes when the leaf is asked for. A format without any has nothing
        that is about one leaf alone.
        """
        return {}

    def write(self, path: str, values: Mapping[str, Any]) -> None:
        """Write a file of some values by their keys."""
        raise NotImplementedError

    @contextmanager
    def opened(self, path: str) -> Iterator[OpenFile]:
        """The file as `load` and all others open it."""
        with open_file(self.format, path) as reader:
            yield reader

    def test_a_leaf_that_cannot_be_read_leaves_the_others(self, path: str) -> None:
        for name, spoil in self.spoils().items():
            self.write(path, VALUES)
            kind = spoil(path)
            with self.opened(path) as reader, self.format.open(path) as bare:
                assert set(reader.entries) == set(VALUES), name
                faults = {key: entry.fault for key, entry in reader.entries.items() if entry.fault is not None}
                assert list(faults) == ['bad'], name
                for key in VALUES.keys() - {'bad', 'none'}:
                    np.testing.assert_array_equal(reader.read(key), VALUES[key], err_msg=name, strict=True)
                assert reader.read('none') is None
                for ask in (*asks(reader, 'bad'), *asks(bare, 'bad')):
                    with pytest.raises(CorruptFileError) as caught:
                        ask()
                    assert type(caught.value) is kind, name
                    assert (caught.value.path, caught.value.key) == (path, 'bad'), name
                    assert caught.value.reason
                    assert path in str(caught.value)
                    assert "'bad'" in str(caught.value)

    def test_a_closed_file_says_so(self, path: str) -> None:
        self.write(path, VALUES)
        with self.opened(path) as reader:
            begun = reader.pieces('bad')
            next(begun)
        more: list[Callable[[], Any]] = [
            lambda: reader.entries,
            lambda: reader.metadata,
            lambda: reader.compression,
            lambda: reader.checksum,
            lambda: next(begun),
        ]
        for ask in (*asks(reader, 'bad'), *asks(reader, 'no such key'), *more):
            with pytest.raises(ClosedFileError) as caught:
                ask()
            assert caught.value.path == path
            assert str(caught.value).startswith(f'{path} is closed: ')
        reader.close()
