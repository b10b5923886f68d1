import fcntl
import os
import stat

import pytest

from crossdock.serializers import _atomic
from crossdock.serializers._atomic import replacing


def write(path, text):
    with replacing(str(path)) as temporary, open(temporary, 'w') as file:
        file.write(text)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield 0o027
    os.umask(old)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_new_file_obeys_the_umask(tmp_path, umask):
    write(tmp_path / 'a', 'x')
    assert (tmp_path / 'a').read_text() == 'x'
    assert mode(tmp_path / 'a') == 0o640
    assert names(tmp_path) == ['a']


def test_the_old_mode_is_kept(tmp_path, umask):
    path = tmp_path / 'a'
    path.write_text('old')
    path.chmod(0o604)
    write(path, 'new')
    assert (path.read_text(), mode(path)) == ('new', 0o604)


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / 'a'
    path.write_text('old')

    def interrupted():
        with replacing(str(path)) as temporary:
            assert names(tmp_path) != ['a']
            assert os.path.dirname(temporary) == str(tmp_path)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == 'old'
    assert names(tmp_path) == ['a']


def test_links_are_followed(tmp_path):
    (tmp_path / 'd').mkdir()
    real, link = tmp_path / 'd' / 'real', tmp_path / 'link'
    link.symlink_to('d/real')
    write(link, 'one')  # dangling: makes the file it points to
    assert link.is_symlink()
    assert real.read_text() == 'one'
    second = tmp_path / 'second'
    second.symlink_to(link)
    write(second, 'two')
    assert real.read_text() == 'two'
    assert second.is_symlink()
    assert link.is_symlink()


def test_a_long_name(tmp_path):
    write(tmp_path / ('é' * 127), 'x')
    assert names(tmp_path) == ['é' * 127]


def test_what_cannot_be_replaced(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / 'no' / 'a', 'x')
    assert caught.value.filename == str(tmp_path / 'no' / 'a')
    with pytest.raises(IsADirectoryError):
        write(tmp_path, 'x')
    (tmp_path / 'file').write_text('x')
    with pytest.raises(NotADirectoryError):
        write(tmp_path / 'file' / 'a', 'x')
    os.mkfifo(tmp_path / 'pipe')
    with pytest.raises(OSError, match='regular'):
        write(tmp_path / 'pipe', 'x')
    assert names(tmp_path) == ['file', 'pipe']


def test_what_a_killed_writer_left_is_swept(tmp_path):
    stale = tmp_path / f'.a.{"0" * 16}.crossdock-tmp'
    stale.write_text('half')
    similar = tmp_path / '.a.crossdock-tmp'
    similar.write_text('mine')
    write(tmp_path / 'b', 'x')
    assert names(tmp_path) == ['.a.crossdock-tmp', 'b']


def test_what_is_being_written_is_not_swept(tmp_path):
    with replacing(str(tmp_path / 'a')) as temporary:
        write(tmp_path / 'b', 'x')
        assert os.path.exists(temporary)
        write(tmp_path / 'a', 'first')
        assert os.path.exists(temporary)
    assert names(tmp_path) == ['a', 'b']
    assert (tmp_path / 'a').read_text() == ''


def test_a_file_swept_before_its_lock_is_made_again(tmp_path, monkeypatch):
    lock = _atomic._lock
    swept = []

    def sweep_first(descriptor):
        if not swept:
            swept.extend(names(tmp_path))
            os.unlink(tmp_path / swept[0])
        return lock(descriptor)

    monkeypatch.setattr(_atomic, '_lock', sweep_first)
    write(tmp_path / 'a', 'x')
    assert names(tmp_path) == ['a']
    assert (tmp_path / 'a').read_text() == 'x'


def test_ctrl_c_while_the_new_file_is_made_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(_atomic, '_lock', interrupt)
    before = len(os.listdir('/proc/self/fd'))
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / 'a', 'x')
    assert names(tmp_path) == []
    assert len(os.listdir('/proc/self/fd')) == before


def test_the_writer_holds_the_lock(tmp_path):
    with replacing(str(tmp_path / 'a')) as temporary, open(temporary) as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
