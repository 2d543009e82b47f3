r"""A file's text and its lines.

A line ends at `\n`, `\r\n` or `\r` and nowhere else: U+2028, form feeds and their kin are ordinary
characters, as in every editor. Offsets count code points, lines and columns count from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

import msgspec

from .diagnostics import Diagnostic

BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


class Source(msgspec.Struct, frozen=True, dict=True):
    path: str
    text: str

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts; the first is 0, and a final line end starts one more, empty
        line."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1; an offset outside the text is moved to its nearest end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, number: int) -> str:
        """A line without its end; empty where there is no such line."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


def decode(path: str, data: bytes) -> Source | Diagnostic:
    """The source of a file's bytes, a leading byte order mark removed, or what is wrong with them."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _undecodable(path, data, error)
    return Source(path, text.removeprefix(BOM))


def _undecodable(path: str, data: bytes, error: UnicodeDecodeError) -> Diagnostic:
    before = data[: error.start].decode("utf-8").removeprefix(BOM)
    line, column = Source(path, before).position(len(before))
    shown = " ".join(f"{byte:02x}" for byte in data[error.start : error.start + 4])
    return Diagnostic(
        code="syntax.encoding",
        severity="error",
        message=f"Byte {error.start} of this file (line {line}, column {column}) is not valid UTF-8",
        start=len(before),
        end=len(before),
        path=path,
        label=f"the bytes here are {shown}",
        help=_encoding_help(data),
    )


def _encoding_help(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "The file is UTF-16. Save it again as UTF-8."
    return "Save the file again as UTF-8; it may have been written in an older encoding such as Windows-1252."
