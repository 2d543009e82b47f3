"""The base protocol without I/O: bytes in, message bodies out, whatever the bytes are.

A header part that names no usable length is dropped, and reading goes on at the next `Content-Length`. A
client that pads, uses bare line feeds or writes its header names in capitals is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_BODY = 256 * 1024 * 1024
"""Bytes. A longer length is taken for damage: waiting for it would look like a hang."""

MAX_HEADER = 16 * 1024
"""Bytes that may pass without the end of a header part before all but the last line is dropped."""

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"(?im)content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?$")


def frame(body: bytes) -> bytes:
    """A body with the header that the base protocol asks for."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Frames:
    """Cuts a stream of bytes into message bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._missing: int | None = None

    def feed(self, data: bytes | bytearray) -> Iterator[bytes]:
        """The bodies that are complete once `data` has been added, in order."""
        self._buffer += data
        while (body := self._take()) is not None:
            yield body

    def _take(self) -> bytes | None:
        while self._missing is None:
            end = _HEADER_END.search(self._buffer)
            if end is None:
                self._drop_garbage()
                return None
            lengths = _LENGTH.findall(self._buffer, 0, end.start() + 1)
            del self._buffer[: end.end()]
            # After damage the last length is the one that belongs to the body that follows.
            if lengths and len(lengths[-1]) < 12 and int(lengths[-1]) <= MAX_BODY:
                self._missing = int(lengths[-1])
        if len(self._buffer) < self._missing:
            return None
        body = bytes(self._buffer[: self._missing])
        del self._buffer[: self._missing]
        self._missing = None
        return body

    def _drop_garbage(self) -> None:
        if len(self._buffer) > MAX_HEADER:
            keep = self._buffer.rfind(b"\n", 0, -4) + 1
            del self._buffer[: keep or len(self._buffer) - 4]
