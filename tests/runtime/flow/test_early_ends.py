"""What was started and must not go on: guards that trip, times that are over, limits, runs beside each other."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.runtime.agents import python
from judgeflow.runtime.judge.protocol import Usage
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, Tools, opened, program, run, step, steps

TOOLS = """
    import time
    import trio

    STARTED, ENDED = [], []

    async def look(name):
        STARTED.append(name)
        try:
            await trio.sleep(0.5)
            return name
        finally:
            ENDED.append(name)

    def stubborn():
        time.sleep(0.4)
        return "late"

    def quick():
        return "quick"

    async def children():
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(trio.sleep, 100)
"""
SOURCE = """
model small "fake/small" { price $1000 in, $1000 out }
model slow  "spare/slow"
tool look(name: text) -> text { python "hooks.py:look" }
tool stubborn() -> text { python "hooks.py:stubborn"  timeout 50ms }
tool quick() -> text { python "hooks.py:quick" }
tool children() -> text { python "hooks.py:children"  timeout 1s }
agent writer(topic: text) { model small  tools [look]  retries 0 }
agent first(topic: text)  { model slow  timeout 40s  retries 0 }
agent second(topic: text) { model small  retries 0 }
judge wary { model slow  ask "Harmless? {{ reply }}" }
gate guard(text) { judge wary }
FLOW
"""


def made(folder: Path, flow: str) -> Any:
    (folder / "hooks.py").write_text(textwrap.dedent(TOOLS), encoding="utf-8")
    return program(SOURCE.replace("FLOW", flow), folder / "test.judge")


PARALLEL = """flow main(text: text) -> text {
  parallel { checked = guard(text)  draft = writer(text) }
  return draft
}"""


@pytest.mark.parametrize(
    ("reply_after", "guard_after", "started"),
    [(0.2, 0.3, "one tool, cancelled"), (0.4, 0.3, "no tool at all")],
)
async def test_a_guard_that_trips_cancels_the_tool_that_runs_and_lets_none_start(
    tmp_path: Path, autojump_clock: Any, reply_after: float, guard_after: float, started: str
) -> None:
    small = Model(Tools(("look", {"name": "x"})), "done", seconds=reply_after)
    models = {"small": small, "slow": Model("No, it is not.", seconds=guard_after)}
    result = await run(made(tmp_path, PARALLEL), "hi", models=models)
    assert (result.status, result.record.code) == ("guarded", "gate.block")
    writer = step(result, "writer")
    assert writer.status == "cancelled"
    calls = [call.status for call in writer.tool_calls]
    assert calls == (["cancelled"] if started == "one tool, cancelled" else [])
    # What was on its way is booked as what nobody knows; what came back is paid.
    assert result.cost.parties["agent:writer"] in ("0.015", "unknown")


BEFORE = "flow main(text: text) -> text { guard(text)  draft = writer(text)  return draft }"


async def test_u11_a_guard_before_the_agent_lets_no_call_start(tmp_path: Path, autojump_clock: Any) -> None:
    small = Model("done")
    models = {"small": small, "slow": Model("No.", seconds=0.3)}
    result = await run(made(tmp_path, BEFORE), "hi", models=models)
    assert (result.status, small.requests) == ("guarded", [])


TWICE = """flow main(text: text) -> text {
  one = try first(text)
  if one.ok { return one.value }
  two = second(text)
  return two
}"""


async def test_a_try_that_timed_out_is_over_and_gives_no_second_result(
    tmp_path: Path, autojump_clock: Any
) -> None:
    slow, small = Model("late", seconds=55), Model("in time", seconds=5)
    result = await run(made(tmp_path, TWICE), "hi", models={"small": small, "slow": slow})
    assert result.answer == "in time"
    assert trio.current_time() == pytest.approx(45)
    assert (slow.answered, slow.under_way) == (0, 0)
    [timed_out] = steps(result, "first")
    assert (timed_out.status, timed_out.code) == ("failed", "step.agent.timeout")
    assert timed_out.reason == "first: there was no accepted answer within 40 s"


async def test_a_tool_that_ignores_its_end_holds_up_nobody(tmp_path: Path) -> None:
    flow = "flow main(text: text) -> json { one = try stubborn()  two = try stubborn()  return [one.code, two.code] }"
    began = trio.current_time()
    result = await run(made(tmp_path, flow), "hi", models={"small": Model(""), "slow": Model("")})
    assert result.answer == ["step.tool.timed_out"] * 2
    assert trio.current_time() - began < 0.35


async def test_threads_that_a_tool_never_leaves_are_no_other_tools_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python, "THREADS", 1)
    flow = "flow main(text: text) -> json { one = try stubborn()  two = try stubborn()  three = quick()  return three }"
    began = trio.current_time()
    result = await run(made(tmp_path, flow), "hi", models={"small": Model(""), "slow": Model("")})
    assert result.answer == "quick"
    assert trio.current_time() - began < 0.35


async def test_tasks_of_a_tool_that_are_cancelled_are_one_outcome(
    tmp_path: Path, autojump_clock: Any
) -> None:
    flow = "flow main(text: text) -> json { got = try children()  return [got.code, got.reason] }"
    result = await run(made(tmp_path, flow), "hi", models={"small": Model(""), "slow": Model("")})
    assert result.answer == ["step.tool.timed_out", "children: no result within 1 s"]


BUDGET = """
model small "fake/small" { max_tokens 100 }
limits { tokens 100 per run }
agent writer(topic: text) { model small  retries 0 }
flow main(topics: text[]) -> json { found = each topic in topics: writer(topic)  return found }
"""


async def test_of_three_calls_that_need_the_whole_budget_one_is_started(autojump_clock: Any) -> None:
    small = Model("x", seconds=1, usage=Usage(input_tokens=0, output_tokens=100))
    result = await run(BUDGET, {"topics": ["a", "b", "c"]}, models={"small": small})
    assert (result.status, result.record.code, len(small.requests)) == ("guarded", "limit.tokens", 1)
    assert result.record.usage.output_tokens == 100


JUDGED = """
model small "fake/small"
agent writer { model small  judges [good]  retries 1 }
code judge good { require reply == "good" else "not good" }
flow main(text: text) -> text { return writer(text) }
"""


async def test_the_same_input_twice_is_two_runs(tmp_path: Path) -> None:
    store = tmp_path / "terns.sqlite"
    async with opened(JUDGED.replace("judges [good]", ""), {"small": Model("x")}, store=store) as session:
        ids = {(await session.run("hi")).record.id for _ in range(2)}
    with Store.read(store) as kept:
        assert {tern.id for tern in kept.list_terns()} == ids
    assert len(ids) == 2


@pytest.mark.parametrize("stored", [True, False])
async def test_a_rejected_answer_goes_back_whether_the_run_is_stored_or_not(
    tmp_path: Path, stored: bool
) -> None:
    small = Model("bad", "good")
    store = tmp_path / "terns.sqlite" if stored else None
    result = await run(JUDGED, "go", models={"small": small}, store=store)
    assert (result.answer, [each.attempt for each in step(result, "writer").verdicts]) == ("good", [0, 1])
    assert small.prompts[1] == "- [good] not good"


async def test_a_judges_reply_that_says_nothing_is_counted_whatever_the_policy_makes_of_it() -> None:
    gate = """
        model small "fake/small"
        agent reviewer { model small  prompt "Review." }
        gate ready(input) { ask reviewer "Valid?"  unreadable POLICY }
        flow main(input: text) -> json { found = try ready(input)  return found.passed }
    """
    replies = (
        "",
        "The response is not supported by the evidence.",
        "I would say it depends on the audience.",
    )
    for policy, passed in (("pass", True), ("block", False)):
        for reply in replies:
            source = gate.replace("POLICY", policy)
            result = await run(source, "x", models={"small": Model(reply)})
            assert (result.answer, result.record.unreadable) == (passed, 1)
            assert step(result, "ready").gate.judge.readable is False
