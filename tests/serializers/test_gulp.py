"""Bytes of a file with their CRC-32, by two threads."""

import os
import zlib

import numpy as np
import pytest

from crossdock.serializers._aside import Aside, ahead
from crossdock.serializers.archive import _gulp
from crossdock.serializers.archive._gulp import ShortFileError, gulp, skim

DATA = np.random.default_rng(1).bytes(1_000_000)


@pytest.fixture(params=[1000, 1 << 30], ids=['two threads', 'one'])
def descriptor(request, tmp_path, monkeypatch):
    monkeypatch.setattr(_gulp, '_SHARED_FROM', request.param)
    monkeypatch.setattr(_gulp, '_STEP', 1000)
    monkeypatch.setattr(_gulp, '_WINDOW', 100_000)
    (tmp_path / 'x').write_bytes(DATA)
    opened = os.open(tmp_path / 'x', os.O_RDONLY)
    yield opened
    os.close(opened)


@pytest.mark.parametrize('offset', [0, 7])
@pytest.mark.parametrize('nbytes', [0, 1, 999, 1000, 2001, 100_000, 654_321])
def test_what_is_read_and_its_sum(descriptor, offset, nbytes):
    want = DATA[offset : offset + nbytes]
    out = bytearray(nbytes)
    before = zlib.crc32(b'before')
    assert gulp(descriptor, offset, memoryview(out), before) == zlib.crc32(b'before' + want)
    assert skim(descriptor, offset, nbytes, before) == zlib.crc32(b'before' + want)
    assert out == want


@pytest.mark.parametrize('nbytes', [1_000_001, 1_100_000, 3_000_000])
def test_a_file_that_ends_too_early(descriptor, nbytes):
    with pytest.raises(ShortFileError):
        gulp(descriptor, 0, memoryview(bytearray(nbytes)))
    with pytest.raises(ShortFileError):
        skim(descriptor, 0, nbytes)


def test_what_a_thread_raises_is_raised_by_its_result():
    assert Aside(divmod, 7, 2).result() == (3, 1)
    failing = Aside(divmod, 7, 0)
    failing.wait()
    with pytest.raises(ZeroDivisionError):
        failing.result()


def test_ahead_gives_all_items_and_then_the_error():
    def items():
        yield from range(3)
        raise KeyError('end')

    going = ahead(items())
    assert [next(going) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match='end'):
        next(going)
    assert list(ahead(iter([1, 2]))) == [1, 2]
    assert next(ahead(iter([5, 6]))) == 5  # and is left there
