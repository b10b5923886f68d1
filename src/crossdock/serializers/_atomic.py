"""Replace a file as a whole: a reader sees the old one or the new one, never half of one.

The new content is written to a sibling file that its writer holds a lock on, so that a later save can tell a file left
by a killed process (its lock is free) from one that is being written.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import FileIO

__all__ = ['SUFFIX', 'NAME_MAX', 'replacing', 'remove_folder', 'remove_if_free', 'sweep', 'sync_folder']

SUFFIX = '.crossdock-tmp'
_TEMPORARY = re.compile(r'\..*\.[0-9a-f]{16}' + re.escape(SUFFIX), re.DOTALL)
_KINDS = (stat.S_IFREG, stat.S_IFDIR)
NAME_MAX = 255
_DEEPEST = 250  # parts of a key path, and the places of chunks below it, are fewer


@contextmanager
def replacing(path: str, before: Callable[[], object] | None = None) -> Iterator[str]:
    """Give the path of an empty sibling file, which takes the place of `path` when the block ends without an error.

    A symbolic link is followed. The mode is the old file's, else what the umask says. The data and the folder are
    synchronised to the disk. After an error the old file is untouched and the sibling is gone.

    Parameters
    ----------
    path : str
    before : callable, optional
        Called when all of it is on the disk, just before it takes the place; what it raises keeps it from that.

    Raises
    ------
    OSError
        The folder is missing, or the file cannot be written; the error carries `path`.
    """
    final = os.path.realpath(path)
    folder = os.path.dirname(final)
    old = _old_file(path, final)
    sweep(folder)
    temporary, file = _create(path, final, old)
    descriptor = file.fileno()
    try:
        try:
            yield temporary
            if old is not None:
                with suppress(PermissionError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            os.fsync(descriptor)
            if before is not None:
                before()
            os.replace(temporary, final)
        except BaseException as error:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            if isinstance(error, OSError) and error.filename in (None, temporary):
                error.filename = path  # the user knows of no other
            raise
    finally:
        file.close()
    sync_folder(folder)


def _old_file(path: str, final: str) -> os.stat_result | None:
    try:
        old = os.stat(final)
    except FileNotFoundError:
        return None
    except OSError as error:
        error.filename = path
        raise
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, 'not a regular file, and would be replaced by one', path)
    if not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return old


def _create(path: str, final: str, old: os.stat_result | None) -> tuple[str, FileIO]:
    folder, name = os.path.split(final)
    room = NAME_MAX - len(SUFFIX) - 18
    # Nobody may read the new content under a wider mode than the old file's.
    opener = partial(os.open, mode=0o666 if old is None else 0o600)
    while True:
        stem = os.fsdecode(os.fsencode(name)[:room])
        temporary = os.path.join(folder, f'.{stem}.{os.urandom(8).hex()}{SUFFIX}')
        file: FileIO | None = None
        try:
            # An object, which closes itself where Ctrl-C comes before it has a name; and never through a link.
            file = FileIO(temporary, 'x+', opener=opener)
            if _lock(file.fileno()) and os.fstat(file.fileno()).st_nlink:
                return temporary, file
        except BaseException as error:
            if file is not None:
                file.close()
            if file is not None or not isinstance(error, OSError):  # it may be there already
                with suppress(OSError):
                    os.unlink(temporary)
            if isinstance(error, OSError):
                error.filename = path
            raise
        file.close()  # another process swept it between its creation and its lock


def _lock(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        # A file system without locks: nobody can sweep there either.
    return True


def sweep(folder: str) -> None:
    """Remove what killed writers have left in `folder`: files, and folders that were to be one."""
    try:
        with os.scandir(folder) as rows:
            left = [row for row in rows if _TEMPORARY.fullmatch(row.name)]
            stale = [row.path for row in left if stat.S_IFMT(row.stat(follow_symlinks=False).st_mode) in _KINDS]
    except OSError:
        return  # a folder that cannot be listed may still be written to
    for path in stale:
        with suppress(OSError):
            remove_if_free(path)


def remove_if_free(path: str) -> None:
    """Remove a file or folder, unless it is in use: somebody holds a lock on it."""
    import fcntl

    is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
    # Some file systems lock only what is open for writing, which a folder cannot be.
    access = os.O_RDONLY | os.O_DIRECTORY if is_folder else os.O_RDWR
    descriptor = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine, there = os.fstat(descriptor), os.lstat(path)
        if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
            remove = remove_folder if is_folder else os.unlink
            remove(path)
    finally:
        os.close(descriptor)


def remove_folder(path: str) -> None:
    """Remove a folder with all that is in it; links in it are not followed.

    Raises
    ------
    OSError
        Something in it cannot be removed; what has been removed by then is gone.
    """
    # Not shutil.rmtree: it may close a descriptor twice where Ctrl-C comes in between, and what it raises then is an
    # OSError, which hides the KeyboardInterrupt from whoever passes over errors of clearing up.
    _remove_below(path, None, 0)


def _remove_below(name: str, above: int | None, depth: int) -> None:
    if depth > _DEEPEST:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
    try:
        with os.scandir(descriptor) as rows:
            inner = [(row.name, row.is_dir(follow_symlinks=False)) for row in rows]
        for inside, is_folder in inner:
            if is_folder:
                _remove_below(inside, descriptor, depth + 1)
            else:
                os.unlink(inside, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    os.rmdir(name, dir_fd=above)


def sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system that cannot
            raise
    finally:
        os.close(descriptor)
