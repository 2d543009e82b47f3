"""Many cases at once: how many are under way, what is kept, and what stops them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from judgeflow.runtime.batch.results_file import BatchResult, ResultsFile
from judgeflow.runtime.batch.work import SPENT, STOPPED, Batch, Task
from judgeflow.runtime.evaluate.cases import Case
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Usage

from ..helpers import Model, opened

SOURCE = """
model small "fake/small" { price $1000 in, $1000 out }
agent writer(topic: text) { model small }
code judge short { require len(reply) < 9 else "too long" }
agent judged(topic: text) { model small  judges [short]  retries 0 }
flow main(topic: text) -> text { return writer(topic) }
flow strict(topic: text) -> text { return judged(topic) }
"""
CENT = Usage(input_tokens=5, output_tokens=5)


def cases(number: int) -> list[Case]:
    return [Case(id=f"c{at}", input=f"task {at}", line=at + 1) for at in range(number)]


async def ran(
    folder: Path,
    model: Model,
    number: int = 10,
    *,
    at_once: int = 3,
    source: str = SOURCE,
    act: Any = None,
    **task: Any,
) -> tuple[Batch, list[BatchResult], list[BatchResult]]:
    """The batch, what it told, and what is in its file."""
    told: list[BatchResult] = []
    path = folder / "out.jsonl"
    async with opened(source, {"small": model}) as session:
        with ResultsFile.opened(path, resume=False, fresh=False) as results:
            batch = Batch(session, results, Task(**{"flow": "main", **task}), at_once, told.append)
            async with trio.open_nursery() as nursery:
                if act is not None:
                    nursery.start_soon(act, batch)
                await batch.run(cases(number))
                nursery.cancel_scope.cancel()
    lines = path.read_bytes().splitlines()
    return batch, told, [msgspec.json.decode(line, type=BatchResult) for line in lines]


async def test_every_case_is_run_once_with_so_many_at_once(tmp_path: Path, autojump_clock: Any) -> None:
    small = Model(lambda request: request.messages[-1].content.upper(), seconds=1)
    batch, told, kept = await ran(tmp_path, small)
    assert (small.most, batch.stopped, batch.under_way) == (3, None, 0)
    assert {each.case: each.answer for each in kept} == {f"c{at}": f"TASK {at}" for at in range(10)}
    assert [each.case for each in kept] == [each.case for each in told]
    assert {each.exit for each in kept} == {0}
    assert {each.seconds for each in kept} == {1.0}
    assert len({each.thread for each in kept}) == 10


async def test_a_case_that_fails_harms_no_other_and_says_why(tmp_path: Path) -> None:
    small = Model("fine", ProviderError("busy", code="provider.rate-limited"), "fine")
    _, _, kept = await ran(tmp_path, small, 3, at_once=1)
    assert [(each.exit, each.code) for each in kept] == [(0, None), (1, "step.agent"), (0, None)]
    assert kept[1].reason == "writer: busy"


async def test_what_is_not_good_enough_is_no_failure(tmp_path: Path) -> None:
    _, _, kept = await ran(tmp_path, Model("short", "much too long"), 2, at_once=1, flow="strict")
    assert [(each.exit, each.status) for each in kept] == [(0, "answered"), (4, "failed")]


async def test_a_soft_stop_begins_nothing_more_and_keeps_what_comes_back(
    tmp_path: Path, autojump_clock: Any
) -> None:
    small = Model("answer", seconds=2)

    async def act(batch: Batch) -> None:
        await trio.sleep(3)
        batch.stop()

    batch, told, kept = await ran(tmp_path, small, 10, act=act)
    assert batch.stopped == STOPPED
    # Two waves of three; the second was under way, and a soft stop ends before its answers are used.
    assert len(kept) == 3
    assert {each.status for each in told[3:]} == {"cancelled"}
    assert len(small.requests) == 6


async def test_an_abort_ends_it_at_once(tmp_path: Path, autojump_clock: Any) -> None:
    async def act(batch: Batch) -> None:
        await trio.sleep(1)
        batch.abort()

    began = trio.current_time()
    _, told, kept = await ran(tmp_path, Model("answer", seconds=60), act=act)
    assert trio.current_time() - began == pytest.approx(1)
    assert (len(told), kept) == (3, [])


async def test_a_cost_limit_is_for_all_cases_together(tmp_path: Path, autojump_clock: Any) -> None:
    small = Model("answer", usage=CENT, seconds=1)
    batch, told, _ = await ran(tmp_path, small, 100, at_once=2, most=Decimal("0.05"))
    assert batch.stopped == SPENT
    assert batch.spent == Decimal("0.06")
    assert len(told) == 6


async def test_the_time_of_each_case_is_its_own(tmp_path: Path, autojump_clock: Any) -> None:
    _, _, kept = await ran(tmp_path, Model("answer", seconds=9), 2, at_once=1, seconds=Decimal(5))
    assert [(each.exit, each.code, each.seconds) for each in kept] == [(6, "limit.time", 5.0)] * 2


async def test_nothing_of_a_run_that_has_ended_is_held(tmp_path: Path) -> None:
    small = Model("answer")
    batch, told, _ = await ran(tmp_path, small, 300, at_once=50)
    assert len(told) == 300
    assert batch.under_way == 0
    assert batch._under_way == {}
