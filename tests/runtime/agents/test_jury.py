"""A judge with several models: every member judges for itself, and only votes that there are count."""

from __future__ import annotations

from typing import Any

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ConditionAnswer
from judgeflow.runtime.program import Result
from judgeflow.runtime.store.records import VerdictRecord

from ..helpers import Model, run, step

SHELL = """
model w "x/writer"
model a "a/one" {kind}
model b "b/two" {kind}
model c "c/three" {kind}
model d "d/four" {kind}
agent writer {{ model w  judges [panel]  retries 0 }}
judge panel {{ model [{members}]  agree {agree}  {form} }}
flow main(task: text) -> text {{ return writer(task) }}
"""
ASK = 'ask "Good? {{ reply }}"'
DOWN = ProviderError("down", code="provider.down")


async def judged(
    *said: Any, agree: str = "majority", form: str = ASK, kind: str = "", seconds: float = 0.0
) -> tuple[Result, list[Model]]:
    members = [Model(one, seconds=seconds) for one in said]
    names = "abcd"[: len(said)]
    source = SHELL.format(members=", ".join(names), agree=agree, form=form, kind=kind)
    models = {
        "w": Model("Hi"),
        **dict.fromkeys("abcd", Model("unused")),
        **dict(zip(names, members, strict=True)),
    }
    return await run(source, "Say hi", models=models), members


async def verdict(*said: Any, **options: Any) -> VerdictRecord:
    result, _ = await judged(*said, **options)
    return step(result, "writer").verdicts[0]


@pytest.mark.parametrize(
    ("said", "agree", "passed"),
    [
        (("PASS", "PASS", "no"), "majority", True),
        (("PASS", "no", "no"), "majority", False),
        (("PASS", "PASS", "no"), "all", False),
        (("PASS", "PASS", "PASS"), "all", True),
        (("PASS", "PASS", "no", "no"), "majority", False),
        (("no", "PASS", "no", "PASS"), "majority", False),
    ],
)
async def test_more_than_half_or_all_must_pass(said: tuple[str, ...], agree: str, passed: bool) -> None:
    assert (await verdict(*said, agree=agree)).passed is passed


async def test_a_tie_does_not_pass_whatever_the_order_and_says_so() -> None:
    found = [await verdict(*said) for said in (("PASS", "no", "PASS", "no"), ("no", "no", "PASS", "PASS"))]
    assert [(one.passed, one.metrics["jury"]["tie"]) for one in found] == [(False, True), (False, True)]


async def test_every_member_is_asked_the_same_and_all_at_once(autojump_clock: Any) -> None:
    result, members = await judged("PASS", "PASS", "PASS", seconds=2)
    assert [member.prompts for member in members] == [["Good? Hi"]] * 3
    started, ended = result.record.started, result.record.ended
    assert (started[-7:], (ended or "")[-7:]) == ("00.000Z", "02.000Z")


async def test_the_reason_is_what_the_members_against_it_said_each_thing_once() -> None:
    found = await verdict("too long", "too long", "PASS", "wrong")
    assert found.reason == "3 of 4: too long; wrong"


async def test_the_votes_are_in_the_record() -> None:
    found = await verdict("PASS", "no", "PASS")
    assert found.metrics["jury"] == {
        "votes": {"a": True, "b": False, "c": True},
        "passed": 2,
        "failed": 1,
        "missing": 0,
        "tie": False,
    }


async def test_all_members_are_paid_by_the_judge() -> None:
    result, _ = await judged("PASS", "PASS", "PASS")
    assert result.record.usage.calls == 4
    assert set(result.cost.parties) == {"agent:writer", "judge:panel"}


async def test_a_member_that_fails_has_no_vote_and_is_named() -> None:
    result, _ = await judged("PASS", DOWN, "PASS")
    [found] = step(result, "writer").verdicts
    assert (found.passed, found.metrics["jury"]["votes"]) == (True, {"a": True, "b": None, "c": True})
    assert result.record.warnings == ("judge:panel: b did not judge: down (provider.down)",)


async def test_a_failed_call_that_could_turn_the_verdict_breaks_the_judge() -> None:
    result, _ = await judged("PASS", DOWN, "no")
    assert (result.status, result.record.code) == ("failed", "step.agent")
    assert "down" in (result.record.reason or "")


async def test_a_failed_call_under_all_cannot_help_an_answer_that_another_rejects() -> None:
    found = await verdict(DOWN, "no", "PASS", agree="all")
    assert (found.passed, found.readable, found.reason) == (False, True, "1 of 3: no")


RATE = 'rate "good"'


async def test_ratings_are_votes_and_their_mean_is_of_those_that_could_be_read() -> None:
    found = await verdict("0.9", "0.8", "lots", form=RATE)
    assert (found.passed, found.readable) == (True, True)
    assert found.metrics["score"] == pytest.approx(0.85)
    assert found.metrics["jury"]["missing"] == 1


async def test_a_member_that_ran_out_of_time_is_no_zero_in_the_mean() -> None:
    found = await verdict("0.9", "0.8", ProviderError("no answer", code="provider.timeout"), form=RATE)
    assert (found.passed, found.metrics["score"]) == (True, pytest.approx(0.85))
    assert (found.metrics["jury"]["passed"], found.metrics["jury"]["missing"]) == (2, 1)
    result, _ = await judged("0.9", "0.8", DOWN, form=RATE, agree="all")
    assert (result.status, step(result, "writer").verdicts) == ("failed", ())


async def test_ratings_that_cannot_be_read_and_could_turn_it_are_no_verdict() -> None:
    found = await verdict("0.9", "lots", "0.1", form=RATE)
    assert (found.passed, found.readable, found.field) == (False, False, "llm_response")
    assert found.reason == (
        "panel has no verdict: 1 for and 1 against of 3 members, the others could not be read"
    )


async def test_a_member_that_cannot_be_read_is_never_a_zero() -> None:
    found = await verdict("0.9", "0.9", "?", form=RATE, agree="all")
    assert found.readable is False
    assert found.metrics["score"] == pytest.approx(0.9)


async def test_a_blank_opinion_is_no_vote() -> None:
    found = await verdict("PASS", " ", "PASS")
    assert found.metrics["jury"]["votes"]["b"] is None


async def test_decision_models_may_be_a_jury() -> None:
    form = 'decide { good: condition "Is it good?" }  require good.value else "bad"  metrics { p: good.probability }'
    answers = [{"good": ConditionAnswer(p)} for p in (0.9, 0.6, 0.2)]
    found = await verdict(*answers, form=form, kind="{ kind decision }")
    assert (found.passed, found.metrics["jury"]["passed"]) == (True, 2)
    assert found.metrics["members"] == {"a": {"p": 0.9}, "b": {"p": 0.6}, "c": {"p": 0.2}}


async def test_a_bug_in_the_rules_is_no_missing_vote() -> None:
    rule = ' require answer != "PASS" else replace(answer, "PASS", "")'
    result, _ = await judged("PASS", "PASS", "PASS", form=ASK + rule)
    assert result.record.reason is not None
    assert "a rule failed with a blank reason" in result.record.reason


async def test_a_script_gives_each_member_its_own_answer_in_order() -> None:
    source = """
    model m "script/three say it"
    model n "script/three say it"
    model o "script/three say it"
    agent writer { model m  judges [panel] }
    judge panel { model [m, n, o]  ask "Good?" }
    flow main(task: text) -> text { return writer(task) }
    test "three say it" for main {
      given { task: "x" }
      writer replies "Hi"
      panel replies ["PASS", "no", "PASS"]
      expect result == "Hi"
    }
    """
    result = await run(source, "x")
    assert step(result, "writer").verdicts[0].metrics["jury"]["votes"] == {"m": True, "n": False, "o": True}


async def test_a_script_goes_on_where_it_was_when_an_answer_went_back() -> None:
    source = """
    model m "script/twice"
    model n "script/twice"
    model o "script/twice"
    agent writer { model m  judges [panel]  retries 1 }
    judge panel { model [m, n, o]  ask "Good?" }
    flow main(task: text) -> text { return writer(task) }
    test "twice" for main {
      given { task: "x" }
      writer replies ["Hi", "Hello"]
      panel replies ["no", "no", "PASS", "PASS", "PASS", "no"]
      expect result == "Hello"
    }
    """
    result = await run(source, "x")
    votes = [verdict.metrics["jury"]["votes"] for verdict in step(result, "writer").verdicts]
    assert votes == [{"m": False, "n": False, "o": True}, {"m": True, "n": True, "o": False}]


async def test_a_jury_may_decide_a_gate_and_be_called_in_a_flow() -> None:
    source = """
    model a "a/one"
    model b "b/two"
    model c "c/three"
    judge panel { model [a, b, c]  ask "Good? {{ reply }}" }
    gate ready(input) { scorers { contains "never" }  judge panel }
    flow main(task: text) -> text {
      verdict = panel(task)
      ready(task)
      return if verdict.passed then "twice passed" else "no"
    }
    """
    models = {"a": Model("PASS"), "b": Model("no"), "c": Model("PASS")}
    result = await run(source, "x", models=models)
    assert (result.answer, len(models["b"].requests)) == ("twice passed", 2)


async def test_members_take_part_in_the_limits_of_a_run() -> None:
    source = (
        SHELL.format(members="a, b, c", agree="majority", form=ASK, kind="") + "limits { calls 3 per run }"
    )
    models = {"w": Model("Hi"), **dict.fromkeys("abcd", Model("PASS"))}
    result = await run(source, "x", models=models)
    assert (result.status, result.record.code) == ("guarded", "limit.calls")
