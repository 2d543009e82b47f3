"""The garbage collector is left as it was found, and has nothing to find."""

from __future__ import annotations

import gc
import weakref

import pytest
import trio

from judgeflow.runtime.collecting import YOUNG, fewer_collections
from judgeflow.runtime.core import TraceEvent

from ..helpers import Model, opened

SOURCE = """
model small "fake/small"
agent writer(topic: text) { model small  judges [calm]  retries 1 }
code judge calm { require reply != "no" else "say yes" }
gate ready(text) { scorers { length 1..5 } }
flow main(topic: text) -> text { draft = writer(topic)  ready(draft)  return draft }
"""


def test_the_threshold_is_another_inside_and_the_same_as_before_outside() -> None:
    before = gc.get_threshold()
    inside: list[tuple[int, int, int]] = []

    def fails() -> None:
        with fewer_collections():
            inside.append(gc.get_threshold())
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert inside == [(YOUNG, *before[1:])]
    assert gc.get_threshold() == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["answered", "cancelled"])
async def test_a_run_leaves_no_cycles_behind(how: str) -> None:
    model = Model("no", "yes") if how == "answered" else Model("yes", seconds=3600)
    async with opened(SOURCE, {"small": model}) as session:

        async def runs() -> None:
            with trio.move_on_after(0.01 if how == "cancelled" else 60):
                await session.run("terns")

        async def left_by_five() -> int:
            for _ in range(5):
                await runs()
            await trio.lowlevel.checkpoint()
            return gc.collect()

        await runs()
        gc.collect()
        gc.disable()
        try:
            # What other threads and earlier programs still let go of is not ours; it does not come every time.
            assert min([await left_by_five() for _ in range(4)]) < 5, "less than an object a run"
        finally:
            gc.enable()


class Monitor:
    """Listens to runs and to actors, and keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []


@pytest.mark.parametrize("how", ["answered", "failed"])
async def test_whoever_listens_to_runs_and_keeps_their_messages_can_be_forgotten(how: str) -> None:
    monitor = Monitor()
    model = Model("yes") if how == "answered" else Model("no")
    # The model keeps its requests, and each leads to its run as long as it may be sent again.
    monitor.told.append(model)
    async with opened(SOURCE, {"small": model}, trace=monitor.told.append) as session:
        result = await session.run("terns", hooks=[lambda event, told=monitor.told: told.append(event)])
    assert result.status == how
    monitor.told.append(result)
    assert any(isinstance(event, TraceEvent) and event.message is not None for event in monitor.told)
    left = weakref.ref(monitor)
    monitor.told.append(monitor)
    del monitor, session, model, result
    gc.collect()
    assert left() is None
