"""Calls that cost stand only where they run exactly once.

What runs, and what it costs, is then plain from the statements of a flow: an expression never decides
whether, or how often, a model is asked."""

from __future__ import annotations

from collections.abc import Iterable

from .. import ast
from .base import CallableSurface, Report, Scope
from .names import a

_OWN_STATEMENT = "Call it in a statement of its own and use its result here."
_INSTEAD = {
    "in a comprehension": "A step can call it for every item: `results = each item in items: {name}(item)`.",
    "in a template": "Give its result a name first, and put that into the template.",
    "after `else`": "Say so in statements: `found = try …`, then `if not found.ok { x = {name}(…) }`.",
}


def report_hidden_calls(calls: Iterable[tuple[ast.Call, str]], scope: Scope, report: Report) -> None:
    """Reports `flow.hidden-call` for those that call an agent, tool, … . Each comes with the place that keeps it from
    running exactly once: "after `else`"."""
    for call, place in sorted(calls, key=lambda found: found[0].start):
        callee = scope.find(call.callee.text.partition(".")[0])
        if isinstance(callee, CallableSurface):
            report.add(
                "flow.hidden-call",
                call.callee,
                f"`{call.callee.text}` is {a(callee.kind)} and may not be called {place}",
                label="this call would not run exactly once",
                help=_INSTEAD.get(place, _OWN_STATEMENT).replace("{name}", call.callee.text),
            )
