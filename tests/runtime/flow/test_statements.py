"""Statements in order: names, branches, cases, loops, subflows, and how a flow ends."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from ..helpers import Model, Tools, program, run, step, steps, unchecked

HEAD = """
model small "fake/small"
type Offer   { salary: int }
type Senior extends Offer { team: int }
type Refusal { why: text }
agent writer(topic: text, tone: text = "plain") { model small }
agent recruiter -> Offer | Refusal { model small }
gate short(text) { scorers { length 0..3 } }
code judge polite(reply: text, least: int = 1) { require len(reply) > least else "too short" }
"""


async def flow(body: str, *replies: Any, input: Any = "x", more: str = "", head: str = "text: text") -> Any:
    source = f"{HEAD}{dedent(more)}\nflow main({head}) -> json {{\n{indent(body, '  ')}\n}}"
    return await run(program(source), input, models={"small": Model(*(replies or ("",)))}, flow="main")


async def answer(body: str, *replies: Any, **options: Any) -> Any:
    result = await flow(body, *replies, **options)
    assert result.status == "answered", result.record.reason
    return result.answer


async def test_a38_statements_run_in_order_and_names_keep_their_values() -> None:
    body = "a = writer(text)\n b = writer(a)\n c = a + b\n a = upper(c)\n return [a, b, c]"
    assert await answer(body, "1", "2") == ["12", "2", "12"]


async def test_a_call_inside_an_expression_runs_first_and_innermost_first() -> None:
    body = 'return "{{ text }}: " + upper(writer(writer(text) + "!", tone: "loud"))'
    small = Model("one", "two")
    source = f"{HEAD}\nflow main(text: text) -> json {{ {body} }}"
    result = await run(program(source), "x", models={"small": small})
    assert result.answer == "x: TWO"
    assert small.prompts == ["x", '{"topic":"one!","tone":"loud"}']


async def test_a_flow_without_a_return_gives_null() -> None:
    source = f"{HEAD}\nflow main(text: text) {{ writer(text) }}"
    result = await run(program(source), "x", models={"small": Model("y")})
    assert (result.status, result.answer) == ("answered", None)


async def test_return_ends_the_flow_wherever_it_stands() -> None:
    body = 'loop at most 3 times { if text == "x" { return "early" } }\n return "late"'
    assert await answer(body) == "early"
    assert await answer(body, input="y") == "late"


async def test_stop_ends_the_run_as_guarded_with_its_text_as_answer_and_reason() -> None:
    result = await flow('if text == "x" { stop "Not {{ text }}" }\n return 1')
    assert (result.status, result.record.code) == ("guarded", "flow.stop")
    assert (result.answer, result.record.reason) == ("Not x", "Not x")


async def test_a_stop_whose_text_comes_out_blank_still_has_a_reason() -> None:
    result = await flow('if text == "x" { stop "{{ replace(text, "x", " ") }}" }\n return 1')
    assert (result.status, result.record.code) == ("guarded", "flow.stop")
    assert result.answer == result.record.reason == "stopped without a reason"


@pytest.mark.parametrize(("input", "expected"), [("x", "then"), ("y", "also"), ("z", "else")])
async def test_if_else_if_else(input: str, expected: str) -> None:
    body = """
      if text == "x" { found = "then" }
      else if text == "y" { found = "also" }
      else { found = "else" }
      return found
    """
    assert await answer(body, input=input) == expected


async def test_a_test_that_is_null_is_false_and_one_that_is_no_truth_is_an_error() -> None:
    assert await answer("if json(text).yes { return 1 } else { return 2 }", input="{}") == 2
    result = await flow("if json(text).yes { return 1 } else { return 2 }", input='{"yes": 3}')
    assert (result.record.code, result.status) == ("expression", "failed")
    assert "a condition is true or false, but this is int" in result.record.reason


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [("answer_offer", {"salary": 3}, 3), ("answer_refusal", {"why": "no"}, "no")],
)
async def test_switch_over_a_union_takes_the_case_of_the_answered_type(
    tool: str, arguments: Any, expected: Any
) -> None:
    body = """
      found = recruiter(text)
      switch found {
        case Offer   { return found.salary }
        case Refusal { return found.why }
      }
    """
    assert await answer(body, Tools((tool, arguments))) == expected


async def test_switch_over_literals() -> None:
    body = 'switch level { case "low" { return 1 } case "high" { return 2 } }'
    assert await answer(body, input="high", head='level: "low" | "high"') == 2


async def test_a_value_that_no_case_fits_fails_the_flow() -> None:
    source = 'flow main(level: text) -> json { switch level { case "low" { return 1 } } return 2 }'
    result = await run(unchecked(source), "high", models={})
    assert (result.status, result.record.code) == ("failed", "switch.missing-case")


async def test_a_type_is_asked_for_with_is_and_what_extends_it_counts() -> None:
    body = "found = recruiter(text)\n if found is Offer { return found.salary }\n return 0"
    assert await answer(body, Tools(("answer_offer", {"salary": 9}))) == 9


# --- loops


LOOP = """
  draft = text
  loop at most 3 times until len(draft) > 2 {
    draft = writer(draft)
  } else { stop "still short" }
  return draft
"""


async def test_a_loop_reads_its_test_before_every_turn_the_first_included() -> None:
    result = await flow(LOOP, input="long enough")
    assert (result.answer, result.record.route) == ("long enough", ())
    assert await answer(LOOP, "ab", "abc") == "abc"


async def test_a_loop_reads_its_test_once_more_when_its_turns_are_spent() -> None:
    result = await flow(LOOP, "a", "ab", "abc")
    assert (result.answer, len(result.record.steps)) == ("abc", 3)


async def test_u60_spent_turns_run_else_or_end_the_flow_as_guarded() -> None:
    # A gate that blocks is tried again by a loop around it, which says how often.
    result = await flow(LOOP, "a")
    assert (result.status, result.record.code, result.answer) == ("guarded", "flow.stop", "still short")
    bare = LOOP.replace('else { stop "still short" }', "")
    result = await flow(bare, "a")
    assert (result.status, result.record.code) == ("guarded", "loop.spent")
    assert result.record.reason == "the loop's 3 turns are spent"


async def test_a_loop_without_a_test_runs_all_its_turns_and_every_turn_is_a_step_of_its_own() -> None:
    result = await flow("loop at most 3 times { a = writer(text) }\n return 1", "y")
    assert [found.id for found in result.record.steps] == ["1#0.2", "1#1.2", "1#2.2"]
    assert result.status == "answered"


async def test_a_call_may_stand_in_the_test_of_a_loop() -> None:
    body = "loop at most 5 times until len(writer(text)) > 1 { text = text }\n return text"
    source = f"{HEAD}\nflow main(text: text) -> json {{ {body} }}"
    result = await run(unchecked(source), "x", models={"small": Model("a", "b", "cd")})
    assert [len(steps(result, "writer")), result.status] == [3, "answered"]


# --- subflows, judges and gates as values


async def test_a_subflow_has_its_own_names_and_its_steps_stand_under_it() -> None:
    more = """
    flow inner(text: text, times: int = 2) -> text {
      a = writer("{{ text }}{{ times }}")
      return "<{{ a }}>"
    }
    """
    result = await flow('a = "mine"\n b = inner(text)\n return [a, b]', "y", more=more)
    assert result.answer == ["mine", "<y>"]
    assert [(s.id, s.parent, s.kind, s.name, s.binding) for s in result.record.steps] == [
        ("1", None, "flow", "inner", "b"),
        ("1/1", "1", "agent", "writer", "a"),
    ]
    assert step(result, "inner").answer == "<y>"


async def test_a_stop_in_a_subflow_ends_the_whole_run() -> None:
    more = 'flow inner(text: text) -> text { if text == "x" { stop "no" }  return text }'
    result = await flow("a = inner(text)\n return a", more=more)
    assert (result.status, result.answer, step(result, "inner").status) == ("guarded", "no", "blocked")


async def test_a_judge_is_called_like_anything_else_and_gives_its_verdict() -> None:
    result = await flow("return [polite(text), polite(text, least: 0, task: text)]")
    assert result.answer == [
        {"passed": False, "reason": "too short", "metrics": {}, "readable": True},
        {"passed": True, "reason": None, "metrics": {}, "readable": True},
    ]
    assert [v.passed for s in steps(result, "polite") for v in s.verdicts] == [False, True]
    assert [s.status for s in steps(result, "polite")] == ["succeeded", "succeeded"]


async def test_a_gate_that_passes_gives_its_value() -> None:
    assert await answer("found = short(text)\n return found.passed") is True


async def test_constants_defaults_and_the_run_are_there_in_a_flow() -> None:
    more = "let size = count * 2\nlet count = 4\n"
    result = await flow(
        "return [size, extra, run.flow, run.tenant]", more=more, head="text: text, extra: int = 7"
    )
    assert result.answer == [8, 7, "main", ""]


async def test_a_failing_step_is_named_with_its_code_and_the_run_says_why() -> None:
    result = await flow("a = writer(text)\n return a", RuntimeError("boom"))
    assert (result.status, result.record.code) == ("failed", "step.agent")
    found = step(result, "writer")
    assert (found.status, found.code, found.reason) == ("failed", "step.agent", result.record.reason)


async def test_the_arguments_of_a_call_are_sent_as_they_are_or_as_an_object_by_name() -> None:
    small = Model("ok")
    source = """
    model small "fake/small"
    agent any { model small }
    agent two(a: json, b: json = 2, c: json = null) { model small }
    flow main(x: json) -> json {
      any("text")  any(x)  two(x)  two(1, c: [x])
      return null
    }
    """
    await run(program(source), {"k": 1}, models={"small": small})
    assert small.prompts == ["text", '{"k":1}', '{"k":1}', '{"a":1,"c":[{"k":1}]}']


async def test_every_statement_has_a_budget_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judgeflow.runtime.expr.scope.DEFAULT_STEPS", 1000)
    body = "loop at most 30 times { many = len([n for n in json(text)]) }\nreturn many"
    assert await answer(body, input=str(list(range(500)))) == 500
    result = await flow(body, input=str(list(range(1500))))
    assert (result.status, "too many steps" in result.record.reason) == ("failed", True)


async def test_a_loop_that_only_computes_lets_others_run_and_can_be_ended() -> None:
    source = "limits { time 50ms per run }\nflow main() -> json { loop at most 100000000 times { a = 1 }  return a }"
    result = await run(program(source))
    assert (result.status, result.record.code) == ("guarded", "limit.time")


# --- what a flow declares to return

RETURNS = """
type Offer { salary: int }
type Senior extends Offer { team: int }
model small "fake/small"
agent finder -> Senior { model small }
flow main(text: text) -> SHAPE { return VALUE }
flow found(text: text) -> Offer { return finder(text) }
flow outer(text: text) -> text { got = try found(text)  return if got.ok then "fine" else got.code }
"""


@pytest.mark.parametrize(
    ("shape", "value", "told"),
    [
        ("text", "json(text).a", "$: must be a text, is int"),
        ("text", "json(text).none", "$: must be a text, is null"),
        ("int(0..1)", "json(text).a", "$: must be at most 1, is 2"),
        ("Offer", "json(text)", "$.a: Offer has no such field; $.salary: is missing"),
        ("Offer[]", "json(text)", "$: must be a list, is object"),
    ],
)
async def test_a_value_of_another_shape_than_the_flow_declares_fails_it(
    shape: str, value: str, told: str
) -> None:
    source = RETURNS.replace("SHAPE", shape).replace("VALUE", value)
    result = await run(source, '{"a": 2}', models={"small": Model("")}, flow="main")
    assert (result.status, result.record.code) == ("failed", "flow.wrong-result")
    assert result.record.reason == f"main returned a value that has not the declared shape: {told}"


async def test_a_value_that_fits_is_returned_as_it_is_and_what_extends_the_type_fits() -> None:
    source = RETURNS.replace("SHAPE", "Offer?").replace("VALUE", "json(text)").replace("Offer?", "Offer")
    small = {"small": Model(Tools(("answer", {"salary": 1, "team": 2})))}
    assert (await run(source, '{"salary": 3}', models=small, flow="main")).answer == {"salary": 3}
    assert (await run(source, "x", models=small, flow="found")).answer == {"salary": 1, "team": 2}
    assert (await run(source, "x", models=small, flow="outer")).answer == "fine"
