"""Everything that a file declares is a supervised actor, and a bug in one harms one run."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.core import ActorCrashed, TraceEvent
from judgeflow.runtime.judge.protocol import ConditionAnswer, DecisionRequest
from judgeflow.runtime.program import Program
from judgeflow.runtime.result import Result

from ..helpers import Model, Tools, opened, program

SOURCE = """
model small "fake/small"
model decider "third/decider" { kind decision }
tool look(id: text) -> text { python "hooks.py:look" }
agent writer(topic: text) { model small  tools [look]  judges [strict, calm]  retries 0 }
judge strict(reply: text) { model small  python "hooks.py:strict" }
code judge calm { require len(reply) > 0 else "say something" }
condition urgent(text: text) { model decider  ask "Urgent?" }
gate ready(text) { scorers { length 400..500 }  judge critic "Good?" }
agent critic(text: text) { model small }
flow main(topic: text) -> text {
  draft = writer(topic)
  ready(draft)
  if urgent(draft) { return draft }
  return "later"
}
"""
HOOKS = """
    import trio
    import judgeflow as jf
    async def look(id):
        return "seen " + id
    async def strict(input):
        await trio.sleep(1)
        if input.task == "bug in the judge":
            raise KeyError("jobs")
        return jf.Verdict.passed()
"""
DECLARED = {"look", "writer", "critic", "strict", "calm", "ready", "urgent", "provider:fake"}
LEVELS = {"providers", "tools", "judges", "agents"}


def answer(request: Any) -> Any:
    if isinstance(request, DecisionRequest):
        return {"decision": ConditionAnswer(0.9)}
    said = str(request.messages)
    if "bug in the provider" in said:
        raise ZeroDivisionError("service")
    if request.tools and "seen 7" not in said:
        return Tools(("look", {"id": "7"}))
    return "PASS"


def made(folder: Path) -> Program:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(SOURCE, folder / "test.judge")


class Watched:
    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}

    def trace(self, event: TraceEvent) -> None:
        self.counts.setdefault(event.name, Counter())[event.kind] += 1

    def those(self, kind: str) -> dict[str, int]:
        return {name: kinds[kind] for name, kinds in self.counts.items() if kinds[kind]}


async def at_once(folder: Path, watched: Watched, *tasks: str) -> dict[str, Result]:
    """The results of runs that are under way together, a moment apart."""
    model = Model(answer, seconds=1)
    results: dict[str, Result] = {}
    async with opened(made(folder), {"small": model, "decider": model}, trace=watched.trace) as session:

        async def one(task: str) -> None:
            results[task] = await session.run(task)

        async with trio.open_nursery() as nursery:
            for task in tasks:
                nursery.start_soon(one, task)
                await trio.sleep(0.5)
        results["after"] = await session.run("after")
    return results


async def test_every_declared_thing_is_an_actor_of_its_own_and_does_its_work_as_one(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    watched = Watched()
    results = await at_once(tmp_path, watched, "terns")
    assert [result.status for result in results.values()] == ["answered", "answered"]
    assert watched.those("begun").keys() == DECLARED, "all of it goes through mailboxes"
    assert watched.counts.keys() == DECLARED | LEVELS
    assert watched.those("started") == watched.those("stopped") == dict.fromkeys(DECLARED | LEVELS, 1)


@pytest.mark.parametrize(
    ("task", "broken", "cause"),
    [
        ("bug in the judge", "strict", KeyError),
        ("bug in the provider", "provider:fake", ZeroDivisionError),
    ],
)
async def test_a_bug_renews_its_actor_ends_its_run_with_the_cause_and_spares_all_others(
    tmp_path: Path,
    task: str,
    broken: str,
    cause: Callable[[], Exception],
    autojump_clock: MockClock,
) -> None:
    watched = Watched()
    results = await at_once(tmp_path, watched, "first", task, "second")
    failed = results.pop(task)
    assert {name: result.status for name, result in results.items()} == {
        "first": "answered",
        "second": "answered",
        "after": "answered",
    }
    assert failed.status == "failed"
    assert f"'{broken}' crashed over this message ({cause.__name__})" in (failed.record.reason or "")
    crash = failed.error.__cause__ if failed.error is not None else None
    assert isinstance(crash, ActorCrashed)
    assert isinstance(crash.__cause__, cause)
    assert watched.those("crashed") == watched.those("restarted") == {broken: 1}
    lives = watched.those("started")
    assert lives.pop(broken) == 2
    assert set(lives.values()) == {1}, "nobody else was renewed"
    assert watched.those("started") == watched.those("stopped")
