"""Where a format writes: a file, or a folder for formats that are folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

from ._atomic import replacing
from ._atomic_folder import replacing_folder
from ._format import Format

__all__ = ['marks_of', 'blank', 'replacing_for']


def marks_of(format: Format) -> tuple[str, ...]:
    """The files that tell a folder of the format; none for a format of single files."""
    marks: tuple[str, ...] = getattr(format, 'folder_marks', ())
    return marks


def blank(path: str, format: Format) -> None:
    """Make the empty file or folder that a format starts with, where nothing is."""
    if marks_of(format):
        os.mkdir(path)
    else:
        with open(path, 'xb'):
            pass


def replacing_for(path: str, format: Format, before: Callable[[], object] | None = None) -> AbstractContextManager[str]:
    """As `replacing`, or `replacing_folder`."""
    marks = marks_of(format)
    return replacing_folder(path, marks, before) if marks else replacing(path, before)
