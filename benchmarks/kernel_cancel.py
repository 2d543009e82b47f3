"""What it takes to cancel 10,000 sleeping runs, beside bare Trio in the same process.

    python benchmarks/kernel_cancel.py [--runs 10000] [--times 5] [--fewer-collections]

All runs are cancelled at once and leave their record: those in which a Python function sleeps, and those that have
asked an agent, which has asked its model, which sleeps.
The floor is a task for each, with a nursery, a deadline and a sleeping child. Medians; seconds of the process's own
time stand beside the wall's, for a machine with other work. The garbage collector is as Python has it, whose full
collections meet the floor as well; with `--fewer-collections` it is set as `jrun batch` sets it, for all of them.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from trio.testing import wait_all_tasks_blocked

import judgeflow
from judgeflow.dsl.plan import ModelPlan
from judgeflow.runtime.collecting import fewer_collections
from judgeflow.runtime.flow.system import Connection
from judgeflow.runtime.judge.protocol import ChatReply, ChatRequest, DecisionReply, DecisionRequest
from judgeflow.runtime.program import Session

SOURCE = """
model slow "slow/model" { price $1 in, $1 out }
tool nap() -> text { python "naps.py:nap" }
agent writer { model slow }
flow main(question: text) -> text { return writer(question) }
flow function(question: text) -> text { return nap() }
"""
NAPS = """
import trio
async def nap():
    await trio.sleep_forever()
"""

Once = Callable[[int], Awaitable[tuple[float, float]]]


class Sleeper:
    """A model that never answers."""

    name = "slow"
    concurrency = 1_000_000

    async def chat(self, request: ChatRequest) -> ChatReply:
        await trio.sleep_forever()

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        await trio.sleep_forever()

    async def aclose(self) -> None:
        return None


@asynccontextmanager
async def _open() -> AsyncIterator[Sleeper]:
    yield Sleeper()


def connect(plan: ModelPlan) -> Connection:
    return Connection("slow", "slow", plan.slug, _open)


async def cancelled(start: Callable[[trio.Nursery], None]) -> tuple[float, float]:
    """Seconds from the cancellation of all that `start` has started to the end of the last of it."""
    async with trio.open_nursery() as nursery:
        start(nursery)
        await wait_all_tasks_blocked()
        gc.collect()  # what starting them has left to do is not counted, for neither
        wall, own = time.perf_counter(), time.process_time()
        nursery.cancel_scope.cancel()
    return time.perf_counter() - wall, time.process_time() - own


async def bare(runs: int) -> tuple[float, float]:
    async def sleeper() -> None:
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + 3600
            nursery.start_soon(trio.sleep_forever)

    def start(nursery: trio.Nursery) -> None:
        for _ in range(runs):
            nursery.start_soon(sleeper)

    return await cancelled(start)


async def ours(session: Session, runs: int, flow: str) -> tuple[float, float]:
    run = partial(session.run, flow=flow)

    def start(nursery: trio.Nursery) -> None:
        for number in range(runs):
            nursery.start_soon(run, f"question {number}")

    before = session.writer.statistics().done
    taken = await cancelled(start)
    assert session.writer.statistics().done - before == runs, "every run leaves its record"
    return taken


async def measure(program: judgeflow.Program, runs: int, times: int) -> None:
    floor: list[tuple[float, float]] = []
    taken: dict[str, list[tuple[float, float]]] = {"function": [], "main": []}
    async with program.opened(connect=connect) as session:
        for _ in range(times):  # interleaved, so that a busy machine slows all of them
            floor.append(await bare(runs))
            for flow, seconds in taken.items():
                seconds.append(await ours(session, runs, flow))
    print(f"{runs:,} cancelled at once, median of {times}")
    base = report("bare: a nursery and a deadline each", floor)
    report("runs that sleep in a Python function", taken["function"], base)
    report("runs that sleep in an agent's call", taken["main"], base)


def report(name: str, taken: list[tuple[float, float]], base: float | None = None) -> float:
    wall, own = (statistics.median(column) for column in zip(*taken, strict=True))
    ratio = f"   {own / base:.2f} × bare" if base else ""
    print(f"  {name:38} {wall:6.2f} s   {own:6.2f} s of its own{ratio}")
    return own


def main() -> None:
    parser = argparse.ArgumentParser(description="sleeping runs cancelled at once")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument(
        "--fewer-collections", action="store_true", help="the garbage collector as in a batch"
    )
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder, "cancel.judge")
        path.write_text(SOURCE, encoding="utf-8")
        path.with_name("naps.py").write_text(NAPS, encoding="utf-8")
        with fewer_collections() if options.fewer_collections else nullcontext():
            trio.run(measure, judgeflow.load(path), options.runs, options.times)


if __name__ == "__main__":
    main()
