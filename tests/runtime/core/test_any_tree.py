"""Random trees and messages: whatever happens, every message has one end, and every actor too."""

import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.core import (
    ActorRef,
    ActorSpec,
    ActorStopped,
    Backoff,
    Finished,
    Intensity,
    MailboxFull,
    RestartsExhausted,
    StepFailure,
    Supervisor,
    SupervisorSpec,
    TraceEvent,
    open_supervisor,
)
from judgeflow.runtime.testing.cancellations import _order

PAUSES = (0.0, 0.0, 0.1, 0.1, 0.3, 1.0, 2.0)
DEEDS = ("sleep", "ask", "ask", "tell", "crash", "refuse", "finish", "shield", "beside", "cancel", "check")


class BugError(Exception):
    """All that a handler, a set-up or a tear-down does wrong here."""


@attrs.define(eq=False)
class Message:
    deeds: list[str]
    depth: int


def leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from leaves(each)
    else:
        yield error


class World:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.refs: list[ActorRef[Message, Any]] = []
        self.scopes: list[trio.CancelScope] = []
        self.sent: defaultdict[str, list[Message]] = defaultdict(list)
        self.begun: defaultdict[str, list[object]] = defaultdict(list)
        self.kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.asked = self.settled = 0
        self.faults: list[str] = []
        """An assertion in a handler would be one more bug that its actor survives."""

    def must(self, holds: bool, text: str) -> None:
        if not holds:
            self.faults.append(text)

    def trace(self, event: TraceEvent) -> None:
        self.kinds[event.name][event.kind] += 1
        if event.kind == "begun":
            self.begun[event.name].append(event.message)

    def pause(self) -> float:
        return self.random.choice(PAUSES)

    def message(self, depth: int = 0) -> Message:
        return Message(self.random.choices(DEEDS, k=self.random.randint(0, 3)), depth)

    async def ask(self, depth: int = 0) -> None:
        ref, message = self.random.choice(self.refs), self.message(depth)
        was_closed = ref._closed
        self.asked += 1
        if not was_closed:
            self.sent[ref.name].append(message)
        try:
            with trio.CancelScope() as scope:
                self.scopes.append(scope)
                reply = await ref.ask(message, within=self.random.choice([math.inf, 0.1, 1.0]))
                self.must(reply is message, "the reply of another")
        except BaseException as error:
            if was_closed and isinstance(error, ActorStopped):
                self.sent[ref.name].append(message)
            seen = [each for each in leaves(error) if not isinstance(each, StepFailure | trio.Cancelled)]
            self.must(not seen, "the bug of an actor reaches who asked")
            raise
        finally:
            self.settled += 1

    async def tell(self, depth: int = 0) -> None:
        ref, message = self.random.choice(self.refs), self.message(depth)
        if self.random.random() < 0.5:
            with trio.move_on_after(2):
                await ref.tell(message)
                self.sent[ref.name].append(message)
        else:
            with suppress(MailboxFull):
                ref.tell_nowait(message)
                self.sent[ref.name].append(message)

    async def do(self, deed: str, message: Message) -> None:
        if deed == "sleep":
            await trio.sleep(self.pause())
        elif deed in ("ask", "tell") and message.depth < 3:
            await (self.ask if deed == "ask" else self.tell)(message.depth + 1)
        elif deed == "crash":
            raise BugError
        elif deed == "refuse":
            raise StepFailure
        elif deed == "finish":
            raise Finished(message)
        elif deed == "shield":
            with trio.CancelScope(shield=True):
                await trio.sleep(self.pause())
        elif deed == "beside":
            async with trio.open_nursery() as nursery:
                for error in (BugError(), StepFailure())[: self.random.randint(0, 2)]:
                    nursery.start_soon(self.late, error)
                await trio.sleep(self.pause())
        elif deed == "cancel" and self.scopes:
            self.random.choice(self.scopes).cancel()
        else:
            await trio.lowlevel.checkpoint()

    async def late(self, error: Exception) -> None:
        try:
            await trio.sleep(1)
        finally:
            raise error

    def spec(self, name: str) -> ActorSpec[Message, Any]:
        random = self.random
        concurrency = random.choice([1, 1, 2, math.inf])
        set_up, tear_down, dies = (self.pause() * random.randint(0, 1) for _ in range(3))
        inside = 0

        @asynccontextmanager
        async def behaviour() -> AsyncIterator[Callable[[Message], Awaitable[Any]]]:
            is_torn_down = False

            async def handle(message: Message) -> Message:
                nonlocal inside
                inside += 1
                self.must(inside <= concurrency, "more are inside than may be")
                try:
                    for deed in message.deeds:
                        self.must(not is_torn_down, "a handler that outlives its state")
                        await self.do(deed, message)
                    return message
                finally:
                    inside -= 1

            async def die() -> None:
                await trio.sleep(dies)
                raise BugError

            with trio.CancelScope(shield=random.random() < 0.2):
                await trio.sleep(set_up)
            try:
                async with trio.open_nursery() as nursery:
                    if dies and random.random() < 0.5:
                        nursery.start_soon(die)
                    yield handle
                    nursery.cancel_scope.cancel()
            finally:
                is_torn_down = True
                with trio.CancelScope(shield=True):
                    await trio.sleep(tear_down)
                if random.random() < 0.1:
                    raise BugError

        return ActorSpec(
            name=name,
            behaviour=behaviour,
            concurrency=concurrency,
            mailbox=random.choice([1, 2, 32]),
            restart=random.choice(["permanent", "permanent", "transient", "temporary"]),
            service=random.random() < 0.2,
        )

    def supervisor(self, name: str) -> SupervisorSpec:
        random = self.random
        return SupervisorSpec(
            name=name,
            strategy=random.choice(["one_for_one", "rest_for_one", "one_for_all"]),
            restart=random.choice(["permanent", "permanent", "transient", "temporary"]),
            intensity=Intensity(random.choice([0, 1, 99, 99]), 30.0),
            backoff=Backoff(first=random.choice([0.0, 0.1, 1.0])),
            grace=random.choice([0, 0.1, 1, 5]),
            drain=random.choice([0, 0.1, 1]),
        )

    def grow(self, above: Supervisor, path: str = "") -> None:
        for number in range(self.random.randint(1, 3)):
            name = f"{path}{number}"
            if len(path) < 2 and self.random.random() < 0.35:
                self.grow(above.nest(self.supervisor(name)), name)
            else:
                self.refs.append(above.start(self.spec(name)))

    async def drive(self) -> None:
        for _ in range(self.random.randint(1, 6)):
            await trio.sleep(self.pause() / 3)
            with trio.move_on_after(self.random.choice([0.1, 1, 30])):
                try:
                    await (self.ask if self.random.random() < 0.7 else self.tell)()
                except* StepFailure:
                    pass

    async def run(self) -> None:
        with trio.move_on_after(10_000) as limit:
            try:
                async with open_supervisor(
                    self.supervisor("root"), trace=self.trace, random=Random(1)
                ) as root:
                    self.grow(root)
                    async with trio.open_nursery() as nursery:
                        for _ in range(self.random.randint(3, 12)):
                            nursery.start_soon(self.drive)
                        await trio.sleep(self.random.choice([0.1, 1, 3, 30]))
                        end = self.random.choice(["exit", "stop", "cancel"])
                        if end == "stop":
                            await root.stop(self.random.choice([0, 0.1, None]))
                        if end == "cancel":
                            nursery.cancel_scope.cancel()
            except* (BugError, RestartsExhausted):  # of a tear-down; the root gave up
                pass
        assert not limit.cancelled_caught, "it hangs"

    def check(self) -> None:
        assert self.faults == []
        assert self.asked == self.settled
        for ref in self.refs:
            now, kinds, begun = ref.statistics(), self.kinds[ref.name], self.begun[ref.name]
            assert (now.waiting, now.blocked, now.in_flight) == (0, 0, 0)
            assert kinds["started"] == kinds["stopped"]
            assert kinds["begun"] == kinds["ended"] + kinds["cancelled"]
            assert len(set(map(id, begun))) == len(begun), "handled twice"
            assert now.handled + now.failed <= kinds["ended"]
            lost = len(self.sent[ref.name]) - kinds["begun"] - now.dropped - now.dead_letters
            assert lost == 0, "a message that was sent has begun, was dropped or is a dead letter"
            if ref._spec.concurrency == 1:
                places = {id(each): place for place, each in enumerate(self.sent[ref.name])}
                order = [places[id(each)] for each in begun]
                assert order == sorted(order), "messages begin in the order in which they were sent"


def _live(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        world = World(seed)
        try:
            with _order(seed):
                trio.run(world.run, clock=MockClock(autojump_threshold=0))
            world.check()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        for kinds in world.kinds.values():
            seen += kinds
    return seen


def test_a_few_trees_keep_every_promise() -> None:
    seen = _live(range(30))
    assert min(seen[kind] for kind in ("ended", "cancelled", "crashed", "restarted", "dead_letter")) > 10


@pytest.mark.slow
def test_many_trees_keep_every_promise() -> None:
    seen = _live(range(30, 500))
    assert seen["begun"] > 1_000
