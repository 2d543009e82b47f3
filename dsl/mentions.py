"""What a declaration mentions: the names that keep other declarations from being unused, and models by their slugs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from . import ast

_OWN_NAMES: dict[type, tuple[str, ...]] = {
    ast.Field: ("name",),
    ast.Arg: ("name",),
    ast.Pair: ("key",),
    ast.Param: ("name",),
    ast.TypeField: ("name",),
    ast.Quantified: ("name",),
    ast.Comprehension: ("name",),
    ast.Let: ("name",),
    ast.Bind: ("name",),
    ast.Each: ("name",),
    ast.Option: ("name",),
    ast.Question: ("name",),
    ast.ScorerEntry: ("alias",),
}
"""Identifiers that introduce or select a name of their own instead of mentioning a declaration."""


def _ident(node: ast.Ident) -> str:
    return node.text.partition(".")[0]


_MENTIONS: dict[type, Callable[..., str]] = {
    ast.Ident: _ident,
    ast.Name: lambda node: node.id,
    ast.TypeRef: lambda node: node.name,
    ast.ModelRef: lambda node: node.text,
}


def _children(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    own = _OWN_NAMES.get(kind, ())
    if kind in _DECLARATIONS:
        own = (*own, "name")
    return tuple(name for name in kind.__struct_fields__ if name not in ("start", "end", *own))


_DECLARATIONS = frozenset(
    kind for kind in ast.Declaration.__args__ if "name" in kind.__struct_fields__ and kind is not ast.Workflow
)
_CHILDREN: dict[type, tuple[str, ...]] = {
    kind: _children(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.Node) and kind is not ast.Node
}


def mentions(node: ast.Declaration) -> frozenset[str]:
    """Every name that may stand for another declaration. A local name that happens to be called like one
    counts too: the hint that depends on this would rather be silent than wrong."""
    found: set[str] = set()
    waiting: list[object] = [node]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is tuple:
            waiting.extend(value)  # type: ignore[arg-type]
        elif kind in _MENTIONS:
            found.add(_MENTIONS[kind](value))
        elif kind in _CHILDREN:
            waiting.extend([getattr(value, name) for name in _CHILDREN[kind]])
    return frozenset(found)


def quoted_models(node: object) -> Iterator[ast.ModelRef]:
    """The models that a declaration's clauses name by a slug in quotes."""
    for clause in getattr(node, "clauses", ()):
        value = getattr(clause, "value", None)
        refs: tuple[ast.ModelRef, ...] = ()
        match value:
            case ast.ModelRef():
                refs = (value,)
            case ast.Models(items=items):
                refs = items
            case ast.Compact(model=model):
                refs = (model,)
        yield from (ref for ref in refs if ref.quoted)
