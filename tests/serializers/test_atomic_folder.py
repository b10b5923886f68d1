import os
import stat

import pytest

from crossdock.serializers import _atomic_folder
from crossdock.serializers._atomic_folder import close_folder, open_folder, replacing_folder

MARKS = ('mark',)


def write(path, text):
    with replacing_folder(str(path), MARKS) as temporary:
        for name in ('mark', 'd/x'):
            place = os.path.join(temporary, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, 'w') as file:
                file.write(text)


def read(path):
    assert (path / 'mark').read_text() == (path / 'd' / 'x').read_text()
    return (path / 'mark').read_text()


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=['exchange', 'two steps'])
def way(request, monkeypatch):
    """Where the kernel lets folders change places, and where it does not."""
    if request.param == 'two steps':
        monkeypatch.setattr(_atomic_folder, '_exchange', lambda temporary, final: False)


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


@pytest.mark.usefixtures('way')
def test_the_new_folder_takes_the_place_of_the_old_one(tmp_path):
    for text in ('one', 'two', 'three'):
        write(tmp_path / 'a', text)
        assert read(tmp_path / 'a') == text
        assert names(tmp_path) == ['a']


@pytest.mark.usefixtures('way', 'umask')
def test_modes_are_those_of_the_umask_then_of_the_old_folder(tmp_path):
    path = tmp_path / 'a'
    write(path, 'one')
    assert (mode(path), mode(path / 'd'), mode(path / 'd' / 'x')) == (0o750, 0o750, 0o640)
    path.chmod(0o705)
    (path / 'mark').chmod(0o604)
    write(path, 'two')
    assert (mode(path), mode(path / 'd'), mode(path / 'd' / 'x')) == (0o705, 0o705, 0o604)


@pytest.mark.usefixtures('way')
def test_an_error_leaves_the_old_folder_and_nothing_else(tmp_path):
    write(tmp_path / 'a', 'old')

    def interrupted():
        with replacing_folder(str(tmp_path / 'a'), MARKS) as temporary:
            assert mode(tmp_path / os.path.basename(temporary)) == 0o700
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert read(tmp_path / 'a') == 'old'
    assert names(tmp_path) == ['a']


@pytest.mark.parametrize('nth', range(4))
def test_ctrl_c_between_two_steps_of_clearing_up_is_heard(tmp_path, monkeypatch, nth):
    path = tmp_path / 'x'
    write(path, 'old')
    close, closed = os.close, []

    def close_and_interrupt(descriptor):
        close(descriptor)
        closed.append(descriptor)
        if len(closed) == nth + 1:
            raise KeyboardInterrupt

    # The new folder is in its place by then, and the old one goes.
    monkeypatch.setattr(_atomic_folder, 'sync_folder', lambda _: monkeypatch.setattr(os, 'close', close_and_interrupt))
    with pytest.raises(KeyboardInterrupt):
        write(path, 'new')
    monkeypatch.undo()
    assert len(closed) > nth
    assert read(path) == 'new'
    assert names(tmp_path) == ['x']


@pytest.mark.parametrize('step', ['mkdir', 'open'])
def test_ctrl_c_while_the_new_folder_is_made_leaves_none(tmp_path, monkeypatch, step):
    act = getattr(os, step)

    def act_and_interrupt(place, *arguments, **options):
        made = act(place, *arguments, **options)
        if str(place).endswith(_atomic_folder.SUFFIX):
            if step == 'open':
                os.close(made)
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(os, step, act_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / 'x', 'new')
    assert names(tmp_path) == []


def test_links_in_what_is_swept_are_not_followed(tmp_path):
    (tmp_path / 'outside').mkdir()
    (tmp_path / 'outside' / 'kept').touch()
    left = tmp_path / f'.a.{"0" * 16}.crossdock-tmp'
    left.mkdir()
    (left / 'link').symlink_to(tmp_path / 'outside')
    write(tmp_path / 'a', 'x')
    assert names(tmp_path) == ['a', 'outside']
    assert names(tmp_path / 'outside') == ['kept']


def test_links_are_followed(tmp_path):
    (tmp_path / 'd').mkdir()
    link = tmp_path / 'link'
    link.symlink_to('d/real')
    write(link, 'one')
    write(link, 'two')
    assert link.is_symlink()
    assert read(tmp_path / 'd' / 'real') == 'two'


@pytest.mark.usefixtures('way')
def test_who_has_it_open_reads_on(tmp_path):
    write(tmp_path / 'a', 'one')
    opened = [open_folder(str(tmp_path / 'a')) for _ in range(2)]
    write(tmp_path / 'a', 'two')
    write(tmp_path / 'a', 'three')
    for descriptor in opened:
        with open(os.open('d/x', os.O_RDONLY, dir_fd=descriptor)) as file:
            assert file.read() == 'one'
    for descriptor in opened:
        close_folder(descriptor)
    assert read(tmp_path / 'a') == 'three'
    assert names(tmp_path) == ['a']


def test_killed_between_the_two_steps(tmp_path):
    write(tmp_path / 'a', 'old')
    aside = tmp_path / '.a.0123456789abcdef.crossdock-old'
    (tmp_path / 'a').rename(aside)
    (tmp_path / f'.a.{"0" * 16}.crossdock-tmp').mkdir()
    descriptor = open_folder(str(tmp_path / 'a'))
    with open(os.open('mark', os.O_RDONLY, dir_fd=descriptor)) as file:
        assert file.read() == 'old'
    close_folder(descriptor)
    assert aside.is_dir()
    write(tmp_path / 'b', 'other')
    assert aside.is_dir(), 'it is all that there is'

    def failing():
        with replacing_folder(str(tmp_path / 'a'), MARKS):
            raise ValueError

    with pytest.raises(ValueError):
        failing()
    assert read(tmp_path / 'a') == 'old'
    assert names(tmp_path) == ['a', 'b']


def test_what_a_killed_writer_left_is_swept(tmp_path):
    write(tmp_path / 'a', 'w')
    for name in (f'.a.{"0" * 16}.crossdock-tmp', f'.b.{"1" * 16}.crossdock-tmp', f'.a.{"2" * 16}.crossdock-old'):
        (tmp_path / name / 'd').mkdir(parents=True)
    write(tmp_path / 'a', 'x')
    assert names(tmp_path) == ['a']


@pytest.mark.parametrize('step', ['mkdir', 'open'])
def test_a_folder_swept_before_its_lock_is_made_again(tmp_path, monkeypatch, step):
    act = getattr(os, step)
    swept = []

    def sweep_afterwards(place, *arguments, **options):
        made = act(place, *arguments, **options)
        if not swept and str(place).endswith(_atomic_folder.SUFFIX):
            os.rmdir(place)
            swept.append(place)
        return made

    monkeypatch.setattr(os, step, sweep_afterwards)
    write(tmp_path / 'a', 'x')
    assert len(swept) == 1
    assert names(tmp_path) == ['a']


def test_what_is_being_written_is_not_swept(tmp_path):
    with replacing_folder(str(tmp_path / 'a'), MARKS) as temporary:
        write(tmp_path / 'b', 'x')
        write(tmp_path / 'a', 'first')
        assert os.path.isdir(temporary)
    assert names(tmp_path) == ['a', 'b']
    assert names(tmp_path / 'a') == []


def test_what_cannot_be_replaced(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / 'no' / 'a', 'x')
    assert caught.value.filename == str(tmp_path / 'no' / 'a')
    (tmp_path / 'file').write_text('x')
    with pytest.raises(NotADirectoryError):
        write(tmp_path / 'file', 'x')
    (tmp_path / 'd' / 'e').mkdir(parents=True)
    with pytest.raises(OSError, match='lost'):
        write(tmp_path / 'd', 'x')
    (tmp_path / 'd' / 'e').rmdir()
    write(tmp_path / 'd', 'x')
    assert names(tmp_path) == ['d', 'file']


def test_a_long_name(tmp_path):
    write(tmp_path / ('é' * 127), 'x')
    write(tmp_path / ('é' * 127), 'y')
    assert names(tmp_path) == ['é' * 127]
