"""A busy run, cut before and after every step of the scheduler: by its caller, at once, and softly.

Whenever it is cut, nothing starts afterwards, what was paid for is kept, and there is one record that says how it
ended, with every step closed.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from judgeflow.runtime.agents.loop import _Visit
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
from judgeflow.runtime.testing.cancellations import every_cancellation
from judgeflow.runtime.testing.watched import Watch

from ..helpers import EPOCH, Model, Tools, opened, program
from ..mutants import mutate

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
  loop at most 6 times { said = poet(text) }
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


class Watched(Model):
    """A model that knows when the run was cut, and what was begun and answered."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    async def chat(self, request: ChatRequest) -> ChatReply:
        said = request.messages[-1].content
        with self.log.call():
            await trio.sleep(0.5 if said == "terns" else 0.1)
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
    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.seen: list[events.Event] = []
        self.asked = 0.0
        """When a person was asked."""
        self.begun = self.answered = 0

    def hook(self, event: events.Event) -> None:
        self.seen.append(event)
        self.watch.hook(event)

    def call(self) -> Any:
        self.watch.starts("a call")
        self.begun += 1
        return self

    async def yes(self, question: str, showing: Any) -> bool:
        self.watch.calls_back("a person's answer")
        self.asked = trio.current_time()
        await trio.sleep(0.1)
        return True

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self.answered += kind is None


def made(folder: Path) -> Program:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(SOURCE, folder / "test.judge")


def busy(made_program: Program, how: str) -> Callable[[Watch], Awaitable[None]]:
    async def scenario(watch: Watch) -> None:
        log = Log(watch)
        model = Watched(log)
        models: dict[str, Model] = {"small": model, "grader": model, "decider": model}

        def started(execution: Execution) -> None:
            if how != "cancel":
                watch.cut_by(execution.stop if how == "stop" else execution.abort)

        try:
            async with opened(made_program, models, trace=watch.trace) as session:
                watch.tree(session.system.supervisor)
                sys.modules["judgeflow_hook_hooks"].begun.clear()
                result = await session.run("terns", hooks=[log.hook], started=started, approver=log.yes)
                assert [result.record] == watch.terns
        finally:
            if watch.terns:
                check(watch.terns[0], log, how)

    return scenario


def check(tern: Tern, log: Log, how: str) -> None:
    cut_at, is_cut = log.watch.cut_at, log.watch.is_cut
    assert tern.status in (("answered", "cancelled") if is_cut else ("answered",)), tern.reason
    # What had not come back when it was cut is kept, and nothing is made of it.
    assert [event for event in log.seen if isinstance(event, MADE_OF_IT) and event.at > EPOCH + cut_at] == []
    assert all(moment <= cut_at for moment in (*sys.modules["judgeflow_hook_hooks"].begun, log.asked))
    for found in tern.steps:
        for attempt in found.attempts:
            assert parse_timestamp(attempt.started).timestamp() <= EPOCH + cut_at + 0.001
    # Every call that was begun is in the books, once: those that came back with what they cost, those that were cut
    # as unknown.
    assert tern.usage.calls == log.begun
    assert (tern.usage.input_tokens, tern.usage.unreported) == (10 * log.answered, log.begun - log.answered)
    assert (tern.cost.total == "unknown") is (log.begun > log.answered)
    assert sum(found.usage.calls for found in tern.steps) == log.begun
    if how == "stop" and is_cut:
        # A race that is being decided may cut its losers; nothing else is cut softly.
        assert log.begun - log.answered <= 1
    for found in tern.steps:
        assert all(attempt.ended is not None for attempt in found.attempts)
        if found.kind == "agent" and found.usage.calls:
            assert found.attempts, "an answer that was paid for is in the record"


@pytest.mark.slow
@pytest.mark.parametrize(("how", "every"), [("cancel", 2), ("abort", 4), ("stop", 4)])
async def test_a_run_that_is_cut_anywhere_keeps_its_word(
    tmp_path: Path, how: str, every: int, autojump_clock: MockClock
) -> None:
    done = await every_cancellation(busy(made(tmp_path), how), seeds=[0], every=every)
    assert done.cuts * every > 800
    assert done.missed == 0, done


@pytest.mark.parametrize("how", ["cancel", "abort", "stop"])
async def test_a_sample_of_these(tmp_path: Path, how: str, autojump_clock: MockClock) -> None:
    done = await every_cancellation(busy(made(tmp_path), how), seeds=[1], every=211)
    assert done.missed == 0, done


async def test_without_the_check_before_an_answer_is_used_a_stopped_run_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    mutate(monkeypatch, _Visit, "_complete", "await self.run.proceed()", "pass")
    with pytest.raises(AssertionError, match=r"started after the cut|begun"):
        await every_cancellation(busy(made(tmp_path), "stop"), seeds=[0], every=8)
