"""Which models a flow may call: what has to work, and to have a price, before the flow starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...dsl import ast
from ...dsl.plan import Plan


def models_of(plan: Plan, flow: str, *, remembers: bool = False) -> frozenset[str]:
    """The models of everything that a flow may call, fallbacks included; with `remembers`, also the one that sums up
    its thread."""
    models: dict[str, None] = {}
    if remembers and plan.memory is not None and plan.memory.model is not None:
        models[plan.memory.model] = None
    waiting = [flow]
    seen: set[str] = set()
    for name in waiting:
        if name not in seen:
            seen.add(name)
            waiting += _called(plan, name)
            models |= dict.fromkeys(_asked(plan, name))
    found = list(models)
    for name in found:
        found += (other for other in plan.models[name].fallback if other not in found)
    return frozenset(found)


def _asked(plan: Plan, name: str) -> Iterator[str]:
    if name in plan.agents:
        yield plan.agents[name].model
    elif name in plan.decisions:
        yield plan.decisions[name].model
    elif name in plan.judges:
        yield from plan.judges[name].models


def _called(plan: Plan, name: str) -> Iterator[str]:
    if name in plan.flows:
        yield from _mentioned(plan.flows[name].body)
    elif name in plan.decisions:
        yield from _mentioned(plan.decisions[name].context)
    elif name in plan.agents:
        yield from (use.judge for use in plan.agents[name].judges)
    elif name in plan.gates:
        gate = plan.gates[name]
        judge = gate.judge
        asked = (gate.ask_agent, judge and judge.agent, judge and judge.judge and judge.judge.judge)
        yield from (party for party in asked if party)


def _mentioned(node: Any) -> Iterator[str]:
    """The names of all that is called, pickers included."""
    if isinstance(node, tuple):
        for item in node:
            yield from _mentioned(item)
    elif isinstance(node, ast.Node):
        if isinstance(node, ast.Call):
            yield node.callee.text
        elif isinstance(node, ast.Best):
            yield node.picker.text
        for field in node.__struct_fields__:
            yield from _mentioned(getattr(node, field))
