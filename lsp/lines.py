"""Where the lines of a text begin, kept up to date edit by edit.

A line ends with `\\n`, `\\r\\n` or `\\r` and with nothing else: U+2028, NEL and form feed are ordinary
characters, as the Language Server Protocol says. Lengths count code points and include the line's end;
the last line has none and may be empty, so a text always has one line more than it has line ends.

The lengths stand in blocks of some dozen lines. An edit makes one block anew and moves those behind it, which at
100,000 lines are some hundreds of additions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

BLOCK = 128
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

    def resize(self, line: int, by: int) -> None:
        self.lengths[line] += by
        if self._starts is not None:
            behind = self._starts[line + 1 :]
            self._starts[line + 1 :] = [start + by for start in behind]


class LineIndex:
    """Line numbers from offsets and offsets from line numbers, both from 0 and in code points."""

    def __init__(self, text: str) -> None:
        self._blocks = _cut(line_lengths(text))
        self._first_lines = _summed(self._blocks, 0, _count)
        self._first_offsets = _summed(self._blocks, 0, _length)

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

    def at(self, offset: int) -> tuple[int, int, int]:
        """The line on which an offset stands, its start and its end, its line end included. The offset of a line's
        start belongs to that line."""
        if offset >= self._first_offsets[-1]:
            return self.count - 1, *self.span(self.count - 1)
        offset = max(0, offset)
        at = bisect_right(self._first_offsets, offset) - 1
        base, starts = self._first_offsets[at], self._blocks[at].starts
        inside = bisect_right(starts, offset - base) - 1
        return self._first_lines[at] + inside, base + starts[inside], base + starts[inside + 1]

    def resize(self, line: int, by: int) -> None:
        """Make one line longer or shorter: the edit of nearly every key stroke."""
        at = bisect_right(self._first_lines, line) - 1
        self._blocks[at].resize(line - self._first_lines[at], by)
        behind = self._first_offsets[at + 1 :]
        self._first_offsets[at + 1 :] = [offset + by for offset in behind]

    def replace(self, first: int, last: int, lengths: list[int]) -> None:
        """Put lines of these lengths where the lines `first` to `last` (included) stand."""
        low = bisect_right(self._first_lines, first) - 1
        high = bisect_right(self._first_lines, last) - 1
        merged = [
            *self._blocks[low].lengths[: first - self._first_lines[low]],
            *lengths,
            *self._blocks[high].lengths[last + 1 - self._first_lines[high] :],
        ]
        blocks = _cut(merged)
        self._blocks[low : high + 1] = blocks
        _resum(self._first_lines, low, high, _summed(blocks, self._first_lines[low], _count))
        _resum(self._first_offsets, low, high, _summed(blocks, self._first_offsets[low], _length))


def _count(block: _Block) -> int:
    return len(block.lengths)


def _length(block: _Block) -> int:
    return block.starts[-1]


def _summed(blocks: list[_Block], start: int, size: Callable[[_Block], int]) -> list[int]:
    """Where each block starts, and where the last one ends."""
    return list(accumulate(map(size, blocks), initial=start))


def _resum(firsts: list[int], low: int, high: int, new: list[int]) -> None:
    """Puts the starts of new blocks where those from `low` to `high` (included) stood, and moves those behind."""
    moved = new[-1] - firsts[high + 1]
    behind = firsts[high + 2 :]
    firsts[low:] = [*new, *(first + moved for first in behind)] if moved else [*new, *behind]


def _cut(lengths: list[int]) -> list[_Block]:
    """Blocks of these lines. An empty block can only be the whole of an emptied region and is left out."""
    if len(lengths) <= 2 * BLOCK:
        return [_Block(lengths)] if lengths else []
    return [_Block(lengths[at : at + BLOCK]) for at in range(0, len(lengths), BLOCK)]
