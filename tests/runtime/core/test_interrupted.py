"""Ctrl-C at any instruction of the kernel ends the tree: nobody waits for ever, what was set up is torn down."""

import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.core import (
    ActorRef,
    ActorSpec,
    Intensity,
    StepFailure,
    SupervisorSpec,
    TraceEvent,
    actor,
    open_supervisor,
)
from judgeflow.runtime.testing.cancellations import _order

from .trees import rooted

# The instruction between the making of a handler and its first step is one of them.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")

KERNEL = str(Path(actor.__file__).parent)


@attrs.define
class Interrupt:
    """SIGINT before the `number`-th instruction of the kernel's own code."""

    number: int
    seen: int = 0

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        if not frame.f_code.co_filename.startswith(KERNEL):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.seen += 1
            if self.seen == self.number:
                signal.raise_signal(signal.SIGINT)
        return self.trace

    @contextmanager
    def placed(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before)


class Tree:
    """Asks that nest, wait, crash and time out, what is told, a group restart and a service."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.refs: list[ActorRef[str, str]] = []

    @asynccontextmanager
    async def behaviour(self) -> AsyncIterator[Callable[[str], Awaitable[str]]]:
        async def handle(message: str) -> str:
            if message.startswith("relay"):
                return await self.refs[0].ask("relayed")
            await trio.sleep(0.1)
            if message == "crash":
                raise ZeroDivisionError
            return message

        await trio.sleep(0.01)
        yield handle

    async def ask(self, ref: ActorRef[str, str], message: str, within: float = 9) -> None:
        with suppress(StepFailure):
            await ref.ask(message, within=within)

    def trace(self, event: TraceEvent) -> None:
        self.kinds[event.kind] += 1

    async def run(self) -> None:
        spec = rooted(strategy="one_for_all", intensity=Intensity(9, 9.0))
        async with open_supervisor(spec, trace=self.trace) as root:
            first = root.start(ActorSpec(name="first", behaviour=self.behaviour))
            pool = root.nest(SupervisorSpec(name="pool"))
            second = pool.start(ActorSpec(name="second", behaviour=self.behaviour, concurrency=2, mailbox=1))
            service = root.start(ActorSpec(name="service", behaviour=self.behaviour, service=True))
            self.refs += [first, second, service]
            async with trio.open_nursery() as nursery:
                for message in ("relay 1", "relay 2", "plain"):
                    nursery.start_soon(self.ask, second, message)
                nursery.start_soon(self.ask, first, "crash")
                nursery.start_soon(self.ask, first, "late", 0.15)
                for ref in (service, second, second):
                    await ref.tell("told")
            await self.ask(second, "last")
            await root.stop()

    def check(self) -> None:
        assert self.kinds["started"] == self.kinds["stopped"]
        assert self.kinds["begun"] == self.kinds["ended"] + self.kinds["cancelled"]
        for ref in self.refs:
            now = ref.statistics()
            assert (now.waiting, now.blocked, now.in_flight) == (0, 0, 0), ref.name


def _run(number: int) -> int:
    """How many instructions there were. The whole runs under a real time limit."""

    def hangs(*_: object) -> None:
        raise TimeoutError("it hangs")

    tree, interrupt = Tree(), Interrupt(number)
    before = signal.signal(signal.SIGALRM, hangs)
    signal.setitimer(signal.ITIMER_REAL, 20)
    try:
        with _order(1), interrupt.placed():
            trio.run(tree.run, clock=MockClock(autojump_threshold=0))
    except KeyboardInterrupt:
        pass
    except BaseExceptionGroup as group:
        _, other = group.split((KeyboardInterrupt, StepFailure))
        assert other is None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    tree.check()
    return interrupt.seen


@pytest.fixture(scope="module")
def instructions() -> int:
    return _run(0)


def test_ctrl_c_at_a_few_instructions_of_the_kernel(instructions: int) -> None:
    assert instructions > 5_000
    for number in range(700, instructions, instructions // 5):
        assert _run(number) >= number


@pytest.mark.slow
def test_ctrl_c_at_any_instruction_of_the_kernel(instructions: int) -> None:
    for number in range(1, instructions, 53):
        assert _run(number) >= number, "it is interrupted"
