"""A run leaves exactly one record, whatever ends it, and the record says how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.flow.frame import Frame
from judgeflow.runtime.judge.protocol import ChatReply, ChatRequest
from judgeflow.runtime.run import events
from judgeflow.runtime.store.errors import StoreError, StoreFullError
from judgeflow.runtime.store.recorder import MemoryWriter
from judgeflow.runtime.store.records import JournalEntry, RunEnd, Tern
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, opened, run

SOURCE = """
workflow demo version "3"
model small "fake/small" { price $1 in, $1 out }
agent writer(topic: text) { model small  judges [fine]  retries 0 }
code judge fine { require reply != "bad" else "bad"  metrics { size: len(reply) } }
flow main(text: text) -> json {
  parallel { a = writer("1 {{ text }}")  b = writer("2 {{ text }}") }
  return [a, b]
}
"""


class SecondIsSlow(Model):
    async def chat(self, request: ChatRequest) -> ChatReply:
        if request.messages[-1].content.startswith("2"):
            await trio.sleep(60)
        return await super().chat(request)


class Recorder(MemoryWriter):
    """Remembers everything that it was given."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__()
        self.terns: list[Tern] = []
        self.broken = broken

    def post(self, record: Tern | RunEnd | JournalEntry) -> None:
        tern = record.tern if isinstance(record, RunEnd) else record
        if isinstance(tern, Tern):
            if self.broken and tern.status != "running":
                raise StoreError("the disk is full")
            self.terns.append(tern)
        super().post(record)


async def recorded(
    small: Model, *, hooks: Any = (), limits: Any = None, broken: bool = False, **options: Any
) -> tuple[Any, Recorder]:
    """A run whose records are looked at; the second is what it left."""
    recorder = Recorder(broken=broken)
    async with opened(SOURCE, {"small": small}) as session:
        result = await attrs.evolve(session, writer=recorder, durable=True).run(
            "x", hooks=hooks, limits=limits, **options
        )
    return result, recorder


async def test_an_answered_run_is_recorded_as_running_and_then_once_more() -> None:
    result, recorder = await recorded(Model("ok"))
    assert [tern.status for tern in recorder.terns] == ["running", "answered"]
    assert recorder.terns[1] == result.record
    record = result.record
    assert (record.flow, record.workflow, record.task, record.answer) == ("main", "demo", "x", ["ok", "ok"])
    assert (record.route, record.versions.workflow, record.turn) == (("writer", "writer"), "3", 1)
    assert record.ended is not None
    assert len(record.versions.config or "") == 64


async def test_a_failed_run_is_recorded_with_its_code_and_raised_on_demand() -> None:
    result, recorder = await recorded(Model("bad"))
    assert [tern.status for tern in recorder.terns] == ["running", "failed"]
    assert recorder.terns[1].code == "step.agent.quality-gate"
    with pytest.raises(jf.QualityGateError):
        result.raised()


async def test_a_callers_own_cancellation_passes_through_with_the_record_kept(autojump_clock: Any) -> None:
    recorder = Recorder()
    with trio.move_on_after(1) as scope:
        async with opened(SOURCE, {"small": Model("ok", seconds=3)}) as session:
            await attrs.evolve(session, writer=recorder, durable=True).run("x")
    assert scope.cancelled_caught
    assert [tern.status for tern in recorder.terns] == ["running", "cancelled"]
    assert [found.status for found in recorder.terns[1].steps] == ["cancelled", "cancelled"]
    assert [a.outcome for found in recorder.terns[1].steps for a in found.attempts] == ["cancelled"] * 2


async def test_a_cancelled_run_keeps_what_it_has_paid_for(autojump_clock: Any) -> None:
    recorder = Recorder()
    with trio.move_on_after(1):
        async with opened(SOURCE, {"small": SecondIsSlow("ok")}) as session:
            await attrs.evolve(session, writer=recorder, durable=True).run("x")
    tern = recorder.terns[-1]
    assert [found.status for found in tern.steps] == ["succeeded", "cancelled"]
    assert tern.steps[0].answer == "ok"
    assert (tern.usage.calls, tern.usage.input_tokens, tern.cost.known) == (2, 10, "0.000015")
    assert tern.cost.total == "unknown", "the call that was cut may have cost something"


@pytest.mark.parametrize("seconds", [0.5, 1.0, 1.5])
async def test_an_aborted_run_is_cancelled_at_once_and_its_caller_gets_a_result(
    seconds: float, autojump_clock: Any
) -> None:
    executions: list[Execution] = []

    def hook(event: events.Event) -> None:
        if isinstance(event, events.StepStarted) and len(executions) == 1:
            executions[0].abort()

    result, recorder = await recorded(Model("ok", seconds=seconds), hooks=[hook], started=executions.append)
    assert (result.status, result.record.reason) == ("cancelled", "stopped")
    assert trio.current_time() == 0
    assert [tern.status for tern in recorder.terns] == ["running", "cancelled"]


async def test_a_bug_of_ours_is_raised_as_itself_after_it_was_recorded() -> None:
    recorder = Recorder()

    async def broken(frame: Frame, values: Any) -> Any:
        frame.run.begin_step("1", "agent", "writer")
        raise KeyError("oops")

    async with opened(SOURCE, {"small": Model("ok")}) as session:
        flows: Any = session.system.flows
        flows["main"] = broken
        with pytest.raises(KeyError, match="oops"):
            await attrs.evolve(session, writer=recorder, durable=True).run("x")
    tern = recorder.terns[-1]
    assert (tern.status, tern.code, tern.reason) == ("failed", "internal", "KeyError: 'oops'")
    assert [found.status for found in tern.steps] == ["cancelled"]


async def test_a_run_that_the_store_does_not_take_is_no_bug_of_ours() -> None:
    class Full(Recorder):
        async def begin(self, tern: Any) -> Any:
            raise StoreFullError("x.sqlite: no room left")

    recorder = Full()
    async with opened(SOURCE, {"small": Model("ok")}) as session:
        with pytest.raises(StoreFullError):
            await attrs.evolve(session, writer=recorder, durable=True).run("x")
    tern = recorder.terns[-1]
    assert (tern.status, tern.code, tern.reason) == ("failed", "store.full", "x.sqlite: no room left")


async def test_a_record_that_cannot_be_kept_is_an_error_and_beside_a_cancellation_it_is_told_too() -> None:
    with pytest.raises(StoreError, match="the disk is full"):
        await recorded(Model("ok"), broken=True)
    with pytest.RaisesGroup(StoreError, flatten_subgroups=True), trio.CancelScope() as scope:
        await recorded(Model("ok"), broken=True, hooks=[lambda event: scope.cancel()])


async def test_events_tell_a_run_in_order() -> None:
    seen: list[events.Event] = []
    result, _ = await recorded(Model("ok"), hooks=[seen.append])
    names = [type(event).__name__ for event in seen]
    assert names[0] == "RunStarted"
    assert names[-1] == "RunEnded"
    assert names.count("StepStarted") == names.count("StepEnded") == 2
    assert all(event.run == result.record.id for event in seen)
    ended = seen[-1]
    assert isinstance(ended, events.RunEnded)
    assert ended.tern == result.record


async def test_f17_every_run_is_in_the_store_with_its_steps(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    result = await run(SOURCE, "x", models={"small": Model("ok")}, store=path)
    with Store.read(path) as store:
        assert store.get(result.record.id) == result.record


async def test_metrics_and_verdicts_of_the_record_are_plain_data() -> None:
    result, _ = await recorded(Model("ok"))
    assert [v.metrics for s in result.record.steps for v in s.verdicts] == [{"size": 2}, {"size": 2}]
