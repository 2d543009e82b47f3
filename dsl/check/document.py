"""One file, split into declarations and parsed, brought up to date at the cost of what changed.

An `Entry` is one chunk of the text with everything that follows from that text alone. Entries are shared by
text, so a declaration that only moved is never parsed or read again; where it stands now is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from msgspec.structs import replace

from .. import ast
from ..diagnostics import Diagnostic
from ..graph import Import, target_of
from ..mentions import mentions
from ..parse import Item, Module, parse_chunk
from ..shapes import Unknown
from ..source import Source
from ..syntax.chunks import Chunk, resplit, split
from .base import CallableSurface, Surface, TypeSurface
from .surface import surface_of

_HEAD = re.compile(
    r"\b\w*(?:provider|model|type|tool|agent|judge|scorer|gate|condition|choice|scale|flow|let)\W+(\w+)"
)
"""The name after a word that may be the kind of a declaration, whatever stands around it."""
_NAMELESS = ast.Import | ast.LimitsDecl | ast.Memory | ast.Test
"""Declarations without a surface that the rules about whole files read."""


class Entry:
    """A chunk and what its text says. `surface` is what others may rely on, None where it declares no name;
    `mentions` are the names of others in it. `offer` is equal for entries that mean the same to the rest of
    the file. `broken` is true after a syntax error: what is left of it is not worth checking. `lacking` says
    that all that is wrong are unknown clauses, which were left out: the others still say what they say.
    `doubtful` is true where a mistake may have changed what others rely on."""

    __slots__ = (
        "broken",
        "diagnostics",
        "doubtful",
        "lacking",
        "mentions",
        "name",
        "node",
        "offer",
        "surface",
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.node, self.diagnostics = parse_chunk(text)
        errors = [found for found in self.diagnostics if found.severity == "error"]
        self.broken = bool(errors)
        self.lacking = self.broken and all(found.code == "clause.unknown" for found in errors)
        self.name: ast.Ident | None = None
        self.surface: Surface | None = None
        self.mentions: frozenset[str] = frozenset()
        self.offer: object = type(self.node)
        self.doubtful = self.broken
        if self.node is None:
            return
        if isinstance(self.node, _NAMELESS):
            self.offer = text
        self.surface = surface_of(self.node)
        self.mentions = mentions(self.node)
        if self.surface is None:
            return
        name = getattr(self.node, "name", None)
        self.name = name if isinstance(name, ast.Ident) else None
        self.mentions -= {self.surface.name}
        self.doubtful = self.broken and not (self.lacking or self._has_whole_head(errors))
        if self.doubtful:
            self.surface = _vague(self.surface)
        self.offer = self.surface

    def _has_whole_head(self, errors: Sequence[Diagnostic]) -> bool:
        """Whether what others rely on first, a name, parameters and an answer, stands before all mistakes."""
        if self.name is None or not isinstance(self.node, ast.Agent | ast.Flow | ast.Tool):
            return False
        body = self.text.find("{", self.name.end)
        return body >= 0 and all(error.start > body for error in errors)


def _vague(surface: Surface) -> Surface:
    """What others may rely on after a syntax error: the name, and not much of what was written."""
    match surface:
        case TypeSurface():
            return TypeSurface(surface.name, alias=Unknown())
        case CallableSurface(kind="agent" | "flow" | "tool"):
            return replace(surface, result=Unknown())
    return surface


class EntryCache:
    """The entries of texts seen before; the older half goes when there are more than `limit`."""

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._entries: dict[str, Entry] = {}

    def entry(self, text: str) -> Entry:
        found = self._entries.get(text)
        if found is None:
            found = self._entries[text] = Entry(text)
            if len(self._entries) > self._limit:
                for old in list(self._entries)[: self._limit // 2]:
                    del self._entries[old]
        return found


class Document:
    """A file at one moment; it never changes. `chunks[i]` is where `entries[i]` stands. `diagnostics` are
    about the file as a whole (its encoding)."""

    def __init__(
        self,
        source: Source,
        chunks: list[Chunk],
        entries: list[Entry],
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> None:
        self.source = source
        self.chunks = chunks
        self.entries = entries
        self.diagnostics = diagnostics

    @cached_property
    def module(self) -> Module:
        return Module(self.source, tuple(self.item(index) for index in range(len(self.entries))))

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Where each name is declared."""
        found: dict[str, list[int]] = {}
        for index, entry in enumerate(self.entries):
            if entry.surface is not None:
                found.setdefault(entry.surface.name, []).append(index)
        return found

    def surfaces(self) -> dict[str, Surface]:
        """What the file declares; of two declarations of one name the first."""
        found: dict[str, Surface] = {}
        for entry in self.entries:
            if entry.surface is not None:
                found.setdefault(entry.surface.name, entry.surface)
        return found

    def imports(self) -> tuple[Import, ...]:
        path = self.source.path
        return tuple(
            Import(index, target_of(path, entry.node.path.plain or ""), entry.node)
            for index, entry in enumerate(self.entries)
            if isinstance(entry.node, ast.Import) and entry.node.path.plain
        )

    def item(self, index: int) -> Item:
        entry = self.entries[index]
        return Item(self.chunks[index][0], entry.text, entry.node, entry.diagnostics)

    def place(self, name: str) -> tuple[int, int] | None:
        """Where a name is declared, in file offsets."""
        for index in self.by_name.get(name, ()):
            ident = self.entries[index].name
            if ident is not None:
                offset = self.chunks[index][0]
                return offset + ident.start, offset + ident.end
        return None

    @cached_property
    def doubtful_names(self) -> frozenset[str]:
        """Names whose declaration has a syntax error: what is said of them elsewhere may only follow from it."""
        found: set[str] = set()
        for entry in self.entries:
            if entry.doubtful:
                found.update(_HEAD.findall(entry.text))
                if entry.surface is not None:
                    found.add(entry.surface.name)
        return frozenset(found)


class Edited:
    """A document after an edit: `before` were replaced by `after`."""

    __slots__ = ("after", "before", "document")

    def __init__(self, document: Document, before: list[Entry], after: list[Entry]) -> None:
        self.document = document
        self.before = before
        self.after = after


def open_document(source: Source, entry_of: Callable[[str], Entry]) -> Document:
    chunks = split(source.text)
    return Document(source, chunks, [entry_of(source.text[start:end]) for start, end in chunks])


def edited(document: Document, text: str, entry_of: Callable[[str], Entry]) -> Edited:
    """The document with another text; only what stands around the change is split and read."""
    old = document.source.text
    start, old_end, new_end = changed_range(old, text)
    source = Source(document.source.path, text)
    first, last, new = resplit(text, document.chunks, start, old_end, new_end)
    moved = new_end - old_end
    behind = document.chunks[last:]
    chunks = [
        *document.chunks[:first],
        *new,
        *([(a + moved, b + moved) for a, b in behind] if moved else behind),
    ]
    entries = document.entries
    after = [entry_of(text[begin:end]) for begin, end in new]
    return Edited(
        Document(source, chunks, [*entries[:first], *after, *entries[last:]]), entries[first:last], after
    )


def changed_range(old: str, new: str) -> tuple[int, int, int]:
    """`(start, old_end, new_end)`: the smallest stretch that differs. Slices are compared whole, which is
    what makes this cheap: some twenty comparisons whatever the size."""
    shorter = min(len(old), len(new))
    start = _agreement(shorter, lambda low, high: old[low:high] == new[low:high])
    rest = shorter - start
    old_size, new_size = len(old), len(new)
    tail = _agreement(
        rest,
        lambda low, high: old[old_size - high : old_size - low] == new[new_size - high : new_size - low],
    )
    return start, old_size - tail, new_size - tail


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
