"""A change of a prompt that helps, one that does nothing and one that hurts, each replayed: what the report says.

`python benchmarks/planted_changes.py` (a few seconds; `--tasks 60` shows what it says of too few). The model is made
up: under each prompt it is right as often as is said below, and a task is as hard under one as under another.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from judgeflow import load
from judgeflow.dsl.plan import ModelPlan
from judgeflow.runtime.evaluate.account import EvalAccount
from judgeflow.runtime.evaluate.judges import choose_judge
from judgeflow.runtime.evaluate.pace import Pace
from judgeflow.runtime.evaluate.render_pairs import render_replay
from judgeflow.runtime.evaluate.replay import replay
from judgeflow.runtime.evaluate.terns import TernQuery
from judgeflow.runtime.flow.system import Connection
from judgeflow.runtime.judge.protocol import (
    ChatReply,
    ChatRequest,
    DecisionReply,
    DecisionRequest,
    Provider,
    Usage,
)

FILE = """\
workflow desk version "VERSION"
model m "made-up/writer"
agent writer { model m  prompt "PROMPT" }
code judge right { require reply == "right" else "wrong" }
flow main(question: text) -> text { return writer(question) }
"""
BEFORE = "Answer."
RIGHT = {BEFORE: 0.6, "Answer carefully.": 0.8, "Answer, please.": 0.6, "Guess.": 0.4}


class MadeUp:
    """Right as often as its prompt makes it."""

    name = "made-up"
    concurrency = 1000

    async def chat(self, request: ChatRequest) -> ChatReply:
        await trio.lowlevel.checkpoint()
        prompt, task = request.messages[0].content, request.messages[-1].content
        hard, luck = random.Random(task).random(), random.Random(prompt + task).gauss(0, 0.15)
        answer = "right" if hard + luck < RIGHT[prompt] else "wrong"
        return ChatReply(answer, (), Usage(10, 1), request.model, scripted=True)

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        raise NotImplementedError

    async def aclose(self) -> None:
        return None


def connect(plan: ModelPlan) -> Connection:
    @asynccontextmanager
    async def opens() -> AsyncIterator[Provider]:
        yield MadeUp()

    return Connection("made-up", "made-up", plan.slug, opens)


def write(folder: Path, prompt: str, version: str) -> Path:
    path = folder / "desk.judge"
    path.write_text(FILE.replace("VERSION", version).replace("PROMPT", prompt))
    return path


async def show(prompt: str, tasks: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = folder / "terns.sqlite"
        async with load(write(folder, BEFORE, "1")).opened(connect=connect, store=store) as session:
            for number in range(tasks):
                await session.run(f"question {number}")
        program = load(write(folder, prompt, "2"))
        chosen = choose_judge(program.plan, "right")
        async with program.opened(connect=connect, store=store, booked=False) as session:
            account = EvalAccount("desk:eval", "", (), session.writer, session.stamp)
            query = TernQuery(version="1", limit=None)
            report = await replay(session, chosen.use, chosen.key, chosen.shown, Pace(account), query)
    print(f"--- planted: right {RIGHT[BEFORE]:.0%} of the time before, {RIGHT[prompt]:.0%} after")
    print("\n".join(render_replay(report).text().splitlines()[-5:]), end="\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=150)
    tasks = parser.parse_args().tasks
    began = time.perf_counter()
    for prompt in list(RIGHT)[1:]:
        trio.run(show, prompt, tasks)
    print(f"{3 * tasks} tasks replayed in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
