"""The model inside the package, for real: llama.cpp's own server on loopback. Needs the extra `local`."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time

import pytest
import trio

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
from judgeflow.runtime.providers.settings import ModelChoice, Target, Timing

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
