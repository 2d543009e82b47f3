"""What one run of a flow may cost at most, told from its Plan: how many calls, and of which models.

It is an upper bound: of two branches each party has the larger number, every answer is sent back as often as it may
be, and every loop takes all its turns. Only how many items an `each` goes through is not known before it runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Literal

import attrs
import msgspec

from ...dsl import ast
from ...dsl.plan import Plan
from ...dsl.shapes import Text
from ..agents.loop import INVALID_ANSWERS, TOOL_TURNS

Kind = Literal["agent", "judge", "condition", "choice", "scale"]
_MILLION = Decimal(1_000_000)


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """Someone who calls a model. `calls` in one run at most; `output` is what all of their longest answers cost in US
    dollars, None where the model has no price or no `max_tokens`."""

    kind: Kind
    name: str
    model: str
    calls: int
    output: str | None


class Worst(msgspec.Struct, frozen=True, kw_only=True):
    """`per_item` names the `each` whose number of items is not known: then the calls are those of one item each."""

    flow: str
    parties: tuple[Party, ...]
    per_item: tuple[str, ...]
    calls: int
    output: str | None


Counts = dict[str, int]


def worst_case(plan: Plan, flow: str) -> Worst:
    """The parties in the order in which the flow reaches them. Flows that call each other in a circle count once."""
    walk = _Walk(plan)
    counts = walk.flow(flow)
    parties = tuple(_party(plan, name, calls) for name, calls in counts.items())
    outputs = [party.output for party in parties]
    known = [Decimal(output) for output in outputs if output is not None]
    return Worst(
        flow=flow,
        parties=parties,
        per_item=tuple(walk.per_item),
        calls=sum(counts.values()),
        output=f"{sum(known, Decimal(0)).normalize():f}" if len(known) == len(outputs) else None,
    )


def _party(plan: Plan, name: str, calls: int) -> Party:
    kind: Kind
    if name in plan.agents:
        kind, model = "agent", plan.agents[name].model
    elif name in plan.judges:
        kind, model = "judge", plan.judges[name].model or plan.judges[name].models[0]
    else:
        kind, model = plan.decisions[name].kind, plan.decisions[name].model
    return Party(kind=kind, name=name, model=model, calls=calls, output=_output(plan, model, calls))


def _output(plan: Plan, model: str, calls: int) -> str | None:
    used = plan.models[model]
    if used.slug.startswith(("local/", "echo/", "script/")):
        return "0"
    if used.price_out is None or used.max_tokens is None:
        return None
    return f"{(calls * used.max_tokens * Decimal(used.price_out) / _MILLION).normalize():f}"


@attrs.define(eq=False)
class _Walk:
    plan: Plan
    per_item: list[str] = attrs.field(factory=list)
    _inside: tuple[str, ...] = ()

    def flow(self, name: str) -> Counts:
        if name in self._inside:
            return {}
        before, self._inside = self._inside, (*self._inside, name)
        counts = self.node(self.plan.flows[name].body)
        self._inside = before
        return counts

    def node(self, node: Any) -> Counts:
        """The calls of a piece of a flow."""
        match node:
            case tuple():
                return _sum(self.node(item) for item in node)
            case ast.If():
                branches = (node.then, node.otherwise, node.uncertain)
                return _sum([self.node(node.condition), _most(self.node(branch) for branch in branches)])
            case ast.Switch():
                cases = (*node.cases, node.uncertain)
                return _sum([self.node(node.subject), _most(self.node(case) for case in cases)])
            case ast.Loop():
                turns = int(node.at_most.value)
                return _sum([_times(self.node(node.body), turns), self.node(node.otherwise)])
            case ast.Each():
                return _sum([self.node(node.source), _times(self.node(node.body), self._items(node))])
            case ast.Best():
                return self._best(node)
            case ast.Call():
                return _sum([self.node(node.args), self._call(node.callee.text)])
            case ast.Node():
                return _sum(self.node(getattr(node, field)) for field in node.__struct_fields__)
        return {}

    def _items(self, node: ast.Each) -> int:
        if isinstance(node.source, ast.ListExpr):
            return len(node.source.items)
        if node.name.text not in self.per_item:
            self.per_item.append(node.name.text)
        return 1

    def _best(self, node: ast.Best) -> Counts:
        members = self.node(node.calls)
        count = len(node.calls)
        if node.count is not None:
            count = int(node.count.value)
            members = _times(members, count)
        # Two variants are shown in both orders, and one needs no picker.
        picks = {1: 0, 2: 2}.get(count, 1)
        return _sum([members, _times(self._call(node.picker.text), picks)])

    def _call(self, name: str) -> Counts:
        plan = self.plan
        if name in plan.flows:
            return self.flow(name)
        if name in plan.agents:
            return self._agent(name)
        if name in plan.judges:
            return self._judge(name)
        if name in plan.decisions:
            context = plan.decisions[name].context
            return _sum([self.node(context), {name: 1}])
        if name in plan.gates:
            return self._gate(name)
        return {}

    def _agent(self, name: str) -> Counts:
        """Every answer may be rejected, every answer may first have the wrong shape, and tools may be used as often as
        the agent's turns allow."""
        agent = self.plan.agents[name]
        answers = agent.retries + 1
        turns = TOOL_TURNS if agent.tools else 1 if isinstance(agent.result, Text) else 1 + INVALID_ANSWERS
        judges = _sum(self._judge(use.judge) for use in agent.judges)
        return _sum([{name: answers * turns}, _times(judges, answers)])

    def _judge(self, name: str) -> Counts:
        asked = len(self.plan.judges[name].models)
        return {name: asked} if asked else {}

    def _gate(self, name: str) -> Counts:
        gate = self.plan.gates[name]
        asked = gate.ask_agent
        if gate.judge is not None:
            if gate.judge.judge is not None:
                return self._judge(gate.judge.judge.judge)
            asked = gate.judge.agent
        return self._agent(asked) if asked is not None else {}


def _sum(counts: Iterable[Counts]) -> Counts:
    found: Counts = {}
    for each in counts:
        for name, calls in each.items():
            found[name] = found.get(name, 0) + calls
    return found


def _most(counts: Iterable[Counts]) -> Counts:
    found: Counts = {}
    for each in counts:
        for name, calls in each.items():
            found[name] = max(found.get(name, 0), calls)
    return found


def _times(counts: Counts, times: int) -> Counts:
    return {name: calls * times for name, calls in counts.items() if times}
