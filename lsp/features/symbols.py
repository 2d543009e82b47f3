"""The outline of a file and the search for a declaration by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ...dsl import ast
from ...dsl.parse import Item, Module

SymbolKind = Literal[
    "workflow", "import", "constant", "provider", "model", "type", "tool", "agent", "judge", "scorer",
    "gate", "decision", "context", "limits", "memory", "flow", "profile", "suite", "test", "field",
    "option", "question", "override",
]  # fmt: skip


class Symbol(NamedTuple):
    """`start .. end` is the whole construct, `name_start .. name_end` what to select of it."""

    name: str
    kind: SymbolKind
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    children: tuple[Symbol, ...] = ()


class Found(NamedTuple):
    path: str
    symbol: Symbol


Ranked = tuple[tuple[int, int, str], Found]


def matching_symbols(modules: Iterable[Module], query: str) -> Iterator[Ranked]:
    """The declarations whose name has the letters of the query in order, each with how well it answers."""
    for module in modules:
        for item in module.items:
            rank = _rank(query, _title(item.node)) if item.node is not None else None
            if rank is not None and (symbol := symbol_of(item)) is not None:
                yield (*rank, symbol.name), Found(module.source.path, symbol)


def closest_first(found: Iterable[Ranked]) -> list[Found]:
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def symbol_of(item: Item) -> Symbol | None:
    """The symbol of a declaration, with its fields, options, questions or overrides below it."""
    node = item.node
    if node is None:
        return None
    name = getattr(node, "name", None)
    at = name if isinstance(name, ast.Node) else node
    first_line = item.text[at.start : at.end].splitlines()[0] if at is node else ""
    kind = _KINDS[type(node)]
    return Symbol(
        _title(node) or kind,
        kind,
        _detail(node),
        item.offset + node.start,
        item.offset + node.end,
        item.offset + at.start,
        item.offset + (at.start + len(first_line) if at is node else at.end),
        tuple(_children(node, item.offset)),
    )


def _title(node: ast.Declaration | None) -> str:
    if isinstance(node, ast.Import):
        return node.path.plain or ""
    if isinstance(node, ast.Test):
        return node.name.plain or ""
    name = getattr(node, "name", None)
    return name.text if isinstance(name, ast.Ident) else ""


def _detail(node: ast.Declaration) -> str:
    if isinstance(node, ast.Decision):
        kind = str(node.kind)
    elif isinstance(node, ast.Judge) and node.code:
        kind = "code judge"
    else:
        kind = _KINDS[type(node)]
    if isinstance(node, ast.Model):
        return f"{kind} {node.slug.plain or ''}"
    description = getattr(node, "description", None)
    about = description.plain if isinstance(description, ast.Text) else None
    return f"{kind}: {about}" if about else kind


def _children(node: ast.Declaration, offset: int) -> Iterable[Symbol]:
    def part(name: ast.Ident, kind: SymbolKind, whole: ast.Node, detail: str = "") -> Symbol:
        return Symbol(
            name.text,
            kind,
            detail,
            offset + whole.start,
            offset + whole.end,
            offset + name.start,
            offset + name.end,
        )

    match node:
        case ast.Type(fields=fields):
            for field in fields:
                yield part(
                    field.name, "field", field, (field.description.plain or "") if field.description else ""
                )
        case ast.Profile(overrides=overrides):
            for override in overrides:
                yield part(override.name, "override", override, override.kind)
        case ast.Judge() | ast.Decision():
            for value in (clause.value for clause in node.clauses if isinstance(clause, ast.Clause)):
                if isinstance(value, ast.Options):
                    yield from (part(one.name, "option", one) for one in value.items)
                elif isinstance(value, ast.Questions):
                    yield from (part(one.name, "question", one, one.kind) for one in value.items)


def _rank(query: str, name: str) -> tuple[int, int] | None:
    """How well a name answers a query, smaller is better; None where it does not."""
    wanted, given = query.lower(), name.lower()
    if not wanted:
        return (0, len(name))
    if wanted in given:
        return (0 if given.startswith(wanted) else 1, len(name))
    letters = iter(given)
    return (2, len(name)) if all(letter in letters for letter in wanted) else None


_KINDS: dict[type, SymbolKind] = {
    ast.Workflow: "workflow",
    ast.Import: "import",
    ast.Constant: "constant",
    ast.Provider: "provider",
    ast.Model: "model",
    ast.Type: "type",
    ast.Tool: "tool",
    ast.Agent: "agent",
    ast.Judge: "judge",
    ast.Scorer: "scorer",
    ast.Gate: "gate",
    ast.Decision: "decision",
    ast.Context: "context",
    ast.LimitsDecl: "limits",
    ast.Memory: "memory",
    ast.Flow: "flow",
    ast.Profile: "profile",
    ast.Suite: "suite",
    ast.Test: "test",
}
