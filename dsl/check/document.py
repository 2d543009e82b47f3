"""One file, split into declarations and parsed, brought up to date at the cost of what changed.

Entries are shared by text, so a declaration that only moved is never parsed or read again; where it stands now is kept
beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from .. import ast
from ..diagnostics import Diagnostic, Edit
from ..graph import Import, target_of
from ..parse import Item, Module
from ..source import Source
from ..syntax.chunks import after_inner, resplit, split
from .base import Surface
from .entries import Entries, in_blocks
from .entry import Entry

Stretch = tuple[int, int, int]
"""`(start, old_end, new_end)`: what stands from `start` to `new_end` replaced what stood from there to `old_end`."""


class Held(Protocol):
    """A file's text at one moment, which may have to be put together first."""

    @property
    def text(self) -> str: ...


class Document:
    """A file at one moment; it never changes. `diagnostics` are about the file as a whole (its encoding)."""

    def __init__(
        self, path: str, held: Held, entries: Entries, diagnostics: tuple[Diagnostic, ...] = ()
    ) -> None:
        self.path = path
        self._held = held
        self.entries = entries
        self.diagnostics = diagnostics

    @cached_property
    def source(self) -> Source:
        return self._held if isinstance(self._held, Source) else Source(self.path, self._held.text)

    @cached_property
    def module(self) -> Module:
        return Module(self.source, tuple(map(_item, self.entries, self.entries.starts())))

    def surfaces(self) -> dict[str, Surface]:
        """What the file declares; of two declarations of one name the first."""
        found: dict[str, Surface] = {}
        for entry in self.entries:
            if entry.surface is not None:
                found.setdefault(entry.surface.name, entry.surface)
        return found

    def imports(self) -> tuple[Import, ...]:
        path = self.path
        return tuple(
            Import(index, target_of(path, node.path.plain), node)
            for index in self.entries.of_kind(ast.Import)
            if isinstance(node := self.entries[index].node, ast.Import) and node.path.plain
        )

    def start(self, index: int) -> int:
        """Where a declaration begins, in file offsets."""
        return self.entries.start(index)

    def slice(self, start: int, end: int) -> str:
        """What stands between two offsets of one declaration."""
        index = self.entries.first_ending_at(end)
        begin = self.entries.start(index)
        return self.entries[index].text[start - begin : end - begin]

    def item(self, index: int) -> Item:
        return _item(self.entries[index], self.start(index))

    def place(self, name: str) -> tuple[int, int] | None:
        """Where a name is declared, in file offsets."""
        for index in self.entries.named(name):
            ident = self.entries[index].name
            if ident is not None:
                offset = self.start(index)
                return offset + ident.start, offset + ident.end
        return None

    @cached_property
    def doubtful_names(self) -> frozenset[str]:
        """Names whose declaration has a syntax error: what is said of them elsewhere may only follow from it."""
        return frozenset().union(*(block.doubtful_names for block in self.entries.blocks))


def _item(entry: Entry, start: int) -> Item:
    return Item(start, entry.text, entry.node, entry.diagnostics)


class Edited:
    """A document after an edit: `before` were replaced by `after`."""

    __slots__ = ("after", "before", "document")

    def __init__(self, document: Document, before: list[Entry], after: list[Entry]) -> None:
        self.document = document
        self.before = before
        self.after = after


def open_document(source: Source, entry_of: Callable[[str], Entry]) -> Document:
    chunks = split(source.text)
    entries = [entry_of(source.text[start:end]) for start, end in chunks]
    return Document(source.path, source, in_blocks(entries, [start for start, _ in chunks]))


def edited(document: Document, edit: Edit, held: Held, entry_of: Callable[[str], Entry]) -> Edited:
    """The document after an edit, with the text that is then held; only what stands around the change is split and
    read."""
    old = document.entries
    touched = old.first_ending_at(edit.start)
    if touched < len(old):
        entry, begin = old[touched], old.start(touched)
        inner = after_inner(entry.text, edit.start - begin, edit.end - begin, edit.text)
        if inner is not None:
            other = entry_of(inner)
            entries = old.changed(touched, other, len(inner) - len(entry.text))
            return Edited(Document(document.path, held, entries), [entry], [other])
    text, new_end = held.text, edit.start + len(edit.text)
    first, last, new = resplit(text, old.chunks, touched, edit.end, new_end)
    while first < last and new and new[0] == old.chunks[first] and new[0][1] < edit.start:
        first, new = first + 1, new[1:]
    after = [entry_of(text[begin:end]) for begin, end in new]
    entries = old.replaced(first, last, after, [begin for begin, _ in new], new_end - edit.end)
    before = [old[index] for index in range(first, last)]
    return Edited(Document(document.path, held, entries), before, after)


def joined(first: Stretch, second: Stretch) -> Stretch:
    """What two edits in turn have changed, each given for the text that it found."""
    start, old_end, new_end = first
    next_start, next_old, next_new = second
    return (
        min(start, next_start),
        max(old_end, next_old - (new_end - old_end)),
        max(next_new, new_end + (next_new - next_old)),
    )


def difference(old: str, new: str) -> Edit:
    """The smallest edit that makes one text the other. Slices are compared whole, which is
    what makes this cheap: some twenty comparisons whatever the size."""
    shorter = min(len(old), len(new))
    start = _agreement(shorter, lambda low, high: old[low:high] == new[low:high])
    rest = shorter - start
    old_size, new_size = len(old), len(new)
    tail = _agreement(
        rest,
        lambda low, high: old[old_size - high : old_size - low] == new[new_size - high : new_size - low],
    )
    return Edit(start, old_size - tail, new[start : new_size - tail])


def _agreement(size: int, same: Callable[[int, int], bool]) -> int:
    """How far two texts agree, of at most `size`, when `same` compares the stretch between two distances."""
    agreed, high = 0, size
    while agreed < high:
        middle = (agreed + high + 1) // 2
        if same(agreed, middle):
            agreed = middle
        else:
            high = middle - 1
    return agreed
