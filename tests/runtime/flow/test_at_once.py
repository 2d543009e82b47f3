"""What runs at once: `parallel`, `each`, `race`. One failure ends the others, and nothing paid for is lost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from textwrap import indent
from typing import Any

import pytest
import trio

from judgeflow.runtime.flow.together import bounded
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.run import events

from ..helpers import Model, program, run, step

HEAD = """
model small "fake/small" { price $1 in, $1 out }
model other "spare/other" { price $1 in, $1 out }
agent writer(topic: text) { model small }
agent poet(topic: text)   { model other }
gate short(text) { scorers { length 0..3 } }
"""
DOWN = ProviderError("it is down", code="provider.down")


async def flow(
    body: str, *, small: Model, other: Model | None = None, input: Any = "x", **options: Any
) -> Any:
    head = options.pop("head", "text: text")
    source = f"{HEAD}\nflow main({head}) -> json {{\n{indent(body, '  ')}\n}}"
    models = {"small": small, "other": other or Model("")}
    return await run(program(source), input, models=models, **options)


# --- parallel


PARALLEL = """
parallel {
  a = writer("1")
  b = poet("2")
  short(text)
}
return [a, b]
"""


async def test_parallel_runs_at_once_and_binds_what_it_names(autojump_clock: Any) -> None:
    result = await flow(PARALLEL, small=Model("A", seconds=2), other=Model("B", seconds=2))
    assert result.answer == ["A", "B"]
    assert trio.current_time() < 3
    assert [(s.id, s.name, s.binding) for s in result.record.steps] == [
        ("1[0].2", "writer", "a"),
        ("1[1].3", "poet", "b"),
        ("1[2].4", "short", None),
    ]


async def test_the_first_failing_member_cancels_the_rest_and_fails_with_its_own_error(
    autojump_clock: Any,
) -> None:
    result = await flow(PARALLEL, small=Model(DOWN, seconds=1), other=Model("B", seconds=60))
    assert trio.current_time() < 5
    assert (result.status, result.record.code) == ("failed", "step.agent")
    assert result.record.reason == "writer: it is down"
    assert [s.status for s in result.record.steps] == ["failed", "cancelled", "succeeded"]


async def test_a_block_in_parallel_ends_the_flow_as_guarded(autojump_clock: Any) -> None:
    result = await flow(PARALLEL, small=Model("A", seconds=9), other=Model("B", seconds=9), input="long")
    assert (result.status, result.record.code) == ("guarded", "gate.block")
    assert trio.current_time() < 1


async def test_a_failing_member_under_try_spares_the_others(autojump_clock: Any) -> None:
    body = 'parallel { a = try writer("1") else "none"  b = poet("2") }\nreturn [a, b]'
    result = await flow(body, small=Model(DOWN), other=Model("B", seconds=1))
    assert result.answer == ["none", "B"]


async def test_members_start_in_the_order_in_which_they_are_written() -> None:
    for _ in range(20):
        seen: list[events.Event] = []
        await flow(PARALLEL, small=Model("A"), other=Model("B"), hooks=[seen.append])
        started = [event.name for event in seen if isinstance(event, events.StepStarted)]
        assert started == ["writer", "poet", "short"]


# --- each


async def test_each_keeps_the_order_of_its_items(autojump_clock: Any) -> None:
    small = Model(lambda request: request.messages[-1].content.upper())
    body = "all = each item in json(text): writer(item)\nreturn all"
    result = await flow(body, small=small, input='["c", "a", "b"]')
    assert result.answer == ["C", "A", "B"]
    assert [(s.id, s.binding) for s in result.record.steps] == [
        ("1[0].2", "all"),
        ("1[1].2", "all"),
        ("1[2].2", "all"),
    ]


@pytest.mark.parametrize(
    ("clause", "most"), [("", 16), ("at most 3 at once", 3), ("at most 100 at once", 40)]
)
async def test_each_has_at_most_so_many_in_flight(clause: str, most: int, autojump_clock: Any) -> None:
    small = Model("x", seconds=1)
    body = f'all = each item in json(text) {clause}: writer("{{{{ item }}}}")\nreturn len(all)'
    result = await flow(body, small=small, input=str(list(range(40))))
    assert (result.answer, small.most, len(small.requests)) == (40, most, 40)


async def test_each_takes_its_items_one_by_one_however_many_there_are() -> None:
    # Tasks are made as they are taken: nothing is started for those that wait.
    small = Model(DOWN)
    body = 'all = each item in json(text) at most 2 at once: writer("{{ item }}")\nreturn len(all)'
    result = await flow(body, small=small, input=str(list(range(1000))))
    assert (result.status, len(result.record.steps) <= 2) == ("failed", True)


async def test_each_of_nothing_is_empty_and_of_no_list_is_an_error() -> None:
    body = "all = each item in json(text).items: writer(item)\nreturn all"
    assert (await flow(body, small=Model("x"), input="{}")).answer == []
    result = await flow(body, small=Model("x"), input='{"items": 3}')
    assert (result.status, result.record.code) == ("failed", "step.each")


async def test_draws_are_told_apart() -> None:
    small = Model("x")
    await flow("all = each item in json(text): writer(item)\nreturn all", small=small, input='["a", "b"]')
    assert sorted((r.caller.sample, r.caller.draws, r.caller.step) for r in small.requests) == [
        (1, 2, "1[0].2"),
        (2, 2, "1[1].2"),
    ]


# --- race


RACE = 'fast = race { writer("1")  poet("2") }\nreturn fast'


async def test_the_first_success_wins_and_the_losers_are_cancelled_with_their_cost(
    autojump_clock: Any,
) -> None:
    result = await flow(RACE, small=Model("slow", seconds=60), other=Model("quick", seconds=1))
    assert (result.answer, trio.current_time() < 2) == ("quick", True)
    assert [s.status for s in result.record.steps] == ["cancelled", "succeeded"]
    assert result.cost.parties == {"agent:writer": "unknown", "agent:poet": "0.000015"}


async def test_a_failure_loses_and_where_all_fail_the_first_that_is_listed_is_raised(
    autojump_clock: Any,
) -> None:
    result = await flow(RACE, small=Model(DOWN), other=Model("late", seconds=1))
    assert result.answer == "late"
    result = await flow(
        RACE, small=Model(DOWN, seconds=2), other=Model(ProviderError("also down"), seconds=1)
    )
    assert (result.status, result.record.reason) == ("failed", "writer: it is down")


async def test_both_at_the_same_moment_give_one_winner(autojump_clock: Any) -> None:
    for _ in range(10):
        result = await flow(RACE, small=Model("A", seconds=1), other=Model("B", seconds=1))
        assert result.answer in ("A", "B")
        assert len([s for s in result.record.steps if s.status == "succeeded"]) >= 1


async def test_a_bug_in_one_member_is_a_failure_of_that_member_only(autojump_clock: Any) -> None:
    result = await flow(RACE, small=Model(KeyError("x")), other=Model("B", seconds=1))
    assert result.answer == "B"


# --- try


async def test_try_turns_a_failed_step_into_a_value() -> None:
    result = await flow("a = try writer(text)\nreturn a", small=Model(DOWN))
    assert result.answer == {
        "ok": False,
        "value": None,
        "code": "step.agent",
        "reason": "writer: it is down",
    }
    assert step(result, "writer").status == "failed", "the record says so all the same"
    result = await flow("a = try writer(text)\nreturn a", small=Model("fine"))
    assert result.answer == {"ok": True, "value": "fine", "code": None, "reason": None}


async def test_try_else_gives_the_value_or_what_stands_in_for_it() -> None:
    body = 'a = try writer(text) else "none"\nreturn a'
    assert (await flow(body, small=Model(DOWN))).answer == "none"
    assert (await flow(body, small=Model("fine"))).answer == "fine"


async def test_a_tried_gate_gives_its_own_value_blocked_or_broken() -> None:
    body = "a = try short(text)\nreturn [a.passed, a.verdict, a.report]"
    blocked = (await flow(body, small=Model(""), input="long")).answer
    assert blocked[:2] == [False, "block"]
    assert "length-0: failed" in blocked[2]
    assert (await flow(body, small=Model(""), input="ok")).answer[0] is True
    source = f"""{HEAD}
gate asked(text) {{ ask writer "Good?" }}
flow main(text: text) -> json {{
  a = try asked(text)
  return [a.passed, a.verdict, a.report]
}}"""
    result = await run(source, "x", models={"small": Model(DOWN), "other": Model("")})
    assert result.answer == [False, "block", "writer: it is down"]


async def test_a_tried_subflow_turns_its_stop_into_a_value() -> None:
    source = f"""{HEAD}
flow inner(text: text) -> text {{ if text == "x" {{ stop "no" }}  return text }}
flow main(text: text) -> json {{ a = try inner(text)  return a }}"""
    result = await run(source, "x", flow="main", models={"small": Model(""), "other": Model("")})
    assert (result.status, result.answer["code"], result.answer["reason"]) == ("answered", "flow.stop", "no")


@pytest.mark.parametrize(
    "body",
    [
        'a = try writer("1") else "none"\nb = try writer("2") else "none"\nreturn [a, b]',
        'parallel { a = try writer("1") else "n"  b = try writer("2") else "n" }\nreturn [a, b]',
        'a = race { writer("1")  writer("2") }\nb = try writer("3") else "n"\nreturn [a, b]',
        'a = best of 3: writer("1") picked by poet\nreturn a',
    ],
)
async def test_nothing_catches_a_limit(body: str) -> None:
    source = (
        f"{HEAD}\nlimits {{ calls 1 per run }}\nflow main(text: text) -> json {{\n{indent(body, '  ')}\n}}"
    )
    small = Model("x")
    result = await run(source, "x", models={"small": small, "other": Model("")})
    assert (result.status, result.record.code, len(small.requests)) == ("guarded", "limit.calls", 1)


async def test_nothing_catches_a_test_that_was_set_up_wrongly() -> None:
    source = """
    model small "script/t"
    agent writer(topic: text) { model small }
    flow main(text: text) -> json { a = try writer(text) else "none"  b = try writer(text) else "none"  return [a, b] }
    test "t" for main { given { text: "x" }  writer replies ["one"]  expect result == ["one", "none"] }
    """
    result = await run(source, "x")
    assert (result.status, result.record.code) == ("failed", "test.script-exhausted")


async def test_nothing_catches_a_cancellation(autojump_clock: Any) -> None:
    seen: list[events.Event] = []
    with trio.move_on_after(1) as scope:
        await flow(
            'a = try writer("1") else "none"\nreturn a', small=Model("x", seconds=5), hooks=[seen.append]
        )
    assert scope.cancelled_caught
    assert [e.tern.status for e in seen if isinstance(e, events.RunEnded)] == ["cancelled"]


async def test_members_of_a_parallel_that_is_cancelled_are_all_marked(autojump_clock: Any) -> None:
    seen: list[events.Event] = []
    with trio.move_on_after(1):
        await flow(PARALLEL, small=Model("A", seconds=5), other=Model("B", seconds=5), hooks=[seen.append])
    [ended] = [event for event in seen if isinstance(event, events.RunEnded)]
    assert [s.status for s in ended.tern.steps] == ["cancelled", "cancelled", "succeeded"]
    assert len(steps_ended(seen)) == 3


def steps_ended(seen: list[events.Event]) -> list[events.StepEnded]:
    return [event for event in seen if isinstance(event, events.StepEnded)]


@pytest.mark.slow
async def test_at_most_so_many_of_100_000_are_in_flight_and_none_is_made_before_its_turn() -> None:
    in_flight = most = made = done = ahead = 0

    def tasks() -> Iterator[Any]:
        nonlocal made, ahead
        for number in range(100_000):
            made += 1
            ahead = max(ahead, made - done)
            yield partial(task, number)

    async def task(number: int) -> int:
        nonlocal in_flight, most, done
        in_flight += 1
        most = max(most, in_flight)
        for _ in range(number % 3):
            await trio.lowlevel.checkpoint()
        in_flight -= 1
        done += 1
        return number

    results = await bounded(tasks(), 8, trio.lowlevel.checkpoint)
    assert (sum(results), len(results)) == (4_999_950_000, 100_000)
    assert (most, ahead) == (8, 8)
