"""How many model calls something can cost at the worst, read from the declarations."""

from __future__ import annotations

from ...dsl import ast
from ...dsl.check.base import CallableSurface
from ...dsl.workspace.analysis import Analysis

_DEFAULT_RETRIES = 1
_DEEPEST = 20


def worst_calls(name: str, analysis: Analysis, depth: int = 0) -> int | None:
    """The model calls of one agent, judge or decision, or of a gate's fallback; None where there is no
    telling."""
    surface = analysis.surface(name)
    if not isinstance(surface, CallableSurface) or depth > _DEEPEST:
        return None
    match surface.kind:
        case "agent":
            return _agent(surface, analysis, depth)
        case "judge":
            return len(surface.models)  # each member of a jury is asked
        case "condition" | "choice" | "scale":
            return 1
        case "gate":
            asked = [worst_calls(other, analysis, depth + 1) for other in surface.calls]
            known = [calls for calls in asked if calls is not None]
            return sum(known) if len(known) == len(asked) else None
        case "tool":
            return 0
    return None


def _agent(surface: CallableSurface, analysis: Analysis, depth: int) -> int | None:
    """Every attempt asks the model once and each of its judges; tool rounds are not counted."""
    place = analysis.declaration(surface.name)
    retries = _DEFAULT_RETRIES
    for clause in getattr(place[1].node, "clauses", ()) if place else ():
        if (
            isinstance(clause, ast.Clause)
            and clause.keyword == "retries"
            and isinstance(clause.value, ast.Number)
        ):
            retries = int(clause.value.value)
    judges = [worst_calls(judge, analysis, depth + 1) for judge in surface.judges]
    if any(calls is None for calls in judges):
        return None
    attempts = retries + 1 if surface.judges else 1
    return attempts * (1 + sum(calls or 0 for calls in judges))
