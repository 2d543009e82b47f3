"""The model inside the package, for real: llama.cpp's own server on loopback. Needs the extra `local`."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import (
    Caller,
    ChatRequest,
    DecisionQuestion,
    DecisionRequest,
    Message,
    ToolSpec,
)
from judgeflow.runtime.providers import local
from judgeflow.runtime.providers.choose import choose
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.openai_reply import CompletionReader
from judgeflow.runtime.providers.settings import ModelChoice, Target, Timing

from ..helpers import program

pytestmark = pytest.mark.slow

TERNS = (
    "Terns are seabirds found worldwide near the sea, rivers and wetlands. They eat fish, and the Arctic "
    "tern flies from pole to pole every year."
)
TARGET = choose(ModelChoice("local/smollm2"), {}).target


def title(**more) -> ChatRequest:
    prompt = Message("user", f"Write a title for this text: {TERNS}")
    return ChatRequest("local/smollm2", (prompt,), Caller("agent:titler"), **{"max_tokens": 40, **more})


async def running(provider) -> subprocess.Popen:
    await provider._ready()
    return provider._process


@pytest.fixture
async def provider(kit):
    async with open_provider(TARGET, kit.clockwork(timing=Timing())) as provider:
        yield provider


async def test_it_titles_a_short_text_the_same_way_each_time(provider) -> None:
    one, two = [await provider.chat(title()) for _ in range(2)]
    assert "tern" in one.text.lower()
    assert one.text == two.text
    assert one.usage.input_tokens
    assert one.usage.output_tokens
    assert one.model == "SmolLM2-135M-Instruct"


async def test_a_typed_answer_fits_its_schema(provider) -> None:
    parameters = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    tool = ToolSpec("answer", "The title", parameters)
    reply = await provider.chat(title(tools=(tool,), tool_choice="required", max_tokens=80))
    assert (reply.tool_calls[0].name, reply.form) == ("answer", "schema")
    assert reply.tool_calls[0].arguments.startswith('{"title":"')


async def test_decisions_come_from_its_log_probabilities(provider) -> None:
    questions = (
        DecisionQuestion("birds", "condition", "Is the text about birds?"),
        DecisionQuestion("topic", "choice", "What is the text about?", ("birds", "cars", "cooking")),
    )
    reply = await provider.decide(
        DecisionRequest("local/smollm2", TERNS, questions, Caller("decision:topic"))
    )
    assert reply.origin == "logprobs"
    assert 0 < reply.answers["birds"].probability < 1
    topic = reply.answers["topic"]
    assert topic.choice == "birds"
    assert math.fsum(topic.probabilities.values()) == pytest.approx(1.0)


async def test_its_server_speaks_anthropics_format_too(provider, kit) -> None:
    await running(provider)
    url = provider._service._target.url
    async with open_provider(Target("a", "anthropic", url), kit.clockwork(timing=Timing())) as anthropic:
        reply = await anthropic.chat(title(temperature=0.0))
    assert "tern" in reply.text.lower()
    assert reply.usage.output_tokens


async def test_its_answers_come_as_a_stream(provider, monkeypatch) -> None:
    events: list[int] = []
    feed = CompletionReader.feed

    def counted(reader: CompletionReader, chunk: bytes) -> bool:
        done = feed(reader, chunk)
        events.append(reader.progress)
        return done

    monkeypatch.setattr(CompletionReader, "feed", counted)
    reply = await provider.chat(title())
    assert len(events) > 3
    assert events == sorted(events)
    # A part for each token, and one each for the role, the end and the usage.
    assert events[-1] >= reply.usage.output_tokens


async def test_several_tools_are_offered_as_one_schema_and_the_answer_fits_one_of_them(provider) -> None:
    short = {"type": "string", "maxLength": 40}
    texts = {"type": "object", "properties": {"text": short}, "required": ["text"]}
    number = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    tools = (ToolSpec("answer_title", "A title", texts), ToolSpec("answer_count", "A number", number))
    reply = await provider.chat(title(tools=tools, tool_choice="required", max_tokens=120))
    [call] = reply.tool_calls
    schema = {"answer_title": texts, "answer_count": number}[call.name]
    assert json.loads(call.arguments).keys() == schema["properties"].keys()


async def test_a_token_limit_is_a_named_failure_with_its_usage(provider) -> None:
    with pytest.raises(ProviderError) as caught:
        await provider.chat(title(max_tokens=2))
    assert (caught.value.code, caught.value.usage.output_tokens) == ("provider.length", 2)


async def test_a_prompt_longer_than_its_context_is_named(provider) -> None:
    long = Message("user", "Terns eat fish. " * 3000)
    with pytest.raises(ProviderError) as caught:
        await provider.chat(ChatRequest("local/smollm2", (long,), Caller("agent:a")))
    assert caught.value.code == "provider.context-limit"


FILE = """
model tiny "local/smollm2" { max_tokens 300 }
model sure "local/smollm2" { kind decision }
type Title { title: text(1..60) }
condition birds(text: text) { model sure  ask "Is the text about birds?" }
choice topic(text: text) {
  model sure
  ask "What is the text about?"
  options { birds "Animals that fly"  cars "Vehicles"  cooking "Food" }
}
scale length(text: text) { model sure  ask "How long is it?"  levels ["short", "middle", "long"] }
agent titler(text: text) -> Title { model tiny  prompt "You write titles." }
flow main(text: text) -> json {
  about = topic(text)
  return { birds: birds(text).probability, topic: about.choice, size: length(text).score, title: titler(text) }
}
"""


async def test_a_file_runs_on_it_whole_and_the_record_says_where_numbers_came_from(tmp_path) -> None:
    async with program(FILE).opened(store=tmp_path / "terns.sqlite") as session:
        result = await session.run(TERNS)
    assert result.status == "answered", result.record.reason
    assert 0 < result.answer["birds"] < 1
    assert result.answer["topic"] == "birds"
    assert 0 <= result.answer["size"] <= 2
    assert result.answer["title"]["title"]
    decided = {step.name: step.decision for step in result.record.steps if step.decision is not None}
    assert {record.origin for record in decided.values()} == {"logprobs"}
    assert math.fsum(decided["topic"].probabilities.values()) == pytest.approx(1.0)
    [titler] = [step for step in result.record.steps if step.name == "titler"]
    assert titler.attempts[0].form == "schema"
    assert (result.cost.total, result.record.usage.input_tokens > 100) == ("0", True)


async def test_a_finished_run_leaves_no_server(kit) -> None:
    async with open_provider(TARGET, kit.clockwork()) as provider:
        process = await running(provider)
        assert process.returncode is None
    assert process.returncode is not None


async def test_a_cancelled_run_leaves_no_server(kit) -> None:
    process = None
    with trio.CancelScope() as scope:
        async with open_provider(TARGET, kit.clockwork(timing=Timing())) as provider:
            process = await running(provider)
            scope.cancel()
            await provider.chat(title())
    assert process.returncode is not None


async def test_a_run_cancelled_while_it_starts_leaves_no_server(kit) -> None:
    process = None
    with trio.move_on_after(0.1):
        async with open_provider(TARGET, kit.clockwork()) as provider:
            try:
                await provider.chat(title())
            finally:
                process = provider._process
    assert process is not None
    assert process.returncode is not None


async def test_a_server_that_died_is_started_again(provider) -> None:
    process = await running(provider)
    process.kill()
    await process.wait()
    assert "tern" in (await provider.chat(title())).text.lower()


def test_a_server_ends_with_whoever_started_it_even_if_that_is_killed() -> None:
    code = (
        "import sys, subprocess; child = subprocess.Popen([sys.executable, '-P', *sys.argv[1:]], "
        "stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True); "
        "print(child.pid, child.stdout.readline(), flush=True); sys.stdin.read()"
    )
    script = local.Path(local.__file__).with_name("llama_server.py")
    with subprocess.Popen(
        [sys.executable, "-c", code, str(script), str(local.model_file())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        pid, address = parent.stdout.readline().split()
        assert address.startswith("http://127.0.0.1:")
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert gone(int(pid))


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().split()[2] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
