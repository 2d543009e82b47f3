"""Files on disk, as the compiler and its commands read them."""

from __future__ import annotations

import errno
import os
from stat import S_ISDIR, S_ISREG

_OF_THE_SHELL = ("/dev/", "/proc/self/fd/")
"""Where a shell puts what it passes on (`jrun check <(…)`, `/dev/stdin`): there somebody writes."""


def refuse_pipe(path: str) -> None:
    """`OSError` for a named pipe, a socket or a device, of which a read may wait without end; and for what is not
    there."""
    mode = os.stat(path).st_mode
    if not (S_ISREG(mode) or S_ISDIR(mode) or path.startswith(_OF_THE_SHELL)):
        raise OSError(errno.EINVAL, "A pipe or a device is no file", path)


def read_bytes(path: str) -> bytes:
    """The bytes of a file. `OSError` where it is none, or cannot be read."""
    refuse_pipe(path)
    with open(path, "rb") as file:
        return file.read()
