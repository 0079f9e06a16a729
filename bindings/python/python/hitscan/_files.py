"""Paths of files to read."""

from __future__ import annotations

import errno
import os


def to_read(path: str | bytes | os.PathLike[str]) -> str:
    """Return a path as a string.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        With ``errno`` and ``filename``, as ``open`` raises them.
    """
    name = os.fsdecode(path)
    for is_so, code in ((not os.path.exists(name), errno.ENOENT), (os.path.isdir(name), errno.EISDIR)):
        if is_so:
            raise OSError(code, os.strerror(code), name)
    return name
