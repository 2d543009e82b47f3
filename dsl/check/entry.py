"""One declaration of a file with everything that follows from its text alone, kept by its text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from weakref import WeakValueDictionary

from msgspec.structs import replace

from .. import ast
from ..diagnostics import Diagnostic
from ..mentions import read
from ..parse import parse_chunk
from ..shapes import Unknown
from .base import CallableSurface, Surface, TypeSurface
from .surface import surface_of

_HEAD = re.compile(
    r"\b\w*(?:provider|model|type|tool|agent|judge|scorer|gate|condition|choice|scale|flow|let)\W+(\w+)"
)
"""The name after a word that may be the kind of a declaration, whatever stands around it."""
_NAMELESS = frozenset({ast.Import, ast.LimitsDecl, ast.Memory, ast.Test})
"""Declarations without a surface that the rules about whole files read."""


class Entry:
    """A chunk and what its text says. `surface` is what others may rely on, None where it declares no name;
    `mentions` are the names of others in it. `offer` is equal for entries that mean the same to the rest of
    the file. `broken` is true after a syntax error: what is left of it is not worth checking. `lacking` says
    that all that is wrong are unknown clauses, which were left out: the others still say what they say.
    `doubtful` is true where a mistake may have changed what others rely on."""

    __slots__ = (
        "__weakref__",
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
        if type(self.node) in _NAMELESS:
            self.offer = text
        reading = read(self.node)
        self.surface = surface_of(self.node, reading)
        self.mentions = reading.names
        if self.surface is None:
            return
        name = getattr(self.node, "name", None)
        self.name = name if isinstance(name, ast.Ident) else None
        self.mentions -= {self.surface.name}
        self.doubtful = self.broken and not (self.lacking or self._has_whole_head(errors))
        if self.doubtful:
            self.surface = _vague(self.surface)
        self.offer = self.surface

    def doubtful_names(self) -> set[str]:
        """Names whose declaration may be in here and may not be what it was meant to be."""
        if not self.doubtful:
            return set()
        found = set(_HEAD.findall(self.text))
        return found if self.surface is None else found | {self.surface.name}

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
    """The entries of texts that some file holds, and of the last texts that were read: neither a declaration that
    moves nor one whose change is undone is read again."""

    def __init__(self, recent: int = 500) -> None:
        self._entries: WeakValueDictionary[str, Entry] = WeakValueDictionary()
        self._recent: deque[Entry] = deque(maxlen=recent)

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, text: str) -> Entry:
        found = self._entries.get(text)
        if found is None:
            found = self._entries[text] = Entry(text)
            self._recent.append(found)
        return found
