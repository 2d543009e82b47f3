"""The values of a program's constants."""

from __future__ import annotations

from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin, Plan
from ..expr import Compiler, Scope
from ..run import Stamp

NOWHERE = Origin("", 0, 0)
"""Constants and the global context stand in a Plan without their places."""


def constants_of(plan: Plan, stamp: Stamp) -> dict[str, Any]:
    """One constant may mention another in any order; the checker has refused circles."""
    nodes = {constant.name: constant.value for constant in plan.constants}
    values: dict[str, Any] = {}
    for _ in range(len(nodes)):
        for name, node in nodes.items():
            if name not in values and _mentioned(node) & nodes.keys() <= values.keys():
                values[name] = Compiler(plan.types, values, stamp.moment).compile(node, NOWHERE)(Scope({}))
    return values


def _mentioned(node: Any) -> set[str]:
    """Every name that an expression mentions."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, tuple):
        return set().union(*(_mentioned(item) for item in node))
    if isinstance(node, ast.Node):
        return set().union(*(_mentioned(getattr(node, field)) for field in node.__struct_fields__))
    return set()
