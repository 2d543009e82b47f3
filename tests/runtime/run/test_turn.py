"""Calls under way: what waits for a permit or for another attempt is not, and a stopped run sends nothing more."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
import trio

from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatReply, ChatRequest
from judgeflow.runtime.providers.clockwork import Clockwork
from judgeflow.runtime.providers.service import Call, Service
from judgeflow.runtime.providers.settings import Target
from judgeflow.runtime.report.live import LiveView
from judgeflow.runtime.run import events

from ..helpers import Model, opened

SOURCE = """
model small "fake/small"
agent writer(topic: text) { model small }
flow main(text: text) -> json {
  all = each item in json(text) at most 9 at once: writer("{{ item }}")
  return all
}
"""


class Served(Model):
    """A model behind the path that every real service takes, with an exchange made by hand."""

    def __init__(self, *failures: str, concurrency: int, seconds: float) -> None:
        super().__init__("ok")
        self.failures = list(failures)
        self.sent = 0
        self.seconds = seconds
        target = Target("fake", "openai", "http://127.0.0.1:9/v1", concurrency=concurrency, retries=3)
        self.service = Service(target, Clockwork(), auth=())
        self.service._exchange = self._exchange  # type: ignore[method-assign]

    async def chat(self, request: ChatRequest) -> ChatReply:
        call: Any = Call("/chat", b"", lambda head: None, request.caller)  # type: ignore[arg-type, return-value]
        reply, _ = await self.service.call(call)
        return reply

    async def _exchange(self, call: Any) -> Any:
        self.sent += 1
        await trio.sleep(self.seconds)
        if self.failures:
            raise self.service.failures.make(self.failures.pop(0), "no")
        return ChatReply("ok")


async def stopped(model: Served, items: str, at: float) -> tuple[Any, list[events.Event], list[int]]:
    """A run that is stopped softly at some second; the third is how many calls were then in flight."""
    executions: list[Execution] = []
    seen: list[events.Event] = []
    flight: list[int] = []
    results: list[Any] = []
    async with opened(SOURCE, {"small": model}) as session:

        async def start() -> None:
            results.append(await session.run(items, hooks=[seen.append], started=executions.append))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(start)
            await trio.sleep(at)
            flight.append(executions[0].guard.in_flight)
            executions[0].stop()
    return results[0], seen, flight


async def test_what_waits_for_a_permit_is_not_under_way_and_is_not_sent_after_a_stop(
    autojump_clock: Any,
) -> None:
    model = Served(concurrency=2, seconds=2)
    result, _, flight = await stopped(model, "[1, 2, 3, 4, 5]", at=1)
    assert (result.status, flight, model.sent) == ("cancelled", [2], 2)
    assert trio.current_time() == 2, "the two on their way came back, and nobody waited for the others"


async def test_what_waits_to_be_sent_again_is_not_under_way(autojump_clock: Any) -> None:
    model = Served("provider.rate-limited", concurrency=2, seconds=1)
    result, seen, flight = await stopped(model, "[1]", at=1.01)
    assert (result.status, flight, model.sent) == ("cancelled", [0], 1)
    assert trio.current_time() == 1.01
    [retrying] = [event for event in seen if isinstance(event, events.Retrying)]
    assert (retrying.party, retrying.delay > 0) == ("agent:writer", True)


async def test_a_stopped_run_holds_no_permit_that_another_waits_for(autojump_clock: Any) -> None:
    model = Served(concurrency=1, seconds=3)
    executions: list[Execution] = []
    ends: dict[str, tuple[str, float]] = {}
    async with opened(SOURCE, {"small": model}) as session:

        async def start(name: str, items: str) -> None:
            result = await session.run(items, started=executions.append)
            ends[name] = (result.status, trio.current_time())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(start, "stopped", "[1, 2, 3]")
            await trio.sleep(1)
            nursery.start_soon(start, "other", "[4]")
            await trio.sleep(1)
            executions[0].stop()
    assert ends == {"stopped": ("cancelled", 3.0), "other": ("answered", 6.0)}


async def test_a_call_that_is_sent_again_answers_in_the_end(autojump_clock: Any) -> None:
    model = Served("provider.rate-limited", "provider.overloaded", concurrency=2, seconds=1)
    async with opened(SOURCE, {"small": model}) as session:
        result = await session.run("[1]")
    assert (result.answer, model.sent) == (["ok"], 3)


async def test_a_provider_used_by_itself_needs_no_turn(autojump_clock: Any) -> None:
    model = Served(concurrency=1, seconds=0)
    assert (await model.chat(ChatRequest("m", (), Caller("agent:a")))).text == "ok"
    failing = Served("provider.bad-request", concurrency=1, seconds=0)
    with pytest.raises(ProviderError) as caught:
        await failing.chat(ChatRequest("m", (), Caller("agent:a")))
    assert caught.value.code == "provider.bad-request"


NESTED = """
model small "fake/small"
agent parent(topic: text) { model small }
agent child(topic: text) { model small }
flow family(topic: text) -> json {
  first    = parent(topic)
  children = each name in ["a", "b"] at most 2 at once: child("{{ topic }} {{ name }} {{ first }}")
  return [first, children]
}
flow main(items: text[]) -> json {
  all = each item in items at most 5 at once: family(item)
  return all
}
"""


async def test_a_permit_is_held_for_one_request_so_that_parents_and_children_never_wait_for_each_other(
    autojump_clock: Any,
) -> None:
    model = Served(concurrency=3, seconds=6.0)
    async with opened(NESTED, {"small": model}) as session:
        result = await session.run({"items": ["1", "2", "3", "4", "5"]}, flow="main")
    assert (result.status, model.sent) == ("answered", 15)
    assert result.answer == [["ok", ["ok", "ok"]]] * 5
    # Waiting for a permit is no failure, however long it takes.
    assert trio.current_time() >= 15 / 3 * 6.0


async def test_a_retry_is_counted_down_on_the_screen(autojump_clock: Any) -> None:
    screen = io.StringIO()
    view = LiveView(screen, live=False, colour=False, workflow="demo")
    model = Served("provider.overloaded", concurrency=1, seconds=1.0)
    async with opened(SOURCE, {"small": model}) as session:
        result = await session.run("[1]", hooks=[view])
    assert result.answer == ["ok"]
    assert re.search(r"^\? agent:writer  retrying in 0:0\d \(attempt 2\)  ", screen.getvalue(), re.MULTILINE)
