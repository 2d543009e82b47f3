"""Where the lines of a text begin, kept up to date edit by edit.

A line ends with `\\n`, `\\r\\n` or `\\r` and with nothing else: U+2028, NEL and form feed are ordinary
characters, as the Language Server Protocol says. Lengths count code points and include the line's end;
the last line has none and may be empty, so a text always has one line more than it has line ends.

The lengths stand in blocks of some hundred lines. An edit touches one block and the sums over blocks,
which at 100,000 lines is about two hundred additions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

BLOCK = 512
"""Lines in a fresh block. One that grows to twice that is cut."""

_LINE_END = re.compile(r"\r\n?|\n")


def line_lengths(text: str) -> list[int]:
    """The length of every line with its end, the last one (without an end) included."""
    if "\r" not in text:
        lengths = [len(line) + 1 for line in text.split("\n")]
        lengths[-1] -= 1
        return lengths
    ends = [match.end() for match in _LINE_END.finditer(text)]
    starts = [0, *ends]
    ends.append(len(text))
    return [end - start for start, end in zip(starts, ends, strict=True)]


class _Block:
    __slots__ = ("_starts", "lengths")

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = lengths
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Offsets of the lines from the block's start, and after them the block's length."""
        if self._starts is None:
            self._starts = list(accumulate(self.lengths, initial=0))
        return self._starts


class LineIndex:
    """Line numbers from offsets and offsets from line numbers, both from 0 and in code points."""

    def __init__(self, text: str) -> None:
        self._blocks = _cut(line_lengths(text))
        self._first_lines: list[int] = []
        self._first_offsets: list[int] = []
        self._sum()

    @property
    def count(self) -> int:
        """The number of lines, at least 1."""
        return self._first_lines[-1]

    @property
    def length(self) -> int:
        """The length of the text in code points."""
        return self._first_offsets[-1]

    def span(self, line: int) -> tuple[int, int]:
        """Start and end of a line, its line end included. `line` is clamped to the text."""
        line = max(0, min(line, self.count - 1))
        at = bisect_right(self._first_lines, line) - 1
        starts = self._blocks[at].starts
        inside = line - self._first_lines[at]
        base = self._first_offsets[at]
        return base + starts[inside], base + starts[inside + 1]

    def starts(self) -> list[int]:
        """The offset of every line's start: for those who go through a whole text."""
        return [
            base + start
            for block, base in zip(self._blocks, self._first_offsets, strict=False)
            for start in block.starts[:-1]
        ]

    def line_at(self, offset: int) -> int:
        """The line on which an offset stands; the offset of a line's start belongs to that line."""
        offset = max(0, min(offset, self.length))
        if offset == self.length:
            return self.count - 1
        at = bisect_right(self._first_offsets, offset) - 1
        inside = bisect_right(self._blocks[at].starts, offset - self._first_offsets[at]) - 1
        return self._first_lines[at] + inside

    def replace(self, first: int, last: int, lengths: list[int]) -> None:
        """Put lines of these lengths where the lines `first` to `last` (included) stand."""
        low = bisect_right(self._first_lines, first) - 1
        high = bisect_right(self._first_lines, last) - 1
        merged = [
            *self._blocks[low].lengths[: first - self._first_lines[low]],
            *lengths,
            *self._blocks[high].lengths[last + 1 - self._first_lines[high] :],
        ]
        self._blocks[low : high + 1] = _cut(merged)
        self._sum()

    def _sum(self) -> None:
        self._first_lines = list(accumulate((len(block.lengths) for block in self._blocks), initial=0))
        self._first_offsets = list(accumulate((block.starts[-1] for block in self._blocks), initial=0))


def _cut(lengths: list[int]) -> list[_Block]:
    """Blocks of these lines. An empty block can only be the whole of an emptied region and is left out."""
    if len(lengths) <= 2 * BLOCK:
        return [_Block(lengths)] if lengths else []
    return [_Block(lengths[at : at + BLOCK]) for at in range(0, len(lengths), BLOCK)]
