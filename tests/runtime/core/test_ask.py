"""Asking and telling: one mailbox, one task for each message, back-pressure, nothing lost."""

import gc
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from math import inf

import pytest
import trio
from trio.testing import MockClock, assert_checkpoints, wait_all_tasks_blocked

from judgeflow.runtime.core import (
    ActorSpec,
    ActorStopped,
    AskTimeout,
    MailboxFull,
    MailboxStatistics,
    StepFailure,
    TraceEvent,
    open_supervisor,
    stateless,
)

Handler = Callable[[int], Awaitable[int]]


class Refused(StepFailure):
    pass


class Desk:
    """A handler whose messages wait until they are let go, and that keeps a list of what happened."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.cancelled: list[int] = []
        self.go = trio.Event()

    async def __call__(self, message: int) -> int:
        self.begun.append(message)
        try:
            await self.go.wait()
        except trio.Cancelled:
            self.cancelled.append(message)
            raise
        return message * 10

    def spec(self, **settings: float) -> ActorSpec[int, int]:
        return ActorSpec(name="desk", behaviour=stateless(self), **settings)  # type: ignore[arg-type]


async def test_the_reply_of_the_handler_reaches_the_asker() -> None:
    async def double(message: int) -> int:
        return message * 2

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="double", behaviour=stateless(double)))
        assert await ref.ask(21) == 42
        assert ref.statistics() == MailboxStatistics(handled=1)


async def test_ask_tell_and_their_errors_are_checkpoints() -> None:
    desk = Desk()
    desk.go.set()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        with assert_checkpoints():
            await ref.ask(1)
        with assert_checkpoints():
            await ref.tell(2)
        await supervisor.stop()
        with assert_checkpoints(), pytest.raises(ActorStopped):
            await ref.ask(3)
        with assert_checkpoints():
            await ref.tell(4)


async def test_an_expected_failure_is_a_value_for_the_asker_and_crashes_nobody() -> None:
    async def refuse(message: int) -> int:
        raise Refused("no")

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="refuse", behaviour=stateless(refuse)))
        for _ in range(5):
            with pytest.raises(Refused, match="no"):
                await ref.ask(1)
        assert ref.statistics() == MailboxStatistics(failed=5)


async def test_a_group_of_expected_failures_is_a_value_too_and_one_with_a_bug_in_it_is_not() -> None:
    async def refuse(message: int) -> int:
        raise ExceptionGroup("two", [Refused("a"), Refused("b") if message else ValueError("bug")])

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="refuse", behaviour=stateless(refuse)))
        with pytest.raises(ExceptionGroup, match="two"):
            await ref.ask(1)
        assert ref.statistics().crashed == 0
        with pytest.raises(StepFailure, match="crashed"):
            await ref.ask(0)
        assert ref.statistics().crashed == 1


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_no_more_messages_are_in_flight_than_the_concurrency(concurrency: int) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(desk.spec(concurrency=concurrency))
        for number in range(5):
            nursery.start_soon(ref.ask, number)
        await wait_all_tasks_blocked()
        assert len(desk.begun) == concurrency
        statistics = ref.statistics()
        assert (statistics.in_flight, statistics.waiting) == (concurrency, 5 - concurrency)
        desk.go.set()
    assert sorted(desk.begun) == [0, 1, 2, 3, 4]


async def test_messages_begin_in_the_order_they_were_sent() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec(mailbox=2))
        async with trio.open_nursery() as nursery:
            for number in range(6):  # one in flight, two in the mailbox, three blocked
                nursery.start_soon(ref.ask, number)
                await wait_all_tasks_blocked()
            desk.go.set()
    assert desk.begun == [0, 1, 2, 3, 4, 5]


async def test_a_handler_runs_in_the_task_of_its_asker_and_what_was_told_in_one_of_the_actor() -> None:
    tasks: dict[str, trio.lowlevel.Task] = {}

    async def note(message: str) -> None:
        tasks[message] = trio.lowlevel.current_task()
        await trio.lowlevel.checkpoint()

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="note", behaviour=stateless(note)))
        await ref.ask("asked")
        await ref.tell("told")
        await wait_all_tasks_blocked()
    assert tasks["asked"] is trio.lowlevel.current_task()
    assert tasks["told"].name == "note"


async def test_a_life_that_ends_by_force_unwinds_its_handlers_before_it_is_torn_down() -> None:
    log: list[str] = []

    @asynccontextmanager
    async def desk() -> AsyncIterator[Handler]:
        async def handle(message: int) -> int:
            try:
                await trio.sleep_forever()
            finally:
                log.append("unwound")
            return message

        yield handle
        log.append("never")

    @asynccontextmanager
    async def behaviour() -> AsyncIterator[Handler]:
        try:
            async with desk() as handle:
                yield handle
        finally:
            log.append("torn down")

    async def ask() -> None:
        with pytest.raises(ActorStopped):
            await ref.ask(1)
        log.append("told")

    async with trio.open_nursery() as nursery, open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="desk", behaviour=behaviour))
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        await supervisor.stop(grace=0)
    assert log == ["unwound", "torn down", "told"]


async def test_an_actor_that_asks_itself_is_ended_in_all_of_its_handlers() -> None:
    async def handle(depth: int) -> int:
        if depth:
            return await ref.ask(depth - 1)
        return await trio.sleep_forever()

    async def ask() -> None:
        with pytest.raises(ActorStopped):
            await ref.ask(3)

    async with trio.open_nursery() as nursery, open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="deep", behaviour=stateless(handle), concurrency=inf))
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        assert ref.statistics().in_flight == 4
        await supervisor.stop(grace=0)
    assert (ref.statistics().in_flight, ref.statistics().cancelled) == (0, 4)


async def test_an_ask_that_begins_while_its_actor_is_ended_is_told_and_handled_by_nobody() -> None:
    desk = Desk()

    async def ask() -> None:
        with pytest.raises(ActorStopped):
            await ref.ask(2)

    async with trio.open_nursery() as nursery, open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec(concurrency=2))
        await wait_all_tasks_blocked()
        nursery.start_soon(ask)
        nursery.start_soon(supervisor.stop, 0)
    assert 2 not in desk.begun or desk.cancelled == [2]
    assert ref.statistics().in_flight == 0


@pytest.mark.parametrize("queued", [False, True])
async def test_the_handler_sees_the_context_variables_of_its_own_asker(queued: bool) -> None:
    who: ContextVar[str] = ContextVar("who", default="nobody")
    seen: dict[str, str] = {}

    async def note(message: str) -> None:
        seen[message] = who.get()
        await trio.lowlevel.checkpoint()

    async def visit(name: str) -> None:
        who.set(name)
        await ref.ask(name)

    async with open_supervisor() as supervisor:
        ref = supervisor.start(
            ActorSpec(name="note", behaviour=stateless(note), concurrency=1 if queued else inf)
        )
        async with trio.open_nursery() as nursery:
            for name in ("ann", "bob", "cem"):
                nursery.start_soon(visit, name)
    assert seen == {"ann": "ann", "bob": "bob", "cem": "cem"}


async def test_tell_waits_for_room_and_no_longer() -> None:
    desk = Desk()
    told: list[int] = []

    async def tell(number: int) -> None:
        await ref.tell(number)
        told.append(number)

    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec(mailbox=2))
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as nursery:
            for number in range(5):
                nursery.start_soon(tell, number)
                await wait_all_tasks_blocked()
            assert told == [0, 1, 2]
            assert (ref.statistics().waiting, ref.statistics().blocked) == (2, 2)
            desk.go.set()
        assert told == [0, 1, 2, 3, 4]
        await wait_all_tasks_blocked()
        assert ref.statistics() == MailboxStatistics(handled=5)


async def test_who_tells_gets_its_turn_among_many_that_ask_again_and_again(autojump_clock: MockClock) -> None:
    async def work(message: int) -> None:
        await trio.sleep(1)

    async def ask() -> None:
        for _ in range(10):
            await ref.ask(1)

    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(ActorSpec(name="busy", behaviour=stateless(work), mailbox=2))
        for _ in range(6):
            nursery.start_soon(ask)
        await trio.sleep(0.5)
        await ref.tell(2)
        assert trio.current_time() == 1
        await ref.tell(3)
        assert trio.current_time() == 2
        assert ref.statistics().waiting == 2


async def test_the_mailbox_holds_32_messages_unless_told_otherwise() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        await wait_all_tasks_blocked()
        for number in range(33):
            ref.tell_nowait(number)
        with pytest.raises(MailboxFull, match=r"'desk' has a full mailbox \(32 waiting\).*await ref\.tell"):
            ref.tell_nowait(33)
        desk.go.set()


async def test_a_cancelled_tell_leaves_no_message_behind() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec(mailbox=1))
        await ref.tell(0)
        await wait_all_tasks_blocked()
        await ref.tell(1)
        with trio.move_on_after(0) as scope:
            await ref.tell(2)
        assert scope.cancelled_caught
        assert ref.statistics().blocked == 0
        desk.go.set()
        await wait_all_tasks_blocked()
    assert desk.begun == [0, 1]


async def test_the_handler_of_a_told_message_lives_on_when_its_sender_is_gone() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        with trio.CancelScope() as scope:
            await ref.tell(1)
            scope.cancel()
            await trio.lowlevel.checkpoint()
        desk.go.set()
        await wait_all_tasks_blocked()
        assert ref.statistics().handled == 1


async def test_a_cancelled_asker_cancels_its_handler_and_no_other() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(desk.spec(concurrency=2))
        nursery.start_soon(ref.ask, 1)
        await wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            nursery.start_soon(_soon, scope.cancel)
            await ref.ask(2)
        assert scope.cancelled_caught
        assert desk.cancelled == [2]
        assert (ref.statistics().in_flight, ref.statistics().cancelled) == (1, 1)
        desk.go.set()


async def _soon(call: Callable[[], None]) -> None:
    await wait_all_tasks_blocked()
    call()


async def test_an_abandoned_ask_returns_when_its_handler_has_unwound(autojump_clock: MockClock) -> None:
    steps: list[str] = []

    async def slow_to_stop(message: int) -> int:
        try:
            await trio.sleep(60)
        finally:
            with trio.move_on_after(5, shield=True):
                await trio.sleep(3)
            steps.append("unwound")
        return message

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="slow", behaviour=stateless(slow_to_stop)))
        with trio.move_on_after(1):
            await ref.ask(1)
        steps.append("asker gone")
    assert steps == ["unwound", "asker gone"]


async def test_a_reply_that_came_in_spite_of_cancellation_is_not_lost(autojump_clock: MockClock) -> None:
    async def paid(message: int) -> str:
        with trio.CancelScope(shield=True):
            await trio.sleep(2)
        return "paid answer"

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="paid", behaviour=stateless(paid)))
        kept = None
        with trio.move_on_after(1) as scope:
            kept = await ref.ask(1)
            await trio.lowlevel.checkpoint()
        assert scope.cancelled_caught
        assert kept == "paid answer"


@pytest.mark.parametrize("mailbox", [1, 8])
async def test_a_message_that_waits_for_nobody_is_dropped_unhandled(mailbox: int) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(desk.spec(mailbox=mailbox))
        nursery.start_soon(ref.ask, 0)
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as gone:
            for number in (1, 2, 3):
                gone.start_soon(ref.ask, number)
            await wait_all_tasks_blocked()
            gone.cancel_scope.cancel()
        statistics = ref.statistics()
        assert (statistics.waiting, statistics.blocked, statistics.dropped) == (0, 0, 3)
        desk.go.set()
    assert desk.begun == [0]


async def test_an_abandoned_place_in_the_mailbox_goes_to_the_next_that_is_blocked() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(desk.spec(mailbox=1))
        nursery.start_soon(ref.ask, 0)
        await wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            nursery.start_soon(ref.ask, 2)
            nursery.start_soon(_soon, scope.cancel)
            await ref.ask(1)
        assert (ref.statistics().waiting, ref.statistics().blocked) == (1, 0)
        desk.go.set()
    assert desk.begun == [0, 2]


async def test_nothing_begins_for_an_asker_that_is_cancelled_already() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        await wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            scope.cancel()
            await ref.ask(1)
        await wait_all_tasks_blocked()
        assert desk.begun == []
        assert ref.statistics() == MailboxStatistics(dropped=1)


async def test_nothing_begins_for_an_asker_whose_deadline_passed_in_synchronous_work(
    mock_clock: MockClock,
) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        await wait_all_tasks_blocked()
        with trio.move_on_after(1) as scope:
            mock_clock.jump(2)
            await ref.ask(1)
        assert scope.cancelled_caught
        assert desk.begun == []


async def test_an_ask_past_its_time_is_a_timeout_and_its_handler_is_cancelled(
    autojump_clock: MockClock,
) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        with pytest.raises(AskTimeout, match="'desk' gave no reply in 2 s"):
            await ref.ask(1, within=2)
        assert trio.current_time() == 2
        assert desk.cancelled == [1]
        desk.go.set()
        assert await ref.ask(2, within=2) == 20


async def test_time_in_the_mailbox_counts(autojump_clock: MockClock) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = supervisor.start(desk.spec())
        nursery.start_soon(ref.ask, 1)
        await wait_all_tasks_blocked()
        with pytest.raises(AskTimeout):
            await ref.ask(2, within=2)
        assert desk.begun == [1]
        assert ref.statistics().waiting == 0
        desk.go.set()


async def test_the_askers_own_deadline_is_its_own_cancellation_and_no_timeout(
    autojump_clock: MockClock,
) -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec())
        with trio.move_on_after(1) as scope:
            await ref.ask(1, within=5)
        assert scope.cancelled_caught
        assert trio.current_time() == 1


@pytest.mark.parametrize(("outer", "within", "seen"), [(inf, 3, 3), (2, 9, 2), (5, 4, 4), (inf, inf, inf)])
async def test_deadlines_only_shrink_on_the_way_down(
    mock_clock: MockClock, outer: float, within: float, seen: float
) -> None:
    async def look(message: int) -> float:
        return trio.current_effective_deadline()

    async def relay(message: int) -> float:
        return await inner.ask(message, within=100)

    async with open_supervisor() as supervisor:
        inner = supervisor.start(ActorSpec(name="inner", behaviour=stateless(look)))
        outermost = supervisor.start(ActorSpec(name="outer", behaviour=stateless(relay)))
        with trio.CancelScope(deadline=outer):
            assert await outermost.ask(1, within=within) == min(seen, 100)


async def test_cancellation_runs_down_a_chain_of_asks() -> None:
    desk = Desk()

    async def relay(message: int) -> int:
        return await inner.ask(message)

    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        inner = supervisor.start(desk.spec())
        outer = supervisor.start(ActorSpec(name="relay", behaviour=stateless(relay)))
        with trio.CancelScope() as scope:
            nursery.start_soon(_soon, scope.cancel)
            await outer.ask(7)
        assert desk.cancelled == [7]


async def test_2000_waiting_asks_are_cancelled_together() -> None:
    desk = Desk()
    async with open_supervisor() as supervisor:
        ref = supervisor.start(desk.spec(concurrency=1000))
        async with trio.open_nursery() as nursery:
            for number in range(2000):
                nursery.start_soon(ref.ask, number)
            await wait_all_tasks_blocked()
            tasks = trio.lowlevel.current_statistics().tasks_living
            nursery.cancel_scope.cancel()
        assert tasks < 2020  # a task for each asker, and none for a handler or for one that waits
        statistics = ref.statistics()
        assert (statistics.in_flight, statistics.waiting, statistics.blocked) == (0, 0, 0)
        assert (statistics.cancelled, statistics.dropped) == (1000, 1000)


async def test_what_is_sent_to_a_stopped_actor_is_a_dead_letter() -> None:
    desk = Desk()
    letters: list[object] = []

    def trace(event: TraceEvent) -> None:
        if event.kind == "dead_letter":
            letters.append((event.name, event.message))

    async with open_supervisor(trace=trace) as supervisor:
        ref = supervisor.start(desk.spec())
    await ref.tell(1)
    ref.tell_nowait(2)
    with pytest.raises(ActorStopped, match="'desk' is stopped"):
        await ref.ask(3)
    assert letters == [("desk", 1), ("desk", 2), ("desk", 3)]
    assert ref.statistics().dead_letters == 3


@pytest.mark.parametrize("settings", [{"concurrency": 0}, {"mailbox": 0}])
def test_an_actor_handles_and_holds_at_least_one_message(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be >= 1"):
        Desk().spec(**settings)


async def test_what_is_sent_during_set_up_waits_for_it(autojump_clock: MockClock) -> None:
    @asynccontextmanager
    async def slow() -> AsyncIterator[Handler]:
        await trio.sleep(10)

        async def handle(message: int) -> int:
            return message

        yield handle

    async with open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="slow", behaviour=slow))
        assert await ref.ask(4) == 4
        assert trio.current_time() == 10


async def test_an_abandoned_ask_leaves_nothing_for_the_garbage_collector() -> None:
    class Thing:
        pass

    async def sleep(thing: Thing) -> None:
        await trio.sleep_forever()

    async def relay(thing: Thing) -> None:
        await inner.ask(thing)

    async def ask_and_go(thing: Thing) -> None:
        with trio.CancelScope() as scope:
            nursery.start_soon(_soon, scope.cancel)
            await outer.ask(thing)

    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        inner = supervisor.start(ActorSpec(name="inner", behaviour=stateless(sleep)))
        outer = supervisor.start(ActorSpec(name="outer", behaviour=stateless(relay)))
        gc.collect()
        gc.disable()
        try:
            thing = Thing()
            await ask_and_go(thing)
            left = weakref.ref(thing)
            del thing
            await wait_all_tasks_blocked()
            assert left() is None
        finally:
            gc.enable()


async def test_a_refused_ask_leaves_nothing_for_the_garbage_collector() -> None:
    async def refuse(message: int) -> int:
        raise Refused("no")

    async def relay(message: int) -> int:
        return await inner.ask(message)

    async def ask() -> weakref.ref[Refused]:
        try:
            await outer.ask(1)
        except Refused as error:
            return weakref.ref(error)
        raise AssertionError

    async with open_supervisor() as supervisor:
        inner = supervisor.start(ActorSpec(name="inner", behaviour=stateless(refuse)))
        outer = supervisor.start(ActorSpec(name="outer", behaviour=stateless(relay)))
        gc.collect()
        gc.disable()
        try:
            assert (await ask())() is None
        finally:
            gc.enable()
