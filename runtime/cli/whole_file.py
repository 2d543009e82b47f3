"""Files that are whole: the old text or the new one, whatever happens in between."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from stat import S_IMODE

PROGRAM = "it is a program, and would be written over"
"""What is said of an output that is named like a `.judge` file."""


def write_whole(path: str, text: str, *, private: bool = False) -> None:
    """Writes a text as UTF-8 in place of what the file held. Its mode stays, unless what is written is `private` to
    its owner, and a link still leads to it.

    Raises `OSError`; the file is as it was then.
    """
    real = os.path.realpath(path)
    there = os.path.exists(real)
    if there and not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if there and not os.path.isfile(real):
        _write(real, text)  # a pipe or a device takes what comes
        return
    draft = f"{real}.{os.getpid()}.part"
    try:
        _write(draft, text, 0o600 if private else 0o666)
        if there and not private:
            os.chmod(draft, S_IMODE(os.stat(real).st_mode))
        os.replace(draft, real)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def _write(path: str, text: str, mode: int = 0o666) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
