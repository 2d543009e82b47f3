"""A text in blocks of whole lines, kept up to date edit by edit.

A line ends with `\\n`, `\\r\\n` or `\\r` and with nothing else: U+2028, NEL and form feed are ordinary
characters, as the Language Server Protocol says. Offsets and lengths count code points; a line's length includes its
end. The last line has none and may be empty, so a text always has one line more than it has line ends.

An edit makes one block of some dozen lines anew and moves those behind it, which at 100,000 lines are some hundreds of
additions. The text in one piece is only put together when somebody asks for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
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


class Snapshot:
    """A text at one moment; it never changes."""

    def __init__(self, parts: Sequence[str]) -> None:
        self._parts = parts

    @cached_property
    def text(self) -> str:
        return "".join(self._parts)


class _Block:
    __slots__ = ("_starts", "lengths", "text")

    def __init__(self, text: str, lengths: list[int]) -> None:
        self.text = text
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


class Lines:
    """Line numbers from offsets, offsets from line numbers, both from 0, and any stretch of the text."""

    def __init__(self, text: str) -> None:
        self._blocks = _cut(text, line_lengths(text))
        self._first_lines = _summed(self._blocks, 0, _count)
        self._first_offsets = _summed(self._blocks, 0, _length)
        self._snapshot: Snapshot | None = Snapshot((text,))

    @property
    def count(self) -> int:
        """The number of lines, at least 1."""
        return self._first_lines[-1]

    @property
    def length(self) -> int:
        """The length of the text."""
        return self._first_offsets[-1]

    @property
    def snapshot(self) -> Snapshot:
        """The text as it is now: the same object until the next edit."""
        if self._snapshot is None:
            self._snapshot = Snapshot([block.text for block in self._blocks])
        return self._snapshot

    def span(self, line: int) -> tuple[int, int, int]:
        """Start, end without the line end, and end of a line. `line` is clamped to the text."""
        line = max(0, min(line, self.count - 1))
        at = bisect_right(self._first_lines, line) - 1
        return self._span(at, line - self._first_lines[at])

    def starts(self) -> list[int]:
        """The offset of every line's start: for those who go through a whole text."""
        return [
            base + start
            for block, base in zip(self._blocks, self._first_offsets, strict=False)
            for start in block.starts[:-1]
        ]

    def at(self, offset: int) -> tuple[int, int, int, int]:
        """The line on which an offset stands, with its span. The offset of a line's start belongs to that line."""
        offset = max(0, offset)
        if offset >= self._first_offsets[-1]:
            return self.count - 1, *self.span(self.count - 1)
        at = bisect_right(self._first_offsets, offset) - 1
        inside = bisect_right(self._blocks[at].starts, offset - self._first_offsets[at]) - 1
        return self._first_lines[at] + inside, *self._span(at, inside)

    def slice(self, start: int, end: int) -> str:
        """What stands between two offsets."""
        at = self._block_of(start)
        begin, text = self._first_offsets[at], self._blocks[at].text
        if end <= begin + len(text):
            return text[start - begin : end - begin]
        last = self._block_of(end)
        inner = [block.text for block in self._blocks[at + 1 : last]]
        return "".join(
            (text[start - begin :], *inner, self._blocks[last].text[: end - self._first_offsets[last]])
        )

    def splice(self, start: int, end: int, text: str) -> None:
        """Put a text in place of what stands between two offsets."""
        self._snapshot = None
        low, high = self._block_of(start), self._block_of(end)
        head, tail = self._blocks[low].text, self._blocks[high].text
        merged = f"{head[: start - self._first_offsets[low]]}{text}{tail[end - self._first_offsets[high] :]}"
        if low == high and self._resized(low, start, end, text, merged):
            return
        # Unless it is the last one, the block of `end` goes on behind it, up to a line's end that stays whole.
        if low > 0 and merged.startswith("\n") and self._blocks[low - 1].text.endswith("\r"):
            low -= 1
            merged = self._blocks[low].text + merged
        lengths = line_lengths(merged)
        if high < len(self._blocks) - 1:
            lengths.pop()
        blocks = _cut(merged, lengths)
        self._blocks[low : high + 1] = blocks
        _resum(self._first_lines, low, high, _summed(blocks, self._first_lines[low], _count))
        _resum(self._first_offsets, low, high, _summed(blocks, self._first_offsets[low], _length))

    def _resized(self, at: int, start: int, end: int, text: str, merged: str) -> bool:
        """Makes an edit that neither brings nor takes a line end: that of nearly every key stroke. False for others."""
        block, base = self._blocks[at], self._first_offsets[at]
        line = min(bisect_right(block.starts, start - base), len(block.lengths)) - 1
        begin, stop, _ = self._span(at, line)
        # At the beginning of a line what is left of it may join the line end before it.
        if not (begin < start and end <= stop) or _LINE_END.search(text) is not None:
            return False
        by = len(text) - (end - start)
        block.text = merged
        block.resize(line, by)
        behind = self._first_offsets[at + 1 :]
        self._first_offsets[at + 1 :] = [offset + by for offset in behind]
        return True

    def _block_of(self, offset: int) -> int:
        return min(bisect_right(self._first_offsets, offset), len(self._blocks)) - 1

    def _span(self, at: int, inside: int) -> tuple[int, int, int]:
        block, base = self._blocks[at], self._first_offsets[at]
        start, end = block.starts[inside], block.starts[inside + 1]
        stop = end
        if stop > start and block.text[stop - 1] == "\n":
            stop -= 1
        if stop > start and block.text[stop - 1] == "\r":
            stop -= 1
        return base + start, base + stop, base + end


def _count(block: _Block) -> int:
    return len(block.lengths)


def _length(block: _Block) -> int:
    return len(block.text)


def _summed(blocks: list[_Block], start: int, size: Callable[[_Block], int]) -> list[int]:
    """Where each block starts, and where the last one ends."""
    return list(accumulate(map(size, blocks), initial=start))


def _resum(firsts: list[int], low: int, high: int, new: list[int]) -> None:
    """Puts the starts of new blocks where those from `low` to `high` (included) stood, and moves those behind."""
    moved = new[-1] - firsts[high + 1]
    behind = firsts[high + 2 :]
    firsts[low:] = [*new, *(first + moved for first in behind)] if moved else [*new, *behind]


def _cut(text: str, lengths: list[int]) -> list[_Block]:
    """Blocks of a text with lines of these lengths."""
    if len(lengths) <= 2 * BLOCK:
        return [_Block(text, lengths)]
    blocks, start = [], 0
    for at in range(0, len(lengths), BLOCK):
        some = lengths[at : at + BLOCK]
        end = start + sum(some)
        blocks.append(_Block(text[start:end], some))
        start = end
    return blocks
