"""A run that waits, was stopped, or whose process died goes on where it was: nothing that is known is asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.flow.execute import Execution
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ChatReply, ChatRequest, ChoiceAnswer, ConditionAnswer
from judgeflow.runtime.run import events
from judgeflow.runtime.store.errors import UnknownRunError
from judgeflow.runtime.store.records import JournalEntry, Tern
from judgeflow.runtime.store.terns import Store

from ..helpers import Model, Tools, opened, program, run, step, steps

SOURCE = """
model small "fake/small" { price $1 in, $1 out }
model other "spare/other" { price $1 in, $1 out }
model decider "third/decider" { kind decision }
type Offer { salary: int }
type Refusal { why: text }
tool send(text: text, key: text) -> json { python "hooks.py:send"  secret [key] }
agent writer(topic: text) { model small  judges [fine] }
agent poet(topic: text) { model other }
agent recruiter -> Offer | Refusal { model small }
code judge fine(reply: text) { require reply != "bad" else "bad"  metrics { size: len(reply) } }
gate ready(text) { scorers { length 0..3 }  judge poet "Good?" }
condition urgent(text: text) { model decider  ask "Urgent?"  confidence at least 0.8 }
choice team(text: text) { model decider  ask "Whose?"  options { a "A"  b "B" } }
flow main(text: text, extra: json = null) -> json {
  draft = writer(text)
  approve "Send {{ draft }}?" showing { draft: draft, extra: extra }
  sent = send(draft, "k3y")
  last = poet(sent.text)
  return [draft, sent.key, last]
}
"""
HOOKS = """
    sent = []
    def send(text, key):
        sent.append(text)
        return {"text": text, "key": key, "times": len(sent)}
"""


def made(folder: Path, source: str = SOURCE) -> Any:
    (folder / "hooks.py").write_text(textwrap.dedent(HOOKS), encoding="utf-8")
    return program(source, folder / "test.judge")


def models(**given: Model) -> dict[str, Model]:
    return {"small": Model("Hi"), "other": Model("Bye"), "decider": Model("")} | given


def answering(*answers: bool | None) -> tuple[Any, list[tuple[str, Any]]]:
    asked: list[tuple[str, Any]] = []

    async def approver(question: str, showing: Any) -> bool | None:
        asked.append((question, showing))
        return answers[min(len(asked), len(answers)) - 1]

    return approver, asked


async def paused(folder: Path, source: str = SOURCE, **given: Model) -> tuple[Any, Path]:
    path = folder / "terns.sqlite"
    result = await run(made(folder, source), "terns", models=models(**given), store=path)
    assert result.status == "paused", result.record.reason
    return result, path


# --- after a pause


async def test_a_paused_run_is_stored_with_what_was_shown_and_where_its_file_is(tmp_path: Path) -> None:
    result, path = await paused(tmp_path)
    with Store.read(path) as store:
        kept = store.get(result.record.id)
    assert kept == result.record
    assert (kept.status, kept.reason, kept.file) == ("paused", "Send Hi?", str(tmp_path / "test.judge"))
    assert kept.steps[1].approval.showing == {"draft": "Hi", "extra": None}
    assert kept.steps[1].status == "paused"


async def test_another_process_goes_on_with_exactly_what_was_shown_and_asks_nothing_twice(
    tmp_path: Path,
) -> None:
    first, path = await paused(tmp_path)
    approver, asked = answering(True)
    again = models(small=Model(RuntimeError("asked again")))
    async with opened(made(tmp_path), again, store=path) as session:
        result = await session.resume(first.record.id, approver=approver)
    assert (result.status, result.answer) == ("answered", ["Hi", "k3y", "Bye"])
    assert asked == [("Send Hi?", {"draft": "Hi", "extra": None})]
    assert again["small"].requests == []
    assert (result.record.id, result.record.thread, result.record.turn) == (
        first.record.id,
        first.record.thread,
        1,
    )
    assert [found.name for found in result.record.steps] == ["writer", "approve", "send", "poet"]
    assert step(result, "writer") == step(first, "writer")
    # Both processes' spending, each once.
    assert result.cost.parties == {"agent:writer": "0.000015", "agent:poet": "0.000015"}
    assert result.record.usage.calls == 2
    with Store.read(path) as store:
        assert store.get(first.record.id) == result.record


async def test_a_no_ends_it_as_guarded(tmp_path: Path) -> None:
    first, path = await paused(tmp_path)
    async with opened(made(tmp_path), models(), store=path) as session:
        result = await session.resume(first.record.id, approver=answering(False)[0])
    assert (result.status, result.record.code, steps(result, "send")) == ("guarded", "approve.refused", [])


async def test_it_may_wait_again_and_go_on_later(tmp_path: Path) -> None:
    first, path = await paused(tmp_path)
    for _ in range(2):
        async with opened(made(tmp_path), models(), store=path) as session:
            assert (await session.resume(first.record.id)).status == "paused"
    async with opened(made(tmp_path), models(), store=path) as session:
        result = await session.resume(first.record.id, approver=answering(True)[0])
    assert (result.status, result.record.usage.calls) == ("answered", 2)


async def test_an_approval_is_used_once(tmp_path: Path) -> None:
    first, path = await paused(tmp_path)
    async with opened(made(tmp_path), models(), store=path) as session:
        await session.resume(first.record.id, approver=answering(True)[0])
        with pytest.raises(jf.NotResumableError, match="is answered: there is nothing to go on with"):
            await session.resume(first.record.id, approver=answering(True)[0])


async def test_of_two_who_go_on_at_once_one_is_refused(tmp_path: Path) -> None:
    first, path = await paused(tmp_path)
    outcomes: list[Any] = []
    async with opened(made(tmp_path), models(other=Model("Bye", seconds=0.05)), store=path) as session:

        async def go_on() -> None:
            try:
                outcomes.append((await session.resume(first.record.id, approver=answering(True)[0])).status)
            except jf.NotResumableError as error:
                outcomes.append(error.message)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(go_on)
            nursery.start_soon(go_on)
    assert sorted(outcomes) == ["answered", f"run {first.record.id} is under way in another process"]


async def test_a_program_that_has_changed_is_refused(tmp_path: Path) -> None:
    first, path = await paused(tmp_path)
    changed = SOURCE.replace('send(draft, "k3y")', 'send("something else", "k3y")')
    async with opened(made(tmp_path, changed), models(), store=path) as session:
        with pytest.raises(jf.ConfigurationError, match="the program has changed since") as caught:
            await session.resume(first.record.id, approver=answering(True)[0])
    assert caught.value.code == "resume.changed"
    with Store.read(path) as store:
        assert store.get(first.record.id).status == "paused"


async def test_what_there_is_nothing_to_go_on_with_is_told(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    async with opened(made(tmp_path), models(), store=path) as session:
        with pytest.raises(UnknownRunError):
            await session.resume("nowhere")
    async with opened(made(tmp_path), models()) as session:
        with pytest.raises(jf.ConfigurationError, match="only a run in a store"):
            await session.resume("nowhere")


async def test_two_that_wait_are_both_asked_and_an_answer_is_kept(tmp_path: Path) -> None:
    source = (
        SOURCE.replace("flow main", "flow unused")
        + """
flow asked(what: text) -> json {
  yes = approve "Is {{ what }} fine?"
  return yes
}
flow main(text: text) -> json {
  parallel { a = asked("one")  b = asked("two") }
  c = writer(text)
  return [a, b, c]
}
"""
    )
    first, path = await paused(tmp_path, source)
    assert [s.status for s in steps(first, "yes")] == ["paused", "paused"]

    async def only_two(question: str, showing: Any) -> bool | None:
        return False if "two" in question else None

    async with opened(made(tmp_path, source), models(), store=path) as session:
        second = await session.resume(first.record.id, approver=only_two)
    assert second.status == "paused"
    approver, asked = answering(True)
    async with opened(made(tmp_path, source), models(), store=path) as session:
        third = await session.resume(first.record.id, approver=approver)
    assert (asked, third.answer) == ([("Is one fine?", None)], [True, False, "Hi"])


# --- values of every kind come back as they were


MANY = """
flow main(text: text) -> json {
  found = recruiter(text)
  is_urgent = urgent(text)
  switch team(text) { case a { at = "a" } case b { at = "b" } }
  if urgent(text) { way = "then" } uncertain { way = "unsure" } else { way = "else" }
  judged = fine("good")
  gated = try ready("long text")
  failed = try poet("1")
  picked = best of 3: writer(text) picked by poet
  all = each item in ["x", "y"]: writer(item)
  loop at most 2 times { looped = writer("again") }
  sub = inner(text)
  key = send("t", "k3y")
  approve "Go on?"
  end = writer("end")
  if found is Offer { pay = found.salary } else { pay = 0 }
  return {
    pay: pay, urgent: is_urgent.probability, at: at, way: way, judged: judged.metrics.size,
    gated: gated.report, failed: failed.reason, picked: picked, all: all, looped: looped,
    sub: sub, key: key.key, end: end
  }
}
flow inner(text: text) -> text { a = writer("inner {{ text }}")  return upper(a) }
"""


async def test_everything_that_a_flow_has_learned_is_known_again(tmp_path: Path) -> None:
    source = SOURCE.replace("flow main", "flow unused") + MANY

    def small(request: Any) -> Any:
        if request.tools:
            return Tools(("answer_offer", {"salary": 7}))
        return f"<{request.messages[-1].content} {request.caller.sample}>"

    def other(request: Any) -> Any:
        said = request.messages[-1].content
        if "Variant" in said:
            return "WINNER: 2"
        return ProviderError("it is down") if said == "1" else "VERDICT: BLOCK"

    def decides(request: Any) -> Any:
        if request.questions[0].kind == "choice":
            return {"decision": ChoiceAnswer("b", {"a": 0.25, "b": 0.75})}
        return {"decision": ConditionAnswer(0.7)}

    given = {"small": Model(small), "other": Model(other), "decider": Model(decides)}
    path = tmp_path / "terns.sqlite"
    first = await run(made(tmp_path, source), "terns", flow="main", models=given, store=path)
    assert first.status == "paused", first.record.reason
    calls = sum(len(model.requests) for model in given.values())
    async with opened(made(tmp_path, source), given, store=path) as session:
        result = await session.resume(first.record.id, approver=answering(True)[0])
    assert sum(len(model.requests) for model in given.values()) == calls + 1, "only the last call is new"
    whole = await run(made(tmp_path, source), "terns", flow="main", models=given, approver=answering(True)[0])
    assert result.answer == whole.answer
    assert result.answer["way"] == "unsure"
    assert "reviewer" not in result.answer["gated"]
    assert [s.id for s in result.record.steps] == [s.id for s in whole.record.steps]
    assert [s.status for s in result.record.steps] == [s.status for s in whole.record.steps]
    assert result.record.usage == whole.record.usage


async def test_a_secret_that_cannot_be_told_from_the_record_is_fetched_again(tmp_path: Path) -> None:
    source = (
        SOURCE.replace("secret [key]", "secret [key, text]")
        .replace('approve "Send', 'early = send("a", "b")\n  approve "Send')
        .replace("[draft, sent.key, last]", "[early.key, early.text]")
    )
    first, path = await paused(tmp_path, source)
    assert step(first, "send").answer == {"text": "•••", "key": "•••", "times": 1}
    async with opened(made(tmp_path, source), models(), store=path) as session:
        result = await session.resume(first.record.id, approver=answering(True)[0])
    assert result.answer == ["b", "a"]


# --- after a stop or a death


class StopsTheRun(Model):
    """A model whose call is cut: whoever waits for it is told to stop."""

    executions: list[Execution]

    async def chat(self, request: ChatRequest) -> ChatReply:
        self.executions[0].abort()
        await trio.sleep_forever()
        raise AssertionError


async def test_a_stopped_run_goes_on_and_keeps_what_the_cut_step_had_cost(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    source = SOURCE.replace('approve "Send {{ draft }}?" showing { draft: draft, extra: extra }', "")
    other = StopsTheRun()
    other.executions = []
    head = (
        await run(
            made(tmp_path, source),
            "terns",
            models=models(other=other),
            store=path,
            started=other.executions.append,
        )
    ).record
    assert (head.status, head.cost.total) == ("cancelled", "unknown")
    async with opened(made(tmp_path, source), models(small=Model(KeyError())), store=path) as session:
        result = await session.resume(head.id)
    assert (result.status, result.answer) == ("answered", ["Hi", "k3y", "Bye"])
    # The call that was cut may have cost something, and both are counted.
    assert result.cost.parties == {"agent:writer": "0.000015", "agent:poet": "unknown"}
    assert (result.cost.known, result.record.usage.calls) == ("0.00003", 3)


async def test_a_resumed_run_keeps_to_its_limits_over_all_its_processes(tmp_path: Path) -> None:
    source = SOURCE + "limits { calls 1 per run }\n"
    first, path = await paused(tmp_path, source)
    async with opened(made(tmp_path, source), models(), store=path) as session:
        result = await session.resume(first.record.id, approver=answering(True)[0])
    assert (result.status, result.record.code) == ("guarded", "limit.calls")


async def test_every_step_is_in_the_journal_as_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    seen: list[tuple[str, list[tuple[str, str]]]] = []

    async with opened(made(tmp_path), models(), store=path) as session:
        writer: Any = session.writer
        posted: list[Any] = []
        original = writer.post
        writer.post = lambda record: (posted.append(record), original(record))[1]

        def hook(event: events.Event) -> None:
            kept = [(e.step.name, e.step.status) for e in posted if isinstance(e, JournalEntry)]
            seen.append((type(event).__name__, kept))

        await session.run("terns", hooks=[hook], approver=answering(True)[0])
    ended = [kept for name, kept in seen if name == "StepEnded"]
    assert ended[0] == [("writer", "running"), ("writer", "succeeded")]
    assert ended[-1] == [
        ("writer", "running"),
        ("writer", "succeeded"),
        ("approve", "succeeded"),
        ("send", "running"),
        ("send", "succeeded"),
        ("poet", "running"),
        ("poet", "succeeded"),
    ]


KILLED = """
import sys, trio
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.runtime.helpers import Model, run
from tests.runtime.program.test_resume import SOURCE, made, models

class Says(Model):
    async def chat(self, request):
        print("in flight", flush=True)
        return await super().chat(request)

source = SOURCE.replace('approve "Send {{ draft }}?" showing { draft: draft, extra: extra }', "")
async def main():
    folder = Path(sys.argv[1])
    await run(made(folder, source), "terns", models=models(other=Says("Bye", seconds=600)), store=Path(sys.argv[2]))
trio.run(main)
"""


def left_in(path: Path) -> Tern:
    with Store.read(path) as store:
        [head] = store.list_terns()
        return store.get(head.id)


def killed_in_flight(folder: Path, path: Path) -> None:
    root = str(Path(__file__).parents[3])
    command = [sys.executable, "-c", KILLED, str(folder), str(path), root]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in flight\n"
        while not any(found.name == "poet" for found in left_in(path).steps):
            time.sleep(0.01)  # the recorder's thread writes it as soon as it may
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.slow
async def test_a_killed_process_leaves_a_run_that_goes_on_and_shows_what_was_in_flight(
    tmp_path: Path,
) -> None:
    path = tmp_path / "terns.sqlite"
    killed_in_flight(tmp_path, path)
    left = left_in(path)
    assert left.status == "abandoned"
    assert [(s.name, s.status) for s in left.steps] == [
        ("writer", "succeeded"),
        ("send", "succeeded"),
        ("poet", "running"),
    ]
    source = SOURCE.replace('approve "Send {{ draft }}?" showing { draft: draft, extra: extra }', "")
    again = models(small=Model(KeyError()))
    async with opened(made(tmp_path, source), again, store=path) as session:
        result = await session.resume(left.id)
    assert (result.status, result.answer) == ("answered", ["Hi", "k3y", "Bye"])
    assert again["small"].requests == []
    assert result.record.warnings == (
        "poet was under way when its process died: it is asked again, and what that call cost is not known",
    )
    assert result.cost.parties == {"agent:writer": "0.000015", "agent:poet": "unknown"}
