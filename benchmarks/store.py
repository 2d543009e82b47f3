"""What keeping runs costs: 10,000 runs written and listed, time and size on disk.

    python benchmarks/store.py [--runs 10000] [--turns 10]

Each run has three steps (an agent with an attempt and two verdicts, a gate, a decision) and `--turns` runs share a
thread. Beside each way of writing stands the floor in the same process: bare SQLite, the same bytes, as many
transactions.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trio

from judgeflow.runtime.store.clock import timestamp
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.records import (
    AttemptRecord,
    DecisionRecord,
    GateRecord,
    ScorerRecord,
    StepRecord,
    Tern,
    Usage,
    VerdictRecord,
    Versions,
)
from judgeflow.runtime.store.rows import encode_tern
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.threads import list_threads
from judgeflow.runtime.store.writer import open_writer

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
ANSWER = "Terns are seabirds of the family Laridae; the Arctic tern flies from pole to pole every year. "


def run(number: int, turns: int) -> Tern:
    started = timestamp(BEGAN + timedelta(seconds=number))
    ended = timestamp(BEGAN + timedelta(seconds=number + 3))
    cost = Cost(total="0.0042", known="0.0042", parties={"agent:writer": "0.0031", "judge:useful": "0.0011"})
    usage = Usage(calls=2, input_tokens=900, output_tokens=150)
    attempt = AttemptRecord(number=0, outcome="accepted", answer=ANSWER * 3, started=started, ended=ended)
    verdicts = (
        VerdictRecord(judge="one_sentence", passed=True),
        VerdictRecord(judge="useful", passed=True, metrics={"score": 0.9}),
    )
    writer = StepRecord(
        id="1", kind="agent", name="writer", status="succeeded", answer=ANSWER * 3, attempts=(attempt,),
        verdicts=verdicts, cost=cost, usage=usage, started=started, ended=ended,
    )  # fmt: skip
    scorers = tuple(ScorerRecord(name=f"contains-{n}", passed=True, score=1) for n in range(4))
    gate = StepRecord(
        id="2", kind="gate", name="ready", status="succeeded", started=started, ended=ended,
        gate=GateRecord(verdict="pass", decided_by="scorers", results=scorers),
    )  # fmt: skip
    decision = StepRecord(
        id="3", kind="decision", name="urgent", status="succeeded", started=started, ended=ended,
        decision=DecisionRecord(kind="condition", selected="no", outcome="accepted", confidence=0.9),
    )  # fmt: skip
    return Tern(
        id=f"{number:032x}", thread=f"{number // turns:032x}", flow="answer", workflow="support",
        status="failed" if number % 20 == 0 else "answered", task=f"question {number}: where do terns live?",
        answer=ANSWER * 3, route=("writer", "ready", "urgent"), cost=cost, usage=usage,
        versions=Versions(workflow="3", prompt="a" * 64, model="b" * 64, config="c" * 64),
        started=started, ended=ended, steps=(writer, gate, decision),
    )  # fmt: skip


@contextmanager
def timed(what: str, count: int) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    print(f"{what:<52} {seconds:8.3f} s   {count / seconds:10,.0f}/s   {seconds / count * 1e6:9.1f} µs each")


def once(what: str, call: Callable[[], object]) -> None:
    began = time.perf_counter()
    call()
    print(f"{what:<52} {(time.perf_counter() - began) * 1000:8.1f} ms")


def bare(folder: Path, name: str, bodies: list[str], per_transaction: int) -> None:
    """The floor: one table, no columns to find anything by."""
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE runs (body TEXT)")
    with timed(name, len(bodies)):
        for start in range(0, len(bodies), per_transaction):
            connection.execute("BEGIN IMMEDIATE")
            rows = [(body,) for body in bodies[start : start + per_transaction]]
            connection.executemany("INSERT INTO runs VALUES (?)", rows)
            connection.execute("COMMIT")
    connection.close()
    (folder / "bare.sqlite").unlink()


async def grouped(path: Path, terns: list[Tern]) -> None:
    """As a program writes: every run posted, then one wait."""
    async with open_writer(path) as writer:
        for at, tern in enumerate(terns):
            writer.post(tern)
            if at % 256 == 255:
                await writer.flush()
        await writer.flush()


def size_of(path: Path) -> float:
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=10)
    arguments = parser.parse_args()
    count = arguments.runs
    terns = [run(number, arguments.turns) for number in range(count)]
    rows = [encode_tern(tern) for tern in terns]
    bodies = [row.body + "".join(step.body for step in row.steps) for row in rows]
    megabytes = sum(map(len, bodies)) / 1e6
    print(
        f"{count:,} runs of 3 steps, {megabytes / count * 1e6:,.0f} bytes of JSON each, {megabytes:.1f} MB\n"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare(folder, "floor: bare SQLite, a transaction each", bodies, 1)
        with (
            Store.open(folder / "each.sqlite") as store,
            timed("a transaction each, as `jrun` ends a run", count),
        ):
            for tern in terns:
                store.finish(tern)
        bare(folder, "floor: bare SQLite, 256 in a transaction", bodies, 256)
        path = folder / "grouped.sqlite"
        with timed("256 at a time, as a program with many runs does", count):
            trio.run(grouped, path, terns)
        print(f"{'on disk':<52} {size_of(path):8.1f} MB   {size_of(path) / megabytes:10.2f} times the JSON\n")
        with Store.read(path) as store:
            read(store, count)


def read(store: Store, count: int) -> None:
    some = f"{count // 2:032x}"
    once("the newest 20 runs (`jrun runs`)", lambda: store.list_terns(TernFilter(limit=20)))
    once("the newest 20 that failed", lambda: store.list_terns(TernFilter(limit=20, status="failed")))
    once("one run with its steps (`jrun show`)", lambda: store.get(some))
    once("the last 10 turns of a thread", lambda: store.history(f"{3:032x}", 10))
    once("the 20 threads used last", lambda: list_threads(store, limit=20))
    once("how many there are", store.count_terns)
    rare = TernFilter(text=f"question {count - 7}:")
    once("a text in the tasks and answers of all", lambda: store.list_terns(rare))
    once("all heads (`jrun runs --limit` all)", store.list_terns)
    once("all runs with steps (`jrun runs export`)", lambda: sum(1 for _ in store.export()))


if __name__ == "__main__":
    main()
