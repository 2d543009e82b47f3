"""An agent's visit: every answer is judged, and a rejected one goes back with the reasons."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.errors import QualityGateError
from judgeflow.runtime.judge.protocol import Message
from judgeflow.runtime.run import events

from ..helpers import Model, Tools, opened, run, step

JUDGED = """
model small "fake/small"
model strict "fake/strict"
agent writer { model small  prompt "Write."  judges [one_sentence, polite]  retries 2 }
code judge one_sentence { require len(sentences(reply)) <= 1 else "answer in one sentence" }
judge polite { model strict  ask "Polite? {{ reply }}" }
flow main(question: text) -> text { return writer(question) }
"""


async def test_b01_b02_every_judge_sees_the_answer_before_it_leaves_unchanged() -> None:
    writer, strict = Model("  Terns are seabirds.\n"), Model("PASS")
    result = await run(JUDGED, "What are terns?", models={"small": writer, "strict": strict})
    assert result.answer == "  Terns are seabirds.\n"
    assert [(v.judge, v.passed) for v in step(result, "writer").verdicts] == [
        ("one_sentence", True),
        ("polite", True),
    ]


async def test_b03_b04_all_reasons_go_back_in_one_message_of_the_same_conversation() -> None:
    writer, strict = Model("Rude. Long.", "Short."), Model("Be polite.", "PASS")
    result = await run(JUDGED, "What?", models={"small": writer, "strict": strict})
    assert result.answer == "Short."
    assert writer.requests[1].messages == (
        Message("system", "Write."),
        Message("user", "What?"),
        Message("assistant", "Rude. Long."),
        Message("user", "- [one_sentence] answer in one sentence\n- [polite] Be polite."),
    )


async def test_b05_a_failed_attempt_stays_out_of_the_thread_and_in_the_record() -> None:
    writer, strict = Model("Rude. Long.", "Short.", "Again."), Model("PASS")
    async with opened(JUDGED, {"small": writer, "strict": strict}) as session:
        first = await session.run("One?")
        await session.run("Two?", thread=first.thread)
    assert [(a.number, a.outcome, a.answer) for a in step(first, "writer").attempts] == [
        (0, "rejected", "Rude. Long."),
        (1, "accepted", "Short."),
    ]
    assert writer.prompts[2] == "Previous turns:\nQ: One?\nA: Short.\n\nTask:\nTwo?"


async def test_b06_b07_b08_u05_x12_spent_retries_are_a_quality_gate_error_of_the_last_answer() -> None:
    writer = Model("One. Two.", "Three. Four.", "Five. Six.")
    strict = Model("First.", "Second.", "Third.")
    result = await run(JUDGED, "What?", models={"small": writer, "strict": strict})
    assert (result.status, result.record.code) == ("failed", "step.agent.quality-gate")
    assert len(writer.requests) == 3
    assert len(strict.requests) == 3
    error = result.error
    assert isinstance(error, QualityGateError)
    assert error.code == "step.agent.quality-gate"
    assert error.rejections == (("one_sentence", "answer in one sentence"), ("polite", "Third."))
    assert error.retries == 2
    assert (error.usage.calls, error.usage.input_tokens) == (6, 60)
    with pytest.raises(
        QualityGateError, match=r"the last of 3 answers was rejected: one_sentence: answer in"
    ):
        result.raised()


async def test_b09_without_retries_one_rejection_ends_it() -> None:
    source = JUDGED.replace("retries 2", "retries 0")
    writer = Model("One. Two.", "Short.")
    result = await run(source, "What?", models={"small": writer, "strict": Model("PASS")})
    assert result.record.code == "step.agent.quality-gate"
    assert len(writer.requests) == 1


async def test_one_retry_is_what_an_agent_gets_that_does_not_say() -> None:
    source = JUDGED.replace("retries 2", "")
    writer = Model("One. Two.")
    await run(source, "What?", models={"small": writer, "strict": Model("PASS")})
    assert len(writer.requests) == 2


async def test_the_judge_sees_the_answer_of_its_attempt_and_not_the_first_one() -> None:
    strict = Model("no", "PASS")
    writer = Model("draft one", "draft two")
    await run(JUDGED, "What?", models={"small": writer, "strict": strict})
    assert strict.prompts == ["Polite? draft one", "Polite? draft two"]


async def test_b14_b15_a_judge_sees_the_task_and_the_retries_so_far() -> None:
    source = """
    model small "fake/small"
    agent writer { model small  judges [seen]  retries 2 }
    code judge seen { require attempt >= 2 else "{{ task }} {{ attempt }}" }
    flow main(question: text) -> text { return writer("Now: {{ question }}") }
    """
    result = await run(source, "go", models={"small": Model("x")})
    reasons = [verdict.reason for verdict in step(result, "writer").verdicts]
    assert reasons == ["Now: go 0", "Now: go 1", None]


async def test_b30_b31_b52_u04_costs_are_booked_per_party_and_failed_attempts_count() -> None:
    # A judge's spending stands under its own name, which says more than one category for all of them.
    source = JUDGED.replace('"fake/small"', '"fake/small" { price $1 in, $2 out }')
    source = source.replace('"fake/strict"', '"fake/strict" { price $10 in, $0 out }')
    writer, strict = Model("One. Two.", "Short."), Model("PASS")
    result = await run(source, "What?", models={"small": writer, "strict": strict})
    # 2 calls of the writer at (10 × $1 + 5 × $2) and 2 of the judge at (10 × $10), per million.
    assert result.cost.parties == {"agent:writer": "0.00004", "judge:polite": "0.0002"}
    assert (result.cost.total, result.cost.known) == ("0.00024", "0.00024")
    assert step(result, "writer").cost == result.cost
    assert [(a.usage.calls, a.cost) for a in step(result, "writer").attempts] == [(1, "0.00002")] * 2


async def test_b48_an_answer_of_the_wrong_shape_goes_back_and_never_reaches_a_judge() -> None:
    source = """
    model small "fake/small"
    type Offer { salary: int(1..) }
    agent finder -> Offer { model small  judges [seen]  retries 0 }
    code judge seen(reply: Offer) { metrics { salary: reply.salary }  require true else "never" }
    flow main(task: text) -> Offer { return finder(task) }
    """
    finder = Model(
        Tools(("answer", {"salary": 0, "extra": 1})), "Just text.", Tools(("answer", {"salary": 7}))
    )
    seen: list[events.Event] = []
    result = await run(source, "go", models={"small": finder}, hooks=[seen.append])
    assert result.answer == {"salary": 7}
    assert [v.metrics for v in step(result, "finder").verdicts] == [{"salary": 7}]
    assert len(step(result, "finder").attempts) == 1
    assert finder.requests[1].messages[-1] == Message(
        "tool",
        "The answer is not valid:\n- $.extra: Offer has no such field\n- $.salary: must be at least 1, is 0",
        tool_call_id="call_0",
    )
    assert finder.prompts[2] == "The answer is not valid:\n- give the answer by calling `answer`, not as text"
    rejected = [event for event in seen if isinstance(event, events.AttemptRejected)]
    assert [len(event.reasons) for event in rejected] == [2, 1]


async def test_an_answer_that_stays_invalid_is_a_failed_step_and_not_a_rejection() -> None:
    source = """
    model small "fake/small"
    type Offer { salary: int }
    agent finder -> Offer { model small  retries 5 }
    flow main(task: text) -> Offer { return finder(task) }
    """
    finder = Model("no tool")
    result = await run(source, "go", models={"small": finder})
    assert (result.status, result.record.code) == ("failed", "step.agent.invalid-answer")
    assert len(finder.requests) == 3
    assert [a.outcome for a in step(result, "finder").attempts] == ["failed"]


async def test_an_agent_sees_its_prompt_its_parameters_and_its_task() -> None:
    source = """
    model small "fake/small"
    agent translator(source: text, language: text = "German") { model small  prompt "Into {{ language }}." }
    flow main(text: text) -> text {
      one = translator(text)
      two = translator(text, "French")
      return "{{ one }} {{ two }}"
    }
    """
    small = Model("Hallo", "Salut")
    result = await run(source, "Hi", models={"small": small})
    assert result.answer == "Hallo Salut"
    assert small.requests[0].messages == (Message("system", "Into German."), Message("user", "Hi"))
    assert small.requests[1].messages == (
        Message("system", "Into French."),
        Message("user", '{"source":"Hi","language":"French"}'),
    )


async def test_a_visit_that_takes_too_long_is_a_failed_step(autojump_clock: object) -> None:
    source = """
    model small "fake/small"
    agent writer { model small  judges [never]  retries 100  timeout 5s }
    code judge never { require false else "again" }
    flow main(task: text) -> text { return writer(task) }
    """
    result = await run(source, "go", models={"small": Model("x", seconds=2)})
    assert (result.record.code, result.record.reason) == (
        "step.agent.timeout",
        "writer: there was no accepted answer within 5 s",
    )
    assert [a.outcome for a in step(result, "writer").attempts] == ["rejected", "rejected", "cancelled"]


async def test_captured_prompts_are_kept_only_when_asked_for() -> None:
    models = {"small": Model("Short."), "strict": Model("PASS")}
    plain = await run(JUDGED, "What?", models=models)
    captured = await run(JUDGED, "What?", models=models, capture=True)
    assert step(plain, "writer").attempts[0].prompt is None
    assert step(plain, "writer").attempts[0].raw is None
    assert [m["content"] for m in step(captured, "writer").attempts[0].prompt] == ["Write.", "What?"]
    assert step(captured, "writer").attempts[0].raw == "Short."
