"""Calls that cost stand only where they run exactly once.

What runs, and what it costs, is then plain from the statements of a flow: an expression never decides
whether, or how often, a model is asked."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ast
from .base import CallableSurface, Report, Scope
from .names import a

_OWN_STATEMENT = "Call it in a statement of its own and use its result here."
_INSTEAD = {
    "in a comprehension": "A step can call it for every item: `results = each item in items: {name}(item)`.",
    "in a template": "Give its result a name first, and put that into the template.",
    "after `else`": "Say so in statements: `found = try …`, then `if not found.ok { x = {name}(…) }`.",
}


def check_hidden_calls(expr: ast.Expr, scope: Scope, report: Report, where: str = "") -> None:
    """Reports `flow.hidden-call` for every call of an agent, tool, … in `expr` that might run never or
    several times. `where` says so of the whole expression ("after `else`"); without it, calls at its top run
    once."""
    for call, place in _calls(expr, where):
        callee = scope.find(call.callee.text.partition(".")[0])
        if place and isinstance(callee, CallableSurface):
            report.add(
                "flow.hidden-call",
                call.callee,
                f"`{call.callee.text}` is {a(callee.kind)} and may not be called {place}",
                label="this call would not run exactly once",
                help=_INSTEAD.get(place, _OWN_STATEMENT).replace("{name}", call.callee.text),
            )


def _calls(expr: ast.Expr, where: str) -> Iterator[tuple[ast.Call, str]]:
    """Every call, and the place that keeps it from running exactly once ("" where it does)."""
    if isinstance(expr, ast.Call):
        yield expr, where
    for part, place in _parts(expr):
        yield from _calls(part, where or place)


def _parts(expr: ast.Expr) -> Iterator[tuple[ast.Expr, str]]:
    match expr:
        case ast.Name():
            return
        case ast.Text(parts=parts):
            yield from ((part, "in a template") for part in parts if not isinstance(part, str))
        case ast.Field(target=target):
            yield target, ""
        case ast.Index(target=target, index=index):
            yield from ((target, ""), (index, ""))
        case ast.Call(args=args):
            yield from ((arg.value, "") for arg in args)
        case ast.Unary(operand=operand) | ast.Is(operand=operand):
            yield operand, ""
        case ast.Binary(op=op, left=left, right=right):
            yield left, ""
            yield right, f"right of `{op}`" if op in ("and", "or") else ""
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            yield from ((condition, ""), (then, "after `then`"), (otherwise, "after `else`"))
        case ast.Quantified(kind=kind, source=source, body=body):
            yield from ((source, f"in `{kind}`"), (body, f"in `{kind}`"))
        case ast.ListExpr(items=items):
            yield from ((item, "") for item in items)
        case ast.Comprehension(body=body, source=source, condition=condition):
            found = (body, source, condition)
            yield from ((part, "in a comprehension") for part in found if part is not None)
        case ast.Object(pairs=pairs):
            yield from ((pair.value, "") for pair in pairs)
