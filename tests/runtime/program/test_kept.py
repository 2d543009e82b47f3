"""What a run leaves: the store holds what the caller was given, and memory holds nothing."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened

SOURCE = """
model small "fake/small" { price $1 in, $1 out }
agent writer { model small  judges [fine] }
agent broken { model small  judges [never] }
agent picker -> text { model small }
code judge fine { require reply != "bad" else "bad" }
code judge never { require false else "no" }
gate short(text) { scorers { length 0..3 } }
flow inner(text: text) -> text { short(text)  return writer(text) }
flow main(text: text) -> json {
  parallel { a = writer("1 {{ text }}")  b = inner(text) }
  many = each item in ["x", "y", "z"] at most 2 at once: writer(item)
  other = try broken(text) else "none"
  loop at most 2 times { writer(text) }
  return [a, b, many, other]
}
"""


async def left(path: Path, source: str = SOURCE, **options: Any) -> Any:
    async with opened(source, {"small": Model("Hi")}, store=path) as session:
        return await session.run("hey", **options)


async def test_the_store_holds_a_run_exactly_as_its_caller_got_it(tmp_path: Path) -> None:
    result = await left(tmp_path / "terns.sqlite")
    assert result.record.status == "answered", result.record.reason
    assert len(result.record.steps) == 10
    with Store.read(tmp_path / "terns.sqlite") as store:
        assert store.get(result.record.id) == result.record


async def test_a_cancelled_run_is_in_the_store_with_every_step_as_it_was_left(tmp_path: Path) -> None:
    path, seen = tmp_path / "terns.sqlite", []
    started: list[Execution] = []

    def hook(event: Any) -> None:
        seen.append(event)
        if len(seen) == 9:
            started[0].abort()

    result = await left(path, hooks=[hook], started=started.append)
    assert result.status == "cancelled"
    assert any(step.status == "cancelled" for step in result.record.steps)
    with Store.read(path) as store:
        assert store.get(result.record.id) == result.record


@pytest.mark.parametrize("kept", [False, True])
async def test_a_run_that_is_over_is_freed_without_the_collector(tmp_path: Path, kept: bool) -> None:
    started: list[Execution] = []
    async with opened(SOURCE, {"small": Model("Hi")}, store=tmp_path / "a.db" if kept else None) as session:
        gc.collect()
        gc.disable()
        try:
            await session.run("hey", started=started.append)
            runs = [weakref.ref(started.pop())]
            await trio.testing.wait_all_tasks_blocked()
            assert [run() for run in runs] == [None]
        finally:
            gc.enable()
