"""Chat completions: what is sent, and what is read from a reply or a stream."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatRequest, Message, TokenLogprob, ToolCall, ToolSpec

TOOL = ToolSpec("get", "Gets it", {"type": "object", "properties": {"x": {"type": "integer"}}})


async def asked(kit, play, request=None, **more):
    async with kit.provider(play, **more) as (provider, server):
        return await provider.chat(request or kit.asks()), server.requests[0]


async def refused(kit, play, request=None) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await asked(kit, play, request, retries=0)
    return caught.value


async def test_what_is_sent_is_a_stream_with_its_usage_asked_for(kit) -> None:
    reply, request = await asked(kit, kit.answers(kit.said("ok")), prefix="openai/")
    assert (reply.text, request.target) == ("ok", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {kit.KEY}"
    assert request.json == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_a_vendor_prefix_stays_behind(kit) -> None:
    request = ChatRequest("openai/gpt", (Message("user", "hi"),), Caller("a"))
    _, sent = await asked(kit, kit.answers(kit.said("ok")), request, prefix="openai/")
    assert sent.json["model"] == "gpt"


@pytest.mark.parametrize(
    ("choice", "sent"),
    [("auto", "auto"), ("required", "required"), ("get", {"type": "function", "function": {"name": "get"}})],
)
async def test_settings_and_tools_are_sent(kit, choice, sent) -> None:
    request = kit.asks(temperature=0.0, max_tokens=5, tools=(TOOL,), tool_choice=choice, top_logprobs=3)
    _, received = await asked(kit, kit.answers(kit.said("ok")), request)
    body = received.json
    assert (body["temperature"], body["max_tokens"]) == (0.0, 5)
    assert (body["logprobs"], body["top_logprobs"], body["tool_choice"]) == (True, 3, sent)
    function = {"name": "get", "description": "Gets it", "parameters": TOOL.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]


async def test_case_090_the_content_key_stays_on_a_turn_that_only_calls_tools(kit) -> None:
    call = ToolCall("c1", "get", "{}")
    history = (
        Message("user", "weather?"),
        Message("assistant", "", (call,)),
        Message("tool", "sunny", tool_call_id="c1"),
    )
    _, sent = await asked(kit, kit.answers(kit.said("ok")), ChatRequest("m", history, Caller("a")))
    assert sent.json["messages"][1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{}"}}],
    }
    assert sent.json["messages"][2] == {"role": "tool", "content": "sunny", "tool_call_id": "c1"}


async def test_case_099_an_empty_finish_reason_ends_nothing(kit) -> None:
    reply, _ = await asked(kit, kit.streams(kit.delta("A", ""), kit.delta("B", "stop")))
    assert reply.text == "AB"


async def test_case_100_a_last_event_without_a_blank_line_is_read(kit) -> None:
    raw = (
        b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
        b'data: {"choices":[{"delta":{},"finish_reason":"stop"}],'
        b'"usage":{"prompt_tokens":1,"completion_tokens":2}}'
    )

    async def play(_, wire) -> None:
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(raw) + b"0\r\n\r\n")

    reply, _ = await asked(kit, play)
    assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ("x", 1, 2)


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_case_101_comments_and_cuts_anywhere_change_nothing(kit, size) -> None:
    raw = b": OPENROUTER PROCESSING\n\n"
    raw += b'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

    async def play(_, wire) -> None:
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        await wire.send(kit.HEAD_OF_A_STREAM)
        for piece in pieces:
            await wire.send(kit.chunk(piece))
        await wire.send(b"0\r\n\r\n")

    reply, _ = await asked(kit, play)
    assert reply.text == "hi"


async def test_case_103_only_cr_and_lf_end_a_line(kit) -> None:
    reply, _ = await asked(kit, kit.streams(kit.delta("a\u2028b\u0085c", "stop")))
    assert reply.text == "a\u2028b\u0085c"


async def test_case_105_usage_after_the_finish_is_the_usage(kit) -> None:
    counted = {"choices": [], "usage": {"prompt_tokens": 113, "completion_tokens": 133}}
    reply, _ = await asked(kit, kit.streams({**kit.delta("x", "stop"), "usage": None}, counted))
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (113, 133)


async def test_case_106_no_usage_is_unknown_and_not_zero(kit) -> None:
    reply, _ = await asked(kit, kit.streams(kit.delta("x", "stop")))
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost) == (None, None, None)


async def test_u15_the_services_own_cost_comes_digit_by_digit(kit) -> None:
    usage = (
        '{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"cost":0.000120,'
        '"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}}'
    )
    reply, _ = await asked(kit, kit.streams(kit.delta("x", "stop"), usage))
    assert (reply.usage.cost, reply.usage.cached_tokens, reply.usage.reasoning_tokens) == ("0.000120", 8, 3)


async def test_case_114_fragments_of_several_calls_are_gathered_by_index(kit) -> None:
    def part(index, arguments, **more):
        return {"index": index, "function": {"arguments": arguments, **more.pop("function", {})}, **more}

    reply, _ = await asked(
        kit,
        kit.streams(
            kit.delta(tool_calls=[part(0, '{"x"', id="a", function={"name": "f"})]),
            kit.delta(tool_calls=[part(1, '{"y"', id="b", function={"name": "g"})]),
            kit.delta(tool_calls=[part(0, ":1}")]),
            kit.delta(tool_calls=[part(1, ":2}")]),
            kit.delta(None, "tool_calls"),
        ),
    )
    assert reply.tool_calls == (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", '{"y":2}'))


async def test_calls_without_an_index_start_anew_with_each_id(kit) -> None:
    calls = [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "function": {"name": "g", "arguments": {"y": 2}}},
    ]
    reply, _ = await asked(kit, kit.answers(kit.said(None, "tool_calls", message={"tool_calls": calls})))
    assert reply.tool_calls == (ToolCall("a", "f", "{}"), ToolCall("b", "g", '{"y":2}'))


def calling(kit, *arguments: str, ids: tuple[str, ...] = ("c", "d")):
    calls = [
        {"index": index, "id": id, "function": {"name": "write", "arguments": text}}
        for index, (id, text) in enumerate(zip(ids, arguments, strict=False))
    ]
    return kit.answers(kit.said(None, "tool_calls", message={"tool_calls": calls}))


async def test_case_115_arguments_that_are_cut_are_cut_whatever_the_finish_reason_says(kit) -> None:
    error = await refused(kit, calling(kit, '{"text":"very long tex'))
    assert (error.code, error.retryable) == ("provider.cut-arguments", False)
    assert (error.usage.input_tokens, error.usage.output_tokens) == (3, 1)


async def test_arguments_that_came_twice_are_named(kit) -> None:
    assert (await refused(kit, calling(kit, '{"x":1}{"x":1}'))).code == "provider.doubled-arguments"


async def test_two_calls_with_one_id_are_named(kit) -> None:
    assert (await refused(kit, calling(kit, "{}", "{}", ids=("c", "c")))).code == "provider.doubled-call"


@pytest.mark.parametrize("arguments", ['{"arguments":{"command":"ls"}}', "not json at all", "[1]"])
async def test_case_111_whole_arguments_reach_whoever_holds_the_tools_schema(kit, arguments) -> None:
    reply, _ = await asked(kit, calling(kit, arguments))
    assert reply.tool_calls[0].arguments == arguments


async def test_a_tool_that_nobody_offered_reaches_whoever_runs_them_by_its_name(kit) -> None:
    calls = [{"id": "c", "function": {"name": "rm_rf", "arguments": "{}"}}]
    play = kit.answers(kit.said(None, "tool_calls", message={"tool_calls": calls}))
    reply, _ = await asked(kit, play, kit.asks(tools=(TOOL,)))
    assert reply.tool_calls[0].name == "rm_rf"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_fields_are_kept_apart(kit, field) -> None:
    thought = kit.delta(**{field: "hm"})
    reply, _ = await asked(kit, kit.streams(thought, kit.delta("yes", "stop")))
    assert (reply.text, reply.reasoning) == ("yes", "hm")


async def test_content_in_parts_is_told_apart(kit) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "yes"},
    ]
    reply, _ = await asked(kit, kit.answers(kit.said(parts)))
    assert (reply.text, reply.reasoning) == ("yes", "hm")


async def test_case_043_reasoning_that_only_closes_is_reasoning(kit) -> None:
    chunks = ["internal", " reasoning</thi", 'nk>{"sources"', ':["calendar"]}']
    events = [kit.delta(text) for text in chunks] + [kit.delta(None, "stop")]
    reply, _ = await asked(kit, kit.streams(*events))
    assert (reply.text, reply.reasoning) == ('{"sources":["calendar"]}', "internal reasoning")


async def test_reasoning_that_never_closes_is_no_answer(kit) -> None:
    error = await refused(kit, kit.answers(kit.said('<think>maybe {"verdict":"pass"}')))
    assert error.code == "provider.no-content"


async def test_an_empty_text_is_an_answer(kit) -> None:
    reply, _ = await asked(kit, kit.answers(kit.said("")))
    assert reply.text == ""


async def test_a_chunk_that_is_not_json_is_named(kit) -> None:
    error = await refused(kit, kit.streams(kit.delta("a"), '{"broken', kit.delta("b", "stop")))
    assert error.code == "provider.bad-chunk"
    assert '{"broken' in error.message


async def test_log_probabilities_hold_the_sampled_token_first(kit) -> None:
    token = {
        "token": "Yes",
        "logprob": -0.1,
        "top_logprobs": [{"token": "No", "logprob": -2.4}, {"token": "Yes", "logprob": -0.1}],
    }
    body = kit.said("Yes")
    body["choices"][0]["logprobs"] = {"content": [token]}
    reply, _ = await asked(kit, kit.answers(body))
    assert reply.logprobs == ((TokenLogprob("Yes", -0.1), TokenLogprob("No", -2.4)),)


async def test_the_model_that_answered_is_named(kit) -> None:
    reply, _ = await asked(kit, kit.answers(kit.said("ok", model="gpt-6-mini-2026")))
    assert reply.model == "gpt-6-mini-2026"
