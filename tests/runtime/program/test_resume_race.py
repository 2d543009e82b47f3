"""What an earlier process has decided among several at once stays decided: who lost or was cut is not asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judgeflow.runtime.judge.errors import ProviderError

from ..helpers import Model, opened, program, steps

HEAD = """
model quick "fake/quick" { price $1 in, $1 out }
model slow  "spare/slow" { price $1 in, $1 out }
agent fast(topic: text) { model quick  retries 0 }
agent late(topic: text) { model slow   retries 0 }
flow warm(topic: text) -> text { one = fast(topic)  two = late(topic)  return one }
flow through(topic: text) -> text { draft = fast(topic)  return draft }
"""
RACE = """flow main(text: text) -> text {
  won = race { late(text)  late(text)  late(text)  late(text)  MEMBER(text) }
  approve "Take {{ won }}?"
  return won
}"""
TRIED = """
flow both(topic: text) -> text {
  parallel { one = late(topic)  two = late(topic)  three = late(topic)  four = fast(topic) }
  return one
}
flow stops(topic: text) -> text {
  parallel { one = late(topic)  two = late(topic)  three = late(topic)  four = halt(topic) }
  return one
}
flow halt(topic: text) -> text { draft = fast(topic)  stop "halted: {{ draft }}" }
flow main(text: text) -> json {
  got = try CALLED(text)
  approve "Go on?"
  return [got.code, got.reason]
}"""


async def yes(question: str, showing: Any) -> bool:
    return True


async def twice(folder: Path, source: str, quick: Any) -> tuple[Any, Any, dict[str, Model]]:
    """The run until it waits, the same run in another process, and what the second one's models were asked."""
    made, store = program(HEAD + source, folder / "test.judge"), folder / "terns.sqlite"
    first = {"quick": Model(quick, seconds=0.02), "slow": Model("late", seconds=5)}
    async with opened(made, first, store=store) as session:
        before = await session.run("x", flow="main")
    assert before.status == "paused", before.record.reason
    second = {"quick": Model("again", seconds=0), "slow": Model("again", seconds=0)}
    async with opened(made, second, store=store) as session:
        # The connections stand: nothing holds a call up.
        await session.run("warm", flow="warm")
        for model in second.values():
            model.requests.clear()
        after = await session.resume(before.record.id, approver=yes)
    return before, after, second


async def test_a_race_that_was_won_is_not_run_again(tmp_path: Path) -> None:
    for member in ("fast", "through"):
        folder = tmp_path / member
        folder.mkdir()
        before, after, models = await twice(folder, RACE.replace("MEMBER", member), "first")
        assert (after.status, after.answer) == ("answered", "first")
        assert (models["quick"].requests, models["slow"].requests) == ([], [])
        # The losers are in the record once, with what they may have cost.
        assert [found.status for found in steps(after, "late")] == ["cancelled"] * 4
        assert after.cost == before.cost
        assert after.record.usage == before.record.usage
        assert len(after.record.steps) == len(before.record.steps)


async def test_members_that_a_failure_had_cut_are_not_asked_again(tmp_path: Path) -> None:
    down = ProviderError("it is down", code="provider.down")
    before, after, models = await twice(tmp_path, TRIED.replace("CALLED", "both"), down)
    assert after.answer == ["step.agent", "fast: it is down"]
    assert (models["quick"].requests, models["slow"].requests) == ([], [])
    assert after.cost == before.cost
    assert {found.id: found.status for found in after.record.steps[:-1]} == {
        found.id: found.status for found in before.record.steps[:-1]
    }


async def test_nor_those_that_a_stop_had_cut(tmp_path: Path) -> None:
    before, after, models = await twice(tmp_path, TRIED.replace("CALLED", "stops"), "done")
    assert after.answer == ["flow.stop", "halted: done"]
    assert (models["quick"].requests, models["slow"].requests) == ([], [])
    assert after.cost == before.cost
