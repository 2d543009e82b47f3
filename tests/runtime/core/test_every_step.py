"""One busy scenario, cancelled everywhere, under several orders of its tasks."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.core import (
    ActorFailure,
    ActorRef,
    ActorSpec,
    Backoff,
    Intensity,
    SupervisorSpec,
    TraceEvent,
    open_supervisor,
)
from judgeflow.runtime.testing.cancellations import every_cancellation
from judgeflow.runtime.testing.watched import Watch

from .trees import rooted

Handler = Callable[[str], Awaitable[str]]


class Scenario:
    """Two pools under a root with a recorder: asks that nest, crash, time out and queue; a group restart."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.events: list[TraceEvent] = []
        self.balance: Counter[str] = Counter()
        self.handled: Counter[str] = Counter()
        self.asked = 0
        self.settled = 0
        self.refs: list[ActorRef[str, str]] = []

    def spec(self, name: str, **settings: object) -> ActorSpec[str, str]:
        @asynccontextmanager
        async def behaviour() -> AsyncIterator[Handler]:
            await trio.sleep(0.1)
            self.balance[name] += 1
            try:
                yield self.handler(name)
            finally:
                with trio.move_on_after(1, shield=True):
                    await trio.sleep(0.1)
                self.balance[name] -= 1

        return ActorSpec(name=name, behaviour=behaviour, **settings)  # type: ignore[arg-type]

    def handler(self, name: str) -> Handler:
        async def handle(message: str) -> str:
            self.handled[f"{name} {message}"] += 1
            if name == "outer":
                await self.recorder.tell(f"begun {message}")
                return await self.inner.ask(message)
            await trio.sleep(0.3)
            if message.startswith("crash"):
                raise ZeroDivisionError
            return message

        return handle

    def trace(self, event: TraceEvent) -> None:
        self.events.append(event)
        self.watch.trace(event)

    async def ask(self, message: str, within: float) -> None:
        self.asked += 1
        try:
            await self.outer.ask(message, within=within)
        except ActorFailure:
            pass
        finally:
            self.settled += 1

    async def run(self) -> None:
        quick = Backoff(first=0.1)
        async with open_supervisor(
            rooted(grace=0.5, intensity=Intensity(9, 9), backoff=quick),
            trace=self.trace,
            random=Random(1),
        ) as root:
            self.recorder = root.start(self.spec("recorder", service=True))
            upper = root.nest(SupervisorSpec(name="upper", strategy="one_for_all", backoff=quick))
            lower = root.nest(SupervisorSpec(name="lower", intensity=Intensity(1, 60.0), backoff=quick))
            self.inner = lower.start(self.spec("inner", concurrency=2))
            self.outer = upper.start(self.spec("outer", concurrency=3, mailbox=1))
            extra = upper.start(self.spec("extra", restart="transient"))
            self.refs = [self.recorder, self.inner, self.outer, extra]
            self.watch.tree(root)
            async with trio.open_nursery() as nursery:
                for number, message in enumerate(("a", "crash 1", "b", "c", "d", "crash 2")):
                    nursery.start_soon(self.ask, message, 0.5 if message == "d" else 9)
                    await extra.tell("crash" if number == 3 else f"told {number}")

    def check(self) -> None:
        assert self.asked == self.settled
        assert all(count == 0 for count in self.balance.values()), "every set-up has its tear-down"
        assert all(count == 1 for count in self.handled.values()), "nothing is handled twice"
        kinds = Counter(event.kind for event in self.events)
        assert kinds["begun"] == kinds["ended"] + kinds["cancelled"]
        assert kinds["started"] == kinds["stopped"]
        for ref in self.refs:
            now = ref.statistics()
            assert (now.waiting, now.blocked, now.in_flight) == (0, 0, 0)
        recorded = sum(event.name == "recorder" and event.kind == "begun" for event in self.events)
        assert recorded == self.refs[0].statistics().handled, "what was told to the recorder was recorded"


async def busy(watch: Watch) -> None:
    scenario = Scenario(watch)
    try:
        await scenario.run()
    finally:
        scenario.check()
    kinds = Counter(event.kind for event in scenario.events)
    assert min(kinds[kind] for kind in ("crashed", "restarted", "ended", "cancelled")) >= 1, (
        "as busy as it says"
    )
    assert sum(ref.statistics().crashed for ref in scenario.refs) == 3


@pytest.mark.slow
async def test_cancelled_anywhere_the_kernel_settles_everything(autojump_clock: MockClock) -> None:
    done = await every_cancellation(busy, seeds=range(3))
    assert done.missed == 0, done
    assert done.cuts > 600


async def test_a_sample_of_these(autojump_clock: MockClock) -> None:
    assert (await every_cancellation(busy, seeds=[3], every=7)).missed == 0
