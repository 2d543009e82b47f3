from __future__ import annotations

import msgspec

from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.records import (
    DecisionRecord,
    GateJudgeRecord,
    GateRecord,
    PickRecord,
    Tern,
    TernHead,
    ToolCallRecord,
    Usage,
    VerdictRecord,
    Versions,
    count_unreadable,
    head_of,
    new_id,
)


def test_f15_a_run_is_one_json_object_of_schema_1_with_every_field(make_tern) -> None:
    shape = msgspec.json.decode(msgspec.json.encode(make_tern()))
    assert shape["schema"] == 1
    assert list(shape) == [
        "schema", "id", "thread", "turn", "flow", "workflow", "tenant", "status", "code", "reason",
        "task", "answer", "route", "cost", "usage", "versions", "profile", "file", "replay_of", "evaluation",
        "limits", "warnings", "unreadable", "started", "ended", "steps",
    ]  # fmt: skip


def test_a_step_has_the_fields_that_its_readers_were_promised(make_step) -> None:
    step = msgspec.json.decode(
        msgspec.json.encode(make_step(verdicts=(VerdictRecord(judge="j", passed=True),)))
    )
    assert {"attempts", "verdicts", "tool_calls", "cost", "started", "ended"} <= set(step)
    assert {"judge", "attempt", "passed", "reason", "metrics", "readable"} <= set(step["verdicts"][0])


def test_a_record_reads_back_as_it_was_written(make_tern, make_step) -> None:
    verdict = VerdictRecord(
        judge="useful", passed=False, reason="dull", metrics={"score": 0.5}, readable=False
    )
    step = make_step(
        verdicts=(verdict,),
        tool_calls=(ToolCallRecord(tool="get_order", input={"id": "***"}, status="timed_out"),),
        decision=DecisionRecord(
            kind="condition", selected="yes", outcome="uncertain", value=True, minimum=0.8
        ),
        cost=Cost().plus("agent:writer", "0.01"),
        usage=Usage(calls=1, input_tokens=10),
    )
    tern = make_tern(steps=(step,), route=("writer",), versions=Versions(prompt="a" * 64))
    assert msgspec.json.decode(msgspec.json.encode(tern), type=Tern) == tern


def test_a_head_is_the_run_without_its_steps(make_tern, make_step) -> None:
    tern = make_tern(steps=(make_step(),), route=("writer",))
    head = head_of(tern)
    assert type(head) is TernHead
    assert head.route == ("writer",)
    assert not hasattr(head, "steps")


def test_every_kind_of_unreadable_judgement_is_counted(make_step) -> None:
    unread = GateJudgeRecord(party="reviewer", readable=False)
    steps = (
        make_step("a", verdicts=(VerdictRecord(judge="j", passed=False, readable=False),) * 2),
        make_step("b", gate=GateRecord(verdict="pass", decided_by="judge", judge=unread)),
        make_step("c", pick=PickRecord(winner=1, count=2, readable=False, defaulted=True)),
        make_step("d", gate=GateRecord(verdict="pass", decided_by="scorers")),
    )
    assert count_unreadable(steps) == 4


def test_usage_adds_up_and_says_how_many_calls_told_nothing() -> None:
    assert Usage(calls=1, input_tokens=3, cached_tokens=1).plus(Usage(calls=1, unreported=1)) == Usage(
        calls=2, input_tokens=3, cached_tokens=1, unreported=1
    )


def test_case_166_two_runs_never_share_an_id() -> None:
    assert new_id() != new_id()
    assert new_id(lambda n: b"\x01" * n) == "01" * 16
