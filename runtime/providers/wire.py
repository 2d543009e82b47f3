"""Bytes as they come: server-sent events cut from them, and a limit on how many there may be. Pure and
incremental."""

from __future__ import annotations

import zlib

import attrs


class TooLargeError(Exception):
    """More bytes than allowed, counted after decompression."""


class EncodingError(Exception):
    """A `Content-Encoding` that was not asked for, or bytes that are not what it says."""


@attrs.frozen
class Event:
    """`data` is what its data lines hold, joined by line feeds."""

    data: bytes
    name: bytes = b""


class EventParser:
    """Server-sent events from chunks cut anywhere. Lines end at CR, LF or CRLF alone: U+2028 is text."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        """A line that has not ended, in the pieces in which it came: joined once, however many they are."""
        self._data: list[bytes] = []
        self._name = b""
        self._started = False

    def feed(self, chunk: bytes) -> list[Event]:
        if self._started and self._rest and not self._ends_a_line(chunk):
            self._rest.append(chunk)
            return []
        text = b"".join(self._rest) + chunk if self._rest else chunk
        if not self._started:
            if len(text) < 3 and b"\xef\xbb\xbf".startswith(text):
                self._rest = [text]
                return []
            text = text.removeprefix(b"\xef\xbb\xbf")
            self._started = True
        if b"\r" in text:
            # A CR at the very end may be the first half of a CRLF.
            held = b"\r" if text.endswith(b"\r") else b""
            text = text.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        else:
            held = b""
        *lines, last = text.split(b"\n")
        self._rest = [last + held] if last or held else []
        return self._read(lines)

    def _ends_a_line(self, chunk: bytes) -> bool:
        return b"\n" in chunk or b"\r" in chunk or self._rest[-1].endswith(b"\r")

    def end(self) -> list[Event]:
        """What is left when the stream closed without a last blank line."""
        lines = [b"".join(self._rest).removesuffix(b"\r"), b""]
        self._rest = []
        return self._read(lines)

    def _read(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for line in lines:
            if not line:
                if self._data:
                    events.append(Event(b"\n".join(self._data), self._name))
                self._data, self._name = [], b""
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
        return events


_FIELDS = (b"data:", b"event:", b":", b"id:", b"retry:")


class Framing:
    """A body that is a stream of events or one whole value. What it looks like counts for more than what it says it
    is: services stream under other names, and answer an error in one piece where a stream was asked for."""

    def __init__(self, content_type: str) -> None:
        self._is_stream = "event-stream" in content_type.lower()
        self._parser: EventParser | None = None
        self._body = bytearray()
        self._decided = False

    @property
    def whole(self) -> bytes | None:
        """The body so far; None where it is a stream."""
        return None if self._parser is not None else bytes(self._body)

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that are complete now."""
        if not self._decided:
            self._body += chunk
            return self._decide(bytes(self._body[:64]).lstrip(b"\xef\xbb\xbf \t\r\n"))
        if self._parser is not None:
            return self._parser.feed(chunk)
        self._body += chunk
        return []

    def _decide(self, start: bytes) -> list[Event]:
        if not start or any(field.startswith(start) and field != start for field in _FIELDS):
            return []
        self._decided = True
        if start.startswith(_FIELDS) or (self._is_stream and start[:1] not in b"{[<"):
            self._parser = EventParser()
            body, self._body = bytes(self._body), bytearray()
            return self._parser.feed(body)
        return []

    def end(self) -> list[Event]:
        if not self._decided and self._is_stream:
            self._parser = EventParser()
        return [] if self._parser is None else self._parser.end()


class Inflater:
    """The body as it was before compression, never more than `limit` bytes of it: a bomb is stopped as it
    unfolds."""

    def __init__(self, encoding: str, limit: int) -> None:
        self._left = limit
        self._engine: zlib._Decompress | None = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._engine = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        elif encoding not in ("", "identity"):
            raise EncodingError(encoding)

    def feed(self, chunk: bytes) -> bytes:
        if self._engine is None:
            return self._counted(chunk)
        try:
            plain = self._engine.decompress(chunk, self._left + 1)
        except zlib.error as error:
            raise EncodingError(str(error)) from error
        return self._counted(plain)

    def _counted(self, plain: bytes) -> bytes:
        self._left -= len(plain)
        if self._left < 0:
            raise TooLargeError
        return plain
