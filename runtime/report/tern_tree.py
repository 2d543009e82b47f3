"""One run as a tree: its steps, their attempts, and what each judge, scorer and tool said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ...dsl.render import clean
from ..store.history import as_text
from ..store.money import ZERO
from ..store.records import (
    AttemptRecord,
    DecisionRecord,
    GateRecord,
    PickRecord,
    ScorerRecord,
    StepRecord,
    Tern,
    ToolCallRecord,
    VerdictRecord,
)
from .text import UNREADABLE, cost_of, dollars, elapsed, mark, memory_line, moment, one_line, wrapped

WIDTH = 110
_SHORT = 8
_NAME = 14
_LABEL = 10
_DECIDED_BY = {
    "pass_when": "by `pass when`",
    "scorers": "by the scorers",
    "bounds": "by the scorers alone, no judge's score could change it",
    "judge": "by its judge",
    "ask": "by asking",
    "default": "as nobody was left to ask",
}


class _Node(msgspec.Struct):
    """A line with a mark, and what hangs below it. `more` are further lines of the same entry."""

    mark: str
    text: str
    more: Sequence[str] = ()
    below: Sequence[_Node] = ()


def render_tree(tern: Tern, *, width: int = WIDTH) -> str:
    """All that people need to see of a run; `--json` has the rest. Text of models is printed harmlessly."""
    lines = [*_head(tern, width), *_branches(_step_nodes(tern.steps, width), "")]
    # Cleaned once more as a whole, for the names that were put in as they are.
    return "".join(f"{clean(line.replace(chr(10), ' ')).rstrip()}\n" for line in lines)


# --- the run ------------------------------------------------------------------------------------------------


def _head(tern: Tern, width: int) -> Iterator[str]:
    tokens = tern.usage.input_tokens + tern.usage.output_tokens
    at_least = "at least " if tern.usage.unreported else ""
    facts = [elapsed(tern.started, tern.ended), cost_of(tern.cost), f"{at_least}{tokens:,} tokens"]
    if tern.usage.from_cache:
        facts.append(f"{tern.usage.from_cache} of {tern.usage.calls} replies from the cache")
    title = one_line(f"{tern.workflow} · {tern.flow}", width // 2)
    yield f"{mark(tern.status)} {tern.status}  {title}  {_joined(facts)}"
    yield from _field("run", tern.id, width)
    yield from _field("thread", f"{tern.thread}" + (f", turn {tern.turn}" if tern.turn else ""), width)
    yield from _field("started", f"{moment(tern.started, seconds=True)} UTC", width)
    yield from _field("versions", _versions(tern), width)
    for label, value in (
        ("tenant", tern.tenant),
        ("profile", tern.profile),
        ("replay of", tern.replay_of),
        ("ran for", tern.evaluation),
    ):
        yield from _field(label, value, width)
    yield from _field("task", as_text(tern.task), width)
    yield from _field("answer", None if tern.answer is None else as_text(tern.answer), width)
    code = f" [{tern.code}]" if tern.code else ""
    yield from _field("reason", f"{tern.reason or ''}{code}", width)
    yield from _remarks(tern, width)


def _remarks(tern: Tern, width: int) -> Iterator[str]:
    if tern.unreadable:
        could = "1 judgement" if tern.unreadable == 1 else f"{tern.unreadable} judgements"
        yield f"  {UNREADABLE} {could} could not be read: what they decided is a policy's word and no judge's"
    for hit in tern.limits:
        yield f"  ! the limit of {hit.limit} per {hit.per} was hit: {hit.spent} of {hit.allowed}"
    for warning in tern.warnings:
        yield from _hanging("  ! ", warning, width)


def _versions(tern: Tern) -> str:
    versions = tern.versions
    hashes = (("prompt", versions.prompt), ("model", versions.model), ("config", versions.config))
    shown = [f"{name} {digest[:_SHORT]}" for name, digest in hashes if digest]
    return ", ".join([f'"{versions.workflow}"', *shown] if versions.workflow else shown)


def _field(label: str, value: str | None, width: int) -> Iterator[str]:
    if value:
        yield from _hanging(f"  {label:<{_LABEL}}", value, width)


def _hanging(first: str, value: str, width: int) -> Iterator[str]:
    indent = " " * len(first)
    for at, line in enumerate(wrapped(value, width - len(first))):
        yield f"{indent if at else first}{line}"


# --- the steps ----------------------------------------------------------------------------------------------


def _step_nodes(steps: Sequence[StepRecord], width: int) -> list[_Node]:
    """Each step below its parent; one whose parent is not there, or is its own, stands at the top."""
    children: dict[str | None, list[StepRecord]] = {}
    known = {step.id for step in steps}
    for step in steps:
        children.setdefault(step.parent if step.parent in known else None, []).append(step)
    placed: set[str] = set()

    def grow(step: StepRecord) -> _Node:
        placed.add(step.id)
        below = [grow(child) for child in children.get(step.id, ()) if child.id not in placed]
        node = _step_node(step, width)
        return _Node(node.mark, node.text, node.more, [*node.below, *below])

    roots = [grow(step) for step in children.get(None, ())]
    return roots + [grow(step) for step in steps if step.id not in placed]


def _step_node(step: StepRecord, width: int) -> _Node:
    title = step.name if step.binding in (None, step.name) else f"{step.binding} = {step.name}"
    cost = "" if step.cost.total == ZERO else cost_of(step.cost)
    facts = [*_outcome(step), elapsed(step.started, step.ended), cost]
    trouble = f"{step.reason or ''}{f' [{step.code}]' if step.code else ''}".strip()
    more = wrapped(trouble, width - 12) if trouble else []
    return _Node(
        _step_mark(step),
        f"{one_line(title, 40):<{_NAME}} {step.kind}  {_joined(facts)}",
        more,
        _details(step, width),
    )


def _step_mark(step: StepRecord) -> str:
    gate, pick = step.gate, step.pick
    unread = (gate is not None and gate.judge is not None and not gate.judge.readable) or (
        pick is not None and not pick.readable
    )
    return UNREADABLE if unread else mark(step.status)


def _outcome(step: StepRecord) -> list[str]:
    if step.decision is not None:
        return _decided(step.decision)
    if step.gate is not None:
        return _gated(step.gate)
    if step.pick is not None:
        return _picked(step.pick)
    if step.approval is not None:
        said = {True: "approved", False: "refused", None: "waiting for a person"}[step.approval.approved]
        return [one_line(step.approval.question, 40), said]
    if len(step.attempts) > 1:
        return [f"{len(step.attempts)} attempts"]
    if step.kind == "memory" and step.answer is not None:
        return [memory_line(step.answer, "")] if step.status == "succeeded" else [step.status]
    return [] if step.status == "succeeded" else [step.status]


def _decided(decision: DecisionRecord) -> list[str]:
    sure = "" if decision.confidence is None else f"{decision.confidence:.2f}"
    bar = "" if decision.minimum is None else f"(needs {decision.minimum:g})"
    outcome = "" if decision.outcome == "accepted" else decision.outcome
    origin = "" if decision.origin in (None, "reported") else f"{decision.origin}"
    return [" ".join(filter(None, (one_line(decision.selected, 40), sure, bar))), outcome, origin]


def _gated(gate: GateRecord) -> list[str]:
    combined = ""
    if gate.threshold is not None and gate.combined is not None:
        combined = f"combined {gate.combined} of {gate.threshold}"
    return [f"{gate.verdict} {_DECIDED_BY[gate.decided_by]}", combined]


def _picked(pick: PickRecord) -> list[str]:
    how = ""
    if pick.defaulted:
        how = "UNREADABLE, the first was taken"
    elif pick.clamped:
        how = "clamped, there is no such variant"
    return [f"variant {pick.winner} of {pick.count}", how]


# --- below a step -------------------------------------------------------------------------------------------


def _details(step: StepRecord, width: int) -> list[_Node]:
    if step.attempts:
        nodes = [_attempt_node(attempt, step, width) for attempt in step.attempts]
        numbers = {attempt.number for attempt in step.attempts}
    else:
        nodes, numbers = [], set()
    # What belongs to no attempt on record still belongs to the step.
    nodes += [_tool_node(call, width) for call in step.tool_calls if call.attempt not in numbers]
    nodes += [_verdict_node(verdict, width) for verdict in step.verdicts if verdict.attempt not in numbers]
    if step.gate is not None:
        nodes += _gate_nodes(step.gate, width)
    if step.pick is not None and step.pick.reason:
        nodes.append(_Node("·", one_line(step.pick.reason, width - 12)))
    if not step.attempts and step.answer is not None:
        shown = step.answer.get("text") if step.kind == "memory" else step.answer
        if shown is not None:
            nodes.append(_Node("→", one_line(shown, width - 12)))
    return nodes


def _attempt_node(attempt: AttemptRecord, step: StepRecord, width: int) -> _Node:
    judged = [verdict for verdict in step.verdicts if verdict.attempt == attempt.number]
    calls = [call for call in step.tool_calls if call.attempt == attempt.number]
    cost = "" if attempt.cost == ZERO else dollars(attempt.cost)
    variant = "" if attempt.variant is None else f"as {attempt.variant}"
    facts = [attempt.outcome, variant, elapsed(attempt.started, attempt.ended), cost, attempt.model or ""]
    # A rejection's reason is what its judges said, and they say it below.
    reason = attempt.reason if attempt.reason and attempt.outcome != "rejected" else None
    below = [_tool_node(call, width) for call in calls if call.by is None]
    if attempt.answer is not None:
        below.append(_Node("→", one_line(attempt.answer, width - 16)))
    below += [_tool_node(call, width) for call in calls if call.by is not None]
    below += [_verdict_node(verdict, width) for verdict in judged]
    more = wrapped(reason, width - 16) if reason else []
    return _Node(mark(attempt.outcome), f"attempt {attempt.number + 1}  {_joined(facts)}", more, below)


def _verdict_node(verdict: VerdictRecord, width: int) -> _Node:
    metrics = " ".join(
        f"{one_line(name, 30)}={one_line(value, 30)}" for name, value in verdict.metrics.items()
    )
    if not verdict.readable:
        said = f"UNREADABLE, counted as {'passed' if verdict.passed else 'failed'}"
        more = wrapped(verdict.reason, width - 20) if verdict.reason else []
        return _Node(UNREADABLE, _joined([f"{verdict.judge:<{_NAME}}", said, metrics]), more)
    reason = wrapped(verdict.reason, width - 20 - _NAME) if verdict.reason else [""]
    text = _joined([f"{one_line(verdict.judge, 40):<{_NAME}}", reason[0], metrics])
    return _Node("✔" if verdict.passed else "✖", text, reason[1:])


def _tool_node(call: ToolCallRecord, width: int) -> _Node:
    came = call.error if call.error is not None else call.output
    status = "" if call.status == "succeeded" else f"{call.status}: "
    given = one_line(call.input, width // 3)
    back = "" if came is None else one_line(came, width // 3)
    took = elapsed(call.started, call.ended) if call.started else ""
    by = "" if call.by is None else f"by {one_line(call.by, 40)}"
    return _Node(
        mark(call.status), _joined([f"{one_line(call.tool, 40)} {given} → {status}{back}", by, took])
    )


def _gate_nodes(gate: GateRecord, width: int) -> Iterator[_Node]:
    for result in gate.results:
        yield _scorer_node(result, width)
    judge = gate.judge
    if judge is None:
        return
    reason = wrapped(judge.reason, width - 20) if judge.reason else []
    name = f"{one_line(judge.party, 40):<{_NAME}}"
    if not judge.readable:
        yield _Node(UNREADABLE, f"{name} UNREADABLE, counted as {gate.verdict}", reason)
        return
    score = "" if judge.score is None else f"score {judge.score}"
    yield _Node("✔" if judge.verdict == "pass" else "✖", _joined([name, judge.verdict or "", score]), reason)


def _scorer_node(result: ScorerRecord, width: int) -> _Node:
    weight = "" if result.weight is None else f"weight {result.weight}"
    detail = one_line(result.detail, width - 30) if result.detail else ""
    name = f"{one_line(result.name, 40):<{_NAME}}"
    return _Node("✔" if result.passed else "✖", _joined([name, weight, detail]))


# --- drawing ------------------------------------------------------------------------------------------------


def _branches(nodes: Sequence[_Node], guide: str) -> Iterator[str]:
    for at, node in enumerate(nodes):
        last = at == len(nodes) - 1
        below = guide + ("   " if last else "│  ")
        yield f"{guide}{'└─' if last else '├─'} {node.mark} {node.text}"
        for line in node.more:
            yield f"{below}{'│' if node.below else ' '}   {line}"
        yield from _branches(node.below, below)


def _joined(parts: Sequence[str]) -> str:
    return "  ".join(part for part in parts if part)
