"""A run's replies become a script, and the script gives the same run: no service, no key, no cost."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest

from judgeflow.runtime.cli.run_flow import with_models
from judgeflow.runtime.connect import Connections
from judgeflow.runtime.flow.system import Connection
from judgeflow.runtime.judge.errors import ConfigurationError, ProviderContractError, ProviderError
from judgeflow.runtime.judge.errors import TestSetupError as SetupError
from judgeflow.runtime.judge.protocol import (
    Caller,
    ChatReply,
    ChatRequest,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionReply,
    DecisionRequest,
    Message,
    RefusedAnswer,
    ScaleAnswer,
    ToolCall,
)
from judgeflow.runtime.providers.recording import Recorder, RecordingProvider
from judgeflow.runtime.providers.script import ScriptProvider, script_of_file

from ..helpers import Model, Tools, program

WHOLE = """
model big "fake/big"
model spare "fake/spare"
model first "fake/first" { fallback [spare] }
model jev "fake/jev" { kind decision }
type Pair { left: text  right: int }
condition urgent(text: text) { model jev  ask "Is it urgent?" }
choice team(text: text) { model jev  ask "Which team?"  options { billing "Payments" technical "Bugs" } }
scale pain(text: text) { model jev  ask "How bad?"  levels ["low", "middle", "high"] }
agent writer(topic: text) { model big  judges [short]  retries 2 }
agent typed(topic: text) -> Pair { model big }
agent helped(topic: text) { model first }
code judge short(reply: text) { require len(reply) < 10 else "Shorter." }
flow main(topic: text) -> json {
  hot = urgent(topic)
  to = team(topic)
  bad = pain(topic)
  drafts = each n in [1, 2, 3]: writer("{{ topic }} {{ n }}")
  pair = typed(topic)
  other = helped(topic)
  return { hot: hot.probability, to: to.probabilities, bad: bad.score, drafts: drafts, pair: pair, other: other }
}
"""


def answered(request: ChatRequest) -> object:
    last = request.messages[-1].content
    if request.caller.name == "typed":
        return Tools(("answer", {"left": "l", "right": 2}))
    return "short " + last[-1] if "Shorter" in last else "far too long for its judge"


def decided(request: DecisionRequest) -> DecisionReply:
    answers = {
        "urgent": ConditionAnswer(0.93, 0.9),
        "team": ChoiceAnswer("technical", {"billing": 0.33, "technical": 0.66}),
        "pain": ScaleAnswer(1.25, (0.0, 0.75, 0.25)),
    }
    return DecisionReply({"decision": answers[request.caller.name]}, rounding=2)


def recording(recorder: Recorder):
    """The models of `WHOLE`, recorded."""
    models = {
        "big": Model(answered),
        "spare": Model("from the spare"),
        "first": Model(ProviderError("first: it failed", code="provider.server-error")),
        "jev": Model(decided),
    }

    def connect(plan):
        @asynccontextmanager
        async def opens():
            yield RecordingProvider(models[plan.name], recorder)

        return Connection(plan.name, plan.name, plan.slug, opens)

    return connect


def replaying(path: Path):
    """The same program with the script in the place of every model, in a world without a key."""
    made = program(WHOLE, path.parent / "test.judge")
    plan = with_models(made.plan, [f"*=script/{path.name}"])
    return attrs.evolve(made, plan=plan), Connections(plan, path.parent, {})


async def test_a_recorded_run_is_replayed_word_for_word(tmp_path: Path) -> None:
    recorder, path = Recorder(), tmp_path / "run.jsonl"
    async with program(WHOLE).opened(connect=recording(recorder)) as session:
        first = await session.run("terns")
    assert first.status == "answered", first.record.reason
    recorder.write(path)
    made, connect = replaying(path)
    async with made.opened(connect=connect) as session:
        for _ in range(2):
            again = await session.run("terns")
            assert again.status == "answered", again.record.reason
            assert again.answer == first.answer
            assert again.record.route == first.record.route
            assert (again.cost.total, again.record.usage.calls) == ("0", first.record.usage.calls)
    [urgent] = [step for step in again.record.steps if step.name == "urgent"]
    assert (urgent.decision.confidence, urgent.decision.origin) == (0.9, "scripted")
    [team] = [step for step in again.record.steps if step.name == "team"]
    assert team.decision.normalized


async def test_a_fallbacks_reply_stands_in_the_place_of_the_failure(tmp_path: Path) -> None:
    recorder, path = Recorder(), tmp_path / "run.jsonl"
    async with program(WHOLE).opened(connect=recording(recorder)) as session:
        await session.run("terns")
    recorder.write(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["reply"] for line in lines if line["name"] == "helped"] == ["from the spare"]
    assert not any("error" in line for line in lines)


async def test_of_several_runs_each_finds_its_own_replies_again(tmp_path: Path) -> None:
    source = """
    model big "fake/big"
    agent writer(topic: text) { model big }
    flow main(topic: text) -> text { return writer(topic) }
    """
    recorder, path = Recorder(), tmp_path / "runs.jsonl"
    inner = Model(lambda request: f"about {request.messages[-1].content}")

    def connect(plan):
        @asynccontextmanager
        async def opens():
            yield RecordingProvider(inner, recorder)

        return Connection(plan.name, plan.name, plan.slug, opens)

    async with program(source).opened(connect=connect) as session:
        first = [(await session.run(topic)).answer for topic in ("terns", "gulls", "auks")]
    recorder.write(path)
    made = program(source, tmp_path / "test.judge")
    plan = with_models(made.plan, [f"*=script/{path.name}"])
    replayed = attrs.evolve(made, plan=plan)
    async with replayed.opened(connect=Connections(plan, tmp_path, {})) as session:
        again = [(await session.run(topic)).answer for topic in ("auks", "terns", "gulls")]
        other = await session.run("skuas")
    assert again == [first[2], first[0], first[1]]
    assert "no reply of writer was recorded in step 1" in other.record.reason


async def test_a_flow_that_takes_another_way_is_told_that_nothing_was_recorded_there(tmp_path: Path) -> None:
    recorder, path = Recorder(), tmp_path / "run.jsonl"
    recorder.chat(asks("writer", step="7"), ChatReply("x"))
    recorder.write(path)
    script = script_of_file(path)
    with pytest.raises(SetupError, match="no reply of writer was recorded in step 8") as caught:
        script.answer(Caller("agent:writer", "writer", step="8"))
    assert caught.value.code == "test.no-line"
    assert script.answer(Caller("agent:writer", "writer", step="7")) == "x"


def asks(name: str = "writer", *, step: str = "1", tools: tuple = (), **more) -> ChatRequest:
    caller = Caller(f"agent:{name}", name, run="r", step=step, **more)
    return ChatRequest("m", (Message("user", "hi"),), caller, tools)


def wants(name: str = "urgent", *, step: str = "1") -> DecisionRequest:
    return DecisionRequest("m", "s", (), Caller(f"decision:{name}", name, run="r", step=step))


def script_of(recorder: Recorder, path: Path) -> ScriptProvider:
    recorder.write(path)
    return ScriptProvider(script_of_file(path))


async def test_tool_calls_come_back_with_their_ids_their_text_and_their_arguments(tmp_path: Path) -> None:
    recorder = Recorder()
    calls = (
        ToolCall("a", "look", '{"x": 1}'),
        ToolCall("b", "look", '{"x": 2}'),
        ToolCall("c", "look", '{"x'),
        ToolCall("d", "look", "[1]"),
    )
    recorder.chat(asks(), ChatReply("I look.", calls))
    reply = await script_of(recorder, tmp_path / "s.jsonl").chat(asks())
    assert reply.text == "I look."
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("a", "look", '{"x":1}'),
        ("b", "look", '{"x":2}'),
        ("c", "look", '{"x'),
        ("d", "look", "[1]"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        ConditionAnswer(0.25),
        ConditionAnswer(0.25, 0.5),
        ChoiceAnswer("a", {"a": 0.6, "b": 0.4}, 0.7),
        ScaleAnswer(1.5, (0.1, 0.3, 0.6)),
        RefusedAnswer("no"),
    ],
)
async def test_decisions_come_back_as_they_were(tmp_path: Path, answer) -> None:
    recorder = Recorder()
    recorder.decided(wants(), DecisionReply({"decision": answer}, rounding=2))
    reply = await script_of(recorder, tmp_path / "s.jsonl").decide(wants())
    assert (reply.answers, reply.rounding, reply.origin) == ({"decision": answer}, 2, "scripted")


@pytest.mark.parametrize("kind", [ProviderError, ProviderContractError])
async def test_u31_a_call_that_failed_fails_again(tmp_path: Path, kind) -> None:
    recorder = Recorder()
    inner = Model(kind("p: it broke", code="provider.cut"))
    with pytest.raises(ProviderError):
        await RecordingProvider(inner, recorder).chat(asks())
    with pytest.raises(kind) as caught:
        await script_of(recorder, tmp_path / "s.jsonl").chat(asks())
    assert (type(caught.value), caught.value.code, caught.value.message) == (
        kind,
        "provider.cut",
        "p: it broke",
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"name": "a", "reply": 1, "message": {"text": "x"}}',
        '{"name": "a", "step": "1"}',
        '{"name": "a", "message": {"words": "x"}}',
        '{"name": "a", "answers": {"by_id": {"q": {"type": "guess"}}}}',
    ],
)
def test_a_line_that_says_nothing_or_two_things_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(line)
    with pytest.raises(ConfigurationError, match=r"s\.jsonl:1: a line is an object such as"):
        script_of_file(path)


async def test_a_real_service_is_recorded_and_its_key_is_not(kit, tmp_path, monkeypatch) -> None:
    source = """
    provider own { api openai  url env OWN_URL  key env OWN_KEY }
    model small "m" via own
    agent writer(topic: text) { model small }
    flow main(topic: text) -> text { return writer(topic) }
    """
    path, recorder = tmp_path / "s.jsonl", Recorder()
    async with kit.serving(kit.answers(kit.said(f"You sent {kit.KEY}."))) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        monkeypatch.setenv("OWN_KEY", kit.KEY)
        async with program(source).opened(recorder=recorder) as session:
            result = await session.run("terns")
    recorder.write(path)
    assert result.answer == "You sent <key>."
    assert json.loads(path.read_text())["reply"] == "You sent <key>."


def test_a_script_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").mkdir()
    with pytest.raises(OSError, match="directory"):
        Recorder().write(tmp_path / "run.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
