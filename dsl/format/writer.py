"""Lines in the making: indentation, blank lines as they were, and every comment at its place."""

from __future__ import annotations

import re

import msgspec

_COMMENT = re.compile(r"#[^\r\n]*")
_BLANK = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")

INDENT = "  "
WIDTH = 120


class Comment(msgspec.Struct, frozen=True):
    """`own_line`: nothing but white space stands before it on its line."""

    start: int
    text: str
    own_line: bool


def comments_of(text: str, gaps: list[tuple[int, int]]) -> list[Comment]:
    """The comments of a declaration. `gaps` is the white space between its tokens, with the comments in it."""
    found = []
    for start, end in gaps:
        for match in _COMMENT.finditer(text, start, end):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            own = not line.strip() or text.rfind("\r", 0, match.start()) >= start
            found.append(Comment(match.start(), match[0].rstrip(), own))
    return found


class Writer:
    """Writes one declaration. Items are written in the order in which they stand in the text."""

    def __init__(self, text: str, gaps: list[tuple[int, int]]) -> None:
        self.text = text
        self.lines: list[str] = []
        self.depth = 0
        self._comments = comments_of(text, gaps)
        self._next = 0
        self._last_end: int | None = None

    @property
    def indent(self) -> str:
        return INDENT * self.depth

    def line(self, written: str, start: int, end: int) -> None:
        """One item, maybe of several lines (continuation lines come with their indentation)."""
        self._before(start)
        self.lines.extend((self.indent + written).split("\n"))
        self._last_end = end

    def open(self, written: str, start: int, end: int) -> None:
        """A line that ends with `{`; what follows is indented."""
        self.line(written, start, end)
        self.depth += 1

    def close(self, end: int, written: str = "}") -> None:
        """The closing line of a block; comments before it are the block's."""
        self._flush(end)
        self.depth -= 1
        self.lines.append(self.indent + written)
        self._last_end = end

    def reopen(self, written: str, start: int, end: int) -> None:
        """`} else {`: closes one block and opens the next on the same line."""
        self._flush(start)
        self.depth -= 1
        self.lines.append(self.indent + written)
        self._last_end = end
        self.depth += 1

    def finish(self) -> list[str]:
        self._flush(len(self.text) + 1)
        return self.lines

    def has_comment(self, start: int, end: int) -> bool:
        return any(start <= comment.start < end for comment in self._comments)

    def _before(self, start: int) -> None:
        first = self._next
        self._flush(start, start)
        if first == self._next and self._blank_between(self._last_end, start):
            self._blank()

    def _flush(self, before: int, item: int | None = None) -> None:
        while self._next < len(self._comments) and self._comments[self._next].start < before:
            comment = self._comments[self._next]
            self._next += 1
            if not comment.own_line and self.lines and not self.lines[-1].lstrip().startswith("#"):
                self.lines[-1] += f"  {comment.text}"
            else:
                if self._blank_between(self._last_end, comment.start):
                    self._blank()
                self.lines.append(self.indent + comment.text)
            self._last_end = comment.start + len(comment.text)
            following = self._comments[self._next].start if self._next < len(self._comments) else before
            if item is not None and following >= before and self._blank_between(self._last_end, item):
                self._blank()

    def _blank_between(self, start: int | None, end: int) -> bool:
        return start is not None and _BLANK.search(self.text, start, end) is not None

    def _blank(self) -> None:
        if self.lines and self.lines[-1] and not self.lines[-1].endswith("{"):
            self.lines.append("")
