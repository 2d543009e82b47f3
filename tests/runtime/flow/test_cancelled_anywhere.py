"""A busy run, cut before every step of the scheduler: by its caller, at once, and softly.

Whenever it is cut, nothing starts afterwards, what was paid for is kept, and there is one record that says how it
ended, with every step closed.
"""

from __future__ import annotations

import math
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.judge.protocol import (
    ChatReply,
    ChatRequest,
    ConditionAnswer,
    DecisionReply,
    DecisionRequest,
)
from judgeflow.runtime.program import Program
from judgeflow.runtime.run import events
from judgeflow.runtime.store.clock import parse_timestamp
from judgeflow.runtime.store.records import Tern

from ..helpers import EPOCH, Model, Tools, opened, program

SOURCE = """
model small "fake/small" { price $1 in, $1 out }
model grader "spare/grader" { price $1 in, $1 out }
model decider "third/decider" { kind decision  price $1 in, $1 out }
tool look(id: text) -> text { python "hooks.py:look" }
agent writer(topic: text) { model small  tools [look]  judges [sure, graded, typed]  retries 2 }
agent poet(topic: text) { model small  judges [calm] }
code judge calm { require reply != "" else "say something" }
code judge sure { require len(calls(look)) > 0 else "look first"  metrics { tries: attempt } }
judge graded { model grader  ask "Good? {{ reply }}" }
judge typed(reply: text) { model decider  decide { fine: condition "Fine?" }  require fine.value else "no" }
gate ready(text) { scorers { length 0..1 }  judge poet "Good?" }
condition urgent(text: text) { model decider  ask "Urgent?"  context { seen: look(text) }  confidence at least 0.6 }
flow main(text: text) -> json {
  parallel {
    all   = busy(text)
    other = talk(text)
  }
  return [all, other]
}
flow talk(text: text) -> text {
  loop at most 40 times { said = poet(text) }
  return said
}
flow busy(text: text) -> json {
  parallel {
    a = writer(text)
    b = try ready(text)
  }
  if urgent(text) { c = inner(text) } uncertain { c = "unsure" } else { c = "no" }
  fast = race { poet("x")  poet("y") }
  best = best of { poet("1")  poet("2") } picked by poet
  all  = each item in ["p", "q", "r"] at most 2 at once: poet(item)
  seen = look(text)
  gate = try ready(text)
  okay = graded(seen)
  yes  = approve "Go on?"
  loop at most 2 times until yes { last = poet("z") }
  end  = poet("end")
  return [a, b.passed, gate.passed, c, fast, best, len(all), seen, okay.passed, yes, end]
}
flow inner(text: text) -> text { d = poet(text)  return d }
"""
HOOKS = """
    import trio
    begun = []
    async def look(id):
        begun.append(trio.current_time())
        await trio.sleep(0.1)
        return "seen " + id
"""


MADE_OF_IT = (events.JudgeEnded, events.AttemptRejected)
STARTS = (events.StepStarted, events.JudgeStarted, events.GateAsked)


class Watched(Model):
    """A model that knows when the run was cut, and what was begun and answered."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    async def chat(self, request: ChatRequest) -> ChatReply:
        with self.log.call():
            await trio.sleep(0.1)
        said = request.messages[-1].content
        if request.tools and len(request.messages) == 1:
            return reply(Tools(("look", {"id": "7"})))
        if "WINNER" in said:
            return reply("WINNER: 1")
        return reply("PASS" if "Good" in said else f"<{said}>")

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        with self.log.call():
            await trio.sleep(0.1)
        share = 0.9
        return DecisionReply({q.id: ConditionAnswer(share) for q in request.questions}, self._usage)


def reply(what: str | Tools) -> ChatReply:
    text, calls = (what, ()) if isinstance(what, str) else (what.text, what.calls)
    return ChatReply(text, calls, Model()._usage)


class Log:
    def __init__(self) -> None:
        self.is_cut = False
        self.told_before_the_cut = 0
        self.cut_at = math.inf
        self.asked = 0.0
        """When a person was asked."""
        self.begun = self.answered = self.begun_after_the_cut = 0

    def call(self) -> Any:
        self.begun += 1
        self.begun_after_the_cut += self.is_cut
        return self

    async def yes(self, question: str, showing: Any) -> bool:
        self.asked = trio.current_time()
        await trio.sleep(0.1)
        return True

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self.answered += kind is None


class CutBefore(trio.abc.Instrument):
    """Does something before the n-th step that follows the run's start."""

    def __init__(self, step: int, cut: Callable[[], None]) -> None:
        self.left = step
        self.cut = cut
        self.is_on = False

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if self.is_on:
            self.left -= 1
            if self.left == 0:
                self.cut()


def made(folder: Path) -> Program:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(SOURCE, folder / "test.judge")


def cut_at(made_program: Program, step: int, how: str) -> bool:
    """Runs it and checks it; whether it was cut at all."""
    log, seen = Log(), list[events.Event]()
    executions: list[Execution] = []
    scope = trio.CancelScope()

    def cut() -> None:
        log.is_cut, log.told_before_the_cut, log.cut_at = True, len(seen), trio.current_time()
        {"cancel": scope.cancel, "abort": executions[0].abort, "stop": executions[0].stop}[how]()

    instrument = CutBefore(step, cut)

    def started(execution: Execution) -> None:
        executions.append(execution)
        instrument.is_on = True

    async def main() -> None:
        model = Watched(log)
        models: dict[str, Model] = {"small": model, "grader": model, "decider": model}
        async with opened(made_program, models) as session:
            with scope:
                result = await session.run("terns", hooks=[seen.append], started=started, approver=log.yes)
                assert result.record == ended(seen)
            instrument.is_on = False

    trio.run(main, clock=MockClock(autojump_threshold=0), instruments=[instrument])
    check(ended(seen), log, seen, how)
    return log.is_cut


def ended(seen: list[events.Event]) -> Tern:
    [event] = [event for event in seen if isinstance(event, events.RunEnded)]
    return event.tern


def check(tern: Tern, log: Log, seen: list[events.Event], how: str) -> None:
    assert tern.status in (("answered", "cancelled") if log.is_cut else ("answered",)), tern.reason
    assert log.begun_after_the_cut == 0, "no call starts after the cut"
    if log.is_cut:
        after = [event for event in seen[log.told_before_the_cut :] if isinstance(event, STARTS)]
        assert after == [], "no step, judge or question starts after the cut"
    # What had not come back when it was cut is kept, and nothing is made of it.
    assert [event for event in seen if isinstance(event, MADE_OF_IT) and event.at > EPOCH + log.cut_at] == []
    assert all(moment <= log.cut_at for moment in (*sys.modules["judgeflow_hook_hooks"].begun, log.asked))
    for found in tern.steps:
        for attempt in found.attempts:
            assert parse_timestamp(attempt.started).timestamp() <= EPOCH + log.cut_at + 0.001
    # Every call that was begun is in the books, once: those that came back with what they cost, those that were cut
    # as unknown.
    assert tern.usage.calls == log.begun
    assert (tern.usage.input_tokens, tern.usage.unreported) == (10 * log.answered, log.begun - log.answered)
    assert (tern.cost.total == "unknown") is (log.begun > log.answered)
    assert sum(found.usage.calls for found in tern.steps) == log.begun
    if how == "stop" and log.is_cut:
        # A race that is being decided may cut its losers; nothing else is cut softly.
        assert log.begun - log.answered <= 1
    # Every step is closed, told of once, and has its attempts and tool calls closed too.
    assert all(found.status != "running" and found.ended is not None for found in tern.steps)
    told = Counter(event.record.id for event in seen if isinstance(event, events.StepEnded))
    assert told == Counter(found.id for found in tern.steps)
    for found in tern.steps:
        assert all(attempt.ended is not None for attempt in found.attempts)
        if found.kind == "agent" and found.usage.calls:
            assert found.attempts, "an answer that was paid for is in the record"


def test_a_run_that_is_not_cut_answers(tmp_path: Path) -> None:
    assert cut_at(made(tmp_path), 10**9, "cancel") is False


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cancel", "abort", "stop"])
def test_a_run_that_is_cut_before_any_step_keeps_its_word(tmp_path: Path, how: str) -> None:
    made_program = made(tmp_path)
    step = 1
    while cut_at(made_program, step, how):
        step += 1
    assert step > 500


@pytest.mark.parametrize("how", ["cancel", "abort", "stop"])
def test_a_sample_of_these(tmp_path: Path, how: str) -> None:
    made_program = made(tmp_path)
    for step in range(1, 500, 41):
        cut_at(made_program, step, how)
