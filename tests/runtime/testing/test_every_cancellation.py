"""`every_cancellation`: what it finds, and that nothing less than what it demands would pass."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime import program as program_module
from judgeflow.runtime.core import ActorSpec, RunGuard, TraceEvent, open_supervisor, stateless
from judgeflow.runtime.flow.steps import StepCompiler
from judgeflow.runtime.judge.protocol import ConditionAnswer, DecisionRequest
from judgeflow.runtime.run import Turn, events
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.writer import StoreWriter, open_writer
from judgeflow.runtime.testing.cancellations import Cut, every_cancellation
from judgeflow.runtime.testing.watched import Watch

from ..helpers import Model, opened, program
from ..mutants import mutate

SOURCE = """
model small "fake/small"
model decider "third/decider" { kind decision }
agent writer(topic: text) { model small  judges [fine]  retries 1 }
judge fine { model small  ask "Good? {{ reply }}" }
condition urgent(text: text) { model decider  ask "Urgent?"  context { seen: noted(text) } }
agent noted(text: text) { model small }
flow main(text: text) -> text {
  draft = writer(text)
  if urgent(draft) { approve "Send it?"  return draft }
  return "later"
}
"""


class Shown(Model):
    """A model that shows its calls."""

    def __init__(self, watch: Watch) -> None:
        super().__init__("PASS")
        self.watch = watch

    async def _next(self, request: Any) -> Any:
        self.watch.starts("a call")
        reply = await super()._next(request)
        return {"decision": ConditionAnswer(0.9)} if isinstance(request, DecisionRequest) else reply


def whole(store: Path | None = None) -> Callable[[Watch], Awaitable[None]]:
    """A program in which there is one of everything that a run may start."""
    made = program(SOURCE)

    async def scenario(watch: Watch) -> None:
        async def yes(question: str, showing: Any) -> bool:
            watch.calls_back("yes")
            await trio.lowlevel.checkpoint()
            return True

        model = Shown(watch)
        models: dict[str, Model] = {"small": model, "decider": model}
        async with opened(made, models, trace=watch.trace, store=store) as session:
            watch.tree(session.system.supervisor)
            await session.run("terns", hooks=[watch.hook], approver=yes)

    return scenario


async def test_a_sound_program_passes(autojump_clock: MockClock) -> None:
    done = await every_cancellation(whole(), seeds=[0], every=4)
    assert done.steps > 80
    assert done.cuts > 50
    assert done.missed == 0


# -- mutants: the program with one line that is not there, or weaker


@pytest.mark.parametrize(
    ("owner", "name", "line"),
    [
        (Turn, "take", "await self._run.guard.check()"),
        (StepCompiler, "_approve", "await run.guard.check()"),
    ],
    ids=["before the provider", "before a person is asked"],
)
async def test_without_one_of_its_checks_it_does_not(
    owner: type, name: str, line: str, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    mutate(monkeypatch, owner, name, line, "pass")
    with pytest.raises(AssertionError, match="started after the cut"):
        await every_cancellation(whole(), seeds=[0], every=3)


async def test_with_a_check_that_looks_only_if_it_is_cancelled_it_does_not(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    mutate(monkeypatch, RunGuard, "check", "lowlevel.checkpoint()", "lowlevel.checkpoint_if_cancelled()")
    with pytest.raises(AssertionError, match="a call started after the cut"):
        await every_cancellation(whole(), seeds=[0], every=3)


class Disk:
    """Stores that take their time to close, and what is in them once the program is over."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.open: list[Path] = []
        disk = self

        class Slow(Store):
            def close(self) -> None:
                time.sleep(0.01)
                super().close()
                disk.open.remove(Path(self.database.path))

        def open_store(path: Path) -> Store:
            self.open.append(path)
            return Slow.open(path)

        monkeypatch.setattr(program_module, "open_writer", partial(open_writer, open_store=open_store))

    async def scenario(self, watch: Watch) -> None:
        await whole(self.folder / "runs.db")(watch)

    def check(self, watch: Watch) -> None:
        assert self.open == [], "the recorder was still at work when the program was over"
        with Store.read(self.folder / "runs.db") as store:
            for tern in watch.terns:
                assert store.get(tern.id).status == tern.status


async def test_whatever_a_cancelled_program_recorded_is_in_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path, monkeypatch)
    done = await every_cancellation(disk.scenario, disk.check, seeds=[0], every=40)
    assert done.cuts > 3


async def test_with_a_recorder_that_is_not_shielded_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path, monkeypatch)
    mutate(monkeypatch, StoreWriter, "close", "shield=True", "shield=False")
    with pytest.raises(AssertionError, match="the recorder was still at work"):
        await every_cancellation(disk.scenario, disk.check, seeds=[0], every=40)


# -- what it finds


async def told(watch: Watch, message: object) -> None:
    await trio.lowlevel.checkpoint()


async def found(scenario: Callable[[Watch], Awaitable[object]], **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        await every_cancellation(scenario, seeds=[0], **options)
    return str(caught.value)


async def test_a_scenario_that_hangs_once_it_is_cancelled_is_found(autojump_clock: MockClock) -> None:
    async def scenario(watch: Watch) -> None:
        try:
            await trio.sleep(1)
        except trio.Cancelled:
            with trio.CancelScope(shield=True):
                await trio.sleep(60)
            raise

    assert "it hangs: it was not over within 30 s" in await found(scenario, within=30)
    assert (await every_cancellation(scenario, seeds=[0])).cuts == 4


async def test_an_actor_that_is_not_torn_down_is_found() -> None:
    async def scenario(watch: Watch) -> None:
        async with open_supervisor(trace=watch.trace) as root:
            root.start(ActorSpec(name="a", behaviour=stateless(partial(told, watch))))
            await trio.lowlevel.checkpoint()
        watch.trace(TraceEvent("started", "b"))

    assert "b was set up 1 times and torn down 0 times" in await found(scenario)


async def test_a_mailbox_that_is_open_in_the_end_is_found(autojump_clock: MockClock) -> None:
    async with open_supervisor() as root:
        root.start(ActorSpec(name="left", behaviour=stateless(partial(told, None))))

        async def scenario(watch: Watch) -> None:
            watch.tree(root)
            await trio.lowlevel.checkpoint()

        assert "the mailbox of left is not closed and empty" in await found(scenario)


async def test_a_message_that_is_handled_twice_is_found() -> None:
    message = object()

    async def scenario(watch: Watch) -> None:
        async with open_supervisor(trace=watch.trace) as root:
            ref = root.start(ActorSpec(name="a", behaviour=stateless(partial(told, watch))))
            await ref.ask(message)
            await ref.ask(message)

    assert "a handled a message twice: <object" in await found(scenario)


async def test_a_function_that_is_called_twice_is_found() -> None:
    async def scenario(watch: Watch) -> None:
        for _ in range(2):
            watch.calls_back("send the mail")
            await trio.lowlevel.checkpoint()

    assert "send the mail was called twice" in await found(scenario)


async def test_a_step_without_its_line_is_found() -> None:
    async def scenario(watch: Watch) -> None:
        watch.hook(events.RunStarted(run="r", at=0, flow="f", thread="t"))
        watch.hook(events.StepStarted(run="r", at=0, step="1", kind="agent", name="a"))
        await trio.lowlevel.checkpoint()

    text = await found(scenario)
    assert "runs ['r'] were started, and there are records of []" in text
    assert "step 1 was started 1 times, ended 0 times and has 0 lines in the record" in text


async def test_what_is_wrong_is_told_with_the_cut_that_shows_it_again(autojump_clock: MockClock) -> None:
    def scenario_of(sound: bool) -> Callable[[Watch], Awaitable[None]]:
        async def scenario(watch: Watch) -> None:
            for number in range(5):
                await trio.lowlevel.cancel_shielded_checkpoint()
                if sound or number != 3:
                    await trio.lowlevel.checkpoint()
                watch.starts(f"call {number}")

        return scenario

    with pytest.raises(AssertionError) as caught:
        await every_cancellation(scenario_of(False))
    again = eval(str(caught.value).rpartition("only=")[2], {"Cut": Cut})
    with pytest.raises(AssertionError) as repeated:
        await every_cancellation(scenario_of(False), only=again)
    assert str(repeated.value) == str(caught.value)
    assert (await every_cancellation(scenario_of(True), only=again)).cuts == 1


async def test_an_error_of_the_check_says_where_the_scenario_was_cut(autojump_clock: MockClock) -> None:
    async def scenario(watch: Watch) -> None:
        await trio.sleep(1)

    def check(watch: Watch) -> None:
        assert not watch.is_cut

    with pytest.raises(AssertionError) as caught:
        await every_cancellation(scenario, check, seeds=[7])
    assert caught.value.__notes__ == ["the scenario was cut after step 0, seed 7"]


async def test_what_the_scenario_raises_without_a_cut_is_raised(autojump_clock: MockClock) -> None:
    async def scenario(watch: Watch) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        await every_cancellation(scenario)
    assert caught.value.__notes__ == ["the scenario was not cut"]


async def test_seeds_are_orders_and_the_order_of_others_is_given_back(autojump_clock: MockClock) -> None:
    orders: set[tuple[int, ...]] = set()

    async def scenario(watch: Watch) -> None:
        order: list[int] = []

        async def note(number: int) -> None:
            order.append(number)
            await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            for number in range(5):
                nursery.start_soon(note, number)
        orders.add(tuple(order))

    before = trio._core._run._r
    await every_cancellation(scenario, seeds=range(8), every=100)
    assert len(orders) > 4
    assert trio._core._run._r is before


async def test_a_scenario_may_say_what_cuts_it_and_from_where_on(autojump_clock: MockClock) -> None:
    cut: list[float] = []

    async def scenario(watch: Watch) -> None:
        await trio.sleep(5)
        start = trio.current_time()
        watch.cut_by(lambda: cut.append(trio.current_time() - start))
        await trio.sleep(1)

    done = await every_cancellation(scenario, seeds=[0])
    assert (done.cuts, done.missed) == (len(cut), 0)
    assert set(cut) == {0.0, 1.0}


@pytest.mark.parametrize("nothing", [{"seeds": []}, {"every": 0}], ids=repr)
async def test_a_check_that_would_cut_nothing_is_refused(nothing: dict[str, Any]) -> None:
    async def scenario(watch: Watch) -> None:
        await trio.sleep(1)

    with pytest.raises(ValueError, match="nothing would be cut"):
        await every_cancellation(scenario, **nothing)
