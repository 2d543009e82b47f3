"""A bug ends one life of one actor: its asker is told, everything else goes on."""

# ruff: noqa: PT012 - what raises is the whole scenario

import gc
import math
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from judgeflow.runtime.core import (
    ActorCrashed,
    ActorSpec,
    ActorStopped,
    AskTimeout,
    Backoff,
    Finished,
    Intensity,
    MailboxStatistics,
    Restart,
    StepFailure,
    TraceEvent,
    open_supervisor,
    stateless,
)

from .trees import rooted

STEADY = Backoff(first=1.0, factor=2.0, most=5.0, jitter=0.0)
PATIENT = Intensity(100, 60.0)


class BugError(Exception):
    pass


class Shop:
    """Numbered lives. A message is (what to do, seconds); what happened is in `log`."""

    def __init__(self) -> None:
        self.lives = 0
        self.log: list[str] = []
        self.handled: list[object] = []
        self.failing_setups: set[int] = set()
        self.failing_teardowns: set[int] = set()

    @asynccontextmanager
    async def behaviour(self) -> AsyncIterator[Callable[[tuple[str, float]], Awaitable[int]]]:
        self.lives += 1
        life = self.lives
        if life in self.failing_setups:
            raise BugError("set-up")
        self.log.append(f"up {life}")

        async def handle(message: tuple[str, float]) -> int:
            what, seconds = message
            self.handled.append(what)
            await trio.sleep(seconds)
            if what.startswith("crash"):
                raise BugError(what)
            if what == "finish":
                raise Finished(life)
            return life

        try:
            yield handle
        finally:
            self.log.append(f"down {life}")
            if life in self.failing_teardowns:
                raise BugError("tear-down")

    def spec(self, **settings: object) -> ActorSpec[tuple[str, float], int]:
        return ActorSpec(name="shop", behaviour=self.behaviour, **settings)  # type: ignore[arg-type]


async def test_the_asker_of_the_message_is_told_the_actor_and_the_cause(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        ref = supervisor.start(shop.spec())
        with pytest.raises(ActorCrashed, match=r"'shop' crashed over this message \(BugError\)") as caught:
            await ref.ask(("crash", 0))
        assert isinstance(caught.value.__cause__, BugError)
        assert caught.value.name == "shop"
        assert isinstance(caught.value, StepFailure)  # who asked did nothing wrong and does not crash for it


async def test_a_crash_does_not_crash_the_actor_that_asked(autojump_clock: MockClock) -> None:
    shop = Shop()

    async def relay(message: int) -> int:
        return await inner.ask(("crash", 0))

    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        inner = supervisor.start(shop.spec())
        outer = supervisor.start(ActorSpec(name="relay", behaviour=stateless(relay)))
        with pytest.raises(ActorCrashed, match="'shop'"):
            await outer.ask(1)
        assert outer.statistics() == MailboxStatistics(failed=1)
        assert inner.statistics().crashed == 1


async def test_state_is_torn_down_and_set_up_again(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        ref = supervisor.start(shop.spec())
        assert await ref.ask(("work", 0)) == 1
        with pytest.raises(ActorCrashed):
            await ref.ask(("crash", 0))
        assert await ref.ask(("work", 0)) == 2
        assert (ref.statistics().crashed, ref.statistics().restarts) == (1, 1)
    assert shop.log == ["up 1", "down 1", "up 2", "down 2"]


async def test_others_in_flight_finish_on_the_old_life_and_new_ones_do_not_wait_for_them(
    autojump_clock: MockClock,
) -> None:
    shop = Shop()
    results: dict[str, tuple[int, float]] = {}

    async def ask(what: str, seconds: float) -> None:
        results[what] = (await ref.ask((what, seconds)), trio.current_time())

    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        ref = supervisor.start(shop.spec(concurrency=math.inf))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "slow", 60)
            await wait_all_tasks_blocked()
            with pytest.raises(ActorCrashed):
                await ref.ask(("crash", 0))
            nursery.start_soon(ask, "later", 1)
    assert results == {"slow": (1, 60.0), "later": (2, 2.0)}
    assert shop.log == ["up 1", "up 2", "down 1", "down 2"]


async def test_messages_of_the_old_life_count_against_the_concurrency(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        ref = supervisor.start(shop.spec(concurrency=2))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ref.ask, ("slow", 60))
            await wait_all_tasks_blocked()
            with pytest.raises(ActorCrashed):
                await ref.ask(("crash", 0))
            nursery.start_soon(ref.ask, ("a", 5))
            nursery.start_soon(ref.ask, ("b", 5))
            await trio.sleep(2)
            assert shop.lives == 2
            assert (ref.statistics().in_flight, ref.statistics().waiting) == (2, 1)


async def test_queued_messages_wait_for_the_new_life_and_the_crashed_one_is_not_sent_again(
    autojump_clock: MockClock,
) -> None:
    shop = Shop()
    lives: list[int] = []

    async def ask(what: str) -> None:
        lives.append(await ref.ask((what, 0)))

    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        ref = supervisor.start(shop.spec())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_expect_crash, ref.ask, ("crash", 1))
            await wait_all_tasks_blocked()
            nursery.start_soon(ask, "a")
            nursery.start_soon(ask, "b")
        assert trio.current_time() == 2  # a second of work, a second of backoff
    assert lives == [2, 2]
    assert sorted(map(str, shop.handled)) == ["a", "b", "crash"]


async def _expect_crash(
    ask: Callable[[tuple[str, float]], Awaitable[int]], message: tuple[str, float]
) -> None:
    with pytest.raises(ActorCrashed):
        await ask(message)


async def test_an_ask_to_itself_from_the_old_life_is_answered_by_the_new_one(
    autojump_clock: MockClock,
) -> None:
    async def handle(message: str) -> str:
        if message == "crash":
            raise BugError
        if message == "again":
            await trio.sleep(5)
            return await ref.ask("plain")
        return message

    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        ref = supervisor.start(ActorSpec(name="self", behaviour=stateless(handle), concurrency=math.inf))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ref.ask, "again")
            await wait_all_tasks_blocked()
            with pytest.raises(ActorCrashed):
                await ref.ask("crash")
        assert ref.statistics().handled == 2


async def test_the_backoff_doubles_to_its_limit_within_the_window_and_starts_over_after_it(
    autojump_clock: MockClock,
) -> None:
    shop = Shop()
    waits: list[float] = []
    async with open_supervisor(rooted(intensity=Intensity(10, 30.0), backoff=STEADY)) as supervisor:
        ref = supervisor.start(shop.spec())
        for pause in (0, 0, 0, 0, 100):
            await trio.sleep(pause)
            with pytest.raises(ActorCrashed):
                await ref.ask(("crash", 0))
            before = trio.current_time()
            await ref.ask(("work", 0))
            waits.append(trio.current_time() - before)
    assert waits == [1, 2, 4, 5, 1]


def test_jitter_takes_off_up_to_its_share_and_is_the_random_source_that_was_passed_in() -> None:
    delays = [Backoff(first=1.0, jitter=0.5).delay(1, Random(seed)) for seed in range(200)]
    assert 0.5 <= min(delays) < 0.52
    assert 0.98 < max(delays) <= 1.0
    assert Backoff().delay(3, Random(7)) == Backoff().delay(3, Random(7))


async def test_a_backoff_holds_up_nobody_else(autojump_clock: MockClock) -> None:
    broken, sound = Shop(), Shop()
    async with open_supervisor(rooted(intensity=PATIENT, backoff=Backoff(first=500, most=500))) as supervisor:
        bad, good = supervisor.start(broken.spec()), supervisor.start(sound.spec())
        with pytest.raises(ActorCrashed):
            await bad.ask(("crash", 0))
        assert await good.ask(("work", 1)) == 1
        assert trio.current_time() == 1


async def test_a_set_up_that_fails_is_a_crash_and_is_tried_again(autojump_clock: MockClock) -> None:
    shop = Shop()
    shop.failing_setups = {1, 2}
    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        ref = supervisor.start(shop.spec())
        assert await ref.ask(("work", 0)) == 3
        assert trio.current_time() == 3
        assert ref.statistics().crashed == 2


async def test_a_tear_down_that_fails_after_a_crash_is_counted_and_told(autojump_clock: MockClock) -> None:
    shop, told = Shop(), []
    shop.failing_teardowns = {1}

    def trace(event: TraceEvent) -> None:
        if event.kind == "crashed":
            told.append(str(event.error))

    async with open_supervisor(rooted(intensity=PATIENT), trace=trace) as supervisor:
        ref = supervisor.start(shop.spec())
        with pytest.raises(ActorCrashed):
            await ref.ask(("crash", 0))
        assert await ref.ask(("work", 0)) == 2
    assert told == ["crash", "tear-down"]
    assert ref.statistics().restarts == 1


async def test_a_tear_down_that_fails_at_the_stop_is_raised_and_the_others_still_stop_in_order(
    autojump_clock: MockClock,
) -> None:
    first, second = Shop(), Shop()
    second.failing_teardowns = {1}
    with pytest.raises(BugError, match="tear-down"):
        async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
            ref = supervisor.start(first.spec())
            supervisor.start(second.spec())
            nursery.start_soon(ref.ask, ("work", 3))
            await wait_all_tasks_blocked()
            await supervisor.stop()
    assert ref.statistics().handled == 1


@pytest.mark.parametrize("service", [False, True])
async def test_a_tear_down_that_fails_beside_an_exception_of_the_block_is_raised_with_it(
    service: bool,
) -> None:
    shop = Shop()
    shop.failing_teardowns = {1}
    with pytest.raises(ExceptionGroup) as caught:
        async with open_supervisor() as supervisor:
            supervisor.start(shop.spec(service=service))
            await wait_all_tasks_blocked()
            raise KeyError("block")
    assert sorted(type(each).__name__ for each in caught.value.exceptions) == ["BugError", "KeyError"]


async def test_a_crash_while_it_stops_renews_nothing(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
            ref = supervisor.start(shop.spec())
            nursery.start_soon(_expect_crash, ref.ask, ("crash", 1))
            await wait_all_tasks_blocked()
        assert trio.current_time() == 1
    assert (shop.lives, ref.statistics().restarts) == (1, 0)


async def test_the_backoff_counts_the_restarts_of_that_child_alone(autojump_clock: MockClock) -> None:
    first, second = Shop(), Shop()
    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        refs = [supervisor.start(shop.spec()) for shop in (first, second)]
        for ref in refs:
            before = trio.current_time()
            with pytest.raises(ActorCrashed):
                await ref.ask(("crash", 0))
            await ref.ask(("work", 0))
            assert trio.current_time() - before == 1


async def test_a_background_task_that_dies_renews_the_actor_and_tells_those_in_flight(
    autojump_clock: MockClock,
) -> None:
    lives = 0

    @asynccontextmanager
    async def process() -> AsyncIterator[Callable[[float], Awaitable[int]]]:
        nonlocal lives
        lives += 1
        life = lives

        async def watch() -> None:
            await trio.sleep(5)
            raise BugError("process died")

        async def handle(seconds: float) -> int:
            await trio.sleep(seconds)
            return life

        async with trio.open_nursery() as nursery:
            if life == 1:
                nursery.start_soon(watch)
            yield handle
            nursery.cancel_scope.cancel()

    async with open_supervisor(rooted(intensity=PATIENT, backoff=STEADY)) as supervisor:
        ref = supervisor.start(ActorSpec(name="process", behaviour=process, concurrency=2))
        with pytest.raises(ActorCrashed) as caught:
            await ref.ask(60)
        assert trio.current_time() == 5
        assert isinstance(caught.value.__cause__, ExceptionGroup)
        assert await ref.ask(0) == 2
        assert trio.current_time() == 6
        assert (ref.statistics().crashed, ref.statistics().in_flight) == (1, 0)


async def test_a_told_message_can_crash_the_actor_too(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        ref = supervisor.start(shop.spec())
        await ref.tell(("crash", 0))
        assert await ref.ask(("work", 0)) == 2


@pytest.mark.parametrize("service", [False, True])
async def test_a_temporary_actor_is_not_renewed_and_its_queue_is_told_why(
    autojump_clock: MockClock, service: bool
) -> None:
    shop = Shop()
    told: list[BaseException | None] = []

    async def wait() -> None:
        with pytest.raises(ActorStopped) as caught:
            await ref.ask(("work", 0))
        told.append(caught.value.__cause__)

    async with open_supervisor() as supervisor:
        ref = supervisor.start(shop.spec(restart="temporary", service=service))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_expect_crash, ref.ask, ("crash", 1))
            await wait_all_tasks_blocked()
            nursery.start_soon(wait)
        with pytest.raises(ActorStopped):
            await ref.ask(("work", 0))
        assert shop.lives == 1
    assert [type(each) for each in told] == [BugError]


@pytest.mark.parametrize(
    ("restart", "after_crash", "after_finish"),
    [("permanent", True, True), ("transient", True, False), ("temporary", False, False)],
)
async def test_who_is_renewed_after_a_crash_and_who_after_finishing(
    autojump_clock: MockClock, restart: Restart, after_crash: bool, after_finish: bool
) -> None:
    crashing, finishing = Shop(), Shop()
    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        ref = supervisor.start(crashing.spec(restart=restart))
        with pytest.raises(ActorCrashed):
            await ref.ask(("crash", 0))
        done = supervisor.start(finishing.spec(restart=restart))
        assert await done.ask(("finish", 0)) == 1
        await trio.sleep(10)
        assert (crashing.lives == 2) is after_crash
        assert (finishing.lives == 2) is after_finish
        assert done.statistics().crashed == 0


async def test_children_that_ended_are_forgotten(autojump_clock: MockClock) -> None:
    shop = Shop()
    async with open_supervisor() as supervisor:
        for _ in range(20):
            await supervisor.start(shop.spec(restart="temporary")).ask(("finish", 0))
        await wait_all_tasks_blocked()
        assert len(supervisor._children) == 0
        assert trio.lowlevel.current_statistics().tasks_living < 12
    assert sorted(shop.log) == sorted(f"{way} {life}" for life in range(1, 21) for way in ("up", "down"))


async def _late(fault: Exception) -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise fault


async def _cleans_up_badly(fault: Exception) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_late, fault)
        await trio.sleep_forever()


@pytest.mark.parametrize("fault", [BugError, StepFailure])
async def test_what_a_cancelled_handler_raises_beside_is_nothing_to_its_asker_and_a_bug_is_a_crash(
    autojump_clock: MockClock, fault: type[Exception]
) -> None:
    async def relay(message: str) -> None:
        await inner.ask(fault(message))

    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        inner = supervisor.start(ActorSpec(name="inner", behaviour=stateless(_cleans_up_badly)))
        outer = supervisor.start(ActorSpec(name="outer", behaviour=stateless(relay)))
        with trio.move_on_after(1) as scope:
            await outer.ask("cancelled")
        assert scope.cancelled_caught
        with pytest.raises(AskTimeout):
            await inner.ask(fault("late"), within=1)
        await trio.sleep(10)
    is_bug = fault is BugError
    assert outer.statistics() == MailboxStatistics(cancelled=1)
    assert inner.statistics() == MailboxStatistics(cancelled=2, crashed=2 * is_bug, restarts=2 * is_bug)


@pytest.mark.parametrize(("fault", "told"), [(BugError, ActorCrashed), (StepFailure, ActorStopped)])
async def test_a_bug_in_a_handler_that_the_stop_cut_is_told_and_a_failure_is_not_why(
    fault: type[Exception], told: type[Exception]
) -> None:
    async def ask() -> None:
        with pytest.raises(told):
            await ref.ask(fault())

    async with trio.open_nursery() as nursery, open_supervisor() as supervisor:
        ref = supervisor.start(ActorSpec(name="a", behaviour=stateless(_cleans_up_badly)))
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        await supervisor.stop(grace=0)
    assert ref.statistics().crashed == (fault is BugError)
    assert ref.statistics().in_flight == 0


async def test_a_crash_leaves_nothing_for_the_garbage_collector(autojump_clock: MockClock) -> None:
    class Thing:
        pass

    async def crash(thing: Thing) -> None:
        try:
            await trio.sleep(5)
        finally:
            raise BugError

    async def beside(thing: Thing) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash, thing)
            await trio.sleep_forever()

    async def ask(handle: Callable[[Thing], Awaitable[None]], seconds: float) -> None:
        thing = Thing()
        left.append(weakref.ref(thing))
        ref = supervisor.start(ActorSpec(name="a", behaviour=stateless(handle)))
        with trio.move_on_after(seconds):
            try:
                await ref.ask(thing)
            except ActorCrashed as error:
                left.append(weakref.ref(error))

    left: list[weakref.ref[object]] = []
    async with open_supervisor(rooted(intensity=PATIENT)) as supervisor:
        gc.collect()
        gc.disable()
        try:
            for handle in (crash, beside):
                await ask(handle, 10)
                await ask(handle, 1)
            await trio.sleep(10)
            assert [each() for each in left] == [None] * 7
        finally:
            gc.enable()
