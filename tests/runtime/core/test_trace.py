"""What a trace hook is told, and that it cannot harm what it watches."""

import logging

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from judgeflow.runtime.core import (
    ActorCrashed,
    ActorSpec,
    AskTimeout,
    Backoff,
    Intensity,
    StepFailure,
    TraceEvent,
    open_supervisor,
    stateless,
)

from .trees import rooted


class Refused(StepFailure):
    pass


async def handle(message: str) -> str:
    if message == "sleep":
        await trio.sleep_forever()
    if message == "refuse":
        raise Refused
    if message == "crash":
        raise ZeroDivisionError
    return message


async def test_every_event_of_an_actor_is_told_in_order(autojump_clock: MockClock) -> None:
    events: list[TraceEvent] = []
    backoff = Backoff(first=1.0, jitter=0.0)
    async with open_supervisor(
        rooted(intensity=Intensity(9, 9), backoff=backoff), trace=events.append
    ) as root:
        ref = root.start(ActorSpec(name="a", behaviour=stateless(handle)))
        await ref.ask("plain")
        with pytest.raises(Refused):
            await ref.ask("refuse")
        with pytest.raises(AskTimeout):
            await ref.ask("sleep", within=1)
        with pytest.raises(ActorCrashed):
            await ref.ask("crash")
        await trio.sleep(5)
    await ref.tell("late")
    told = [(event.kind, event.message, type(event.error).__name__, event.delay) for event in events]
    assert told == [
        ("started", None, "NoneType", 0.0),
        ("begun", "plain", "NoneType", 0.0),
        ("ended", "plain", "NoneType", 0.0),
        ("begun", "refuse", "NoneType", 0.0),
        ("ended", "refuse", "Refused", 0.0),
        ("begun", "sleep", "NoneType", 0.0),
        ("cancelled", "sleep", "NoneType", 0.0),
        ("begun", "crash", "NoneType", 0.0),
        ("crashed", None, "ZeroDivisionError", 0.0),
        ("ended", "crash", "ActorCrashed", 0.0),
        ("restarted", None, "ZeroDivisionError", 1.0),
        ("stopped", None, "NoneType", 0.0),
        ("started", None, "NoneType", 0.0),
        ("stopped", None, "NoneType", 0.0),
        ("dead_letter", "late", "NoneType", 0.0),
    ]
    assert {event.name for event in events} == {"a"}


async def test_a_hook_that_raises_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: TraceEvent) -> None:
        raise ValueError("hook")

    with caplog.at_level(logging.ERROR):
        async with open_supervisor(trace=broken) as root:
            ref = root.start(ActorSpec(name="a", behaviour=stateless(handle)))
            assert await ref.ask("plain") == "plain"
    assert "a trace hook raised" in caplog.text
    assert ref.statistics().crashed == 0


async def test_without_a_hook_no_event_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError

    monkeypatch.setattr("judgeflow.runtime.core.actor.TraceEvent", forbidden)
    async with open_supervisor() as root:
        ref = root.start(ActorSpec(name="a", behaviour=stateless(handle)))
        assert await ref.ask("plain") == "plain"
        await wait_all_tasks_blocked()
    assert ref.statistics().handled == 1


async def test_a_hook_that_cancels_the_asker_as_its_message_begins_cancels_the_handler() -> None:
    async def sleep(message: str) -> None:
        await trio.sleep_forever()

    def cancel(event: TraceEvent) -> None:
        if event.kind == "begun":
            scope.cancel()

    async with open_supervisor(trace=cancel) as root:
        ref = root.start(ActorSpec(name="a", behaviour=stateless(sleep)))
        with trio.CancelScope() as scope:
            await ref.ask("x")
    assert scope.cancelled_caught
    assert ref.statistics().cancelled == 1
