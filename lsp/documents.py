"""The texts that the editor has open, exactly as the editor sees them.

Nothing here reads a file. A document's text is replaced whole or by ranges; both keep the line index in
step, so that positions stay cheap however long the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from ..dsl.check.document import Stretch
from .lines import LineIndex, line_lengths
from .positions import Encoding, column, width
from .wire import Change, Position, Range

_LINE_END = re.compile(r"[\r\n]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Document:
    """One open text. Offsets are code points from its start."""

    def __init__(self, uri: str, path: str, version: int, text: str, encoding: Encoding) -> None:
        self.uri = uri
        """As the client spells it: what is published goes back under this very spelling."""
        self.path = path
        self.version = version
        self.encoding = encoding
        self.text = _whole(text)
        self._lines = LineIndex(self.text)

    @property
    def line_count(self) -> int:
        return self._lines.count

    def offset(self, position: Position) -> int:
        """The offset of a position. Past the text is its end, past a line is the end of that line."""
        if position.line >= self._lines.count:
            return len(self.text)
        if position.line < 0:
            return 0
        start, end = self._lines.span(position.line)
        end -= self._line_end(start, end)
        if self.encoding == "utf-32" or self.text.isascii():
            return min(start + max(position.character, 0), end)
        return start + column(self.text[start:end], position.character, self.encoding)

    def position(self, offset: int) -> Position:
        """The position of an offset. One between `\\r` and `\\n` stands before both."""
        line, start, end = self._lines.at(offset)
        return self._on_line(line, start, end - self._line_end(start, end), offset)

    def range(self, start: int, end: int) -> Range:
        line, line_start, line_end = self._lines.at(start)
        line_end -= self._line_end(line_start, line_end)
        first = self._on_line(line, line_start, line_end, start)
        if start <= end <= line_end:
            return Range(first, self._on_line(line, line_start, line_end, end))
        return Range(first, self.position(end))

    def _on_line(self, line: int, start: int, end: int, offset: int) -> Position:
        """The position of an offset on a line whose text stands from `start` to `end`."""
        offset = max(start, min(offset, end))
        if self.encoding == "utf-32" or self.text.isascii():
            return Position(line, offset - start)
        return Position(line, width(self.text[start:offset], self.encoding))

    def line_span(self, line: int) -> tuple[int, int]:
        """Start and end of a line's text, without its line end."""
        start, end = self._lines.span(line)
        return start, end - self._line_end(start, end)

    def line_at(self, offset: int) -> int:
        return self._lines.at(offset)[0]

    def places(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Line, column and length, in code units, of stretches that stand on one line each: `position`
        for thousands at once."""
        starts, text = self._lines.starts(), self.text
        plain = self.encoding == "utf-32" or text.isascii()
        for start, end in spans:
            line = bisect_right(starts, start) - 1
            if plain:
                yield line, start - starts[line], end - start
            else:
                before, inside = text[starts[line] : start], text[start:end]
                yield line, width(before, self.encoding), width(inside, self.encoding)

    def apply(self, change: Change) -> Stretch | None:
        """Makes a change; what it has changed, None for all."""
        text = _whole(change.text)
        if change.range is None:
            self.text = text
            self._lines = LineIndex(text)
            return None
        first, last = change.range.start, change.range.end
        start = end = self.offset(first)
        if last != first:
            start, end = sorted((start, self.offset(last)))
        self._splice(start, end, text)
        return start, end, start + len(text)

    def _splice(self, start: int, end: int, text: str) -> None:
        old = self.text
        first, begin, finish = self._lines.at(start)
        if begin < start and end <= finish - self._line_end(begin, finish) and _LINE_END.search(text) is None:
            self.text = "".join((old[:start], text, old[end:]))
            self._lines.resize(first, len(text) - (end - start))
            return
        last, _, finish = self._lines.at(end)
        if begin == start and first > 0 and old[start - 1] == "\r":
            # A line feed put right after a carriage return makes one line end of the two.
            first -= 1
            begin, _ = self._lines.span(first)
        lengths = line_lengths("".join((old[begin:start], text, old[end:finish])))
        if last < self._lines.count - 1:
            lengths.pop()
        self.text = "".join((old[:start], text, old[end:]))
        self._lines.replace(first, last, lengths)

    def _line_end(self, start: int, end: int) -> int:
        """The length of the line end of the line that stands between two offsets: 0, 1 or 2."""
        if start == end or self.text[end - 1] not in "\r\n":
            return 0
        return 2 if end - start > 1 and self.text[end - 2] == "\r" and self.text[end - 1] == "\n" else 1


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
