from __future__ import annotations

from typing import Any

import pytest

from judgeflow.runtime.report.tern_tree import render_tree
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.records import (
    ApprovalRecord,
    AttemptRecord,
    DecisionRecord,
    GateJudgeRecord,
    GateRecord,
    LimitHit,
    PickRecord,
    ScorerRecord,
    StepRecord,
    Tern,
    ToolCallRecord,
    Usage,
    VerdictRecord,
    Versions,
)

STARTED, ENDED = "2026-03-01T11:59:00.000Z", "2026-03-01T11:59:03.100Z"


def step(id: str = "s1", **fields: Any) -> StepRecord:
    defaults = {"kind": "agent", "name": "writer", "status": "succeeded", "started": STARTED, "ended": ENDED}
    return StepRecord(id=id, **(defaults | fields))


def tern(*steps: StepRecord, **fields: Any) -> Tern:
    defaults: dict[str, Any] = {
        "id": "7f3a9c0112345678",
        "thread": "t1",
        "turn": 2,
        "flow": "answer",
        "workflow": "support",
        "status": "answered",
        "task": "How?",
        "answer": "So.",
        "started": STARTED,
        "ended": ENDED,
    }
    return Tern(steps=steps, **(defaults | fields))


def drawn(*steps: StepRecord) -> list[str]:
    """The lines of the steps alone."""
    lines = render_tree(tern(*steps)).splitlines()
    return lines[next(at for at, line in enumerate(lines) if line[0] in "├└") :]


def test_the_head_says_what_came_of_the_run_and_what_it_took() -> None:
    usage = Usage(calls=3, input_tokens=12000, output_tokens=310)
    cost = Cost().plus("agent:writer", "0.0044")
    versions = Versions(workflow="3", prompt="ab" * 32, config="cd" * 32)
    assert render_tree(tern(cost=cost, usage=usage, versions=versions, profile="cheap")) == (
        "✔ answered  support · answer  3.1 s  $0.0044  12,310 tokens\n"
        "  run       7f3a9c0112345678\n"
        "  thread    t1, turn 2\n"
        "  started   2026-03-01 11:59:00 UTC\n"
        '  versions  "3", prompt abababab, config cdcdcdcd\n'
        "  profile   cheap\n"
        "  task      How?\n"
        "  answer    So.\n"
    )


def test_a_run_that_went_wrong_says_why_and_what_to_know() -> None:
    text = render_tree(
        tern(
            status="guarded",
            code="limit.cost",
            reason="too dear",
            limits=(LimitHit(limit="cost", per="run", allowed="0.50", spent="0.51"),),
            warnings=("the version changed",),
        )
    )
    assert text.startswith("✖ guarded  ")
    assert "  reason    too dear [limit.cost]\n" in text
    assert "  ! the limit of cost per run was hit: 0.51 of 0.50\n" in text
    assert "  ! the version changed\n" in text


def test_tokens_that_nobody_counted_are_no_zero() -> None:
    assert "at least 10 tokens" in render_tree(tern(usage=Usage(calls=2, input_tokens=10, unreported=1)))


def test_attempts_stand_below_their_step_with_their_own_verdicts_and_tools() -> None:
    agent = step(
        name="engineer",
        attempts=(
            AttemptRecord(
                number=0, outcome="rejected", answer="A. B.", reason="- [one] x", started=STARTED, ended=ENDED
            ),
            AttemptRecord(
                number=1, outcome="accepted", answer="A.", variant="Offer", started=STARTED, ended=ENDED
            ),
        ),
        verdicts=(
            VerdictRecord(judge="one_sentence", attempt=0, passed=False, reason="answer in one sentence"),
            VerdictRecord(judge="one_sentence", attempt=1, passed=True, metrics={"sentences": 1}),
        ),
        tool_calls=(
            ToolCallRecord(tool="find", input={"id": "***"}, output=[1], status="succeeded", attempt=0),
            ToolCallRecord(tool="find", input={}, error="none", status="timed_out", attempt=1),
        ),
        cost=Cost().plus("agent:engineer", "0.0042"),
    )
    assert drawn(agent) == [
        "└─ ✔ engineer       agent  2 attempts  3.1 s  $0.0042",
        "   ├─ ✖ attempt 1  rejected  3.1 s",
        '   │  ├─ ✔ find {"id":"***"} → [1]',
        "   │  ├─ → A. B.",
        "   │  └─ ✖ one_sentence    answer in one sentence",
        "   └─ ✔ attempt 2  accepted  as Offer  3.1 s",
        "      ├─ ✖ find {} → timed_out: none",
        "      ├─ → A.",
        "      └─ ✔ one_sentence    sentences=1",
    ]


def test_an_unreadable_judgement_never_looks_like_a_real_one() -> None:
    judged = step(
        verdicts=(
            VerdictRecord(
                judge="useful", passed=False, readable=False, reason="no number", field="llm_response"
            ),
        )
    )
    gated = step(
        "s2",
        kind="gate",
        name="ready",
        gate=GateRecord(
            verdict="pass", decided_by="judge", judge=GateJudgeRecord(party="reviewer", readable=False)
        ),
    )
    picked = step("s3", kind="best", pick=PickRecord(winner=1, count=3, readable=False, defaulted=True))
    text = render_tree(tern(judged, gated, picked, unreadable=3))
    assert "? 3 judgements could not be read" in text
    assert "? useful          UNREADABLE, counted as failed" in text
    assert "? ready          gate  pass by its judge" in text
    assert "? reviewer       UNREADABLE, counted as pass" in text
    assert "? writer         best  variant 1 of 3  UNREADABLE, the first was taken" in text


def test_a_gate_shows_each_scorer_and_what_decided() -> None:
    gate = GateRecord(
        verdict="block",
        decided_by="judge",
        combined="0.55",
        threshold="0.7",
        results=(
            ScorerRecord(name="has_status", passed=True, score=1, weight="0.2"),
            ScorerRecord(name="okay", passed=False, score=0, detail="no ok"),
        ),
        judge=GateJudgeRecord(party="reviewer", verdict="block", score="0.4", reason="thin"),
    )
    assert drawn(step(kind="gate", name="ready", status="blocked", gate=gate)) == [
        "└─ ✖ ready          gate  block by its judge  combined 0.55 of 0.7  3.1 s",
        "   ├─ ✔ has_status      weight 0.2",
        "   ├─ ✖ okay            no ok",
        "   └─ ✖ reviewer        block  score 0.4",
        "          thin",
    ]


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        (
            DecisionRecord(kind="condition", selected="no", outcome="accepted", confidence=0.93),
            "no 0.93  3.1 s",
        ),
        (
            DecisionRecord(
                kind="choice", selected="billing", outcome="uncertain", confidence=0.5, minimum=0.8
            ),
            "billing 0.50 (needs 0.8)  uncertain  3.1 s",
        ),
        (
            DecisionRecord(
                kind="scale", selected="high", outcome="accepted", confidence=0.6, origin="derived"
            ),
            "high 0.60  derived  3.1 s",
        ),
    ],
)
def test_a_decision_shows_its_confidence_and_its_bar(decision: DecisionRecord, shown: str) -> None:
    assert drawn(step(kind="decision", name="urgent", decision=decision)) == [
        f"└─ ✔ urgent         decision  {shown}"
    ]


def test_steps_stand_below_the_step_that_they_are_part_of() -> None:
    lines = drawn(
        step("a", kind="best"),
        step("b", parent="a", name="one"),
        step("c", parent="b", name="two"),
        step("d"),
    )
    assert [line[: line.index("✔")] for line in lines] == ["├─ ", "│  └─ ", "│     └─ ", "└─ "]


def test_no_step_is_lost_whatever_its_parent() -> None:
    lines = drawn(
        step("a", parent="gone"), step("b", parent="c"), step("c", parent="b"), step("d", parent="d")
    )
    assert len(lines) == 4


def test_what_belongs_to_no_attempt_on_record_still_shows() -> None:
    text = render_tree(
        tern(
            step(
                tool_calls=(ToolCallRecord(tool="find", status="cancelled", attempt=3),),
                verdicts=(VerdictRecord(judge="late", attempt=3, passed=True),),
            )
        )
    )
    assert "find" in text
    assert "late" in text


def test_a_step_that_failed_or_waits_says_so() -> None:
    failed = step(status="failed", code="provider", reason="the service said 500")
    waits = step(
        "s2", kind="approve", name="approve", status="paused", approval=ApprovalRecord(question="Send it?")
    )
    text = render_tree(tern(failed, waits))
    assert "✖ writer         agent  failed" in text
    assert "the service said 500 [provider]" in text
    assert "‖ approve        approve  Send it?  waiting for a person" in text


def test_a_binding_is_shown_where_it_is_another_name() -> None:
    assert drawn(step(binding="reply", name="writer"))[0].startswith("└─ ✔ reply = writer agent")
    assert drawn(step(binding="writer", name="writer"))[0].startswith("└─ ✔ writer  ")


def test_an_unknown_cost_is_no_zero() -> None:
    assert "cost unknown" in drawn(step(cost=Cost().plus("agent:writer", "unknown")))[0]


def test_nothing_that_a_model_says_reaches_the_terminal_raw() -> None:
    evil = "\x1b[2J\u202e\r"
    everything = step(
        name=evil,
        binding=evil,
        code=evil,
        reason=evil,
        answer=evil,
        attempts=(
            AttemptRecord(number=0, outcome="invalid", answer=evil, reason=evil, model=evil, started=STARTED),
        ),
        verdicts=(
            VerdictRecord(judge=evil, passed=False, reason=evil, metrics={evil: evil}, readable=False),
        ),
        tool_calls=(ToolCallRecord(tool=evil, input=evil, error=evil, status="failed"),),
        gate=GateRecord(
            verdict="block",
            decided_by="ask",
            results=(ScorerRecord(name=evil, passed=False, score=0, detail=evil, weight=evil),),
            judge=GateJudgeRecord(party=evil, verdict="block", score=evil, reason=evil),
        ),
    )
    text = render_tree(
        tern(everything, id=evil, thread=evil, flow=evil, task=evil, answer=evil, profile=evil)
    )
    assert all(character.isprintable() for character in text.replace("\n", ""))


def test_a_long_answer_of_the_run_is_shown_whole() -> None:
    answer = " ".join(f"word{n}" for n in range(200))
    shown = render_tree(tern(answer=answer)).split("  answer    ")[1]
    assert shown.split() == answer.split()


def test_a_summary_of_earlier_turns_is_told_as_it_was_under_the_answer() -> None:
    told = {"first": 1, "last": 5, "kept": 1, "keep": 10, "text": "They spoke\nof terns."}
    done = step("m1", kind="memory", name="memory", answer=told)
    failed = step(
        "m2", kind="memory", name="memory", status="failed", answer={"first": 6, "last": 10}, reason="no text",
        code="memory.empty",
    )  # fmt: skip
    assert drawn(done, failed) == [
        "├─ ✔ memory         memory  turns 1–5 → summary 1/10  3.1 s",
        "│  └─ → They spoke of terns.",
        "└─ ✖ memory         memory  failed  3.1 s",
        "       no text [memory.empty]",
    ]
