"""What a file's declarations add up to, counted up and down as they come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .. import ast
from .base import CallableSurface, NamedSurface, Surface
from .entry import Entry

ONCE: dict[type, str] = {
    ast.Workflow: "workflow",
    ast.Context: "context",
    ast.LimitsDecl: "limits",
    ast.Memory: "memory",
}
"""Declarations without a name to call them by, of which a program has one at most."""


class Tally:
    """How often each word is there; `twice` are those that are there more than once."""

    __slots__ = ("counts", "twice")

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.twice: dict[str, None] = {}

    def __contains__(self, word: str) -> bool:
        return word in self.counts

    def __getitem__(self, word: str) -> int:
        return self.counts.get(word, 0)

    def bump(self, word: str, by: int) -> int:
        """Counts a word up or down; its count. Nothing is left of one that somebody typed for a moment."""
        count = self.counts.get(word, 0) + by
        if count:
            self.counts[word] = count
        else:
            del self.counts[word]
        if count > 1:
            self.twice[word] = None
        else:
            self.twice.pop(word, None)
        return count


class Facts:
    """`declared` and `mentioned` count names, `models` the models that something asks, by name or slug, `once` the
    declarations that stand once, `tests` the tests by name, and `flows` and `broken` the flows and the declarations
    with a syntax error. `idle` are the declared names that nothing mentions, of those that something should."""

    __slots__ = ("_inner", "broken", "declared", "flows", "idle", "mentioned", "models", "once", "tests")

    def __init__(self) -> None:
        self.declared = Tally()
        self.mentioned = Tally()
        self.models = Tally()
        self.tests = Tally()
        self.once: Counter[type] = Counter()
        self.idle: dict[str, None] = {}
        self.flows = 0
        self.broken = 0
        self._inner = Tally()

    def add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._count(entry, 1, entry.mentions)

    def replace(self, before: Sequence[Entry], after: Sequence[Entry]) -> None:
        # Most of what an edited declaration mentions it has mentioned before.
        still = before[0].mentions & after[0].mentions if len(before) == len(after) == 1 else frozenset()
        for entry in before:
            self._count(entry, -1, entry.mentions - still)
        for entry in after:
            self._count(entry, 1, entry.mentions - still)

    def _count(self, entry: Entry, by: int, mentions: frozenset[str]) -> None:
        self.broken += by * entry.broken
        for name in mentions:
            if self.mentioned.bump(name, by) <= 1:
                self._settle(name)
        surface, node = entry.surface, entry.node
        models: Iterable[str] = memory_models(node) if isinstance(node, ast.Memory) else ()
        if surface is not None:
            self._declare(surface, by)
        elif isinstance(node, ast.Test):
            self.tests.bump(node.name.plain or "", by)
        elif type(node) in ONCE:
            self.once[type(node)] += by
        if type(surface) is CallableSurface:
            self.flows += by * (surface.kind == "flow")
            models = surface.models
        for model in models:
            self.models.bump(model, by)

    def _declare(self, surface: Surface, by: int) -> None:
        self.declared.bump(surface.name, by)
        if not is_entry(surface):
            self._inner.bump(surface.name, by)
            self._settle(surface.name)

    def _settle(self, name: str) -> None:
        """Whether a name is idle, now that it is mentioned or declared more or less often."""
        if name in self._inner and name not in self.mentioned:
            self.idle[name] = None
        else:
            self.idle.pop(name, None)


def is_entry(surface: Surface) -> bool:
    """What is named from outside: nothing in the file has to use it."""
    if isinstance(surface, CallableSurface):
        return surface.kind == "flow"
    return isinstance(surface, NamedSurface) and surface.kind in ("suite", "profile")


def memory_models(node: ast.Memory) -> list[str]:
    return [clause.value.model.text for clause in node.clauses if isinstance(clause.value, ast.Compact)]
