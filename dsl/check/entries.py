"""The declarations of a file in order, with the places where they stand.

They are held in blocks of a few dozen. An edit makes one block anew and moves the others as wholes, and what is looked
for by name or by kind is looked for block by block, each of which remembers where it has what: whatever the length
of a file, no key stroke goes through all of its declarations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Set
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..mentions import quoted_models
from ..syntax.chunks import Chunk
from .entry import Entry

BLOCK = 64
"""Declarations of a fresh block. One that grows past twice that is cut."""


class Index(NamedTuple):
    """Which declarations of a block have a name, and which are of a kind, by the class of their tree."""

    names: dict[str, list[int]]
    kinds: dict[type, list[int]]


class Block:
    """Declarations that follow each other. `starts` count from the block's own start. It never changes."""

    def __init__(self, entries: list[Entry], starts: list[int], index: Index | None = None) -> None:
        self.entries = entries
        self.starts = starts
        self.index = index or _indexed(entries)

    @cached_property
    def members(self) -> frozenset[Entry]:
        return frozenset(self.entries)

    @cached_property
    def slugs(self) -> dict[str, list[int]]:
        """Which of the block's declarations name a model by its slug."""
        found: dict[str, list[int]] = {}
        for at, entry in enumerate(self.entries):
            for slug in {ref.text for ref in quoted_models(entry.node)}:
                found.setdefault(slug, []).append(at)
        return found

    @cached_property
    def doubtful_names(self) -> frozenset[str]:
        return frozenset().union(*(entry.doubtful_names() for entry in self.entries if entry.doubtful))

    def changed(self, at: int, entry: Entry, moved: int) -> Block:
        """The same with another entry at a place; those behind it have moved by so many characters."""
        old = self.entries[at]
        entries = self.entries.copy()
        entries[at] = entry
        behind = [start + moved for start in self.starts[at + 1 :]]
        alike = type(old.node) is type(entry.node) and _name(old) == _name(entry)
        return Block(entries, [*self.starts[: at + 1], *behind], self.index if alike else None)


def _indexed(entries: list[Entry]) -> Index:
    found = Index({}, {})
    for at, entry in enumerate(entries):
        if entry.surface is not None:
            found.names.setdefault(entry.surface.name, []).append(at)
        found.kinds.setdefault(type(entry.node), []).append(at)
    return found


def _name(entry: Entry) -> str | None:
    return None if entry.surface is None else entry.surface.name


class Entries:
    """A sequence of entries, each with its offset in the file. It never changes."""

    def __init__(self, blocks: list[Block], offsets: list[int], firsts: list[int] | None = None) -> None:
        """`offsets` are where the blocks begin, `firsts` the indexes of the first entry of each, and their number."""
        self.blocks = blocks
        self._offsets = offsets
        self._firsts = firsts or list(accumulate([len(block.entries) for block in blocks], initial=0))

    def __len__(self) -> int:
        return self._firsts[-1]

    def __iter__(self) -> Iterator[Entry]:
        return (entry for block in self.blocks for entry in block.entries)

    def __getitem__(self, index: int) -> Entry:
        at = self._block(index)
        return self.blocks[at].entries[index - self._firsts[at]]

    def start(self, index: int) -> int:
        """Where an entry begins in the file."""
        at = self._block(index)
        return self._offsets[at] + self.blocks[at].starts[index - self._firsts[at]]

    @property
    def chunks(self) -> _Chunks:
        return _Chunks(self)

    def first_ending_at(self, offset: int) -> int:
        """The index of the first that ends at an offset or behind it."""
        at = bisect_right(self._offsets, offset) - 1
        if at < 0:
            return 0
        block = self.blocks[at]
        inside = bisect_right(block.starts, offset - self._offsets[at]) - 1
        ended = self._offsets[at] + block.starts[inside] + len(block.entries[inside].text) < offset
        return self._firsts[at] + inside + ended

    def starts(self) -> Iterator[int]:
        """Where each of them begins."""
        for offset, block in zip(self._offsets, self.blocks, strict=True):
            for start in block.starts:
                yield offset + start

    def named(self, name: str) -> Iterator[int]:
        """The indexes of those that declare a name."""
        for first, block in zip(self._firsts, self.blocks, strict=False):
            for at in block.index.names.get(name, ()):
                yield first + at

    def named_any(self, names: Set[str]) -> Iterator[tuple[str, int]]:
        """The indexes of those that declare one of some names, each with it: one walk, whatever their number."""
        for first, block in zip(self._firsts, self.blocks, strict=False):
            known = block.index.names
            if not known.keys().isdisjoint(names):
                for name in known.keys() & names:
                    for at in known[name]:
                        yield name, first + at

    def of_kind(self, kind: type) -> Iterator[int]:
        """The indexes of those whose tree is of a class."""
        for first, block in zip(self._firsts, self.blocks, strict=False):
            for at in block.index.kinds.get(kind, ()):
                yield first + at

    def quoting(self, slug: str) -> Iterator[int]:
        """The indexes of those that name a model by this slug."""
        for first, block in zip(self._firsts, self.blocks, strict=False):
            for at in block.slugs.get(slug, ()):
                yield first + at

    def among(self, wanted: Set[Entry]) -> Iterator[tuple[Entry, int]]:
        """Those that are in a set, with where they begin."""
        for offset, block in zip(self._offsets, self.blocks, strict=True):
            if not block.members.isdisjoint(wanted):
                for entry, start in zip(block.entries, block.starts, strict=True):
                    if entry in wanted:
                        yield entry, offset + start

    def changed(self, index: int, entry: Entry, moved: int) -> Entries:
        """The same with another entry that begins where the one at this index did: the edit of nearly every key stroke.
        What stands behind it has moved by so many characters."""
        at = self._block(index)
        blocks = self.blocks.copy()
        blocks[at] = blocks[at].changed(index - self._firsts[at], entry, moved)
        behind = [offset + moved for offset in self._offsets[at + 1 :]]
        return Entries(blocks, [*self._offsets[: at + 1], *behind], self._firsts)

    def replaced(self, first: int, last: int, entries: list[Entry], starts: list[int], moved: int) -> Entries:
        """The same with `entries`, which begin at `starts`, in place of those from `first` up to `last`; what stands
        behind them has moved by so many characters."""
        if not self.blocks:
            return in_blocks(entries, starts)
        low = self._block(first)
        high = max(low, self._block(last - 1))
        head, tail = self.blocks[low], self.blocks[high]
        kept, gone = first - self._firsts[low], last - self._firsts[high]
        before, behind = self._offsets[low], self._offsets[high] + moved
        blocks, offsets = _cut(
            [*head.entries[:kept], *entries, *tail.entries[gone:]],
            [
                *(before + start for start in head.starts[:kept]),
                *starts,
                *(behind + start for start in tail.starts[gone:]),
            ],
        )
        return Entries(
            [*self.blocks[:low], *blocks, *self.blocks[high + 1 :]],
            [*self._offsets[:low], *offsets, *(offset + moved for offset in self._offsets[high + 1 :])],
        )

    def _block(self, index: int) -> int:
        """The block that holds an entry; for the index behind the last entry, the last block."""
        return max(0, min(bisect_right(self._firsts, index), len(self.blocks)) - 1)


class _Chunks:
    """Where entries stand: a sequence of chunks that is only looked into."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Chunk:
        start = self._entries.start(index)
        return start, start + len(self._entries[index].text)


def in_blocks(entries: list[Entry], starts: list[int]) -> Entries:
    return Entries(*_cut(entries, starts))


def _cut(entries: list[Entry], starts: list[int]) -> tuple[list[Block], list[int]]:
    """Blocks of these entries, and where they begin."""
    size = BLOCK if len(entries) > 2 * BLOCK else max(1, len(entries))
    blocks, offsets = [], []
    for at in range(0, len(entries), size):
        offset = starts[at]
        offsets.append(offset)
        blocks.append(Block(entries[at : at + size], [start - offset for start in starts[at : at + size]]))
    return blocks, offsets
