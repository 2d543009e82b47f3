"""What a picture says about the agents, gates and decisions that a flow calls."""

from __future__ import annotations

import attrs

from ...dsl.plan import GatePlan, Plan
from .figure import Kind
from .words import one_line

_TABLES: dict[str, Kind] = {
    "agents": "agent",
    "judges": "judge",
    "gates": "gate",
    "decisions": "decision",
    "flows": "flow",
    "tools": "tool",
}


@attrs.frozen
class Describer:
    plan: Plan

    def kind(self, name: str) -> Kind | None:
        """What a call of this name runs; None where it costs nothing, as a built-in function does."""
        for table, kind in _TABLES.items():
            if name.partition(".")[0] in getattr(self.plan, table):
                return kind
        return None

    def details(self, name: str) -> tuple[str, ...]:
        plan = self.plan
        if name in plan.agents:
            agent = plan.agents[name]
            lines = [plan.models[agent.model].slug]
            lines += _list("tools", agent.tools)
            lines += _list("judged by", [use.judge for use in agent.judges])
            return tuple(lines)
        if name in plan.judges:
            model = plan.judges[name].model
            return (plan.models[model].slug,) if model is not None else ("code",)
        if name in plan.decisions:
            decision = plan.decisions[name]
            question = one_line(decision.ask.plain or "")
            bar = (f"confidence at least {decision.minimum}",) if decision.minimum is not None else ()
            return (*([question] if question else []), plan.models[decision.model].slug, *bar)
        if name in plan.gates:
            return tuple(_gate(plan.gates[name]))
        return ()


def _gate(gate: GatePlan) -> list[str]:
    lines = []
    if gate.scorers:
        count = len(gate.scorers)
        lines.append(f"{count} scorer{'s' if count != 1 else ''}, {gate.combine}")
    asked = gate.ask_agent
    if gate.judge is not None:
        asked = gate.judge.judge.judge if gate.judge.judge is not None else gate.judge.agent
    if asked is not None:
        lines.append(f"{'always' if gate.judge is not None and gate.judge.always else 'else'} {asked}")
    return lines


def _list(word: str, names: tuple[str, ...] | list[str]) -> list[str]:
    return [f"{word} {', '.join(names)}"] if names else []
