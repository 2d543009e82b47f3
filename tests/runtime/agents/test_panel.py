"""All judges of an agent on every answer: at once, in their order, each on its own."""

from __future__ import annotations

import trio

from judgeflow.runtime.judge.errors import ProviderError, StepError
from judgeflow.runtime.run import events

from ..helpers import Model, run, step

THREE = """
model small "fake/small"
model one   "fake/one"
model two   "fake/two"
agent writer { model small  judges [first, free, second]  retries 0 }
judge first  { model one  ask "1? {{ reply }}" }
code judge free { require reply == "x" else "not x"  metrics { size: len(reply) } }
judge second { model two  ask "2? {{ reply }}" }
flow main(task: text) -> text { return writer(task) }
"""


async def test_b10_b11_b45_b49_a_rejection_stops_nobody_and_verdicts_keep_the_listed_order(
    autojump_clock: object,
) -> None:
    models = {"small": Model("y"), "one": Model("No.", seconds=5), "two": Model("PASS", seconds=1)}
    result = await run(THREE, "go", models=models)
    assert trio.current_time() < 6, "the judges ran at once"
    assert [(v.judge, v.attempt, v.passed, v.reason) for v in step(result, "writer").verdicts] == [
        ("first", 0, False, "No."),
        ("free", 0, False, "not x"),
        ("second", 0, True, None),
    ]


async def test_b11_judges_start_in_the_order_in_which_they_are_listed() -> None:
    for _ in range(20):
        seen: list[events.Event] = []
        models = {"small": Model("x"), "one": Model("PASS"), "two": Model("PASS")}
        await run(THREE, "go", models=models, hooks=[seen.append])
        started = [event.judge for event in seen if isinstance(event, events.JudgeStarted)]
        assert started == ["first", "free", "second"]


async def test_b46_metrics_are_kept_on_a_pass_and_on_a_failure() -> None:
    models = {"small": Model("x", "yy"), "one": Model("PASS"), "two": Model("PASS")}
    for expected in (True, False):
        result = await run(THREE, "go", models=models)
        verdict = step(result, "writer").verdicts[1]
        assert (verdict.passed, verdict.metrics) == (expected, {"size": 1 if expected else 2})


async def test_b47_a_judges_start_and_its_end_with_the_verdict_are_events() -> None:
    seen: list[events.Event] = []
    models = {"small": Model("y"), "one": Model("PASS"), "two": Model("PASS")}
    await run(THREE, "go", models=models, hooks=[seen.append])
    ended = {e.verdict.judge: e.verdict.reason for e in seen if isinstance(e, events.JudgeEnded)}
    assert ended == {"first": None, "free": "not x", "second": None}


async def test_b51_a_judge_that_breaks_is_no_rejection_and_cancels_the_rest(autojump_clock: object) -> None:
    one = Model(ProviderError("it is down", code="provider.down"), seconds=1)
    models = {"small": Model("x"), "one": one, "two": Model("PASS", seconds=60)}
    source = THREE.replace("retries 0", "retries 9")
    result = await run(source, "go", models=models)
    assert trio.current_time() < 10
    assert (result.status, result.record.code) == ("failed", "step.agent")
    error = result.error
    assert isinstance(error, StepError)
    assert isinstance(error.__cause__, StepError | ProviderError)
    assert "it is down" in (result.record.reason or "")
    assert len(models["small"].requests) == 1, "a broken judge costs no retry"


async def test_verdicts_that_were_there_when_a_judge_broke_are_in_the_record(autojump_clock: object) -> None:
    one = Model(ProviderError("it is down", code="provider.down"), seconds=5)
    result = await run(THREE, "go", models={"small": Model("x"), "one": one, "two": Model("PASS")})
    assert [verdict.judge for verdict in step(result, "writer").verdicts] == ["free", "second"]


async def test_what_a_cancelled_judge_may_have_cost_is_booked_as_unknown(autojump_clock: object) -> None:
    source = THREE.replace('"fake/two"', '"fake/two" { price $1 in, $1 out }')
    source = source.replace('"fake/small"', '"fake/small" { price $1 in, $1 out }')
    one = Model(ProviderError("it is down", code="provider.down"), seconds=1)
    result = await run(
        source, "go", models={"small": Model("x"), "one": one, "two": Model("PASS", seconds=9)}
    )
    assert result.cost.parties == {"agent:writer": "0.000015", "judge:second": "unknown"}
    assert (result.cost.total, result.cost.known) == ("unknown", "0.000015")
    assert result.record.usage.unreported == 1


async def test_parameters_of_judges_come_from_the_agent_that_uses_them() -> None:
    source = """
    model small "fake/small"
    model other "fake/other"
    agent translator(source: text, language: text = "German") {
      model small
      judges [fluent(language, bar: 0.8), longer(source)]
      retries 0
    }
    judge fluent(reply: text, language: text, bar: float) {
      model other
      rate "Fluent {{ language }}"
      require score >= bar else "Write fluent {{ language }}."
    }
    code judge longer(reply: text, source: text, by: int = 3) {
      require len(reply) >= len(source) + by else "longer by {{ by }}"
    }
    flow main(text: text) -> text { return translator(text, language: "French") }
    """
    result = await run(source, "abc", models={"small": Model("abcde"), "other": Model("0.79")})
    assert [v.reason for v in step(result, "translator").verdicts] == ["Write fluent French.", "longer by 3"]
