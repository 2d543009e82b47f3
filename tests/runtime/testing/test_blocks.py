"""`test` blocks: every model is scripted, and what does not hold is told in a sentence."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from judgeflow.runtime.run import Stamp
from judgeflow.runtime.testing.blocks import TestOutcome, run_block

from ..helpers import program, unchecked

EXAMPLES = Path(__file__).parents[3] / "examples"
SOURCE = """
model small "openai/some" {{ price $1 in, $1 out }}
model decider "typesafe/jev" {{ kind decision }}
let house = "The house"
type Offer   {{ salary: int }}
type Refusal {{ why: text }}
tool get_order(id: text) -> json {{ python "hooks.py:get_order" }}
agent writer(topic: text) {{ model small  judges [short]  tools [get_order]  retries 2 }}
agent critic {{ model small }}
agent recruiter -> Offer | Refusal {{ model small }}
agent lister -> Offer[] {{ model small }}
agent counter -> int {{ model small }}
agent free -> json {{ model small }}
code judge short {{ require len(sentences(reply)) <= 1 else "one sentence" }}
condition urgent(text: text) {{ model decider  ask "Urgent?" }}
choice team(text: text) {{ model decider  ask "Whose?"  options {{ a "A"  b "B" }} }}
scale level(text: text) {{ model decider  ask "How?"  levels ["low", "mid", "high"] }}
judge both(reply: text) {{
  model decider
  decide {{ one: condition "1?"  two: scale "2?" ["bad", "good"] }}
  require one.value and two.label == "good" else "no"
}}
flow main(text: text) -> json {{
{body}
}}
test "t" for main {{
  given {{ text: "x" }}
{lines}
}}
"""


async def outcome_of(body: str, lines: str, check: bool = True) -> TestOutcome:
    source = SOURCE.format(body=indent(body, "  "), lines=indent(lines, "  "))
    made = (program if check else unchecked)(source, EXAMPLES / "test.judge")
    return await run_block(made, made.plan.tests[0], Stamp(lambda: 1_772_366_400.0))


async def passes(body: str, lines: str, check: bool = True) -> None:
    outcome = await outcome_of(body, lines, check)
    assert outcome.passed, outcome.failures
    assert outcome.record is not None


async def fails(body: str, lines: str, check: bool = True) -> str:
    outcome = await outcome_of(body, lines, check)
    assert not outcome.passed
    return "\n".join(map(str, outcome.failures))


WRITES = "return writer(text)"


async def test_h01_h10_replies_stand_in_for_a_model_without_key_or_network() -> None:
    await passes(
        WRITES,
        'writer replies ["Too. Long.", "Short."]\n'
        'expect result == "Short."\n'
        "expect len(verdicts(writer)) == 2",
    )


async def test_h02_decisions_are_scripted_by_question_or_alone() -> None:
    await passes("return both(text).passed", 'both decides { one: 0.9, two: "good" }\nexpect result == true')
    await passes("return both(text).passed", "both decides { one: 0.9, two: 0 }\nexpect result == false")
    await passes("return urgent(text).probability", "urgent decides 0.25\nexpect result == 0.25")
    await passes("return team(text).choice", 'team decides "b"\nexpect result == "b"')
    await passes("return team(text).confidence", "team decides { a: 0.25, b: 0.75 }\nexpect result == 0.75")
    await passes("return level(text).label", 'level decides "mid"\nexpect result == "mid"')
    await passes("return level(text).score", "level decides 2\nexpect result == 2")


async def test_typed_answers_are_scripted_as_values() -> None:
    switch = (
        "found = recruiter(text)\n"
        "switch found { case Offer { return found.salary } case Refusal { return found.why } }"
    )
    await passes(
        switch, 'recruiter replies { variant: "Refusal", value: { why: "no" } }\nexpect result == "no"'
    )
    await passes(switch, "recruiter replies { salary: 3 }\nexpect result == 3")
    await passes("return lister(text)", "lister replies [[{ salary: 1 }]]\nexpect result[0].salary == 1")
    await passes("return counter(text)", "counter replies 7\nexpect result == 7")
    await passes("return free(text)", "free replies { any: [1] }\nexpect result.any == [1]")
    await passes("return free(text)", "free replies [[1, 2]]\nexpect result == [1, 2]")


async def test_tools_and_people_are_scripted_too() -> None:
    body = 'yes = approve "Go?"\norder = get_order(text)\nreturn [yes, order.status]'
    await passes(
        body, 'approve replies false\nget_order returns { status: "sent" }\nexpect result == [false, "sent"]'
    )
    replies = '[{ call: "get_order", input: { id: "A-7" } }, "It is sent."]'
    lines = (
        f"writer replies {replies}\n"
        'get_order returns { status: "sent" } when id == "A-7"\n'
        'expect result contains "sent"'
    )
    await passes(WRITES, lines)


async def test_the_first_line_that_fits_answers() -> None:
    body = 'parallel { a = writer("one")  b = writer("two") }\nreturn [a, b]'
    lines = (
        'writer replies "1" when topic == "one"\n'
        'writer replies "2" when task == "two"\n'
        'writer replies "3"\n'
        'expect result == ["1", "2"]'
    )
    await passes(body, lines)
    lines = (
        'writer replies "A. B." when attempt == 0\nwriter replies "C" when attempt > 0\nexpect result == "C"'
    )
    await passes(WRITES, lines)


async def test_draws_at_once_take_the_list_as_it_is_written() -> None:
    for _ in range(10):
        await passes(
            "best = best of 3: writer(text) picked by critic\nlast = writer(text)\nreturn [best, last]",
            'writer replies ["one", "two", "three", "four"]\n'
            'critic replies "WINNER: 3"\n'
            'expect result == ["three", "four"]',
        )


async def test_a_draw_that_is_sent_back_takes_what_was_left_over() -> None:
    for _ in range(10):
        await passes(
            "best = best of 3: writer(text) picked by critic\nreturn best",
            'writer replies ["one", "two. too long.", "three", "four"]\n'
            'critic replies "WINNER: 2"\n'
            'expect result == "four"',
        )


async def test_one_each_after_another_goes_on_in_the_list() -> None:
    await passes(
        'a = each t in ["x", "y"]: writer(t)\nb = each t in ["x", "y"]: writer(t)\nreturn a + b',
        'writer replies ["1", "2", "3", "4"]\nexpect result == ["1", "2", "3", "4"]',
    )


async def test_judges_of_draws_at_once_are_told_apart_as_well() -> None:
    source = """
    model small "openai/some"
    agent writer(topic: text) { model small  judges [rated]  retries 0 }
    judge rated { model small  rate quality }
    flow main(text: text) -> json {
      all = each t in ["x", "y", "z"]: writer(t)
      return all
    }
    test "t" for main {
      given { text: "x" }
      writer replies ["1", "2", "3"]
      rated replies ["0.7", "0.8", "0.9"]
      expect [v.metrics.score for v in verdicts(writer)] == [0.7, 0.8, 0.9]
    }
    """
    made = program(source)
    for _ in range(10):
        outcome = await run_block(made, made.plan.tests[0], Stamp(lambda: 0.0))
        assert outcome.passed, outcome.failures


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('writer replies "a. b."\nexpect fails with "step.agent.quality-gate"', ""),
        (
            'writer replies "a"\nexpect fails with "step.agent.quality-gate"',
            'expected it to fail with step.agent.quality-gate, but it answered\n  "a"',
        ),
        (
            'writer replies "a. b."\nexpect fails with "gate.block"',
            "but it ended with step.agent.quality-gate",
        ),
        (
            'writer replies "a. b."\nexpect result == "a"',
            "the run ended as failed (step.agent.quality-gate), and no `expect` says so\n  writer: the last of 3",
        ),
        ('writer replies "a"\nexpect result == "b"', 'expected result == "b"\n  result is "a"'),
        (
            'writer replies "a"\nexpect result == "a" and len(result) > 3',
            "expected len(result) > 3\n  len(result) is 1",
        ),
        (
            'writer replies "a"\nexpect result == "b" or not (result is Offer)  or  len( result )>3',
            "",
        ),
        (
            'writer replies "a"\nexpect result == "b" or len( result )>3',
            'expected result == "b" or len( result )>3\n  result is "a"\n  len( result ) is 1',
        ),
        ('writer replies "a"\nexpect every r in [result]: r == "b"', '[result] is ["a"]'),
        ('writer replies "a"\nexpect not (result == "a")', 'result is "a"'),
        ('writer replies "a"\nexpect result.none == 1', "text has no field `none`"),
        ('writer replies ["a. b."]\nexpect result == "a"', "is asked for answer 2, but the script has 1"),
        (
            'writer replies "a" when topic == "other"\nexpect result == "a"',
            "no line for writer fits this call",
        ),
        (
            'writer replies { call: "get_order", input: { id: "1" } }\nexpect result == "a"',
            "get_order is asked, but the script has no line",
        ),
    ],
)
async def test_what_does_not_hold_is_told(lines: str, told: str) -> None:
    outcome = await outcome_of(WRITES, lines, check=False)
    assert (told in "\n".join(map(str, outcome.failures))) if told else outcome.passed


async def test_u30_what_the_script_lacks_is_the_tests_own_fault_even_under_try() -> None:
    told = await fails(
        'a = try writer(text) else "none"\nreturn a',
        'writer replies []\nexpect result == "none"',
        check=False,
    )
    assert told.startswith("[test.script-exhausted]")
    told = await fails("return critic(text)", 'writer replies "a"\nexpect result == "a"', check=False)
    assert "critic is asked, but the script has no line for it (it has lines for writer)" in told


@pytest.mark.parametrize("value", ['"c"', "{ a: 1 }", "true", "[1]"])
async def test_a_decision_that_cannot_be_meant_is_told(value: str) -> None:
    told = await fails("return team(text).choice", f"team decides {value}\nexpect result == 1", check=False)
    assert "[test.wrong-shape]" in told or "decision" in told


async def test_a_paused_run_is_no_failure_of_the_block_itself() -> None:
    told = await fails('yes = approve "Go?"\nreturn yes', "expect result == true", check=False)
    assert "the run ended as paused (approve.waiting), and no `expect` says so\n  Go?" in told


async def test_a_wrong_input_is_told_as_such() -> None:
    source = SOURCE.format(body="  return 1", lines="  expect result == 1").replace(
        '{ text: "x" }', "{ text: null }"
    )
    made = unchecked(source)
    outcome: Any = await run_block(made, made.plan.tests[0], Stamp(lambda: 0.0))
    assert [(f.line, str(f)) for f in outcome.failures] == [
        (26, "[flow.wrong-arguments] main: text: is missing")
    ]
    assert (outcome.record, outcome.name, outcome.line) == (None, "t", 26)


async def test_a_failure_names_the_line_of_its_expectation_whatever_stands_above_the_block() -> None:
    source = """
    model small "openai/some"
    agent writer(topic: text) { model small }
    flow main(text: text) -> text { return writer(text) }

    # what it is about
    # and more
    test "t" for main {
      given { text: "x" }
      writer replies "a"
      expect result == "a"

      # not so
      expect result == "b"
    }
    """
    made = program(source)
    outcome = await run_block(made, made.plan.tests[0], Stamp(lambda: 0.0))
    lines = source.splitlines()
    assert [lines[failure.line - 1].strip() for failure in outcome.failures] == ['expect result == "b"']


async def test_a_long_value_is_cut_and_its_size_is_told() -> None:
    told = await fails(WRITES, f'writer replies "{"x" * 5000}"\nexpect result == "a"')
    assert "… (5,002 characters)" in told
    assert len(told) < 2_500
