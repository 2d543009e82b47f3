"""Flows per second, in one process, with scripted models: agent → judge → gate.

    python benchmarks/flows.py [--tasks 10000] [--at-once 256] [--runs 5] [--store]

Prints the median of several runs beside the floor measured in the same process: a bare Trio spawn with two channel
hops per flow. By the wall's clock and by the process's own time, for a machine with other work. Memory is what the
process grew by while the flows ran. Records are kept in memory; with `--store` every one is written to a file, as it
begins, with each step, and as it ends. The garbage collector is set as `jrun batch` sets it; `--default-gc` leaves it
as Python does.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import trio

import judgeflow
from judgeflow.runtime.collecting import fewer_collections
from judgeflow.runtime.program import Program, Session

SOURCE = """
model small "script/answers"

agent writer { model small  prompt "Answer in one sentence."  judges [one_sentence] }
code judge one_sentence { require len(sentences(reply)) <= 1 else "answer in one sentence" }
gate publishable(draft) { scorers { length 1..500  contains "seabirds"  not contains "TODO" } }

flow main(question: text) -> text {
  draft = writer(question)
  publishable(draft)
  return draft
}

test "answers" for main {
  given  { question: "What are terns?" }
  writer replies "Terns are seabirds."
  expect result == "Terns are seabirds."
}
"""


Rate = tuple[float, float]
"""Per second of the wall's clock, and per second of the process's own time."""


async def flows(session: Session, tasks: int, at_once: int) -> Rate:
    """All tasks."""
    waiting = iter(range(tasks))

    async def worker() -> None:
        for number in waiting:
            result = await session.run(f"What are terns? ({number})")
            assert result.status == "answered", result.record.reason

    began = time.perf_counter(), time.process_time()
    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
    return since(began, tasks)


async def floor(tasks: int, at_once: int) -> Rate:
    """A spawn and two channel hops per task."""
    waiting = iter(range(tasks))

    async def answer(send: trio.MemorySendChannel[int], value: int) -> None:
        await send.send(value)

    async def worker(nursery: trio.Nursery) -> None:
        send, receive = trio.open_memory_channel[int](0)
        for number in waiting:
            nursery.start_soon(answer, send, number)
            await receive.receive()
            nursery.start_soon(answer, send, number)
            await receive.receive()

    began = time.perf_counter(), time.process_time()
    async with trio.open_nursery() as inner, trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker, inner)
    return since(began, tasks)


def since(began: Rate, tasks: int) -> Rate:
    return tasks / (time.perf_counter() - began[0]), tasks / (time.process_time() - began[1])


async def measure(program: Program, store: Path | None, tasks: int, at_once: int, runs: int) -> None:
    async with program.opened(store=store) as session:
        await flows(session, 500, at_once)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours, bare = [], []
        for _ in range(runs):
            bare.append(await floor(tasks, at_once))
            ours.append(await flows(session, tasks, at_once))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{tasks:,} tasks, {at_once} at once, {'every record written' if store else 'records in memory'}")
    print(f"{'median of ' + str(runs):24} {'a second':>10} {'of its own':>12}")
    (wall, own), (bottom, least) = median(ours), median(bare)
    print(f"  agent → judge → gate   {wall:10,.0f} {own:12,.0f}")
    print(f"  bare spawn + two hops  {bottom:10,.0f} {least:12,.0f}   ratio 1/{least / own:.1f}")
    print(f"  memory                 {grown:10.0f} MB above the warm process")


def median(rates: list[Rate]) -> Rate:
    wall, own = (statistics.median(column) for column in zip(*rates, strict=True))
    return wall, own


def main() -> None:
    parser = argparse.ArgumentParser(description="flows per second with scripted models")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", action="store_true", help="write every record to a file")
    parser.add_argument("--default-gc", action="store_true", help="the garbage collector as Python has it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flows.judge")
        path.write_text(SOURCE, encoding="utf-8")
        store = Path(folder, "runs.db") if options.store else None
        with nullcontext() if options.default_gc else fewer_collections():
            trio.run(measure, judgeflow.load(path), store, options.tasks, options.at_once, options.runs)


if __name__ == "__main__":
    main()
