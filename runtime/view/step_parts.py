"""What stands inside a step: attempts with their verdicts, tool calls, a decision, a gate, a pick, an approval."""

from __future__ import annotations

from collections.abc import Iterator

from ..report.text import dollars, elapsed, memory_line
from ..store.money import ZERO
from ..store.records import (
    AttemptRecord,
    DecisionRecord,
    GateRecord,
    StepRecord,
    ToolCallRecord,
    VerdictRecord,
)
from .markup import NOTHING, Markup, element, joined
from .texts import bar, facts, status_of, toned, value


def parts_of(step: StepRecord, whole: str | None) -> Iterator[Markup]:
    """Everything that a step's record holds, in the order in which it happened."""
    numbers = {attempt.number for attempt in step.attempts}
    for attempt in step.attempts:
        yield _attempt(attempt, step, whole)
    yield from (_tool(call, whole) for call in step.tool_calls if call.attempt not in numbers)
    yield from (_verdict(verdict) for verdict in step.verdicts if verdict.attempt not in numbers)
    if step.decision is not None:
        yield _decision(step.decision)
    if step.gate is not None:
        yield from _gate(step.gate, whole)
    if step.pick is not None:
        unread = "" if step.pick.readable else " — could not be read, so the first was taken"
        yield element("div", f"variant {step.pick.winner} of {step.pick.count}{unread}", class_="part")
        if step.pick.reason:
            yield value(step.pick.reason, whole)
    if step.approval is not None:
        said = {True: "approved", False: "refused", None: "waiting for a person"}[step.approval.approved]
        yield element("div", f"{step.approval.question} {said}", class_="part")
        if step.approval.showing is not None:
            yield value(step.approval.showing, whole)
    if step.kind == "memory" and isinstance(step.answer, dict):
        yield element("div", memory_line(step.answer, step.reason), class_="part")
        if step.answer.get("text"):
            yield value(step.answer["text"], whole)
    elif not step.attempts and step.answer is not None:
        yield value(step.answer, whole)


def _attempt(attempt: AttemptRecord, step: StepRecord, whole: str | None) -> Markup:
    title = joined(
        (
            status_of(attempt.outcome, f"attempt {attempt.number + 1} {attempt.outcome}"),
            element("span", _facts_of(attempt), class_="soft"),
        )
    )
    calls = [call for call in step.tool_calls if call.attempt == attempt.number]
    inside = [_tool(call, whole) for call in calls if call.by is None]
    if attempt.answer is not None:
        inside.append(value(attempt.answer, whole))
    inside += [_tool(call, whole) for call in calls if call.by is not None]
    if attempt.reason and attempt.outcome != "rejected":
        inside.append(element("div", attempt.reason, class_="bad"))
    inside += [_verdict(verdict) for verdict in step.verdicts if verdict.attempt == attempt.number]
    inside += [_hidden("prompt", attempt.prompt, whole), _hidden("raw reply", attempt.raw, whole)]
    return element("div", element("div", title), *inside, class_="part")


def _facts_of(attempt: AttemptRecord) -> str:
    usage = attempt.usage
    tokens = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out" if usage.calls else ""
    cost = "" if attempt.cost == ZERO else dollars(attempt.cost)
    found = (attempt.variant, elapsed(attempt.started, attempt.ended), attempt.model, tokens, cost)
    return "  " + "  ·  ".join(part for part in found if part)


def _hidden(label: str, data: object, whole: str | None) -> Markup:
    if data is None:
        return NOTHING
    return element("details", element("summary", label, class_="soft"), value(data, whole))


def _verdict(verdict: VerdictRecord) -> Markup:
    metrics = "  ".join(f"{name} {data}" for name, data in verdict.metrics.items())
    if not verdict.readable:
        counted = "passed" if verdict.passed else "failed"
        said = toned("?", f"{verdict.judge}: could not be read, counted as {counted}")
    else:
        said = toned(
            "✔" if verdict.passed else "✖",
            f"{verdict.judge}{': ' if verdict.reason else ''}{verdict.reason or ''}",
        )
    return element(
        "div", said, element("span", f"  {metrics}", class_="soft") if metrics else None, class_="part"
    )


def _tool(call: ToolCallRecord, whole: str | None) -> Markup:
    came = call.error if call.error is not None else call.output
    summary = element(
        "summary",
        status_of(call.status, f"{call.tool} {'' if call.status == 'succeeded' else call.status}".strip()),
        element(
            "span",
            f"  {elapsed(call.started, call.ended) if call.started else ''}"
            f"{'' if call.by is None else f'  by {call.by}'}",
            class_="soft",
        ),
    )
    given = value(call.input, whole)
    return element("details", summary, given, value(came, whole) if came is not None else None, class_="part")


def _decision(decision: DecisionRecord) -> Markup:
    bar_to_reach = "" if decision.minimum is None else f" (needs {decision.minimum:g})"
    sure = "" if decision.confidence is None else f"{decision.confidence:.2f}{bar_to_reach}"
    rows = [
        element(
            "tr", element("td", name), element("td", bar(share)), element("td", f"{share:.3f}", class_="n")
        )
        for name, share in decision.probabilities.items()
    ]
    return element(
        "div",
        facts(
            ("selected", decision.selected),
            ("confidence", sure),
            ("outcome", decision.outcome),
            ("origin", decision.origin),
            ("model", decision.model),
        ),
        element("table", *rows) if rows else None,
        class_="part",
    )


def _gate(gate: GateRecord, whole: str | None) -> Iterator[Markup]:
    combined = (
        None
        if gate.combined is None
        else f"{gate.combined}" + (f" of {gate.threshold}" if gate.threshold else "")
    )
    yield facts(
        ("verdict", gate.verdict), ("decided by", gate.decided_by.replace("_", " ")), ("combined", combined)
    )
    for result in gate.results:
        text = f"{result.name}{': ' if result.detail else ''}{result.detail or ''}"
        weight = element("span", f"  weight {result.weight}", class_="soft") if result.weight else None
        yield element("div", toned("✔" if result.passed else "✖", text), weight, class_="part")
    judge = gate.judge
    if judge is not None:
        score = f", score {judge.score}" if judge.score else ""
        said = (
            f"{judge.verdict}{score}" if judge.readable else f"could not be read, counted as {gate.verdict}"
        )
        mark = "?" if not judge.readable else "✔" if judge.verdict == "pass" else "✖"
        yield element("div", toned(mark, f"{judge.party}: {said}"), class_="part")
        if judge.reason:
            yield value(judge.reason, whole)
