"""llmock breaks things on purpose and grades the client: every fault that it injects, and its own verdict."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
import trio
from llmock.chaos import StreamChaos
from llmock.ratelimit import LimitSettings
from llmock.scenarios import Delay, Fail, SlowFirstToken, StreamFault, ToolFault
from llmock.testing import LLMockServer

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ToolSpec
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.retry import RetryPolicy
from judgeflow.runtime.providers.settings import Timing

pytestmark = pytest.mark.slow

TOOL = ToolSpec(
    "get_weather",
    "The weather of a city",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


@pytest.fixture(scope="module")
def running() -> Iterator[LLMockServer]:
    with LLMockServer() as server:
        yield server


@pytest.fixture
def llmock(running: LLMockServer) -> LLMockServer:
    running.state.reset()
    return running


async def ask(kit, llmock, api: str, *, times: int = 1, retries: int = 4, **more):
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    outcomes = []
    timing = Timing(first_byte=5.0, idle=0.5)
    clock = kit.clockwork(policy=RetryPolicy(base=0.04, cap=1.0), timing=timing)
    async with open_provider(kit.target(url, api, retries=retries), clock) as provider:
        for number in range(times):
            try:
                outcomes.append((await provider.chat(kit.asks(f"call {number}", **more))).text)
            except ProviderError as error:
                outcomes.append(error.code)
    return outcomes


def graded(llmock) -> dict[str, object]:
    """llmock's verdict on us, as it gives it to anybody."""
    with urlopen(f"{llmock.url}/_llmock/verdict") as response:
        return json.loads(response.read())


def assert_graded(llmock, *, attempts: int) -> None:
    verdict = graded(llmock)
    assert verdict["findings"] == []
    assert (verdict["passed"], verdict["attempts"]) == (True, attempts)


APIS = pytest.mark.parametrize("api", ["openai", "anthropic"])


@APIS
async def test_a_plain_call_is_answered(kit, llmock, api) -> None:
    [text] = await ask(kit, llmock, api)
    assert text
    assert_graded(llmock, attempts=1)


@APIS
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_failure_that_passes_is_waited_out(kit, llmock, api, status) -> None:
    llmock.state.scenarios.add(Fail(status, retry_after=0.1, times=2))
    [text] = await ask(kit, llmock, api)
    assert not text.startswith("provider.")
    assert_graded(llmock, attempts=3)


@APIS
async def test_retry_after_is_kept_to(kit, llmock, api) -> None:
    llmock.state.scenarios.add(Fail(429, retry_after=0.3, times=2))
    [text] = await ask(kit, llmock, api)
    assert not text.startswith("provider.")
    assert_graded(llmock, attempts=3)


@APIS
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "provider.bad-request"),
        (401, "provider.authentication"),
        (403, "provider.forbidden"),
        (404, "provider.no-model"),
        (422, "provider.bad-request"),
    ],
)
async def test_what_cannot_succeed_is_sent_once(kit, llmock, api, status, code) -> None:
    llmock.state.scenarios.add(Fail(status))
    assert await ask(kit, llmock, api) == [code]
    assert_graded(llmock, attempts=1)


@APIS
@pytest.mark.parametrize("kind", ["disconnect", "truncate", "malformed", "stall"])
async def test_a_broken_stream_is_never_an_answer(kit, llmock, api, kind) -> None:
    llmock.state.scenarios.add(StreamFault(kind, after_chunks=2, stall_seconds=2.0))
    [text] = await ask(kit, llmock, api)
    assert not text.startswith("provider.")
    if kind != "malformed":
        assert_graded(llmock, attempts=2)
        return
    # A busy peer may have written the whole stream before it sees that nobody reads on: it then warns, and only warns.
    verdict = graded(llmock)
    assert (verdict["passed"], verdict["attempts"]) == (True, 2)


@APIS
async def test_an_outage_is_named_and_is_no_storm(kit, llmock, api) -> None:
    llmock.state.scenarios.add(Fail(503, retry_after=0.1, times=None))
    assert await ask(kit, llmock, api) == ["provider.overloaded"]
    verdict = graded(llmock)
    assert (verdict["passed"], verdict["attempts"], verdict["warnings"]) == (True, 5, 0)


@APIS
async def test_slow_answers_are_waited_for(kit, llmock, api) -> None:
    llmock.state.scenarios.add(Delay(0.08))
    llmock.state.scenarios.add(SlowFirstToken(0.08))
    outcomes = await ask(kit, llmock, api, times=2)
    assert not any(text.startswith("provider.") for text in outcomes)
    assert_graded(llmock, attempts=2)


@APIS
async def test_arguments_that_are_cut_are_named(kit, llmock, api) -> None:
    llmock.state.scenarios.add(ToolFault("malformed_arguments"))
    outcomes = await ask(kit, llmock, api, tools=(TOOL,), tool_choice="required")
    assert outcomes == ["provider.cut-arguments"]
    assert_graded(llmock, attempts=1)


@APIS
async def test_a_tool_that_was_never_offered_keeps_its_name(kit, llmock, api) -> None:
    llmock.state.scenarios.add(ToolFault("unknown_tool"))
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    async with open_provider(kit.target(url, api), kit.clockwork()) as provider:
        reply = await provider.chat(kit.asks(tools=(TOOL,), tool_choice="required"))
    assert [call.name for call in reply.tool_calls] == ["llmock_unknown_tool"]
    assert_graded(llmock, attempts=1)


@APIS
async def test_a_tool_call_comes_whole(kit, llmock, api) -> None:
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    async with open_provider(kit.target(url, api), kit.clockwork()) as provider:
        reply = await provider.chat(kit.asks(tools=(TOOL,), tool_choice="required"))
    assert reply.tool_calls[0].name == "get_weather"
    assert '"city"' in reply.tool_calls[0].arguments
    assert reply.usage.output_tokens
    assert_graded(llmock, attempts=1)


@pytest.mark.parametrize("service", ["mistral", "groq", "together", "xai"])
async def test_services_of_the_same_format_are_served_alike(kit, llmock, service) -> None:
    llmock.state.scenarios.add(Fail(429, retry_after=0.1), StreamFault("truncate", after_chunks=2))
    async with open_provider(kit.target(llmock.base_url(service)), kit.clockwork()) as provider:
        reply = await provider.chat(kit.asks())
    assert reply.text
    assert_graded(llmock, attempts=3)


@APIS
@pytest.mark.parametrize("kind", ["disconnect", "truncate"])
@pytest.mark.parametrize("chunks", [0, 1, 5])
async def test_wherever_a_stream_breaks_it_is_asked_for_again(kit, llmock, api, kind, chunks) -> None:
    llmock.state.scenarios.add(StreamFault(kind, after_chunks=chunks, times=2))
    [text] = await ask(kit, llmock, api)
    assert not text.startswith("provider.")
    assert_graded(llmock, attempts=3)


@APIS
async def test_a_real_limit_on_requests_is_kept_to(kit, llmock, api) -> None:
    """Not a chance of failing but a bucket that refills: who comes too early is refused again."""
    llmock.state.limiter.configure(LimitSettings(rpm=600))
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    texts: list[str] = []
    try:
        for _ in range(600):  # the bucket is full at first
            llmock.state.limiter.admit(api, f"Bearer {kit.KEY}" if api == "openai" else kit.KEY, 1)
        async with open_provider(kit.target(url, api, retries=9, concurrency=4), kit.clockwork()) as provider:

            async def call(number: int) -> None:
                texts.append((await provider.chat(kit.asks(f"call {number}"))).text)

            async with trio.open_nursery() as nursery:
                for number in range(6):
                    nursery.start_soon(call, number)
    finally:
        llmock.state.limiter.configure(LimitSettings())
    assert all(texts)
    verdict = graded(llmock)
    assert (verdict["passed"], verdict["errors"]) == (True, 0)


@APIS
async def test_u47_a_prompt_longer_than_the_context_is_sent_once(kit, llmock, api) -> None:
    llmock.state.limiter.configure(LimitSettings(context_window=100))
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    try:
        async with open_provider(kit.target(url, api), kit.clockwork()) as provider:
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks("Terns eat fish. " * 400))
    finally:
        llmock.state.limiter.configure(LimitSettings())
    assert caught.value.code == "provider.context-limit"
    assert_graded(llmock, attempts=1)


@APIS
async def test_everything_at_once_many_calls_at_once_and_no_finding(kit, llmock, api) -> None:
    """A service with a bad day: a third of all calls fail in some way. llmock finds nothing wrong with us."""
    random.seed(7)
    chaos = llmock.state.chaos
    chaos.error_rates = {429: 0.06, 500: 0.06, 502: 0.04, 503: 0.06, 529: 0.04, 408: 0.04}
    # The sixth part of its answer holds the finish reason: what is cut after it is whole, whatever llmock says.
    llmock.state.stream_chaos = StreamChaos((("disconnect", 0.08), ("truncate", 0.08)), max_after_chunks=5)
    url = llmock.base_url("openai") if api == "openai" else f"{llmock.base_url('anthropic')}/v1"
    texts: list[str] = []
    clock = kit.clockwork(policy=RetryPolicy(base=0.06, cap=0.5))
    try:
        async with open_provider(kit.target(url, api, retries=9), clock) as provider:

            async def call(number: int) -> None:
                try:
                    texts.append((await provider.chat(kit.asks(f"call {number}"))).text)
                except ProviderError as error:
                    texts.append(error.code)

            async with trio.open_nursery() as nursery:
                for number in range(60):
                    nursery.start_soon(call, number)
    finally:
        chaos.error_rates = {}
        llmock.state.stream_chaos = StreamChaos()
    verdict = graded(llmock)
    failed = [text for text in texts if text.startswith("provider.")]
    assert [finding for finding in verdict["findings"] if finding["severity"] == "error"] == [], failed
    assert verdict["attempts"] > verdict["calls"] == 60
    assert sum(not text.startswith("provider.") for text in texts) >= 55
