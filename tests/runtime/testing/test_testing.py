"""`judgeflow.testing`: scripts from Python, one judge alone, clocks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock

import judgeflow as jf
from judgeflow import testing
from judgeflow.runtime.program import Program
from judgeflow.testing import script

from ..helpers import program

EXAMPLES = Path(__file__).parents[3] / "examples"
SOURCE = """
model small "openai/some" { price $1 in, $1 out }
model decider "typesafe/jev" { kind decision }
type Offer   { salary: int }
type Refusal { why: text }
type Senior extends Offer { team: int }
tool get_order(message: text) -> json { python "hooks.py:page" }
tool crm(message: text) -> json[] { python "hooks.py:page" }
agent writer(topic: text) { model small  prompt "Write."  judges [short]  retries 2 }
agent free -> json { model small  prompt "Any." }
code judge short { require len(sentences(reply)) <= 1 else "one sentence" }
code judge looked_up {
  require some call in calls(get_order): reply contains call.output.status else "State the status."
}
judge correct { model small  ask "{{ task }} {{ reply }}" }
judge grounded {
  model decider
  decide { grounded: condition "Grounded?"  quality: scale "How?" ["bad", "good"] }
  require grounded.probability > 0.7 and quality.label == "good" else "Only facts."
}
judge in_language(reply: text, language: text, bar: float = 0.5) {
  model small
  rate "The reply is fluent {{ language }}"
  require score >= bar else "Write {{ language }}, attempt {{ attempt }}."
}
code judge fair(reply: Offer | Refusal) {
  case Offer   { require reply.salary > 0 else "an offer pays something" }
  case Refusal { require trim(reply.why) != "" else "a refusal says why" }
}
code judge several(reply: (Offer | Refusal)[]) {
  require len([x for x in reply if x is Offer]) <= 1 else "at most one offer"
}
gate sized(draft: text) { scorers { length 1..100 } }
condition urgent(text: text) { model decider  ask "Urgent?" }
flow main(text: text) -> json {
  a = writer(text)
  sent = approve "Send?"
  order = get_order("1")
  return [a, sent, order.status, urgent(text).probability]
}
flow other(text: text) -> json { return free(text) }
flow found(text: text) -> json { return crm(text) }
"""


@pytest.fixture(scope="module")
def made() -> Program:
    return program(SOURCE, EXAMPLES / "test.judge")


async def test_h01_h09_h10_a_script_answers_for_models_tools_and_people(made: Program) -> None:
    replies = {
        "writer": ["Too long. Really.", "Short."],
        "approve": True,
        "get_order": {"status": "sent"},
        "urgent": 0.25,
    }
    with script(replies):
        result = await made.run("x")
        again = await made.run("x")
    assert result.answer == again.answer == ["Short.", True, "sent", 0.25]


async def test_an_agent_that_answers_json_is_scripted_with_an_object(made: Program) -> None:
    for value in ({"a": [1]}, {"call": 1, "other": 2}, 3, None, "text"):
        with script({"free": value}):
            assert (await made.run("x", flow="other")).answer == value
    with script({"free": [[1, 2], {"b": None}]}):
        async with made.opened() as session:
            assert (await session.run("x", flow="other")).answer == [1, 2]


async def test_a_list_from_a_tool_is_its_value(made: Program) -> None:
    with script({"crm": [{"id": 1}, {"id": 2}]}):
        assert (await made.run("x", flow="found")).answer == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    ("replies", "code", "told"),
    [
        ({"short": "PASS"}, "test.code-judge-scripted", "short is a code judge and calls no model"),
        ({"looked_up": "PASS"}, "test.code-judge-scripted", r"script the tools that it reads \(get_order\)"),
        ({"wrter": "x"}, "name.unknown", "did you mean `writer`"),
        ({"sized": "x"}, "test.wrong-shape", "sized is a gate and has no answers of its own"),
        ({"main": "x"}, "test.wrong-shape", "main is a flow"),
    ],
)
async def test_h03_what_cannot_be_scripted_is_refused_and_why(
    made: Program, replies: Mapping[str, Any], code: str, told: str
) -> None:
    with pytest.raises(testing.TestSetupError, match=told) as caught, script(replies):
        await made.run("x")
    assert caught.value.code == code


async def test_u30_running_out_of_a_script_fails_the_test_even_where_nobody_looks(made: Program) -> None:
    statuses = []
    with (
        pytest.raises(testing.TestSetupError, match="asked for answer 1, but the script has 0") as caught,
        script({"writer": []}),
    ):
        statuses.append((await made.run("x")).status)
    assert statuses == ["failed"]
    assert caught.value.code == "test.script-exhausted"


async def test_scripts_do_not_nest_and_end_with_their_block(made: Program) -> None:
    nested = (script({"writer": "x"}), script({}))
    with nested[0], pytest.raises(testing.TestSetupError, match="write all replies into one"), nested[1]:
        pass
    with script({"free": 1}):
        assert (await made.run("x", flow="other")).answer == 1


async def test_h04_h08_a_code_judge_runs_alone_without_model_and_with_no_calls(made: Program) -> None:
    assert (await testing.judge(made, "short", reply="One.")).passed
    verdict = await testing.judge(made, "short", reply="One. Two.", attempt=1)
    assert (verdict.passed, verdict.reason, verdict.attempt) == (False, "one sentence", 1)
    assert not (await testing.judge(made, "looked_up", reply="It is sent.")).passed
    calls = [{"tool": "get_order", "output": {"status": "sent"}}]
    assert (await testing.judge(made, "looked_up", reply="It is sent.", tool_calls=calls)).passed


async def test_h05_a_model_for_a_code_judge_is_an_error_that_names_its_tools(made: Program) -> None:
    with pytest.raises(testing.TestSetupError, match=r"no model.*\(get_order\)") as caught:
        await testing.judge(made, "looked_up", reply="x", model="PASS")
    assert caught.value.code == "test.code-judge-scripted"


async def test_h06_one_judge_reads_what_its_model_says(made: Program) -> None:
    assert (await testing.judge(made, "correct", reply="x", task="t", model="PASS")).passed
    assert (await testing.judge(made, "correct", reply="x", model="No, that is wrong.")).reason
    good = {"grounded": 0.9, "quality": "good"}
    assert (await testing.judge(made, "grounded", reply="x", model=good)).passed
    with script({"grounded": good | {"quality": 0}}):
        assert (await testing.judge(made, "grounded", reply="x")).reason == "Only facts."
    verdict = await testing.judge(made, "in_language", reply="x", language="German", model="0.4", attempt=2)
    assert (verdict.reason, verdict.metrics) == ("Write German, attempt 2.", {"score": 0.4})
    assert (
        await testing.judge(made, "in_language", reply="x", language="German", bar=0.4, model="0.4")
    ).passed
    unreadable = await testing.judge(made, "in_language", reply="x", language="German", model="good")
    assert (unreadable.passed, unreadable.readable) == (False, False)


async def test_h07_a36_a_reply_is_read_as_the_judges_shape(made: Program) -> None:
    assert (await testing.judge(made, "fair", reply={"salary": 0})).reason == "an offer pays something"
    assert (await testing.judge(made, "fair", reply={"why": " "})).reason == "a refusal says why"
    assert (await testing.judge(made, "fair", reply={"salary": 1, "team": 2}, variant="Senior")).passed
    items = [{"variant": "Offer", "value": {"salary": 1}}] * 2
    assert (await testing.judge(made, "several", reply=items)).reason == "at most one offer"
    for reply, variant, told in (
        ({"why": "x"}, "Offer", r"\$.why: Offer has no such field"),
        ({"salary": 1}, "Job", "judges Offer or Refusal, and Job is none of them"),
        ({}, None, "it fits none: Offer: .*salary: is missing; Refusal: .*why: is missing"),
    ):
        with pytest.raises(testing.TestSetupError, match=told):
            await testing.judge(made, "fair", reply=reply, variant=variant)
    with pytest.raises(testing.TestSetupError, match="judges a text: int is none"):
        await testing.judge(made, "short", reply=3)


async def test_structs_stand_for_objects(made: Program) -> None:
    class Offer(msgspec.Struct):
        salary: int

    assert (await testing.judge(made, "fair", reply=Offer(3))).passed


async def test_what_does_not_fit_a_judge_says_what_would(made: Program) -> None:
    for name, given, told in (
        ("correct", {}, "correct asks a model: give `model=…`"),
        ("crrect", {}, "did you mean `correct`"),
        ("in_language", {"model": "1"}, "in_language also takes language"),
        ("in_language", {"model": "1", "langage": "x"}, "no parameter `langage`: it takes language, bar"),
        ("in_language", {"model": "1", "language": 3}, "in_language: language: must be a text"),
        ("short", {"tool_calls": [{"tool": "none"}]}, r"declared `tool` \(get_order, crm\), not 'none'"),
        ("short", {"tool_calls": [{"tool": "crm", "out": 1}]}, "no out"),
    ):
        with pytest.raises(testing.TestSetupError, match=told):
            await testing.judge(made, name, reply="x", **given)


def test_u31_waiting_takes_no_time() -> None:
    async def wait(hours: int) -> str:
        with trio.move_on_after(hours * 3600):
            await trio.sleep_forever()
        return "waited"

    assert testing.run(wait, 5) == "waited"


async def test_the_wall_clock_moves_with_trios(mock_clock: MockClock) -> None:
    stamp = testing.wall_clock("2026-03-01T12:00:00+00:00")
    assert stamp() == "2026-03-01T12:00:00.000Z"
    mock_clock.jump(90)
    assert stamp() == "2026-03-01T12:01:30.000Z"


def test_the_public_face_is_lazy() -> None:
    code = (
        "import sys, judgeflow, judgeflow.testing\n"
        "assert judgeflow.testing.__all__ and 'trio' not in sys.modules, 'trio'\n"
        "from judgeflow.testing import script\n"
        "assert judgeflow.testing.script is script and 'trio' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
    assert jf.testing is testing
    assert set(dir(testing)) == set(testing.__all__)
    assert all(getattr(testing, name) for name in testing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'scrpt'"):
        testing.scrpt  # noqa: B018


async def test_a_tuple_of_replies_is_one_answer_per_call() -> None:
    two = program(
        'model m "openai/some"\nagent writer { model m }\n'
        "flow main(t: text) -> json { a = writer(t)  b = writer(t)  return [a, b] }"
    )
    with script({"writer": ("One.", "Two.")}):
        assert (await two.run("x")).answer == ["One.", "Two."]


async def test_replies_that_are_no_json_are_told_by_name() -> None:
    with (
        pytest.raises(testing.TestSetupError, match="writer: it holds a value of type object"),
        script({"writer": object()}),
    ):
        pass


async def test_a_judge_in_python_has_the_defaults_of_its_declaration(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(
        "import judgeflow as jf\n\n"
        "def rule(input, *, bar, twice, note):\n"
        "    return jf.Verdict.passed(metrics={'seen': [bar, twice, note]})\n",
        encoding="utf-8",
    )
    source = (
        'code judge rule(reply: text, bar: int = 2, twice: int = 4, note: text?) { python "hooks.py:rule" }'
    )
    made = program(source, tmp_path / "test.judge")
    assert (await testing.judge(made, "rule", reply="x")).metrics == {"seen": [2, 4, None]}
    assert (await testing.judge(made, "rule", reply="x", bar=5)).metrics == {"seen": [5, 4, None]}


@pytest.mark.parametrize("replies", [["a"], None, {1: "a"}], ids=repr)
def test_a_script_that_is_no_object_by_name_says_so(replies: Any) -> None:
    with (
        pytest.raises(testing.TestSetupError, match="a script is an object of replies by name"),
        script(replies),
    ):
        pass


@pytest.mark.parametrize("calls", [["get_order"], {"tool": "get_order"}], ids=repr)
async def test_tool_calls_are_objects(made: Program, calls: Any) -> None:
    with pytest.raises(testing.TestSetupError, match="`tool_calls` is a list of objects"):
        await testing.judge(made, "looked_up", reply="x", tool_calls=calls)
