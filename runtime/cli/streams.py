"""Standard input, output and error as a shell may leave them: closed, full, or with nobody at the other end."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import Any, TextIO

PLAIN = str.maketrans(
    {
        "✔": "+", "✖": "x", "▶": ">", "‖": "=", "⊘": "-", "●": "*", "·": ".", "…": "...", "→": "->", "—": "-",
        "×": "x", "≥": ">=", "≤": "<=", "–": "-", "•": "*", "▲": "^", "│": "|", "─": "-", "└": "`", "├": "|",
        "╭": "+", "╰": "+", "┼": "+", "█": "#",
    }
)  # fmt: skip
"""What stands for our marks on a console that has them not: none of them may look like another."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def prepare_streams() -> None:
    """A stream that was closed (`jrun … >&-`) is one that leads nowhere, and no file that is opened later takes its
    number. A console that cannot show a mark must not end a run."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # until the process ends
        elif mode == "w" and hasattr(stream, "reconfigure"):
            codecs.register_error(_PLAINLY, _plainly)
            stream.reconfigure(errors=_PLAINLY)
    if type(sys.stderr) is io.TextIOWrapper and sys.stderr is sys.__stderr__:
        sys.stderr = io.TextIOWrapper(
            _Remarks(2, "wb", closefd=False),  # unbuffered, as with `python -u`
            encoding=sys.stderr.encoding,
            errors=_PLAINLY,
            line_buffering=True,
            write_through=True,
        )


class _Remarks(io.FileIO):
    """Standard error: a remark that nobody can read any more changes nothing about what a command does."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


_PLAINLY = "judgeflow.plainly"


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    return "".join(mark if mark.isascii() else "?" for mark in text), error.end


def columns_of(stream: TextIO) -> int:
    """How wide the terminal is now; 80 columns where nobody says."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def is_full(error: OSError, stream: TextIO) -> bool:
    """Whether it was the stream that took no more: it takes no more now."""
    if error.errno not in _FULL:
        return False
    try:
        stream.write("\n")
        stream.flush()
    except OSError:
        return True
    return False


def lead_nowhere(stream: TextIO) -> None:
    """What still waits to be written there is dropped: it would fail once more when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
