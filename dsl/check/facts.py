"""What a file's declarations add up to, counted up and down as they come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .. import ast
from .base import CallableSurface
from .document import Entry

ONCE: dict[type, str] = {
    ast.Workflow: "workflow",
    ast.Context: "context",
    ast.LimitsDecl: "limits",
    ast.Memory: "memory",
}
"""Declarations without a name to call them by, of which a program has one at most."""


class Facts:
    """`declared` and `mentioned` count names, `models` the models that something asks, by name or slug,
    `once` the declarations that stand once, `tests` the tests by name, and `flows`, `broken` and `hinted`
    entries: flows, those with a syntax error, and those with any finding of the parser."""

    __slots__ = ("broken", "declared", "flows", "hinted", "mentioned", "models", "once", "tests")

    def __init__(self) -> None:
        self.declared: Counter[str] = Counter()
        self.mentioned: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.once: Counter[type] = Counter()
        self.tests: Counter[str] = Counter()
        self.flows = 0
        self.broken = 0
        self.hinted = 0

    def add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._count(entry, 1)

    def remove(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._count(entry, -1)

    def _count(self, entry: Entry, by: int) -> None:
        self.broken += by * entry.broken
        self.hinted += by * bool(entry.diagnostics)
        for name in entry.mentions:
            _bump(self.mentioned, name, by)
        surface, node = entry.surface, entry.node
        models: Iterable[str] = memory_models(node) if isinstance(node, ast.Memory) else ()
        if surface is not None:
            _bump(self.declared, surface.name, by)
        elif isinstance(node, ast.Test):
            _bump(self.tests, node.name.plain or "", by)
        elif type(node) in ONCE:
            self.once[type(node)] += by
        if type(surface) is CallableSurface:
            self.flows += by * (surface.kind == "flow")
            models = surface.models
        for model in models:
            _bump(self.models, model, by)


def _bump(counts: Counter[str], key: str, by: int) -> None:
    """Counts without leaving the keys that somebody typed for a moment behind."""
    count = counts[key] + by
    if count:
        counts[key] = count
    else:
        del counts[key]


def memory_models(node: ast.Memory) -> list[str]:
    return [clause.value.model.text for clause in node.clauses if isinstance(clause.value, ast.Compact)]


def several(counts: Counter[str]) -> tuple[str, ...]:
    """What is there more than once."""
    return tuple(name for name, count in counts.items() if count > 1)
