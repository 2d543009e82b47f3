"""What a thread's next turn reads, whatever became of the turns before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ChatReply, ChatRequest, Usage
from judgeflow.runtime.store.history import History, shortened
from judgeflow.runtime.store.records import Summary
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, Tools, opened, program

SOURCE = """
model small "fake/small"
tool find(what: text) -> text { python "find.py:find" }
agent writer(topic: text) { model small  tools [find] }
flow main(text: text) -> text { return writer(text) }
"""
TOO_LONG = ProviderError(
    "Your request exceeded model token limit: 128000", code="provider.context-limit", usage=Usage()
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "find.py").write_text("def find(what):\n    return what + '!'\n")
    return tmp_path / "terns.sqlite"


def fits(request: ChatRequest, most: int) -> bool:
    return sum(len(message.content) for message in request.messages) <= most


async def test_case_268_a_thread_that_no_longer_fits_is_asked_again_without_its_older_half(
    path: Path,
) -> None:
    def reply(request: ChatRequest) -> Any:
        return f"answer {len(small.requests)}" if fits(request, 95) else TOO_LONG

    small = Model(reply)
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        thread = None
        for task in ("one", "two", "three", "four", "five"):
            result = await session.run(task, thread=thread)
            thread = result.thread
    assert result.status == "answered"
    assert small.prompts[-2].startswith("Previous turns:\nQ: one\n")
    assert small.prompts[-1] == "Previous turns:\nQ: three\nA: answer 3\nQ: four\nA: answer 4\n\nTask:\nfive"
    assert result.record.warnings == (
        "writer: Your request exceeded model token limit: 128000; "
        "asked again without the oldest of the thread (turns: 2, summaries: 0)",
    )


async def test_case_268_it_is_asked_once_more_and_not_for_ever(path: Path) -> None:
    small = Model("one", TOO_LONG)
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        thread = (await session.run("a")).thread
        result = await session.run("b", thread=thread)
    assert (result.status, len(small.requests)) == ("failed", 3)
    assert "token limit: 128000" in (result.record.reason or "")


async def test_case_268_without_a_thread_there_is_nothing_to_leave_out(path: Path) -> None:
    small = Model(TOO_LONG)
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        assert (await session.run("a")).status == "failed"
    assert len(small.requests) == 1


async def test_case_256_case_258_no_tool_result_is_ever_without_its_call(path: Path) -> None:
    """Whatever is left out of a request, every result in it stands behind the message that called for it."""

    def reply(request: ChatRequest) -> Any:
        results = sum(message.role == "tool" for message in request.messages)
        if results == 2:
            return "done" if "Q: one" not in request.messages[-5].content else TOO_LONG
        return Tools(("find", {"what": f"call {results}"}), text="looking")

    small = Model("1", "2", reply)
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        thread = (await session.run("one")).thread
        await session.run("two", thread=thread)
        result = await session.run("three", thread=thread)
    assert (result.status, result.answer) == ("answered", "done")
    for request in small.requests:
        called: set[str] = set()
        for message in request.messages:
            called |= {call.id for call in message.tool_calls}
            assert message.role != "tool" or message.tool_call_id in called
    assert [message.role for message in small.requests[-1].messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]


def test_the_older_half_goes_summaries_first() -> None:
    summaries = tuple(Summary(first=n, last=n, text=str(n)) for n in range(3))
    full = History(("t1", "t2"), summaries)  # type: ignore[arg-type]
    assert shortened(full) == History(("t1", "t2"), ())  # type: ignore[arg-type]
    assert shortened(History(("t1", "t2"))) == History(("t2",))  # type: ignore[arg-type]
    assert not shortened(History(("t1",)))  # type: ignore[arg-type]


async def test_case_262_try_again_reaches_the_model_with_the_failed_question(path: Path) -> None:
    small = Model(ProviderError("the service is down"), "7 rows")
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        first = await session.run("count the rows")
        second = await session.run("try again", thread=first.thread)
    assert (first.status, second.answer) == ("failed", "7 rows")
    assert small.prompts[1] == "Previous turns:\nQ: count the rows\nA: [failed]\n\nTask:\ntry again"


async def test_case_263_a_reply_without_a_text_is_never_a_blank_turn(path: Path) -> None:
    small = Model(ChatReply("", (), Usage(10, 0), "m"), "hello")
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        first = await session.run("a")
        await session.run("b", thread=first.thread)
    assert (first.status, first.record.code) == ("failed", "step.agent.empty-answer")
    assert first.record.reason == "writer: the model ended its turn without a text"
    assert first.record.usage.input_tokens == 10
    assert small.prompts[-1].startswith("Previous turns:\nQ: a\nA: [failed]\n")


async def test_case_265_two_processes_on_one_thread_lose_no_turn(path: Path) -> None:
    small = Model(lambda request: f"to {request.messages[-1].content.splitlines()[-1]}", seconds=0.02)
    async with opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as session:
        thread = (await session.run("start")).thread

    async def talk(session: Any, name: str) -> None:
        for n in range(3):
            await session.run(f"{name}{n}", thread=thread)

    async with (
        opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as one,
        opened(program(SOURCE, path.with_name("talk.judge")), {"small": small}, store=path) as other,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(talk, one, "a")
        nursery.start_soon(talk, other, "b")
    with Store.read(path) as store:
        turns = store.history(thread, 10)
    assert [turn.turn for turn in turns] == [1, 2, 3, 4, 5, 6, 7]
    assert {turn.task for turn in turns} == {"start", "a0", "a1", "a2", "b0", "b1", "b2"}
    assert all(turn.answer == f"to {turn.task}" for turn in turns)
