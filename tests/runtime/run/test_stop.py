"""How a run is stopped: softly once what was paid for has come back, or at once. Either way it is recorded."""

from __future__ import annotations

from typing import Any

import trio

from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.judge.protocol import ChatReply, ChatRequest
from judgeflow.runtime.run import RunGuard, events

from ..helpers import Model, opened

SOURCE = """
model small "fake/small" { price $1 in, $1 out }
agent writer(topic: text) { model small  judges [fine] }
code judge fine { require true else "never" }
flow main(text: text) -> json {
  parallel { a = writer("1")  b = writer("2") }
  c = writer("3")
  return [a, b, c]
}
"""


class Slow(Model):
    """The second call takes longer than the first."""

    async def chat(self, request: ChatRequest) -> ChatReply:
        await trio.sleep(float(request.messages[-1].content) * 2)
        return await super().chat(request)


async def stopped(model: Model, *when: tuple[float, str]) -> tuple[Any, list[events.Event]]:
    """A run to which things are done at some seconds."""
    executions: list[Execution] = []
    results: list[Any] = []
    seen: list[events.Event] = []

    async with opened(SOURCE, {"small": model}) as session:

        async def start() -> None:
            results.append(await session.run("x", started=executions.append, hooks=[seen.append]))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(start)
            for at, what in when:
                await trio.sleep_until(at)
                getattr(executions[0], what)()
    return results[0], seen


async def test_u33_a_soft_stop_lets_calls_in_flight_end_keeps_them_and_starts_nothing(
    autojump_clock: Any,
) -> None:
    small = Slow("ok")
    result, _ = await stopped(small, (1, "stop"))
    assert trio.current_time() == 4, "both calls in flight came back, after 2 and 4 seconds"
    assert (result.status, result.record.code, result.record.reason) == ("cancelled", "cancelled", "stopped")
    assert (small.answered, result.record.usage.calls, result.cost.total) == (2, 2, "0.00003")
    assert [found.status for found in result.record.steps] == ["cancelled", "cancelled"]
    # What was paid for is there, though nothing was made of it.
    kept = [(a.outcome, a.answer) for found in result.record.steps for a in found.attempts]
    assert kept == [("cancelled", "ok"), ("cancelled", "ok")]
    assert [verdict for found in result.record.steps for verdict in found.verdicts] == []


async def test_a_second_stop_ends_it_at_once_and_keeps_what_was_paid(autojump_clock: Any) -> None:
    small = Slow("ok")
    result, _ = await stopped(small, (1, "stop"), (3, "abort"))
    assert trio.current_time() == 3
    assert (result.status, small.answered) == ("cancelled", 1)
    assert (result.cost.total, result.cost.known) == ("unknown", "0.000015")
    kept = [(a.outcome, a.answer) for found in result.record.steps for a in found.attempts]
    assert kept == [("cancelled", "ok"), ("cancelled", None)]


async def test_with_nothing_in_flight_a_soft_stop_is_immediate(autojump_clock: Any) -> None:
    executions: list[Execution] = []

    async def approver(question: str, showing: Any) -> bool:
        executions[0].stop()
        await trio.sleep(60)
        return True

    source = 'flow main(text: text) -> json { yes = approve "Go on?"  return yes }'
    async with opened(source, {}) as session:
        result = await session.run("x", approver=approver, started=executions.append)
    assert (result.status, trio.current_time()) == ("cancelled", 0)


async def test_an_abort_before_the_first_step_leaves_a_record(autojump_clock: Any) -> None:
    async with opened(SOURCE, {"small": Model("ok")}) as session:
        result = await session.run("x", started=lambda execution: execution.abort())
    assert (result.status, result.record.steps) == ("cancelled", ())


async def test_a_run_that_has_ended_ignores_a_stop(autojump_clock: Any) -> None:
    executions: list[Execution] = []
    async with opened(SOURCE, {"small": Model("ok")}) as session:
        result = await session.run("x", started=executions.append)
        executions[0].stop()
        executions[0].abort()
    assert result.status == "answered"


async def test_one_run_that_is_stopped_leaves_the_others_alone(autojump_clock: Any) -> None:
    executions: list[Execution] = []
    results: list[Any] = []
    async with opened(SOURCE, {"small": Slow("ok")}) as session:

        async def start() -> None:
            results.append(await session.run("x", started=executions.append))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(start)
            nursery.start_soon(start)
            await trio.sleep(1)
            executions[0].abort()
    assert [result.status for result in results] == ["cancelled", "answered"]


async def test_the_guard_counts_calls_and_parks_whoever_comes_after_a_stop(autojump_clock: Any) -> None:
    with trio.CancelScope() as scope:
        guard = RunGuard(scope)
        guard.begin()
        guard.begin()
        guard.stop()
        guard.end()
        assert not scope.cancel_called
        async with trio.open_nursery() as nursery:
            nursery.start_soon(guard.check)
            await trio.sleep(1)
            guard.end()
    assert scope.cancelled_caught


async def test_a_check_sees_a_deadline_that_passed_during_synchronous_work(mock_clock: Any) -> None:
    with trio.CancelScope(deadline=1) as scope:
        mock_clock.jump(2)
        await RunGuard(scope).check()
    assert scope.cancelled_caught
