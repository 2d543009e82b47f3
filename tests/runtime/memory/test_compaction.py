"""A thread's memory, through whole runs: every N turns a model sums up what came before, and nothing is ever lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from judgeflow.runtime.judge.errors import ConfigurationError, ProviderError
from judgeflow.runtime.program import Result, Session
from judgeflow.runtime.report.text import memory_line
from judgeflow.runtime.run import events
from judgeflow.runtime.store.summaries import Summary, read_memory, summaries_of
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, Reply, Tools, opened, program

SOURCE = """
model big "fake/big"
model small "fake/small" { price $1 in, $2 out }
memory { history 10  compact every 3 keep 2 with small }
agent writer(topic: text) { model big }
flow main(text: text) -> text { return writer(text) }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "terns.sqlite"


class Talk:
    """Turns of one thread, each in a process of its own as far as the store can tell."""

    def __init__(self, path: Path, *summaries: Reply, source: str = SOURCE, **big: Any) -> None:
        self.path = path
        self.source = source
        self.big = Model(lambda request: f"answer {len(self.big.requests)}", **big)
        self.small = Model(*(summaries or (lambda request: f"summary {len(self.small.requests)}",)))
        self.thread: str | None = None

    async def say(self, *tasks: str) -> Result:
        async with opened(self.source, {"big": self.big, "small": self.small}, store=self.path) as session:
            for task in tasks:
                result = await session.run(task, thread=self.thread)
                self.thread = result.thread
        return result


def memory_steps(result: Result) -> list[Any]:
    return [step for step in result.record.steps if step.kind == "memory"]


async def test_f08_without_compact_nothing_is_summed_up(path: Path) -> None:
    talk = Talk(path, source=SOURCE.replace("compact every 3 keep 2 with small", ""))
    await talk.say(*"abcdefg")
    assert talk.small.requests == []


async def test_f09_f13_every_n_turns_one_summary_right_after_the_answer(path: Path) -> None:
    talk = Talk(path)
    second = await talk.say("a", "b")
    third = await talk.say("c")
    assert (memory_steps(second), third.answer) == ([], "answer 3")
    [step] = memory_steps(third)
    assert memory_line(step.answer, step.reason) == "turns 1–3 → summary 1/2"
    with Store.read(path) as store:
        assert [one for one, _ in summaries_of(store, third.thread)] == [
            Summary(first=1, last=3, text="summary 1")
        ]
        assert store.get(third.record.id) == third.record


async def test_f10_it_reads_its_own_turns_and_the_raw_ones_before_them_and_never_a_summary(
    path: Path,
) -> None:
    talk = Talk(path)
    await talk.say(*"abcdefghi")
    first, second, third = [request.messages[-1].content for request in talk.small.requests]
    assert "Q: a\nA: answer 1\nQ: b\nA: answer 2\nQ: c\nA: answer 3" in first
    assert "earlier turns" not in first
    earlier, due = third.split("<<< turns to be summed up", 1)
    assert ("Q: d" in earlier, "Q: c" in earlier, "Q: g" in earlier) == (True, False, False)
    assert ("Q: g\nA: answer 7" in due, "Q: f" in due) == (True, False)
    assert "summary" not in first + second + third


async def test_f11_f12_readers_see_the_latest_summaries_and_all_raw_turns_since(path: Path) -> None:
    talk = Talk(path)
    await talk.say(*"abcdefghij", "k")
    assert talk.big.prompts[-1] == (
        "Earlier turns, summed up:\nTurns 4–6: summary 2\nTurns 7–9: summary 3\n\n"
        "Previous turns:\nQ: j\nA: answer 10\n\nTask:\nk"
    )
    with Store.read(path) as store:
        assert len(summaries_of(store, talk.thread or "")) == 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("  \n", "the model gave no text"),
        (Tools(("find", {})), "the model gave no text"),
        (ProviderError("the service is down"), "the service is down"),
    ],
)
async def test_f14_u26_x24_a_failure_is_shown_the_turn_is_kept_and_the_next_one_tries_the_same_turns_again(
    path: Path, reply: Reply, reason: str
) -> None:
    talk = Talk(path, reply, reply, "at last", "and more")
    third, fourth = await talk.say(*"abc"), await talk.say("d")
    assert (third.status, third.answer, fourth.status) == ("answered", "answer 3", "answered")
    [step] = memory_steps(third)
    assert step.status == "failed"
    assert reason in memory_line(step.answer, step.reason)
    assert memory_line(step.answer, step.reason).startswith("turns 1–3 not summed up: ")
    assert talk.big.prompts[-1].startswith("Previous turns:\nQ: a\n")
    fifth = await talk.say("e")
    assert [memory_line(step.answer, None) for step in memory_steps(fifth)] == ["turns 1–3 → summary 1/2"]
    assert talk.small.prompts[0] == talk.small.prompts[1] == talk.small.prompts[2]
    sixth = await talk.say("f")
    assert [step.answer["first"] for step in memory_steps(sixth)] == [4]


async def test_case_261_the_request_offers_no_tools(path: Path) -> None:
    talk = Talk(path)
    await talk.say(*"abc")
    [request] = talk.small.requests
    assert (request.tools, request.tool_choice, request.temperature) == ((), None, 0.0)


async def test_what_was_put_off_is_caught_up_with(path: Path) -> None:
    talk = Talk(path, *[ProviderError("down")] * 5, "one", "two")
    await talk.say(*"abcdefg")
    last = await talk.say("h")
    assert [memory_line(step.answer, None) for step in memory_steps(last)] == [
        "turns 1–3 → summary 1/2",
        "turns 4–6 → summary 2/2",
    ]


async def test_the_cost_is_booked_to_memory_in_the_turn_that_paid(path: Path) -> None:
    talk = Talk(path, source=SOURCE.replace('"fake/big"', '"fake/big" { price $1 in, $2 out }'))
    third = await talk.say(*"abc")
    assert third.record.cost.parties == {"agent:writer": "0.00002", "memory": "0.00002"}
    assert (third.record.cost.total, third.record.usage.calls) == ("0.00004", 2)


async def test_failed_and_guarded_turns_are_summed_up_with_their_status(path: Path) -> None:
    source = SOURCE.replace("return writer(text)", 'if text == "b" { stop "no" }  return writer(text)')
    talk = Talk(path, source=source)
    await talk.say(*"abc")
    assert "Q: b\nA: [guarded]\nQ: c" in talk.small.prompts[0]


async def test_a_turn_that_waits_for_a_person_holds_its_window_back(path: Path) -> None:
    source = SOURCE.replace(
        "return writer(text)", 'if text == "b" { ok = approve "Go on?" }  return writer(text)'
    )
    talk = Talk(path, source=source)
    await talk.say(*"abcde")
    assert talk.small.requests == []
    assert "Q: b\nA: [paused]\nQ: c" in talk.big.prompts[-1]


async def test_u26_a_spent_limit_asks_for_no_summary_and_a_limit_that_it_meets_fails_no_turn(
    path: Path,
) -> None:
    talk = Talk(path, source=SOURCE + "limits { calls 1 per run }\n")
    third = await talk.say(*"abc")
    [step] = memory_steps(third)
    assert (third.status, step.status, step.code, talk.small.requests) == (
        "answered",
        "failed",
        "limit.calls",
        [],
    )


async def test_two_processes_that_end_at_once_keep_one_summary(path: Path) -> None:
    talk = Talk(path)
    await talk.say("a", "b")
    waiting = trio.Event()

    async def one_more(session: Session, task: str) -> None:
        await session.run(task, thread=talk.thread)
        waiting.set()

    models = {"big": talk.big, "small": talk.small}
    async with (
        opened(SOURCE, models, store=path) as one,
        opened(SOURCE, models, store=path) as other,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(one_more, one, "c")
        nursery.start_soon(one_more, other, "d")
    with Store.read(path) as store:
        assert [head.turn for head in store.history(talk.thread or "", 10)] == [1, 2, 3, 4]
        assert [(one.first, one.last) for one, _ in summaries_of(store, talk.thread or "")] == [(1, 3)]


@pytest.mark.parametrize("how", ["stop", "abort"])
async def test_a_stop_while_it_sums_up_leaves_the_turn_answered(path: Path, how: str) -> None:
    async with opened(
        SOURCE, {"big": Model("hello"), "small": Model("late", seconds=60)}, store=path
    ) as session:
        thread = (await session.run("a")).thread
        await session.run("b", thread=thread)
        executions: list[Any] = []
        results: list[Result] = []

        summing_up = trio.Event()

        def tell(event: events.Event) -> None:
            if isinstance(event, events.StepStarted) and event.kind == "memory":
                summing_up.set()

        async def third() -> None:
            results.append(await session.run("c", thread=thread, started=executions.append, hooks=[tell]))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(third)
            with trio.fail_after(5):
                await summing_up.wait()
                await trio.testing.wait_all_tasks_blocked()
                if how == "stop":
                    executions[0].stop()
                executions[0].abort()
    [result] = results
    assert (result.status, result.answer) == ("answered", "hello")
    [step] = memory_steps(result)
    assert step.status == "cancelled"
    with Store.read(path) as store:
        assert store.get(result.record.id).status == "answered"
        assert read_memory(store, thread, keep=2).count == 0


async def test_a_callers_cancellation_while_it_sums_up_keeps_the_answer(path: Path) -> None:
    with trio.move_on_after(0.3) as scope:
        async with opened(
            SOURCE.replace("every 3", "every 1"),
            {"big": Model("hello"), "small": Model("late", seconds=60)},
            store=path,
        ) as session:
            await session.run("a")
    assert scope.cancelled_caught
    with Store.read(path) as store:
        [head] = store.list_terns()
        tern = store.get(head.id)
    assert (tern.status, tern.answer, tern.steps[-1].kind) == ("answered", "hello", "memory")
    assert tern.cost.parties["memory"] == "unknown"


async def test_a_memory_model_without_a_service_is_an_error_before_any_call(path: Path) -> None:
    big = Model("x")

    def connect(plan: Any) -> Any:
        if plan.name == "small":
            raise ConfigurationError("fake/small: no key was found", code="model.unknown-provider")
        from ..helpers import connected  # noqa: PLC0415

        return connected({"big": big})(plan)

    async with program(SOURCE).opened(connect=connect, store=path) as session:
        with pytest.raises(ConfigurationError, match="no key was found"):
            await session.run("a")
    async with program(SOURCE).opened(connect=connect) as session:
        assert (await session.run("a")).answer == "x"


@pytest.mark.slow
async def test_fifty_turns_are_remembered_whole(path: Path) -> None:
    """The 50-turn run: what a reader sees stays short, and every turn is either in a summary or there as it was."""
    source = SOURCE.replace("every 3 keep 2", "every 5 keep 10")
    talk = Talk(path, lambda request: "; ".join(_questions(request.messages[-1].content)), source=source)
    lengths = []
    for turn in range(1, 51):
        await talk.say(f"question {turn}")
        lengths.append(len(talk.big.prompts[-1].splitlines()))
        seen = talk.big.prompts[-1]
        missing = [n for n in range(1, turn) if f"question {n}\n" not in f"{seen}\n".replace(";", "\n")]
        assert missing == []
    assert len(talk.small.requests) == 10
    assert max(lengths) < 25
    with Store.read(path) as store:
        kept = summaries_of(store, talk.thread or "")
        assert [(one.first, one.last) for one, _ in kept] == [(n, n + 4) for n in range(1, 50, 5)]
        assert len(store.history(talk.thread or "", 100)) == 50


def _questions(prompt: str) -> list[str]:
    due = prompt.split("<<< turns to be summed up", 1)[1]
    return [line.removeprefix("Q: ") for line in due.splitlines() if line.startswith("Q: ")]
