"""Who is restarted with whom, and when a supervisor gives up."""

# ruff: noqa: PT012 - what raises is the whole scenario

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from judgeflow.runtime.core import (
    ActorCrashed,
    ActorRef,
    ActorSpec,
    ActorStopped,
    Backoff,
    Intensity,
    Restart,
    RestartsExhausted,
    Strategy,
    Supervisor,
    SupervisorSpec,
    open_supervisor,
)

from .trees import rooted

PATIENT = Intensity(100, 60.0)
STEADY = Backoff(first=1.0, jitter=0.0)
Ref = ActorRef[float, str]


class Line:
    """Actors that log their lives. A message: sleep that many seconds, or crash if it is negative."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def add(
        self,
        supervisor: Supervisor,
        name: str,
        *,
        service: bool = False,
        broken: bool = False,
        restart: Restart = "permanent",
    ) -> Ref:
        @asynccontextmanager
        async def behaviour() -> AsyncIterator[Callable[[float], Awaitable[str]]]:
            if broken:
                raise ZeroDivisionError
            self.log.append(f"+{name}")

            async def handle(seconds: float) -> str:
                if seconds < 0:
                    raise ZeroDivisionError
                await trio.sleep(seconds)
                return name

            yield handle
            self.log.append(f"-{name}")

        return supervisor.start(
            ActorSpec(name=name, behaviour=behaviour, service=service, concurrency=10, restart=restart)
        )

    def add_three(self, supervisor: Supervisor) -> tuple[Ref, Ref, Ref]:
        return self.add(supervisor, "a"), self.add(supervisor, "b"), self.add(supervisor, "c")


async def crash(ref: Ref) -> None:
    with pytest.raises(ActorCrashed):
        await ref.ask(-1)


@pytest.mark.parametrize(
    ("strategy", "down", "up"),
    [
        ("one_for_one", ["-b"], ["+b"]),
        ("rest_for_one", ["-c", "-b"], ["+b", "+c"]),
        ("one_for_all", ["-c", "-b", "-a"], ["+a", "+b", "+c"]),
    ],
)
async def test_who_is_restarted_when_the_middle_one_crashes(
    autojump_clock: MockClock, strategy: Strategy, down: list[str], up: list[str]
) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy=strategy, intensity=PATIENT)) as supervisor:
        _, b, _ = line.add_three(supervisor)
        await wait_all_tasks_blocked()
        line.log.clear()
        await crash(b)
        await trio.sleep(10)
        restarted = line.log.copy()
    # the crashed one is torn down first, the others in reverse start order
    assert sorted(restarted[: len(down)]) == sorted(down)
    assert [each for each in restarted[: len(down)] if each != "-b"] == [
        each for each in down if each != "-b"
    ]
    assert sorted(restarted[len(down) :]) == sorted(up)


async def test_all_are_down_before_any_is_set_up_again(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT)) as supervisor:
        a, b, _ = line.add_three(supervisor)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(a.ask, 3)
            await wait_all_tasks_blocked()
            line.log.clear()
            await crash(b)
        await trio.sleep(10)
        assert line.log[:3] == ["-b", "-c", "-a"]
        assert a.statistics().handled == 1  # in flight at the crash of a sibling: it finished


async def test_in_a_group_restart_the_others_have_the_grace_to_finish_and_no_more(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    async with open_supervisor(
        rooted(strategy="one_for_all", intensity=PATIENT, backoff=STEADY, grace=4)
    ) as supervisor:
        a, b, c = line.add_three(supervisor)
        await wait_all_tasks_blocked()

        async def cut() -> None:
            with pytest.raises(ActorStopped) as caught:
                await c.ask(60)
            assert isinstance(caught.value.__cause__, ZeroDivisionError)
            assert trio.current_time() == 4

        async with trio.open_nursery() as nursery:
            nursery.start_soon(cut)
            await wait_all_tasks_blocked()
            await crash(b)
        await trio.sleep(0.5)
        assert await a.ask(0) == "a"
        assert trio.current_time() == 5


async def test_refs_and_queues_outlive_a_group_restart(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy="rest_for_one", intensity=PATIENT)) as supervisor:
        a, b, c = line.add_three(supervisor)
        await crash(a)
        assert [await c.ask(0), await b.ask(0), await a.ask(0)] == ["c", "b", "a"]
        assert [ref.statistics().restarts for ref in (a, b, c)] == [1, 0, 0]


async def test_two_crashes_at_once_end_with_everybody_up(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT)) as supervisor:
        a, b, c = line.add_three(supervisor)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash, a)
            nursery.start_soon(crash, c)
        await trio.sleep(60)
        for ref in (a, b, c):
            assert await ref.ask(0) == ref.name
        lives = {name: line.log.count(f"+{name}") - line.log.count(f"-{name}") for name in "abc"}
        assert lives == {"a": 1, "b": 1, "c": 1}


async def test_services_and_workers_are_groups_of_their_own(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT)) as supervisor:
        line.add(supervisor, "service", service=True)
        worker = line.add(supervisor, "worker")
        await wait_all_tasks_blocked()
        line.log.clear()
        await crash(worker)
        await trio.sleep(10)
        assert line.log == ["-worker", "+worker"]


async def test_three_restarts_in_thirty_seconds_are_borne_and_a_fourth_is_not(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    with pytest.raises(RestartsExhausted, match="'root' gave up on 'pool'") as caught:
        async with open_supervisor(rooted(intensity=Intensity(0, 60.0))) as root:
            pool = root.nest(SupervisorSpec(name="pool"))
            a = line.add(pool, "a")
            for _ in range(3):
                await crash(a)
                assert await a.ask(0) == "a"
            await crash(a)
            await trio.sleep_forever()
    assert isinstance(caught.value.__cause__, RestartsExhausted)
    assert "'pool' gave up on 'a': more than 3 restarts in 30 s" in str(caught.value.__cause__)
    assert a.statistics().crashed == 4


async def test_restarts_spread_out_over_time_are_borne_without_end(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool"))
        a = line.add(pool, "a")
        for _ in range(12):
            await crash(a)
            await trio.sleep(11)
        assert a.statistics().restarts == 12
        assert line.log.count("+a") == 13


async def test_restarts_of_all_children_count_together(autojump_clock: MockClock) -> None:
    line = Line()
    with pytest.raises(RestartsExhausted, match="gave up on 'b'"):
        async with open_supervisor(rooted(intensity=Intensity(1, 30.0))) as supervisor:
            a, b, _ = line.add_three(supervisor)
            await crash(a)
            await crash(b)
            await trio.sleep_forever()


async def test_the_root_bears_one_restart_in_sixty_seconds(autojump_clock: MockClock) -> None:
    line = Line()
    with pytest.raises(RestartsExhausted, match="more than 1 restarts in 60 s") as caught:
        async with open_supervisor() as supervisor:
            a = line.add(supervisor, "a")
            await crash(a)
            await trio.sleep(59)
            await crash(a)
            await trio.sleep_forever()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.__cause__.__traceback__ is not None


async def test_a_supervisor_that_gave_up_is_renewed_by_its_own_with_all_its_children(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(0, 30.0)))
        a, b = line.add(pool, "a"), line.add(pool, "b")
        other = line.add(root, "other")
        await wait_all_tasks_blocked()
        line.log.clear()
        await crash(a)
        await wait_all_tasks_blocked()
        assert await b.ask(0) == "b"  # the same address, the next life
        assert await a.ask(0) == "a"
        assert await other.ask(0) == "other"
        assert sorted(each for each in line.log if each.startswith("+")) == ["+a", "+b"]
        added = line.add(pool, "added")
        assert await added.ask(0) == "added"


async def test_when_a_supervisor_gives_up_those_in_flight_beside_the_crash_are_told(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    async with open_supervisor() as root, trio.open_nursery() as nursery:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(0, 30.0)))
        a, b = line.add(pool, "a"), line.add(pool, "b")

        async def told() -> None:
            with pytest.raises(ActorStopped, match="'b'"):
                await b.ask(60)

        nursery.start_soon(told)
        await wait_all_tasks_blocked()
        await crash(a)


async def test_a_set_up_that_always_fails_ends_the_tree_and_everybody_is_told(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    told: list[BaseException | None] = []

    async def ask() -> None:
        with pytest.raises(ActorStopped) as caught:
            await ref.ask(0)
        told.append(caught.value.__cause__)

    async with trio.open_nursery() as nursery:
        with pytest.raises(RestartsExhausted):
            async with open_supervisor() as supervisor:
                ref = line.add(supervisor, "broken", broken=True)
                nursery.start_soon(ask)
                await trio.sleep_forever()
    assert [type(each) for each in told] == [RestartsExhausted]


async def test_a_temporary_supervisor_that_gave_up_ends_with_its_actors(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(0, 30.0), restart="temporary"))
        a, b = line.add(pool, "a"), line.add(pool, "b")
        await crash(a)
        await wait_all_tasks_blocked()
        with pytest.raises(ActorStopped):
            await b.ask(0)
        with pytest.raises(ActorStopped, match="'pool' is stopped"):
            line.add(pool, "late")


async def test_an_exception_of_the_block_arrives_as_itself() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with open_supervisor() as supervisor:
            Line().add_three(supervisor)
            raise KeyError("mine")


async def test_a_group_that_the_block_raised_keeps_its_form() -> None:
    with pytest.raises(ExceptionGroup, match="mine") as caught:
        async with open_supervisor():
            raise ExceptionGroup("mine", [KeyError("one")])
    assert len(caught.value.exceptions) == 1


async def test_what_the_block_raises_while_the_tree_gives_up_is_raised_with_it(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    with pytest.raises(ExceptionGroup) as caught:
        async with open_supervisor(rooted(intensity=Intensity(0, 1.0))) as supervisor:
            a = line.add(supervisor, "a")
            await crash(a)
            try:
                await trio.sleep_forever()
            finally:
                raise KeyError
    assert sorted(type(each).__name__ for each in caught.value.exceptions) == [
        "KeyError",
        "RestartsExhausted",
    ]


async def test_a_renewed_supervisor_starts_with_a_clean_history(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(1, 30.0)))
        a = line.add(pool, "a")
        await crash(a)
        assert await a.ask(0) == "a"
        await crash(a)
        await wait_all_tasks_blocked()
        assert await a.ask(0) == "a"
        await crash(a)
        assert await a.ask(0) == "a"


async def test_a_child_may_be_started_while_its_supervisor_is_down(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(backoff=STEADY)) as root:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(0, 30.0)))
        await crash(line.add(pool, "a"))
        await trio.sleep(0.5)
        late = line.add(pool, "late")
        assert await late.ask(0) == "late"
        assert trio.current_time() == 1


async def test_a_group_restart_of_more_waits_for_one_of_fewer_and_repeats_it(
    autojump_clock: MockClock,
) -> None:
    line = Line()
    async with open_supervisor(
        rooted(strategy="rest_for_one", intensity=PATIENT, backoff=STEADY)
    ) as supervisor:
        a, b, c = line.add_three(supervisor)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(b.ask, 3)
            await wait_all_tasks_blocked()
            await crash(c)
            await trio.sleep(0.5)
            await crash(a)
        await trio.sleep(10)
        last = {each: i for i, each in enumerate(line.log)}
        assert last["+c"] > last["-b"]
        assert (a.statistics().restarts, c.statistics().restarts) == (1, 1)


async def test_a_stop_during_a_group_restart_starts_nobody(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(
        rooted(strategy="one_for_all", intensity=PATIENT, backoff=STEADY)
    ) as supervisor:
        a, _, _ = line.add_three(supervisor)
        await crash(a)
        await trio.sleep(0.5)
        await supervisor.stop()
        line.log.clear()
        await trio.sleep(10)
        assert line.log == []


async def test_a_temporary_sibling_ends_in_a_group_restart(autojump_clock: MockClock) -> None:
    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT)) as supervisor:
        a, b = line.add(supervisor, "a"), line.add(supervisor, "b", restart="temporary")
        await crash(a)
        await trio.sleep(10)
        with pytest.raises(ActorStopped):
            await b.ask(0)
        assert await a.ask(0) == "a"
        assert line.log.count("+b") == 1


async def test_a_message_is_not_begun_on_a_life_that_was_retired_in_its_set_up(
    autojump_clock: MockClock,
) -> None:
    lives = 0

    @asynccontextmanager
    async def stubborn() -> AsyncIterator[Callable[[float], Awaitable[int]]]:
        nonlocal lives
        lives += 1
        life = lives
        with trio.CancelScope(shield=True):
            await trio.sleep(2)

        async def handle(seconds: float) -> int:
            await trio.sleep(seconds)
            return life

        yield handle

    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT)) as supervisor:
        ref = supervisor.start(ActorSpec(name="stubborn", behaviour=stubborn))
        a = line.add(supervisor, "a")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash, a)
            assert await ref.ask(1) == 2


async def test_a_supervisor_that_gave_up_just_before_the_stop_does_not_fail_it() -> None:
    line = Line()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool", intensity=Intensity(0, 30.0)))
        a = line.add(pool, "a")
        await crash(a)
        await trio.lowlevel.checkpoint()
    assert (a.statistics().crashed, a.statistics().restarts) == (1, 0)


async def test_a_tear_down_that_failed_in_an_earlier_life_is_not_raised_again(
    autojump_clock: MockClock,
) -> None:
    lives = 0

    @asynccontextmanager
    async def behaviour() -> AsyncIterator[Callable[[float], Awaitable[None]]]:
        nonlocal lives
        lives += 1
        life = lives
        try:
            yield trio.sleep
        finally:
            if life == 1:
                raise OSError

    line = Line()
    async with open_supervisor(rooted(strategy="one_for_all", intensity=PATIENT, grace=0)) as root:
        a = line.add(root, "a")
        pool = root.nest(SupervisorSpec(name="pool"))
        ref = pool.start(ActorSpec(name="b", behaviour=behaviour))
        await ref.tell(60)
        await wait_all_tasks_blocked()
        await crash(a)
        await trio.sleep(10)
    assert ref.statistics().crashed == 1
    assert lives >= 2
