"""A file at a glance: its versions, who is in it, and what a run may come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from ...dsl.plan import AgentPlan, GatePlan, JudgePlan, LimitPlan, MemoryPlan, Plan
from ...dsl.render import clean
from ..flow.worst import Worst, worst_case
from ..store.accounts import DayAccount
from ..store.canonical import short_hash
from ..store.records import SCHEMA, Versions
from ..store.versions import Drift
from .text import columns, dollars, wrapped

_FORMS = {
    "code": "rules, no model",
    "python": "a Python function",
    "ask": "asks",
    "rate": "rates",
    "decide": "decides",
}


class AgentShown(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    model: str
    slug: str
    judges: tuple[str, ...]
    tools: tuple[str, ...]
    retries: int


class JudgeShown(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    form: str
    slugs: tuple[str, ...]
    """Of its models; empty where it asks none."""


class DecisionShown(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    slug: str


class GateShown(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    scorers: int
    asks: str | None
    """The agent or judge that is asked where the scorers leave it open."""


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of `jrun describe --json`. Hashes are whole."""

    schema: int = SCHEMA
    workflow: str
    description: str | None
    versions: Versions
    profile: str | None
    drift: Drift | None
    """None also where there is no store yet, or no declared version."""
    flows: tuple[Worst, ...]
    """The worst case of each flow."""
    entry: str | None
    agents: tuple[AgentShown, ...]
    judges: tuple[JudgeShown, ...]
    decisions: tuple[DecisionShown, ...]
    gates: tuple[GateShown, ...]
    limits: tuple[LimitPlan, ...]
    memory: MemoryPlan | None
    today: DayAccount | None
    """What the workflow has spent today, where a limit per day is declared."""
    profiles: tuple[str, ...]
    suites: tuple[str, ...]


def describe(
    plan: Plan,
    versions: Versions,
    *,
    profile: str | None = None,
    drift: Drift | None = None,
    today: DayAccount | None = None,
) -> Description:
    """What there is to say about a program; `drift` and `today` come from the store."""
    return Description(
        workflow=plan.workflow,
        description=plan.description,
        versions=versions,
        profile=profile,
        drift=drift,
        flows=tuple(worst_case(plan, name) for name in plan.flows),
        entry=plan.entry,
        agents=tuple(_agent(plan, agent) for agent in plan.agents.values()),
        judges=tuple(_judge(plan, judge) for judge in plan.judges.values()),
        decisions=tuple(
            DecisionShown(name=each.name, kind=each.kind, slug=plan.models[each.model].slug)
            for each in plan.decisions.values()
        ),
        gates=tuple(
            GateShown(name=gate.name, scorers=len(gate.scorers), asks=_asked(gate))
            for gate in plan.gates.values()
        ),
        limits=plan.limits,
        memory=plan.memory,
        today=today,
        profiles=tuple(plan.profiles),
        suites=tuple(plan.suites),
    )


def _agent(plan: Plan, agent: AgentPlan) -> AgentShown:
    return AgentShown(
        name=agent.name,
        model=agent.model,
        slug=plan.models[agent.model].slug,
        judges=tuple(use.judge for use in agent.judges),
        tools=agent.tools,
        retries=agent.retries,
    )


def _judge(plan: Plan, judge: JudgePlan) -> JudgeShown:
    slugs = tuple(plan.models[name].slug for name in judge.models)
    return JudgeShown(name=judge.name, form=judge.form, slugs=slugs)


def _asked(gate: GatePlan) -> str | None:
    if gate.judge is None:
        return gate.ask_agent
    return gate.judge.agent if gate.judge.judge is None else gate.judge.judge.judge


def render_description(found: Description, width: int) -> str:
    lines = [*_head(found, width), *_flows(found)]
    lines += _table("agents", [(each.name, each.slug, _of_agent(each)) for each in found.agents])
    lines += _table(
        "judges",
        [
            (each.name, ", ".join(each.slugs) or "–", _FORMS.get(each.form, each.form))
            for each in found.judges
        ],
    )
    lines += _table("decisions", [(each.name, each.slug, each.kind) for each in found.decisions])
    lines += _table("gates", [(each.name, each.asks or "–", _of_gate(each)) for each in found.gates])
    lines += _rest(found)
    return "".join(f"{_cut(clean(line), width)}\n" for line in lines)


def _cut(line: str, width: int) -> str:
    return line if columns(line) <= width else f"{line[: width - 1].rstrip()}…"


def _head(found: Description, width: int) -> Iterator[str]:
    versions = found.versions
    declared = f'  version "{versions.workflow}"' if versions.workflow else "  no version"
    profile = f"  profile {found.profile}" if found.profile else ""
    yield f"{found.workflow}{declared}{profile}"
    if found.description:
        yield f"  {found.description}"
    yield "  " + "  ".join(
        f"{name} {short_hash(digest)}"
        for name, digest in (
            ("prompt", versions.prompt),
            ("model", versions.model),
            ("config", versions.config),
        )
        if digest
    )
    if found.drift is not None:
        for at, line in enumerate(wrapped(str(found.drift), width - 4)):
            yield f"  {' ' if at else '!'} {line}"


def _flows(found: Description) -> Iterator[str]:
    yield ""
    yield "flows"
    wide = max((len(flow.flow) for flow in found.flows), default=0)
    for flow in found.flows:
        entry = "  (runs where none is named)" if flow.flow == found.entry and len(found.flows) > 1 else ""
        yield f"  {flow.flow:<{wide}}  {_at_most(flow)}{entry}"


def _at_most(flow: Worst) -> str:
    if not flow.calls:
        return "no model is asked"
    calls = f"at most {flow.calls} model call{'' if flow.calls == 1 else 's'}"
    if flow.per_item:
        calls += f" for one item of each {', '.join(flow.per_item)}"
    if flow.output is None:
        return f"{calls}; their cost is not known (a model has no price or no `max_tokens`)"
    return calls if flow.output == "0" else f"{calls}; output up to {dollars(flow.output)}, input on top"


def _table(title: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield title
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    for name, what, more in rows:
        yield f"  {name:<{first}}  {what:<{second}}  {more}".rstrip()


def _of_agent(agent: AgentShown) -> str:
    parts = [f"{agent.retries + 1} answer{'s' if agent.retries else ''} a visit"]
    if agent.judges:
        parts.append(f"judged by {', '.join(agent.judges)}")
    if agent.tools:
        parts.append(f"tools {', '.join(agent.tools)}")
    return "; ".join(parts)


def _of_gate(gate: GateShown) -> str:
    return f"{gate.scorers} scorer{'' if gate.scorers == 1 else 's'}"


def _rest(found: Description) -> Iterator[str]:
    rows = [("limits", _limits(found.limits, "run")), ("per day", _per_day(found))]
    rows += [("memory", _memory(found.memory)), ("profiles", ", ".join(found.profiles))]
    rows.append(("suites", ", ".join(found.suites)))
    shown = [(label, text) for label, text in rows if text]
    if shown:
        yield ""
    yield from (f"{label:<9} {text}" for label, text in shown)


def _limits(limits: Sequence[LimitPlan], per: str) -> str:
    return ", ".join(f"{_amount(limit)} a {per}" for limit in limits if limit.per == per)


def _amount(limit: LimitPlan) -> str:
    number = Decimal(limit.amount).normalize()
    if limit.what == "cost":
        return dollars(f"{number:f}")
    return f"{number:f} s" if limit.what == "time" else f"{number:,f} {limit.what}"


def _per_day(found: Description) -> str:
    allowed = _limits(found.limits, "day")
    if not allowed or found.today is None:
        return allowed
    today = found.today
    unknown = " + unknown" if today.unknown else ""
    return f"{allowed}; today so far {dollars(today.known)}{unknown}, {today.calls:,} calls, {today.tokens:,} tokens"


def _memory(memory: MemoryPlan | None) -> str:
    if memory is None:
        return ""
    if memory.compact_every is None:
        return f"the last {memory.history} turns"
    return (
        f"every {memory.compact_every} turns summed up by {memory.model}; "
        f"the latest {memory.keep} summaries and all turns since are read"
    )
