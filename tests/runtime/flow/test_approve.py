"""`approve`: a person says yes or no, or the run waits for one."""

from __future__ import annotations

from typing import Any

from ..helpers import Model, opened, run, step, steps

SOURCE = """
model small "fake/small"
agent writer(topic: text) { model small }
flow named(text: text) -> json {
  draft = writer(text)
  yes   = approve "Send {{ text }}?" showing draft
  return if yes then "sent" else "kept"
}
flow bare(text: text) -> json {
  approve "Go on?" showing { text: text, more: [1] }
  return "went on"
}
flow both(text: text) -> json {
  parallel {
    a = approved("first")
    b = writer(text)
    c = approved("second")
  }
  return [a, b, c]
}
flow approved(what: text) -> json {
  yes = approve "Is {{ what }} fine?"
  return yes
}
"""


async def approved(flow: str, *answers: Any) -> tuple[Any, list[tuple[str, Any]]]:
    asked: list[tuple[str, Any]] = []

    async def approver(question: str, showing: Any) -> Any:
        asked.append((question, showing))
        return answers[min(len(asked), len(answers)) - 1]

    async with opened(SOURCE, {"small": Model("Dear terns")}) as session:
        return await session.run("it", flow=flow, approver=approver), asked


async def test_a_named_answer_is_a_value_and_is_kept_with_what_was_shown() -> None:
    result, asked = await approved("named", True)
    assert (result.answer, asked) == ("sent", [("Send it?", "Dear terns")])
    approval = step(result, "yes").approval
    assert approval is not None
    assert (approval.question, approval.showing, approval.approved) == ("Send it?", "Dear terns", True)
    assert approval.at is not None
    assert (await approved("named", False))[0].answer == "kept"


async def test_a_no_that_nobody_looks_at_ends_the_flow_as_guarded() -> None:
    result, _ = await approved("bare", False)
    assert (result.status, result.record.code) == ("guarded", "approve.refused")
    assert result.record.reason == "not approved: Go on?"
    assert step(result, "approve").status == "blocked"
    assert (await approved("bare", True))[0].answer == "went on"


async def test_where_nobody_can_be_asked_the_run_pauses_with_what_would_be_shown() -> None:
    result, _ = await approved("bare", None)
    assert (result.status, result.record.code, result.record.reason) == (
        "paused",
        "approve.waiting",
        "Go on?",
    )
    found = step(result, "approve")
    assert (found.status, found.approval.approved if found.approval else 0) == ("paused", None)
    assert found.approval is not None
    assert found.approval.showing == {"text": "it", "more": [1]}


async def test_only_yes_and_no_are_answers() -> None:
    result, _ = await approved("named", "edit")
    assert (result.status, result.record.code) == ("failed", "approve.invalid")


async def test_one_that_waits_lets_the_others_finish_what_they_pay_for() -> None:
    result, _ = await approved("both", None)
    assert result.status == "paused"
    assert step(result, "writer").status == "succeeded"
    assert [found.status for found in steps(result, "yes")] == ["paused", "paused"]
    assert [found.status for found in steps(result, "approved")] == ["paused", "paused"]


async def test_the_default_is_that_nobody_can_be_asked() -> None:
    result = await run(SOURCE, "it", flow="bare", models={"small": Model("")})
    assert result.status == "paused"
