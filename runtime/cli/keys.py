"""One key press at a time, where standard input is a terminal; one character at a time where it is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

if sys.platform == "win32":

    @contextmanager
    def single_keys(stream: TextIO) -> Iterator[None]:
        yield

    def read_key(stream: TextIO) -> str:
        """The next key; empty at the end of the input."""
        import msvcrt  # noqa: PLC0415

        return msvcrt.getwch() if stream.isatty() else stream.read(1)

else:
    import termios

    @contextmanager
    def single_keys(stream: TextIO) -> Iterator[None]:
        """Within it a key counts as it is pressed, without Enter and without being shown. Ctrl-C stays what it is."""
        if not stream.isatty():
            yield
            return
        before = termios.tcgetattr(stream)
        changed = termios.tcgetattr(stream)
        changed[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(stream, termios.TCSADRAIN, changed)
        try:
            yield
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)

    def read_key(stream: TextIO) -> str:
        """The next key; empty at the end of the input."""
        return stream.read(1)
