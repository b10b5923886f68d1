"""The ring that files are written through: every byte in its place, on any file system, no error lost."""

import errno
import os
import zlib

import numpy as np
import pytest

from crossdock.serializers import _sink
from crossdock.serializers._sink import Sink

PAGE = 4096


@pytest.fixture(params=[True, False], ids=['direct', 'cached'])
def path(tmp_path, monkeypatch, request):
    """A file with something in it, and rings of two small pages."""
    monkeypatch.setattr(_sink, 'DIRECT', request.param)
    monkeypatch.setattr(_sink, 'BUFFER_NBYTES', 2 * PAGE)
    monkeypatch.setattr(_sink, '_STEP', 1000)
    place = tmp_path / 'x'
    place.write_bytes(b'old' * 10_000)
    return str(place)


def noise(nbytes):
    return np.random.default_rng(nbytes).bytes(nbytes)


def content(path):
    with open(path, 'rb') as file:
        return file.read()


@pytest.mark.parametrize('total', [0, 1, PAGE, 2 * PAGE, 2 * PAGE + 1, 10 * PAGE - 1, 100_000])
@pytest.mark.parametrize('step', [1000, PAGE, 2 * PAGE, 33_333])
def test_what_is_written_is_there(path, total, step):
    data = noise(total)
    sink = Sink(path)
    sink.expect(2 * total)
    crc = 0
    for begin in range(0, total, step):
        crc = sink.write(data[begin : begin + step], crc)
    assert (sink.position, crc) == (total, zlib.crc32(data))
    sink.finish()
    sink.close()
    assert content(path) == data


def test_memory_may_change_once_it_is_written(path):
    memory = bytearray(noise(50_000))
    want = bytes(memory)
    sink = Sink(path)
    sink.write(memory)
    memory[:] = bytes(50_000)
    sink.finish()
    sink.close()
    assert content(path) == want


@pytest.mark.parametrize('before', [0, PAGE, 2 * PAGE - 3, 30_000])
@pytest.mark.parametrize('after', [0, 10, PAGE, 50_000])
def test_what_is_kept_can_be_patched(path, before, after):
    sink = Sink(path)
    sink.write(noise(before))
    sink.keep(6000)
    sink.write(bytes(6000))
    sink.write(noise(after))
    sink.patch(before, b'begin')
    sink.patch(before + 5998, b'ed')
    sink.settle()
    sink.write(b'end')
    sink.finish()
    sink.close()
    assert content(path) == noise(before) + b'begin' + bytes(5993) + b'ed' + noise(after) + b'end'


def test_an_error_of_the_disk_is_raised_at_the_latest_when_finishing(path, monkeypatch):
    def full(descriptor, data, offset):
        raise OSError(errno.ENOSPC, 'full')

    monkeypatch.setattr(os, 'pwrite', full)
    sink = Sink(path)

    def save():
        sink.write(bytes(100_000))
        sink.finish()

    with pytest.raises(OSError, match='full'):
        save()
    sink.close()


def test_a_file_system_that_wants_another_alignment(path, monkeypatch):
    pwrite, direct = os.pwrite, []

    def picky(descriptor, data, offset):
        import fcntl

        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DIRECT:
            direct.append(offset)
            raise OSError(errno.EINVAL, 'alignment')
        return pwrite(descriptor, data, offset)

    monkeypatch.setattr(os, 'pwrite', picky)
    sink = Sink(path)
    sink.write(noise(100_000))
    sink.finish()
    sink.close()
    assert content(path) == noise(100_000)
    assert _sink.DIRECT or not direct


def test_short_writes_are_continued(path, monkeypatch):
    pwrite = os.pwrite
    monkeypatch.setattr(os, 'pwrite', lambda descriptor, data, offset: pwrite(descriptor, data[:PAGE], offset))
    sink = Sink(path)
    sink.write(noise(100_000))
    sink.finish()
    sink.close()
    assert content(path) == noise(100_000)


def test_a_file_system_without_preallocation(path, monkeypatch):
    def unable(*arguments):
        raise OSError(errno.EOPNOTSUPP, 'no')

    monkeypatch.setattr(os, 'posix_fallocate', unable)
    sink = Sink(path)
    sink.expect(1000)
    sink.write(b'abc')
    sink.finish()
    sink.close()
    assert content(path) == b'abc'
