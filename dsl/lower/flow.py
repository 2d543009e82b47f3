"""The parts of a Plan that run beside flows: suites and tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from .. import ast
from .. import plan as p

Uses = Callable[[ast.Uses | None], tuple[p.UsePlan, ...]]
LowerLimits = Callable[[ast.Limits], tuple[p.LimitPlan, ...]]


def lower_suite(node: ast.Suite, uses: Uses, limits: LowerLimits) -> p.SuitePlan:
    clauses: dict[str, Any] = {clause.keyword: clause.value for clause in node.clauses}
    cascade: Literal["stop", "all"] = "all"
    if "cascade" in clauses and clauses["cascade"].text == "stop":
        cascade = "stop"
    labels = clauses.get("labels")
    return p.SuitePlan(
        name=node.name.text,
        flow=node.flow.text,
        description=node.description.plain if node.description else None,
        cases=clauses["cases"].plain or "",
        checks=uses(clauses.get("checks")),
        limits=limits(clauses["limits"]) if "limits" in clauses else (),
        labels=labels.plain if labels else None,
        cascade=cascade,
    )


def lower_test(node: ast.Test, origin: p.Origin) -> p.TestPlan:
    return p.TestPlan(
        name=node.name.plain or "",
        flow=node.flow.text,
        given=node.given,
        scripts=node.scripts,
        expects=node.expects,
        origin=origin,
    )
