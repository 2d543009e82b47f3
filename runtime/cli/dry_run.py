"""`--dry-run`: what a run would do and what it may cost at most. No call is made, and no model is opened."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from ...dsl.plan import Plan
from ..flow.reach import models_of
from ..flow.worst import Party, Worst, worst_case
from ..report.text import dollars


def print_dry_run(plan: Plan, flow: str, *, as_json: bool) -> None:
    """The plan of one flow under its profile."""
    worst = worst_case(plan, flow)
    if as_json:
        print(msgspec.json.encode(worst).decode())
        return
    print(f"{plan.workflow}: flow {flow}")
    for line in _parties(plan, worst):
        print(f"  {line}")
    for line in _totals(plan, worst):
        print(line)


def _parties(plan: Plan, worst: Worst) -> list[str]:
    rows = [(f"{party.kind} {party.name}", plan.models[party.model].slug, party) for party in worst.parties]
    if not rows:
        return ["no model is asked"]
    wide, wider = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    return [
        f"{who:<{wide}}  {slug:<{wider}}  at most {_calls(party.calls)}{_cost(party)}{_judged(plan, party)}"
        for who, slug, party in rows
    ]


def _cost(party: Party) -> str:
    if party.output is None:
        return ", cost unknown"
    return "" if party.output == "0" else f", output up to {dollars(party.output)}"


def _judged(plan: Plan, party: Party) -> str:
    if party.kind != "agent":
        return ""
    agent = plan.agents[party.name]
    judges = ", ".join(use.judge for use in agent.judges)
    answers = f"{agent.retries + 1} answer{'s' if agent.retries else ''} a visit"
    return f"  ({answers}; judges: {judges})" if judges else ""


def _totals(plan: Plan, worst: Worst) -> list[str]:
    """The sum, what is not in it, and what the file allows."""
    lines = [f"at most {_calls(worst.calls)} in all"]
    if worst.output is None:
        lines[0] += "; the cost is not known: a model has no price or no `max_tokens`"
    elif worst.output != "0":
        lines[0] += f"; output up to {dollars(worst.output)}, and the input on top"
    if worst.per_item:
        lines.append(
            f"for one item of each {', '.join(worst.per_item)}; every other item costs as much again"
        )
    models = models_of(plan, worst.flow)
    resent = [name for name in sorted(models) if plan.models[name].fallback]
    if resent:
        lines.append(f"a failed call of {', '.join(resent)} may be made again by its fallbacks")
    limits = [limit for limit in plan.limits if limit.per == "run"]
    if limits:
        allowed = ", ".join(_limit(limit.what, limit.amount) for limit in limits)
        lines.append(f"a run is ended at {allowed}")
    return lines


def _limit(what: str, amount: str) -> str:
    number = Decimal(amount)
    if what == "cost":
        return f"${number:.2f}" if number == round(number, 2) else f"${number:f}"
    return f"{number:f} s" if what == "time" else f"{number:,f} {what}"


def _calls(count: int) -> str:
    return f"{count:,} call{'s' if count != 1 else ''}"
