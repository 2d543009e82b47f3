"""Servers that do their worst: what is not a whole answer is never taken for one, and nothing hangs or grows."""

from __future__ import annotations

import gzip
import json
import time

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderContractError, ProviderError
from judgeflow.runtime.judge.protocol import Caller, DecisionQuestion
from judgeflow.runtime.providers.exchange import Head
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.openai_reply import CompletionReader
from judgeflow.runtime.providers.service import Call, Receiver
from judgeflow.runtime.providers.settings import Timing
from judgeflow.runtime.providers.wire import EventParser


def sse(*events: object) -> bytes:
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events).encode()


def openai_delta(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


# --- HTTP itself --------------------------------------------------------------------------------------------


def raw(data: bytes, *, then: str = "close"):
    async def play(_, wire) -> None:
        await wire.send(data)
        if then == "close":
            wire.close()
        else:
            await wire.until_closed()

    return play


GOOD = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": "ok"}}]}).encode()
NOT_HTTP = {
    "a status that is none": b"HTTP/1.1 abc OK\r\n\r\n",
    "no status line": b"\r\n\r\n\r\n",
    "another protocol": b"* OK IMAP4rev1 ready\r\n\r\n",
    "a header without a name": b"HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n{}{}{}",
    "a length below nothing": b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}",
    "a transfer that nobody knows": b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n{}",
    "a header that never ends": b"HTTP/1.1 200 OK\r\nx: " + b"y" * 300_000,
}


@pytest.mark.parametrize("name", NOT_HTTP)
async def test_what_is_not_http_is_no_answer_and_is_not_asked_again(kit, name) -> None:
    async with kit.provider(raw(NOT_HTTP[name])) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, len(server.requests)) == ("provider.not-http", 1)


@pytest.mark.parametrize(
    "body", [b"zz\r\n{}\r\n0\r\n\r\n", b"fffffffffffffffffffff\r\n{}", b"5\r\n{}", b"-1\r\n{}\r\n0\r\n\r\n"]
)
async def test_chunks_that_are_none_are_a_cut_answer(kit, body) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    async with kit.provider(raw(head + body), retries=1) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, len(server.requests)) == ("provider.cut", 2)


@pytest.mark.parametrize("cut", [b"", b"HTT", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ncontent-len"])
@pytest.mark.parametrize("reset", [True, False])
async def test_a_head_that_is_cut_is_a_broken_connection(kit, cut, reset) -> None:
    async def play(_, wire) -> None:
        await wire.send(cut)
        if reset:
            wire.reset()
        else:
            wire.close()

    async with kit.provider(play, retries=1) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code in ("provider.reset", "provider.not-http")
    assert caught.value.code == "provider.reset" or not reset


async def test_a_head_that_drips_in_is_given_up_as_a_whole(kit) -> None:
    async def drip(_, wire) -> None:
        for byte in b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200:
            await wire.sleep(0.02)
            await wire.send(bytes([byte]))
            if not wire.open:
                return

    clock = kit.clockwork(timing=Timing(first_byte=0.2, idle=0.2))
    with trio.fail_after(20):
        async with kit.provider(drip, clock=clock, retries=0) as (provider, _):
            began = trio.current_time()
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
    assert caught.value.code == "provider.slow-start"
    assert trio.current_time() - began < 5


async def test_heads_that_promise_one_without_end_are_given_up(kit) -> None:
    async def promise(_, wire) -> None:
        while wire.open:
            await wire.send(b"HTTP/1.1 102 Processing\r\n\r\n")
            await wire.sleep(0.02)

    clock = kit.clockwork(timing=Timing(first_byte=0.2, idle=0.2))
    with trio.fail_after(20):
        async with kit.provider(promise, clock=clock, retries=0) as (provider, _):
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
    assert caught.value.code == "provider.slow-start"


@pytest.mark.parametrize("sign", [b": still here\n\n", b'event: ping\ndata: {"type": "ping"}\n\n', b"x"])
async def test_a_stream_that_only_says_that_it_is_alive_stalls(kit, sign) -> None:
    async def alive(_, wire) -> None:
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(b": hello\n\n"))
        while wire.open:
            await wire.send(kit.chunk(sign))
            await wire.sleep(0.02)

    clock = kit.clockwork(timing=Timing(first_byte=10, idle=10, nothing_new=0.2))
    with trio.fail_after(20):
        async with kit.provider(alive, api="anthropic", clock=clock, retries=0) as (provider, _):
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
    assert caught.value.code == "provider.stalled"
    assert "0.2 s of nothing but signs of life" in caught.value.message


async def test_signs_of_life_are_waited_for_while_an_answer_grows(autojump_clock) -> None:
    failures = Failures("p")
    call = Call("/x", b"", lambda head: CompletionReader(head, failures), Caller("a"))
    receiver = Receiver(call, failures, nothing_new=600)
    sink = receiver.start(Head(200, {"content-type": "text/event-stream"}))
    for _ in range(5):
        for _ in range(11):
            await trio.sleep(50)
            sink.feed(b": OPENROUTER PROCESSING\n\n")
        sink.feed(sse(openai_delta(content="more")))
    for _ in range(12):
        await trio.sleep(50)
        sink.feed(b": OPENROUTER PROCESSING\n\n")
    await trio.sleep(50)
    with pytest.raises(ProviderError, match="600 s of nothing but signs of life") as caught:
        sink.feed(b": OPENROUTER PROCESSING\n\n")
    assert caught.value.code == "provider.stalled"


async def test_an_answer_that_follows_another_is_not_the_answer_to_the_next_question(kit) -> None:
    """A response that nobody asked for stands behind the one that was asked for."""
    two = kit.http(kit.said("mine")) + kit.http(kit.said("somebody else's"))
    async with kit.provider(raw(two, then="wait"), kit.answers(kit.said("the next"))) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "mine"
        assert (await provider.chat(kit.asks())).text == "the next"


async def test_bytes_behind_an_answer_spoil_the_connection_and_not_the_next_call(kit) -> None:
    async def play(_, wire) -> None:
        await wire.send(kit.http(kit.said("mine")))
        await wire.sleep(0.02)
        await wire.send(kit.http(kit.said("late and unasked"), 408))

    async with kit.provider(play, kit.answers(kit.said("the next"))) as (provider, server):
        assert (await provider.chat(kit.asks())).text == "mine"
        await trio.sleep(0.05)
        assert (await provider.chat(kit.asks())).text == "the next"
    assert server.connections == 2


# --- size ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_bomb_in_an_answer_is_stopped_as_it_unfolds(kit, kind) -> None:
    start = b"data: " if kind != "application/json" else b'{"a": "'
    bomb = gzip.compress(start + b"x" * 70_000_000, 1)
    play = kit.answers(bomb, type=kind, headers={"content-encoding": "gzip"})
    async with kit.provider(play) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, len(server.requests)) == ("provider.too-large", 1)


async def test_a_bomb_in_an_error_is_still_that_error(kit) -> None:
    bomb = gzip.compress(b'{"error": {"message": "' + b"x" * 5_000_000)
    play = kit.answers(bomb, 401, headers={"content-encoding": "gzip"})
    async with kit.provider(play) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, len(caught.value.message) < 400) == ("provider.authentication", True)


@pytest.mark.parametrize("cut", [5, 30])
async def test_a_compressed_answer_that_is_cut_is_no_answer(kit, cut) -> None:
    packed = gzip.compress(GOOD)[:cut]
    play = kit.answers(packed, headers={"content-encoding": "gzip"})
    async with kit.provider(play, retries=0) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code in ("provider.not-json", "provider.bad-encoding", "provider.cut")


def test_a_line_that_never_ends_costs_no_more_than_its_length() -> None:
    parser = EventParser()
    parser.feed(b"data: x\n\n")
    began = time.perf_counter()
    for _ in range(4_000):
        assert parser.feed(b"y" * 4_096) == []
    assert time.perf_counter() - began < 5
    assert parser.feed(b"\n\n") == []


# --- what stands in an answer -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "12", "completion_tokens": 1.5},
        {"prompt_tokens": -5, "completion_tokens": -7},
        {"prompt_tokens": 10**30, "completion_tokens": 10**30},
        {"prompt_tokens": None, "prompt_tokens_details": [1], "completion_tokens_details": "x"},
        [1, 2],
        "free",
        7,
    ],
)
async def test_case_200_an_answer_is_not_thrown_away_for_its_bill_and_never_earns_money(kit, usage) -> None:
    body = {"choices": [{"finish_reason": "stop", "message": {"content": "ok"}}], "usage": usage, "model": 5}
    async with kit.provider(kit.answers(body)) as (provider, server):
        reply = await provider.chat(kit.asks())
    assert (reply.text, len(server.requests)) == ("ok", 1)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (None, None)


@pytest.mark.parametrize("usage", [{"input_tokens": "12", "output_tokens": -1}, [1], "x"])
async def test_case_200_in_anthropics_format_too(kit, usage) -> None:
    body = {
        "type": "message",
        "content": [{"type": "text", "text": "ok"}],
        "stop_reason": "end_turn",
        "usage": usage,
    }
    async with kit.provider(kit.answers(body), api="anthropic") as (provider, _):
        reply = await provider.chat(kit.asks())
    assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ("ok", None, None)


NONSENSE = [
    b"null",
    b"[]",
    b"1",
    b'"x"',
    b"true",
    b"",
    b"   ",
    b"[[[[",
    b"{" * 100_000,
    b"\xff\xfe{}",
    b"NaN",
]


@pytest.mark.parametrize("body", NONSENSE)
@pytest.mark.parametrize("api", ["openai", "anthropic"])
async def test_json_that_is_no_answer_is_none(kit, body, api) -> None:
    async with kit.provider(kit.answers(body), api=api, retries=1) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code in ("provider.not-json", "provider.no-choices", "provider.cut")
    assert len(server.requests) == 2


@pytest.mark.parametrize("body", NONSENSE)
@pytest.mark.parametrize("api", ["systemone", "decisions"])
async def test_json_that_is_no_decision_is_none(kit, body, api) -> None:
    async with kit.provider(kit.answers(body), api=api, retries=1) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(DecisionQuestion("q", "condition", "Is it?")))
    contract = isinstance(caught.value, ProviderContractError)
    assert contract or caught.value.code == "provider.not-json"


async def test_a_stream_by_another_name_is_one(kit) -> None:
    async with kit.provider(kit.answers(sse(openai_delta("stop", content="Terns")), type="text/plain")) as (
        provider,
        _,
    ):
        assert (await provider.chat(kit.asks())).text == "Terns"


@pytest.mark.parametrize("api", ["openai", "anthropic"])
async def test_an_error_in_one_piece_where_a_stream_was_promised_is_that_error(kit, api) -> None:
    told = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down", "code": 429}}
    async with kit.provider(kit.answers(told, type="text/event-stream"), api=api, retries=0) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, "slow down" in caught.value.message) == ("provider.rate-limited", True)


@pytest.mark.parametrize("status", [201, 202, 203])
async def test_any_success_is_read_and_one_without_a_body_is_no_answer(kit, status) -> None:
    async with kit.provider(kit.answers(kit.said("ok"), status)) as (provider, _):
        assert (await provider.chat(kit.asks())).text == "ok"
    async with kit.provider(kit.answers(b"", 204), retries=0) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code == "provider.not-json"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (
            {"object": "error", "message": "maximum context length is 10", "code": 400},
            "provider.context-limit",
        ),
        ({"detail": "Not enough credits", "code": "insufficient_credits"}, "provider.server-error"),
        ({"message": "Rate limit reached", "type": "rate_limit_error"}, "provider.rate-limited"),
        ({"code": 503, "msg": "busy"}, "provider.overloaded"),
        ({"errors": [{"message": "no such model", "code": 404}]}, "provider.no-model"),
    ],
)
async def test_case_072_errors_inside_a_200_that_are_worded_otherwise_are_errors(kit, body, code) -> None:
    async with kit.provider(kit.answers(body), retries=0) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code == code


@pytest.mark.parametrize(
    "event",
    [
        'event: error\ndata: {"message": "slow down", "type": "rate_limit_error"}\n\n',
        'data: {"object": "error", "message": "slow down", "code": 429}\n\n',
        'data: {"error": {"message": "slow down", "code": "429"}}\n\n',
    ],
)
async def test_case_073_errors_within_a_stream_that_are_worded_otherwise_are_errors(kit, event) -> None:
    body = sse(openai_delta(content="half an")) + event.encode()
    async with kit.provider(kit.answers(body, type="text/event-stream"), retries=0) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, "slow down" in caught.value.message) == ("provider.rate-limited", True)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("insufficient_system_resource", "provider.overloaded"),
        ("SAFETY", "provider.content-filter"),
        ("content_filter: RECITATION", "provider.content-filter"),
        ("sensitive", "provider.content-filter"),
        ("network_error", "provider.upstream"),
        ("abort", "provider.cut"),
        ("model_length", "provider.length"),
        ("refusal", "provider.refusal"),
        ("stop", None),
        ("end_turn", None),
        ("eos", None),
    ],
)
async def test_a_text_that_ended_for_another_reason_than_its_end_is_no_answer(kit, reason, code) -> None:
    async with kit.provider(kit.answers(kit.said("half an", reason)), retries=0) as (provider, _):
        if code is None:
            assert (await provider.chat(kit.asks())).text == "half an"
            return
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code == code
