"""Anthropic's messages: what is sent, and what is read from a reply or a stream."""

from __future__ import annotations

import json

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatRequest, Message, ToolCall, ToolSpec


def request(*messages: Message, **more) -> ChatRequest:
    return ChatRequest("claude", messages or (Message("user", "hi"),), Caller("agent:writer"), **more)


def message(*content, stop: str | None = "end_turn", **more):
    usage = {"input_tokens": 3, "output_tokens": 1}
    return {
        "type": "message",
        "model": "claude-x",
        "content": list(content),
        "stop_reason": stop,
        "usage": usage,
        **more,
    }


def text(value: str):
    return {"type": "text", "text": value}


async def asked(kit, play, sent=None, **more):
    async with kit.provider(play, api="anthropic", **more) as (provider, server):
        return await provider.chat(sent or request()), server.requests[0]


async def refused(kit, play) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await asked(kit, play, retries=0)
    return caught.value


async def test_what_is_sent(kit) -> None:
    tool = ToolSpec("get", "Gets it", {"type": "object"})
    sent = request(
        Message("system", "Be brief."), Message("user", "hi"), tools=(tool,), tool_choice="required"
    )
    _, received = await asked(kit, kit.answers(message(text("ok"))), sent)
    assert received.target == "/v1/messages"
    assert (received.headers["x-api-key"], received.headers["anthropic-version"]) == (kit.KEY, "2023-06-01")
    assert "authorization" not in received.headers
    assert received.json == {
        "model": "claude",
        "messages": [{"role": "user", "content": [text("hi")]}],
        "max_tokens": 8192,
        "stream": True,
        "system": "Be brief.",
        "tools": [{"name": "get", "description": "Gets it", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "any"},
    }


@pytest.mark.parametrize(
    ("choice", "sent"), [("auto", {"type": "auto"}), ("get", {"type": "tool", "name": "get"})]
)
async def test_tool_choice(kit, choice, sent) -> None:
    _, received = await asked(kit, kit.answers(message(text("ok"))), request(tool_choice=choice))
    assert received.json["tool_choice"] == sent


async def test_case_089_blank_text_blocks_are_left_out_and_tool_blocks_stay(kit) -> None:
    history = (
        Message("user", "hi"),
        Message("assistant", "", (ToolCall("t1", "f", '{"x": 1}'), ToolCall("t2", "g", "{}"))),
        Message("tool", "one", tool_call_id="t1"),
        Message("tool", "two", tool_call_id="t2"),
    )
    _, received = await asked(kit, kit.answers(message(text("ok"))), request(*history))
    assert received.json["messages"] == [
        {"role": "user", "content": [text("hi")]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
                {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "two"},
            ],
        },
    ]


STARTED = {
    "type": "message_start",
    "message": {
        "model": "claude-x",
        "content": [],
        "usage": {"input_tokens": 2, "cache_read_input_tokens": 18971, "cache_creation_input_tokens": 100},
    },
}
STOPPED = {"type": "message_stop"}


def begins(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def adds(index, **delta):
    return {"type": "content_block_delta", "index": index, "delta": delta}


def ends(reason, tokens=7):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": tokens}}


async def test_case_140_a_stream_is_put_together_and_its_cache_is_part_of_the_input(kit) -> None:
    reply, _ = await asked(
        kit,
        kit.streams(
            STARTED,
            begins(0, type="thinking", thinking=""),
            adds(0, type="thinking_delta", thinking="hm"),
            begins(1, type="text", text=""),
            {"type": "ping"},
            adds(1, type="text_delta", text="Let me "),
            adds(1, type="text_delta", text="look."),
            begins(2, type="tool_use", id="t1", name="get", input={}),
            adds(2, type="input_json_delta", partial_json='{"x":'),
            adds(2, type="input_json_delta", partial_json=" 1}"),
            ends("tool_use"),
            STOPPED,
            done=False,
        ),
    )
    assert (reply.text, reply.reasoning, reply.model) == ("Let me look.", "hm", "claude-x")
    assert reply.tool_calls == (ToolCall("t1", "get", '{"x": 1}'),)
    usage = reply.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens) == (19073, 18971, 100)
    assert usage.output_tokens == 7


async def test_a_whole_message_is_read_too(kit) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "get", "input": {"x": 1}}
    reply, _ = await asked(kit, kit.answers(message(text("ok"), call, stop="tool_use")))
    assert (reply.text, json.loads(reply.tool_calls[0].arguments)) == ("ok", {"x": 1})


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        ("max_tokens", "provider.length"),
        ("refusal", "provider.refusal"),
        ("model_context_window_exceeded", "provider.context-limit"),
        ("pause_turn", "provider.cut"),
        (None, "provider.no-choices"),
    ],
)
async def test_case_093_the_stop_reason_is_read_before_the_text(kit, stop, code) -> None:
    assert (await refused(kit, kit.answers(message(text('{"value":'), stop=stop)))).code == code


async def test_no_content_is_no_answer(kit) -> None:
    assert (await refused(kit, kit.answers(message()))).code == "provider.no-content"


@pytest.mark.parametrize("events", [(STARTED,), (STARTED, adds(0, type="text_delta", text="half an"))])
async def test_a_stream_that_ends_without_a_stop_reason_is_cut_and_its_input_was_paid(kit, events) -> None:
    error = await refused(kit, kit.streams(*events, done=False))
    assert error.code == "provider.cut"
    assert error.usage.input_tokens == 19073


async def test_an_error_in_the_stream_is_what_its_type_says(kit) -> None:
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    error = await refused(kit, kit.streams(STARTED, told, done=False))
    assert (error.code, error.status, error.retryable) == ("provider.overloaded", 529, True)


async def test_a_page_instead_of_a_message_is_named(kit) -> None:
    assert (await refused(kit, kit.answers("<html>", type="text/html"))).code == "provider.not-json"


async def test_a_chunk_that_is_not_json_is_named(kit) -> None:
    assert (await refused(kit, kit.streams(STARTED, '{"broken', done=False))).code == "provider.bad-chunk"
