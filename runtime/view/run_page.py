"""One run: how it ended, what it cost, and its steps as a tree over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..report.text import cost_of, dollars, elapsed, moment
from ..store.clock import parse_timestamp
from ..store.money import ZERO
from ..store.records import StepRecord, Tern
from ..store.scores import Label, Score
from .markup import Child, Markup, element, joined
from .step_parts import parts_of
from .texts import facts, status_of, value

_SHORT = 8
_OPEN = ("failed", "blocked", "paused")


def run_section(
    tern: Tern,
    *,
    scores: Sequence[Score] = (),
    labels: Sequence[Label] = (),
    whole: str | None = None,
    thread: Child = None,
) -> Markup:
    """The run as a piece of a page. `whole` is where values are that are too long for it, `thread` a link to its
    conversation."""
    return element(
        "section",
        element("h1", status_of(tern.status), f" {tern.workflow} · {tern.flow}"),
        _head(tern, thread),
        element("h2", "Task"),
        value(tern.task, whole),
        *_answer(tern, whole),
        *_remarks(tern),
        *_judged(scores, labels),
        *_costs(tern),
        element("h2", "Steps"),
        *_steps(tern, whole),
        id=f"run-{tern.id}",
    )


def _head(tern: Tern, thread: Child) -> Markup:
    usage = tern.usage
    least = "at least " if usage.unreported else ""
    calls = "1 call" if usage.calls == 1 else f"{usage.calls:,} calls"
    versions = tern.versions
    hashes = [
        f"{name} {digest[:_SHORT]}"
        for name, digest in (
            ("prompt", versions.prompt),
            ("model", versions.model),
            ("config", versions.config),
        )
        if digest
    ]
    return facts(
        ("run", element("span", tern.id, class_="id")),
        ("thread", joined((thread or element("span", tern.thread, class_="id"), f", turn {tern.turn}"))),
        ("started", f"{moment(tern.started, seconds=True)} UTC"),
        ("took", elapsed(tern.started, tern.ended)),
        ("cost", cost_of(tern.cost)),
        (
            "tokens",
            f"{least}{usage.input_tokens:,} in, {usage.output_tokens:,} out, {calls}",
        ),
        ("version", f'"{versions.workflow}"' if versions.workflow else None),
        ("hashes", ", ".join(hashes)),
        ("profile", tern.profile),
        ("tenant", tern.tenant),
        ("replay of", tern.replay_of),
        ("file", tern.file),
    )


def _answer(tern: Tern, whole: str | None) -> list[Markup]:
    found = []
    if tern.reason:
        code = f" [{tern.code}]" if tern.code else ""
        found += [element("h2", "Reason"), element("pre", f"{tern.reason}{code}", class_="bad")]
    if tern.answer is not None and tern.answer != tern.reason:
        found += [element("h2", "Answer"), value(tern.answer, whole)]
    return found


def _remarks(tern: Tern) -> list[Markup]:
    found = [*tern.warnings]
    found += [
        f"the limit of {hit.limit} per {hit.per} was hit: {hit.spent} of {hit.allowed}" for hit in tern.limits
    ]
    if tern.unreadable:
        found.append(
            f"judgements that could not be read: {tern.unreadable}; what they decided is a policy's word"
        )
    return [element("div", f"! {remark}", class_="odd") for remark in found]


def _judged(scores: Sequence[Score], labels: Sequence[Label]) -> list[Markup]:
    if not scores and not labels:
        return []
    rows = [
        _row(score.judge, "could not be read" if score.score is None else f"{score.score:.3f}", score.reason)
        for score in scores
    ]
    rows += [_row(f"{label.labeller or 'a person'}", label.label, label.note) for label in labels]
    return [element("h2", "Judged afterwards"), element("table", *rows)]


def _costs(tern: Tern) -> list[Markup]:
    paid = [(party, amount) for party, amount in tern.cost.parties.items() if amount != ZERO]
    if not paid:
        return []
    rows = [_row(party, dollars(amount)) for party, amount in paid]
    return [element("h2", "Costs"), element("table", *rows)]


def _row(*cells: str | None) -> Markup:
    return element("tr", *(element("td", cell or "") for cell in cells))


def _steps(tern: Tern, whole: str | None) -> list[Markup]:
    """Each step below its parent; one whose parent is not there stands at the top."""
    known = {step.id for step in tern.steps}
    children: dict[str | None, list[StepRecord]] = {}
    for step in tern.steps:
        parent = step.parent if step.parent in known and step.parent != step.id else None
        children.setdefault(parent, []).append(step)
    span = _span(tern)
    placed: set[str] = set()

    def grow(step: StepRecord) -> Markup:
        placed.add(step.id)
        below = [grow(child) for child in children.get(step.id, ()) if child.id not in placed]
        inside = [*parts_of(step, whole), *below]
        if not inside:
            return element("div", element("div", *_title(step, span), class_="title"), class_="step")
        is_open = step.status in _OPEN or step.kind not in ("tool", "judge")
        return element(
            "details", element("summary", *_title(step, span)), *inside, class_="step", open=is_open
        )

    roots = [grow(step) for step in children.get(None, ())]
    roots += [grow(step) for step in tern.steps if step.id not in placed]
    return roots or [element("div", "none", class_="soft")]


def _title(step: StepRecord, span: tuple[datetime, float]) -> list[Markup]:
    name = step.name if step.binding in (None, step.name) else f"{step.binding} = {step.name}"
    cost = "" if step.cost.total == ZERO else cost_of(step.cost)
    said = "  ·  ".join(part for part in (step.kind, elapsed(step.started, step.ended), cost) if part)
    # The first line alone: a gate's whole report stands below, scorer by scorer.
    trouble = f"{step.reason.splitlines()[0]}{f' [{step.code}]' if step.code else ''}" if step.reason else ""
    return [
        status_of(step.status, name),
        element("span", said, class_="soft"),
        _when(step, span),
        *([element("span", trouble, class_="bad")] if trouble else []),
    ]


def _span(tern: Tern) -> tuple[datetime, float]:
    """When the run began, and how many seconds its steps took from there."""
    began = parse_timestamp(tern.started)
    ends = [parse_timestamp(step.ended or step.started) for step in tern.steps]
    return began, max([(end - began).total_seconds() for end in ends] + [0.001])


def _when(step: StepRecord, span: tuple[datetime, float]) -> Markup:
    began, seconds = span
    start = (parse_timestamp(step.started) - began).total_seconds() / seconds
    end = (parse_timestamp(step.ended or step.started) - began).total_seconds() / seconds
    start, end = max(0.0, min(start, 1.0)), max(0.0, min(end, 1.0))
    style = f"left:{start * 100:.1f}%;width:{max(end - start, 0.0) * 100:.1f}%"
    return element("span", element("i", style=style), class_="time")
