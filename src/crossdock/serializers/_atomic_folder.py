"""Replace a folder as a whole, as `replacing` does a file: a reader opens the old one or the new one.

Where the kernel can, the two change places in one step. Else the old one steps aside under another name first; whoever
finds no folder then finds that one.

Writers and readers hold a shared lock on the folder that they use. What is left over is removed by whoever can get the
lock for itself.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from ._atomic import NAME_MAX, SUFFIX, remove_folder, remove_if_free, sweep, sync_folder

__all__ = ['replacing_folder', 'open_folder', 'close_folder']

_ASIDE = '.crossdock-old'
_LEFT = re.compile(r'\.(.*)\.[0-9a-f]{16}' + re.escape(_ASIDE), re.DOTALL)
_MANY = 64  # files to write to the disk at once
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100
_UNABLE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM)


@contextmanager
def replacing_folder(path: str, marks: tuple[str, ...], before: Callable[[], object] | None = None) -> Iterator[str]:
    """Give the path of an empty sibling folder, which takes the place of `path` when the block ends without an error.

    A symbolic link is followed. Modes and owner are the old folder's, else what the umask says. All files and folders
    are synchronised to the disk. After an error the old folder is untouched and the sibling is gone.

    Parameters
    ----------
    path : str
    marks : tuple of str
        A folder that is there is only replaced if it is empty, or has a file of one of these names.
    before : callable, optional
        As for `replacing`.

    Raises
    ------
    OSError
        Something else is there, or the folder cannot be written; the error carries `path`.
    """
    final = os.path.realpath(path)
    folder = os.path.dirname(final)
    sweep(folder)
    _sweep_aside(folder)
    _bring_back(final)
    old = _old_folder(path, final, marks)
    temporary, descriptor = _create(path, final, old)
    try:
        try:
            yield temporary
            if old is not None:
                _take_modes(temporary, final, old, marks)
            _sync_tree(temporary)
            if before is not None:
                before()
            _swap(temporary, final)
        except BaseException as error:
            _clear(temporary, descriptor)
            _bring_back(final)
            if isinstance(error, OSError) and (error.filename is None or str(error.filename).startswith(temporary)):
                error.filename = path  # the user knows of no other
            raise
        try:
            sync_folder(folder)
        finally:
            _clear(temporary, descriptor)
    finally:
        os.close(descriptor)


def open_folder(path: str) -> int:
    """A descriptor of the folder at `path`, which stays readable when another takes its place.

    Raises
    ------
    OSError
        There is none.
    """
    final = os.path.realpath(path)
    while True:
        try:
            descriptor = os.open(_present(final), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            error.filename = path
            raise
        shared = _share(descriptor)
        mine = os.fstat(descriptor)
        with suppress(OSError):
            there = os.stat(_present(final))
            if not shared or (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
                return descriptor
        os.close(descriptor)  # replaced between being found and being locked


def close_folder(descriptor: int) -> None:
    """Let go of what `open_folder` gave; the last reader of a folder that has been replaced removes it."""
    import fcntl

    try:
        place = os.readlink(f'/proc/self/fd/{descriptor}')
    except OSError:  # no such file system: a later save removes it
        place = ''
    try:
        if place.endswith((SUFFIX, _ASIDE)):
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
                if place.endswith(SUFFIX) or _sweepable(place):
                    remove_if_free(place)
    finally:
        os.close(descriptor)


def _share(descriptor: int) -> bool:
    """Hold a shared lock; False where there is no such thing, or somebody is removing it."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _old_folder(path: str, final: str, marks: tuple[str, ...]) -> os.stat_result | None:
    try:
        old = os.stat(final)
    except FileNotFoundError:
        return None
    except OSError as error:
        error.filename = path
        raise
    if not stat.S_ISDIR(old.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, 'not a folder, and would be replaced by one', path)
    names = os.listdir(final)
    if names and not any(mark in names for mark in marks):
        raise OSError(errno.ENOTEMPTY, f'the folder has no {marks[0]}, and all in it would be lost', path)
    if not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return old


def _create(path: str, final: str, old: os.stat_result | None) -> tuple[str, int]:
    while True:
        temporary = _sibling(final, SUFFIX)
        try:
            # Nobody may read the new content under a wider mode than the old folder's.
            os.mkdir(temporary, 0o777 if old is None else 0o700)
            descriptor = _held(temporary)
        except OSError as error:
            error.filename = path
            raise
        except BaseException:  # Ctrl-C
            with suppress(OSError):
                os.rmdir(temporary)
            raise
        if descriptor is not None:
            return temporary, descriptor


def _held(temporary: str) -> int | None:
    """A descriptor of a new folder with a lock on it; None where another process swept it before there was a lock."""
    try:
        descriptor = os.open(temporary, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        _share(descriptor)
        if os.path.isdir(temporary):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _clear(temporary: str, descriptor: int) -> None:
    """Remove what is at the path of the new folder: that one, or the old one, unless somebody reads it still."""
    try:
        _remove(temporary, descriptor)
    except BaseException:  # Ctrl-C
        _remove(temporary, descriptor)
        raise


def _remove(temporary: str, descriptor: int) -> None:
    with suppress(OSError):
        mine, there = os.fstat(descriptor), os.lstat(temporary)
        if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
            remove_folder(temporary)
        else:
            remove_if_free(temporary)


def _sibling(final: str, suffix: str) -> str:
    folder, name = os.path.split(final)
    stem = os.fsdecode(os.fsencode(name)[: NAME_MAX - len(suffix) - 18])
    return os.path.join(folder, f'.{stem}.{os.urandom(8).hex()}{suffix}')


def _take_modes(temporary: str, final: str, old: os.stat_result, marks: tuple[str, ...]) -> None:
    """Give everything the modes and the owner that the old folder and its first file have."""
    sample = next((os.path.join(final, mark) for mark in marks if os.path.isfile(os.path.join(final, mark))), None)
    mode = stat.S_IMODE(os.lstat(sample).st_mode) if sample else None
    for folder, _, names in os.walk(temporary, topdown=False):
        for name in names:
            place = os.path.join(folder, name)
            with suppress(PermissionError):
                os.chown(place, old.st_uid, old.st_gid)
            if mode is not None:
                os.chmod(place, mode)
        with suppress(PermissionError):
            os.chown(folder, old.st_uid, old.st_gid)
        os.chmod(folder, stat.S_IMODE(old.st_mode))


def _sync_tree(root: str) -> None:
    def sync(place: str) -> None:
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system that cannot
                raise
        finally:
            os.close(descriptor)

    files, folders = [], []
    for folder, _, names in os.walk(root):
        folders.append(folder)
        files += [os.path.join(folder, name) for name in names]
    if len(files) + len(folders) < _MANY:  # Ctrl-C may be lost in a pool's locks, so that few do without
        for place in (*files, *folders):
            sync(place)
        return
    with ThreadPoolExecutor(4, 'crossdock-sync') as pool:
        for places in (files, folders):
            for _ in pool.map(sync, places):
                pass


def _swap(temporary: str, final: str) -> None:
    """Put the new folder in its place; an old one is at the path `temporary` then, or aside."""
    for _ in range(100):
        if not os.path.lexists(final):
            try:
                os.rename(temporary, final)
            except OSError as error:
                if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                    continue  # somebody else was faster: that one is the old one now
                raise
            return
        if _exchange(temporary, final):
            return
        aside = _sibling(final, _ASIDE)
        with suppress(FileNotFoundError):
            os.rename(final, aside)
        with suppress(OSError):
            os.rename(temporary, final)
            with suppress(OSError):
                remove_if_free(aside)
            return
    raise OSError(errno.EBUSY, 'others keep on replacing it', final)


def _exchange(temporary: str, final: str) -> bool:
    """Let two folders change places in one step; False where the kernel or the file system cannot."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    rename = getattr(libc, 'renameat2', None)
    if rename is None:
        return False
    names = os.fsencode(temporary), os.fsencode(final)
    if not rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE):
        return True
    code = ctypes.get_errno()
    if code in _UNABLE or code == errno.ENOENT:
        return False
    raise OSError(code, os.strerror(code), final)


def _aside(final: str) -> str | None:
    """The folder that stepped aside for a new `final` that never came, or comes right now."""
    folder = os.path.dirname(final)
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    stem = os.path.basename(_sibling(final, _ASIDE))[1 : -17 - len(_ASIDE)]
    found = [row for row in names if (left := _LEFT.fullmatch(row)) and left[1] == stem]
    return os.path.join(folder, max(found)) if found else None


def _present(final: str) -> str:
    """Where the folder is: at its place, or aside."""
    return final if os.path.lexists(final) else _aside(final) or final


def _bring_back(final: str) -> None:
    if not os.path.lexists(final) and (aside := _aside(final)):
        with suppress(OSError):
            os.rename(aside, final)


def _sweep_aside(folder: str) -> None:
    """Remove what has stepped aside for a folder that is in its place by now."""
    with suppress(OSError):
        for row in os.listdir(folder):
            if _sweepable(os.path.join(folder, row)):
                with suppress(OSError):
                    remove_if_free(os.path.join(folder, row))


def _sweepable(path: str) -> bool:
    """Whether a folder stepped aside for one that is in its place by now."""
    folder, name = os.path.split(path)
    left = _LEFT.fullmatch(name)
    # Where the name was cut, it may be needed still.
    return left is not None and os.path.lexists(os.path.join(folder, left[1]))
