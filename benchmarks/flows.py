"""Flows per second, in one process, with scripted models: agent → judge → gate, records kept in memory.

    python benchmarks/flows.py [--tasks 10000] [--at-once 256] [--runs 5]

Prints the median of several runs beside the floor measured in the same process: a bare Trio spawn with two channel
hops per flow. Memory is what the process grew by while the flows ran.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from pathlib import Path

import trio

import judgeflow
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


async def flows(session: Session, tasks: int, at_once: int) -> float:
    """Seconds for all tasks."""
    waiting = iter(range(tasks))

    async def worker() -> None:
        for number in waiting:
            result = await session.run(f"What are terns? ({number})")
            assert result.status == "answered", result.record.reason

    began = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
    return time.perf_counter() - began


async def floor(tasks: int, at_once: int) -> float:
    """Seconds for a spawn and two channel hops per task."""
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

    began = time.perf_counter()
    async with trio.open_nursery() as inner, trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker, inner)
    return time.perf_counter() - began


async def measure(program: Program, tasks: int, at_once: int, runs: int) -> None:
    async with program.opened() as session:
        await flows(session, 500, at_once)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours, bare = [], []
        for _ in range(runs):
            bare.append(tasks / await floor(tasks, at_once))
            ours.append(tasks / await flows(session, tasks, at_once))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    median, bottom = statistics.median(ours), statistics.median(bare)
    print(f"{tasks:,} tasks, {at_once} at once, median of {runs}")
    print(f"  agent → judge → gate   {median:8,.0f} flows/s   ({1e6 / median:.0f} µs each)")
    print(f"  bare spawn + two hops  {bottom:8,.0f} /s        ratio 1/{bottom / median:.1f}")
    print(f"  memory                 {grown:8.0f} MB above the warm process")


def main() -> None:
    parser = argparse.ArgumentParser(description="flows per second with scripted models")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flows.judge")
        path.write_text(SOURCE, encoding="utf-8")
        trio.run(measure, judgeflow.load(path), options.tasks, options.at_once, options.runs)


if __name__ == "__main__":
    main()
