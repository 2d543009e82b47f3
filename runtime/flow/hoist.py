"""Calls that cost, taken out of the expressions that they stand in.

The checker allows such a call only where it runs exactly once, so it may run first: each is replaced by a name that
holds its value.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import msgspec

from ...dsl import ast


def hoisted(expr: ast.Expr, costly: Container[str]) -> tuple[ast.Expr, list[tuple[str, ast.Call]]]:
    """The expression without its costly calls, and those calls with the names of their values, in order."""
    found: list[tuple[str, ast.Call]] = []

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(item) for item in node)
        if not isinstance(node, msgspec.Struct):
            return node
        changed = _rebuilt(node, visit)
        if isinstance(changed, ast.Call) and changed.callee.text in costly:
            name = f"${len(found)}"
            found.append((name, changed))
            return ast.Name(node.start, node.end, name)  # type: ignore[attr-defined]
        return changed

    return visit(expr), found


def _rebuilt(node: msgspec.Struct, visit: Callable[[Any], Any]) -> msgspec.Struct:
    changes = {}
    for name in node.__struct_fields__:
        value = getattr(node, name)
        new = visit(value) if isinstance(value, tuple | msgspec.Struct) else value
        if new is not value and new != value:
            changes[name] = new
    return msgspec.structs.replace(node, **changes) if changes else node
