"""What an expression of a flow reads from around it, and which of its calls may not run exactly once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ast

_Part = tuple[ast.Expr, str, str]
"""An expression right inside another, the place that keeps a call in it from running exactly once ("" where it
does), and the name that the other binds for it."""

_NOTHING: frozenset[str] = frozenset()


def reads(expr: ast.Expr, where: str = "") -> tuple[list[ast.Name], list[tuple[ast.Call, str]]]:
    """The names that an expression reads, those that it binds itself left out, and the calls in it that might run
    never or several times, each with the place that says why. `where` says so of the whole expression."""
    names: list[ast.Name] = []
    calls: list[tuple[ast.Call, str]] = []
    waiting: list[tuple[ast.Expr, str, frozenset[str]]] = [(expr, where, _NOTHING)]
    while waiting:
        node, place, own = waiting.pop()
        while type(node) is ast.Field:
            node = node.target
        if type(node) is ast.Name:
            if node.id not in own:
                names.append(node)
        elif type(node) is ast.Call:
            if place:
                calls.append((node, place))
            waiting += ((arg.value, place, own) for arg in reversed(node.args))
        elif type(node) in _PARTS:
            for part, its, name in reversed(_PARTS[type(node)](node)):
                waiting.append((part, place or its, own | {name} if name else own))
    return names, calls


def _binary(node: ast.Binary) -> Sequence[_Part]:
    place = f"right of `{node.op}`" if node.op in ("and", "or") else ""
    return (node.left, "", ""), (node.right, place, "")


def _if(node: ast.IfExpr) -> Sequence[_Part]:
    return (node.condition, "", ""), (node.then, "after `then`", ""), (node.otherwise, "after `else`", "")


def _quantified(node: ast.Quantified) -> Sequence[_Part]:
    place = f"in `{node.kind}`"
    return (node.source, place, ""), (node.body, place, node.name.text)


def _comprehension(node: ast.Comprehension) -> Sequence[_Part]:
    place, name = "in a comprehension", node.name.text
    parts = ((node.source, place, ""), (node.body, place, name))
    return parts if node.condition is None else (*parts, (node.condition, place, name))


_PARTS: dict[type, Callable[[Any], Sequence[_Part]]] = {
    ast.Text: lambda node: [(part, "in a template", "") for part in node.parts if type(part) is not str],
    ast.Index: lambda node: ((node.target, "", ""), (node.index, "", "")),
    ast.Unary: lambda node: ((node.operand, "", ""),),
    ast.Is: lambda node: ((node.operand, "", ""),),
    ast.Binary: _binary,
    ast.IfExpr: _if,
    ast.Quantified: _quantified,
    ast.ListExpr: lambda node: [(item, "", "") for item in node.items],
    ast.Comprehension: _comprehension,
    ast.Object: lambda node: [(pair.value, "", "") for pair in node.pairs],
}
