"""The texts that the editor has open, exactly as the editor sees them.

Nothing here reads a file. A document's text is replaced whole or by ranges; both keep the line index in
step, so that positions stay cheap however long the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from ..dsl.check.document import Stretch
from .lines import Lines, Snapshot
from .positions import Encoding, column, width
from .wire import Change, Position, Range

_SURROGATE = re.compile("[\ud800-\udfff]")


class Document:
    """One open text. Offsets are code points from its start."""

    def __init__(self, uri: str, path: str, version: int, text: str, encoding: Encoding) -> None:
        self.uri = uri
        """As the client spells it: what is published goes back under this very spelling."""
        self.path = path
        self.version = version
        self.encoding = encoding
        self._is_plain = False
        """Whether one character is one code unit. A text that is no longer plain stays so until it is replaced."""
        self._replace(text)

    @property
    def snapshot(self) -> Snapshot:
        """The text as it is now: the same object until the next edit."""
        return self._lines.snapshot

    @property
    def text(self) -> str:
        return self._lines.snapshot.text

    @property
    def length(self) -> int:
        return self._lines.length

    @property
    def line_count(self) -> int:
        return self._lines.count

    def slice(self, start: int, end: int) -> str:
        """What stands between two offsets."""
        return self._lines.slice(start, end)

    def offset(self, position: Position) -> int:
        """The offset of a position. Past the text is its end, past a line is the end of that line."""
        if position.line >= self._lines.count:
            return self._lines.length
        if position.line < 0:
            return 0
        start, end, _ = self._lines.span(position.line)
        if self._is_plain:
            return min(start + max(position.character, 0), end)
        return start + column(self._lines.slice(start, end), position.character, self.encoding)

    def position(self, offset: int) -> Position:
        """The position of an offset. One between `\\r` and `\\n` stands before both."""
        line, start, end, _ = self._lines.at(offset)
        return self._on_line(line, start, end, offset)

    def range(self, start: int, end: int) -> Range:
        line, line_start, line_end, _ = self._lines.at(start)
        first = self._on_line(line, line_start, line_end, start)
        if start <= end <= line_end:
            return Range(first, self._on_line(line, line_start, line_end, end))
        return Range(first, self.position(end))

    def _on_line(self, line: int, start: int, end: int, offset: int) -> Position:
        """The position of an offset on a line whose text stands from `start` to `end`."""
        offset = max(start, min(offset, end))
        if self._is_plain:
            return Position(line, offset - start)
        return Position(line, width(self._lines.slice(start, offset), self.encoding))

    def line_span(self, line: int) -> tuple[int, int]:
        """Start and end of a line's text, without its line end."""
        start, end, _ = self._lines.span(line)
        return start, end

    def line_at(self, offset: int) -> int:
        return self._lines.at(offset)[0]

    def places(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Line, column and length, in code units, of stretches that stand on one line each: `position`
        for thousands at once."""
        starts, text = self._lines.starts(), self.text
        for start, end in spans:
            line = bisect_right(starts, start) - 1
            if self._is_plain:
                yield line, start - starts[line], end - start
            else:
                before, inside = text[starts[line] : start], text[start:end]
                yield line, width(before, self.encoding), width(inside, self.encoding)

    def apply(self, change: Change) -> Stretch | None:
        """Makes a change; what it has changed, None for all."""
        if change.range is None:
            self._replace(change.text)
            return None
        text = _whole(change.text)
        first, last = change.range.start, change.range.end
        start = end = self.offset(first)
        if last != first:
            start, end = sorted((start, self.offset(last)))
        self._is_plain = self._is_plain and (self.encoding == "utf-32" or text.isascii())
        self._lines.splice(start, end, text)
        return start, end, start + len(text)

    def _replace(self, text: str) -> None:
        text = _whole(text)
        self._lines = Lines(text)
        self._is_plain = self.encoding == "utf-32" or text.isascii()


class Documents:
    """The open documents by path."""

    def __init__(self) -> None:
        self._by_path: dict[str, Document] = {}

    def open(self, document: Document) -> None:
        self._by_path[document.path] = document

    def close(self, path: str) -> Document | None:
        return self._by_path.pop(path, None)

    def get(self, path: str) -> Document | None:
        return self._by_path.get(path)

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._by_path.values()))

    def __len__(self) -> int:
        return len(self._by_path)


def _whole(text: str) -> str:
    """A text that can be encoded: half a surrogate pair becomes U+FFFD, which is as wide in UTF-16."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text
