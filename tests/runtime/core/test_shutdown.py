"""The order of a stop, its one budget, and what passes through: cancellation, exceptions, Ctrl-C."""

# ruff: noqa: PT012 - what raises is the whole scenario

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from judgeflow.runtime.core import (
    ActorRef,
    ActorSpec,
    ActorStopped,
    Intensity,
    StepFailure,
    Strategy,
    Supervisor,
    SupervisorSpec,
    TraceEvent,
    open_supervisor,
    stateless,
)

from .trees import rooted

Ref = ActorRef[float, str]


class House:
    """Actors whose messages are seconds of work; `log` holds what ended when, `cut` what was cancelled."""

    def __init__(self) -> None:
        self.log: list[tuple[str, float]] = []
        self.cut: list[str] = []

    def add(self, supervisor: Supervisor, name: str, *, service: bool = False, concurrency: int = 10) -> Ref:
        @asynccontextmanager
        async def behaviour() -> AsyncIterator[Callable[[float], Awaitable[str]]]:
            async def handle(seconds: float) -> str:
                try:
                    await trio.sleep(seconds)
                except trio.Cancelled:
                    self.cut.append(name)
                    raise
                return name

            try:
                yield handle
            finally:
                self.log.append((name, trio.current_time()))

        return supervisor.start(
            ActorSpec(name=name, behaviour=behaviour, service=service, concurrency=concurrency)
        )


async def told_to_stop(ref: Ref, seconds: float) -> None:
    with pytest.raises(ActorStopped):
        await ref.ask(seconds)


async def test_children_stop_in_reverse_start_order_and_services_last(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor() as supervisor:
        house.add(supervisor, "a")
        house.add(supervisor, "recorder", service=True)
        house.add(supervisor, "b")
        house.add(supervisor, "pool", service=True)
        house.add(supervisor, "c")
        await wait_all_tasks_blocked()
    assert [name for name, _ in house.log] == ["c", "b", "a", "pool", "recorder"]


async def test_what_is_in_flight_finishes_within_the_grace(autojump_clock: MockClock) -> None:
    house, replies = House(), []

    async def ask(ref: Ref, seconds: float) -> None:
        replies.append(await ref.ask(seconds))

    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(grace=5)) as supervisor:
            a, b = house.add(supervisor, "a"), house.add(supervisor, "b")
            nursery.start_soon(ask, a, 4)
            nursery.start_soon(ask, b, 2)
            await wait_all_tasks_blocked()
        assert house.log == [("b", 2), ("a", 4)]
    assert sorted(replies) == ["a", "b"]
    assert house.cut == []


async def test_one_budget_for_all_and_then_they_are_cancelled(autojump_clock: MockClock) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(grace=5)) as supervisor:
            refs = [house.add(supervisor, name) for name in "abc"]
            for ref in refs:
                nursery.start_soon(told_to_stop, ref, 60)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 5
    assert house.log == [("c", 5), ("b", 5), ("a", 5)]


async def test_a_nested_supervisor_shares_the_budget_of_the_one_above(autojump_clock: MockClock) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(grace=3)) as root:
            pool = root.nest(SupervisorSpec(name="pool", grace=100))
            nursery.start_soon(told_to_stop, house.add(pool, "a"), 60)
            nursery.start_soon(told_to_stop, house.add(root, "b"), 60)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 3
    assert [name for name, _ in house.log] == ["b", "a"]


async def test_at_a_stop_nothing_new_begins(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor(rooted(grace=9)) as supervisor, trio.open_nursery() as nursery:
        ref = house.add(supervisor, "a", concurrency=1)
        nursery.start_soon(ref.ask, 2)
        await wait_all_tasks_blocked()
        nursery.start_soon(told_to_stop, ref, 1)
        await ref.tell(1)
        await wait_all_tasks_blocked()
        await supervisor.stop()
        assert trio.current_time() == 2
        with pytest.raises(ActorStopped):
            await ref.ask(1)
        with pytest.raises(ActorStopped, match="'root' is stopped"):
            house.add(supervisor, "late")
    assert ref.statistics().handled == 1
    assert ref.statistics().dead_letters == 3


async def test_a_handler_that_finishes_may_still_ask_who_started_before_it(autojump_clock: MockClock) -> None:
    house = House()

    async def relay(seconds: float) -> str:
        await trio.sleep(seconds)
        return await earlier.ask(seconds)

    async with trio.open_nursery() as nursery:
        async with open_supervisor() as supervisor:
            earlier = house.add(supervisor, "earlier")
            later = supervisor.start(ActorSpec(name="later", behaviour=stateless(relay)))
            nursery.start_soon(later.ask, 1)
            await wait_all_tasks_blocked()
        assert later.statistics().handled == 1


async def test_services_are_drained_of_what_waits(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor(rooted(drain=2.0)) as supervisor:
        recorder = house.add(supervisor, "recorder", service=True, concurrency=1)
        for _ in range(5):
            await recorder.tell(0.25)
    assert recorder.statistics().handled == 5
    assert trio.current_time() == 1.25


async def test_services_have_their_drain_even_when_the_workers_used_up_the_grace(
    autojump_clock: MockClock,
) -> None:
    house = House()

    async def work(seconds: float) -> str:
        try:
            await trio.sleep(seconds)
        finally:
            recorder.tell_nowait(0.5)
        return "done"

    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(grace=0, drain=1.0)) as supervisor:
            recorder = house.add(supervisor, "recorder", service=True, concurrency=1)
            worker: Ref = supervisor.start(ActorSpec(name="worker", behaviour=stateless(work)))
            nursery.start_soon(told_to_stop, worker, 60)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 0.5
    assert recorder.statistics().handled == 1
    assert house.cut == []


async def test_a_service_past_its_drain_is_cancelled_and_its_rest_are_dead_letters(
    autojump_clock: MockClock,
) -> None:
    house = House()
    async with open_supervisor(rooted(drain=2.0)) as supervisor:
        recorder = house.add(supervisor, "recorder", service=True, concurrency=1)
        for _ in range(5):
            await recorder.tell(1.5)
    assert trio.current_time() == 2
    statistics = recorder.statistics()
    assert (statistics.handled, statistics.cancelled, statistics.dead_letters) == (1, 1, 3)


@pytest.mark.parametrize("strategy", ["one_for_one", "one_for_all"])
async def test_a_service_that_crashes_while_it_drains_still_handles_the_rest(
    autojump_clock: MockClock, strategy: Strategy
) -> None:
    handled: list[int] = []

    async def record(line: int) -> None:
        await trio.lowlevel.checkpoint()
        if line == 1:
            raise ZeroDivisionError
        handled.append(line)

    async with open_supervisor(rooted(strategy=strategy)) as supervisor:
        recorder = supervisor.start(ActorSpec(name="recorder", behaviour=stateless(record), service=True))
        for line in range(4):
            recorder.tell_nowait(line)
    assert handled == [0, 2, 3]


async def test_outer_cancellation_cancels_workers_at_once_and_drains_services(
    autojump_clock: MockClock,
) -> None:
    house = House()
    with trio.move_on_after(1) as scope:
        async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
            recorder = house.add(supervisor, "recorder", service=True, concurrency=1)
            worker = house.add(supervisor, "worker")
            nursery.start_soon(worker.ask, 60)
            await recorder.tell(1.5)
            await recorder.tell(0.5)
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert house.log == [("worker", 1), ("recorder", 2)]
    assert recorder.statistics().handled == 2


async def test_an_exception_in_the_block_cancels_workers_at_once_and_drains_services(
    autojump_clock: MockClock,
) -> None:
    house = House()
    with pytest.raises(KeyError):
        async with open_supervisor() as supervisor:
            recorder = house.add(supervisor, "recorder", service=True)
            worker = house.add(supervisor, "worker")
            await worker.tell(60)
            await recorder.tell(1.0)
            await wait_all_tasks_blocked()
            raise KeyError
    assert house.log == [("worker", 0), ("recorder", 1)]
    assert house.cut == ["worker"]


async def test_a_supervisor_that_gives_up_drains_its_services(autojump_clock: MockClock) -> None:
    house = House()

    async def crash(message: object) -> None:
        raise ZeroDivisionError

    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool", restart="temporary", intensity=Intensity(0, 1.0)))
        recorder = house.add(pool, "recorder", service=True)
        broken = pool.start(ActorSpec(name="broken", behaviour=stateless(crash)))
        await recorder.tell(1.0)
        await broken.tell(None)
        await trio.sleep(5)
        assert house.log == [("recorder", 1)]
        assert recorder.statistics().handled == 1


async def test_stop_may_be_called_twice_and_the_second_call_may_be_shorter(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = house.add(supervisor, "a")
        nursery.start_soon(told_to_stop, ref, 60)
        await wait_all_tasks_blocked()
        nursery.start_soon(supervisor.stop, 50)
        await trio.sleep(1)
        await supervisor.stop(0)
        assert trio.current_time() == 1
        assert house.cut == ["a"]


async def test_a_second_stop_extends_nothing(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor() as supervisor, trio.open_nursery() as nursery:
        ref = house.add(supervisor, "a")
        nursery.start_soon(told_to_stop, ref, 60)
        await wait_all_tasks_blocked()
        nursery.start_soon(supervisor.stop, 1)
        await wait_all_tasks_blocked()
        await supervisor.stop(50)
        assert trio.current_time() == 1


async def test_a_drained_service_waits_for_no_message_that_was_abandoned(autojump_clock: MockClock) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(drain=9)) as supervisor:
            service = house.add(supervisor, "service", service=True, concurrency=1)
            await service.tell(1)
            nursery.start_soon(_ask_for_half_a_second, service)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 1


async def _ask_for_half_a_second(ref: Ref) -> None:
    with trio.move_on_after(0.5):
        await ref.ask(60)


async def test_services_outlive_the_clean_up_of_cancelled_workers(autojump_clock: MockClock) -> None:
    house = House()

    async def work(message: None) -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(5, shield=True):
                await trio.sleep(3)
            recorder.tell_nowait(0)

    with trio.move_on_after(1):
        async with open_supervisor() as supervisor:
            recorder = house.add(supervisor, "recorder", service=True)
            worker = supervisor.start(ActorSpec(name="worker", behaviour=stateless(work)))
            await worker.ask(None)
    assert trio.current_time() == 4
    assert recorder.statistics().handled == 1


async def test_a_nested_supervisor_can_be_stopped_alone(autojump_clock: MockClock) -> None:
    house = House()
    async with open_supervisor() as root:
        pool = root.nest(SupervisorSpec(name="pool"))
        inside, outside = house.add(pool, "inside"), house.add(root, "outside")
        await wait_all_tasks_blocked()
        await pool.stop()
        with pytest.raises(ActorStopped):
            await inside.ask(0)
        assert await outside.ask(0) == "outside"
        await wait_all_tasks_blocked()
        assert list(root._children) == [outside]


async def test_a_stop_does_not_wait_for_backoffs_and_set_ups(autojump_clock: MockClock) -> None:
    async def never(message: float) -> str:
        raise AssertionError

    @asynccontextmanager
    async def endless() -> AsyncIterator[Callable[[float], Awaitable[str]]]:
        await trio.sleep(3600)
        yield never

    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(grace=50)) as supervisor:
            ref: Ref = supervisor.start(ActorSpec(name="endless", behaviour=endless))
            nursery.start_soon(told_to_stop, ref, 1)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 0


async def test_an_asker_outside_the_tree_is_never_left_hanging(autojump_clock: MockClock) -> None:
    house = House()
    async with trio.open_nursery() as nursery:
        with pytest.raises(KeyError):
            async with open_supervisor() as supervisor:
                ref = house.add(supervisor, "a", concurrency=1)
                for _ in range(40):  # one in flight, the mailbox full, seven blocked
                    nursery.start_soon(told_to_stop, ref, 60)
                nursery.start_soon(ref.tell, 60)
                await wait_all_tasks_blocked()
                assert ref.statistics().blocked == 8
                raise KeyError
    assert ref.statistics().dead_letters == 40


async def test_a_callers_own_cancelled_passes_through_ask_and_tell() -> None:
    house = House()
    async with open_supervisor() as supervisor:
        ref = house.add(supervisor, "a", concurrency=1)
        with trio.CancelScope() as scope:
            scope.cancel()
            with pytest.raises(trio.Cancelled):
                await ref.ask(9)
            with pytest.raises(trio.Cancelled):
                await ref.tell(9)
            await trio.lowlevel.checkpoint()
        assert scope.cancelled_caught


def test_ctrl_c_in_a_handler_is_its_askers_and_everybody_else_is_told() -> None:
    told: list[str] = []
    torn_down: list[str] = []

    @asynccontextmanager
    async def behaviour() -> AsyncIterator[Callable[[str], Awaitable[str]]]:
        async def handle(message: str) -> str:
            if message == "interrupt":
                signal.raise_signal(signal.SIGINT)
                return message
            await trio.sleep_forever()
            raise AssertionError

        try:
            yield handle
        finally:
            torn_down.append("actor")

    async def ask(ref: ActorRef[str, str], message: str) -> None:
        with trio.CancelScope(shield=True):
            try:
                await ref.ask(message)
            except ActorStopped:
                told.append(message)

    async def main() -> None:
        async with trio.open_nursery() as nursery, open_supervisor() as supervisor:
            ref = supervisor.start(ActorSpec(name="a", behaviour=behaviour, concurrency=9))
            nursery.start_soon(ask, ref, "wait")
            await wait_all_tasks_blocked()
            nursery.start_soon(ask, ref, "interrupt")
            await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as caught:
        trio.run(main)
    assert caught.value.split(KeyboardInterrupt)[1] is None
    assert told == ["wait"]
    assert torn_down == ["actor"]


def test_ctrl_c_that_finds_the_main_task_in_an_ask_cancels_the_handler() -> None:
    ended: list[str] = []

    @trio.lowlevel.enable_ki_protection
    async def handle(message: str) -> str:
        signal.raise_signal(signal.SIGINT)
        try:
            await trio.sleep_forever()
        finally:
            ended.append(message)

    async def main() -> None:
        async with open_supervisor() as supervisor:
            ref = supervisor.start(ActorSpec(name="a", behaviour=stateless(handle)))
            await ref.ask("x")

    with pytest.raises(KeyboardInterrupt):
        trio.run(main)
    assert ended == ["x"]


async def test_the_kernel_is_not_interrupted_half_way() -> None:
    protected: list[bool] = []

    def trace(event: TraceEvent) -> None:
        if event.kind in ("dead_letter", "ended"):
            protected.append(trio.lowlevel.currently_ki_protected())

    async with open_supervisor(trace=trace) as supervisor:
        ref = House().add(supervisor, "a")
        await ref.ask(0)
        await supervisor.stop()
        with pytest.raises(ActorStopped):
            await ref.ask(0)
        await ref.tell(0)
        ref.tell_nowait(0)
    assert protected == [True] * 4


async def test_a_crash_past_the_intensity_during_a_stop_ends_that_child_alone(
    autojump_clock: MockClock,
) -> None:
    house = House()

    async def crash(seconds: float) -> None:
        await trio.sleep(seconds)
        raise ZeroDivisionError

    async with trio.open_nursery() as nursery:
        async with open_supervisor(rooted(intensity=Intensity(0, 60.0))) as supervisor:
            early = supervisor.start(ActorSpec(name="early", behaviour=stateless(crash)))
            late = house.add(supervisor, "late")
            nursery.start_soon(late.ask, 3)
            await early.tell(1)
            await wait_all_tasks_blocked()
        assert trio.current_time() == 3
    assert late.statistics().handled == 1
    assert early.statistics().crashed == 1


async def test_an_expected_failure_beside_the_cancellation_of_a_stop_is_no_failure_of_the_stop() -> None:
    class Refused(StepFailure):
        pass

    async def refuse_when_cancelled() -> None:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            raise Refused from None

    async def panel(message: str) -> None:
        async with trio.open_nursery() as judges:
            judges.start_soon(refuse_when_cancelled)
            judges.start_soon(trio.sleep_forever)

    async with trio.open_nursery() as nursery, open_supervisor(rooted(grace=0)) as supervisor:
        ref = supervisor.start(ActorSpec(name="panel", behaviour=stateless(panel)))
        nursery.start_soon(_told, ref)
        await wait_all_tasks_blocked()
    assert (ref.statistics().cancelled, ref.statistics().crashed) == (1, 0)


async def _told(ref: ActorRef[str, None]) -> None:
    with pytest.raises(ActorStopped):
        await ref.ask("x")


async def test_every_teller_that_waits_for_room_is_let_go_when_the_actor_stops() -> None:
    letters: list[object] = []

    async def sleep(message: int) -> None:
        await trio.sleep_forever()

    def trace(event: TraceEvent) -> None:
        if event.kind == "dead_letter":
            letters.append(event.message)

    async with trio.open_nursery() as nursery, open_supervisor(trace=trace) as supervisor:
        ref = supervisor.start(ActorSpec(name="a", behaviour=stateless(sleep), mailbox=1))
        for number in range(6):
            nursery.start_soon(ref.tell, number)
            await wait_all_tasks_blocked()
        assert ref.statistics().blocked == 4
        await supervisor.stop(grace=0)
    assert sorted(letters) == [1, 2, 3, 4, 5]
