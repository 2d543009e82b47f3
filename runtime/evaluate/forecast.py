"""`--dry-run` of an evaluation: how many calls it would make at most, and what their answers may cost. Asks nobody."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import attrs
import msgspec

from ...dsl.plan import Plan, UsePlan
from ..agents.gateway import is_free
from ..agents.price import price_of
from ..flow.worst import worst_case
from ..report.text import dollars
from .document import Document, Lines, Table
from .render import counted

_MILLION = Decimal(1_000_000)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one party. `output` is what all of their longest answers cost in US dollars; None where the model has
    no price or no `max_tokens`."""

    side: str
    party: str
    model: str
    calls: int
    output: str | None


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "forecast"
    cases: int
    lines: tuple[Line, ...]
    calls: int
    output: str | None
    per_item: tuple[str, ...] = ()
    """Each `each` whose number of items is not known: one is counted."""


@attrs.frozen(kw_only=True)
class Bench:
    """The checks of an evaluation: `plan` has their judges, and each is asked `times` about a case."""

    plan: Plan
    uses: Sequence[UsePlan]
    times: int = 1


def forecast(
    sides: Sequence[tuple[str, Plan]], flow: str | None, cases: int, benches: Sequence[Bench]
) -> Forecast:
    """At most, over all cases: what the flow of every side asks, and what the checks ask."""
    lines: list[Line] = []
    per_item: list[str] = []
    for name, plan in sides:
        if flow is None:
            break
        worst = worst_case(plan, flow)
        per_item += [item for item in worst.per_item if item not in per_item]
        for party in worst.parties:
            lines.append(_line(plan, name, f"{party.kind} {party.name}", party.model, party.calls * cases))
    for bench in benches:
        for use in bench.uses:
            judge = bench.plan.judges.get(use.judge)
            for model in judge.models if judge is not None else ():
                calls = cases * bench.times
                lines.append(_line(bench.plan, "checks", f"judge {use.judge}", model, calls))
    outputs = [line.output for line in lines]
    known = sum((Decimal(output) for output in outputs if output is not None), Decimal(0))
    return Forecast(
        cases=cases,
        lines=tuple(lines),
        calls=sum(line.calls for line in lines),
        output=None if None in outputs else f"{known:f}",
        per_item=tuple(per_item),
    )


def _line(plan: Plan, side: str, party: str, model: str, calls: int) -> Line:
    return Line(
        side=side, party=party, model=plan.models[model].slug, calls=calls, output=_output(plan, model, calls)
    )


def _output(plan: Plan, model: str, calls: int) -> str | None:
    used = plan.models[model]
    if is_free(used):
        return "0"
    price = price_of(used)
    if price is None or used.max_tokens is None:
        return None
    return f"{calls * used.max_tokens * price.output / _MILLION:f}"


def render_forecast(found: Forecast, title: str) -> Document:
    rows = [
        (
            line.side,
            line.party,
            line.model,
            f"{line.calls:,}",
            "unknown" if line.output is None else "free" if line.output == "0" else dollars(line.output),
        )
        for line in found.lines
    ]
    total = f"at most {counted(found.calls, 'call')} over {counted(found.cases, 'case')}"
    lines = [total + _cost(found.output)] if found.calls else ["no model is asked"]
    if found.per_item:
        lines.append(
            f"for one item of each {', '.join(found.per_item)}; every other item costs as much again"
        )
    return Document(title, [Table(("side", "who", "model", "calls", "output"), rows, 3), Lines(lines)])


def _cost(output: str | None) -> str:
    if output is None:
        return "; the cost is not known: a model has no price or no `max_tokens`"
    return "" if Decimal(output) == 0 else f"; output up to {dollars(output)}, and the input on top"
