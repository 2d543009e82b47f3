"""Typed answers from services that have no tools: a schema, or the same in words."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatReply, ChatRequest, Message, ToolCall, ToolSpec
from judgeflow.runtime.providers.forms import called, closed, shaped

OFFER = ToolSpec(
    "answer_offer", "An offer", {"type": "object", "properties": {"salary": {"type": "integer"}}}
)
REFUSAL = ToolSpec(
    "answer_refusal", "A refusal", {"type": "object", "properties": {"why": {"type": "string"}}}
)


def request(
    *tools: ToolSpec, choice: str | None = "required", history: tuple[Message, ...] = ()
) -> ChatRequest:
    return ChatRequest("m", history or (Message("user", "hi"),), Caller("a"), tools=tools, tool_choice=choice)


NO_TOOLS = {"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}}
NO_SCHEMA = {"error": {"message": "response_format is not supported by this model"}}


async def test_a_service_that_says_it_has_no_tools_is_asked_with_a_schema_from_then_on(kit) -> None:
    plays = (kit.answers(NO_TOOLS, 400), kit.answers(kit.said('{"salary": 5}')))
    async with kit.provider(*plays) as (provider, server):
        for _ in range(2):
            reply = await provider.chat(request(OFFER))
            assert (reply.tool_calls, reply.form) == (
                (ToolCall("call_0", "answer_offer", '{"salary":5}'),),
                "schema",
            )
    assert ["tools" in received.json for received in server.requests] == [True, False, False]
    asked = server.requests[1].json
    assert asked["messages"] == [{"role": "user", "content": "hi"}]
    assert asked["response_format"]["json_schema"]["schema"] == closed(OFFER.parameters)


async def test_a_service_that_has_neither_is_told_in_words_and_read_leniently(kit) -> None:
    plays = (
        kit.answers(NO_TOOLS, 400),
        kit.answers(NO_SCHEMA, 400),
        kit.answers(kit.said('Here:\n```json\n{"salary": 5}\n```')),
    )
    async with kit.provider(*plays) as (provider, server):
        reply = await provider.chat(request(OFFER))
    assert (reply.tool_calls[0].arguments, reply.form, len(server.requests)) == ('{"salary":5}', "words", 3)
    system = server.requests[2].json["messages"][0]
    assert system["role"] == "system"
    assert '"salary"' in system["content"]


async def test_a_service_whose_schemas_are_the_reason_twice_is_an_error(kit) -> None:
    async with kit.provider(kit.answers(NO_TOOLS, 400)) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(request(OFFER))
    assert (caught.value.code, len(server.requests)) == ("provider.no-tools", 2)


async def test_a_service_known_to_have_no_tools_is_never_asked_for_them(kit) -> None:
    async with kit.provider(kit.answers(kit.said('{"salary": 5}')), tools=False) as (provider, server):
        assert (await provider.chat(request(OFFER))).tool_calls
        assert (await provider.chat(kit.asks())).form == "tools"
    assert "tools" not in server.requests[0].json


def test_several_tools_are_variants_of_one_object() -> None:
    plain, schema = shaped(request(OFFER, REFUSAL), "schema")
    assert schema is not None
    assert [variant["properties"]["tool"]["const"] for variant in schema["anyOf"]] == [
        "answer_offer",
        "answer_refusal",
    ]
    assert plain.tools == ()
    told = called(
        ChatReply('{"tool": "answer_refusal", "arguments": {"why": "no"}}'), request(OFFER, REFUSAL), "schema"
    )
    assert told.tool_calls == (ToolCall("call_0", "answer_refusal", '{"why":"no"}'),)


def test_where_a_plain_answer_may_be_given_it_is_a_variant_too() -> None:
    free = request(OFFER, choice=None)
    _, schema = shaped(free, "schema")
    assert schema is not None
    assert schema["anyOf"][-1]["properties"]["tool"]["const"] == "reply"
    assert called(ChatReply('{"tool": "reply", "arguments": {"text": "hi"}}'), free, "schema").text == "hi"


@pytest.mark.parametrize("text", ["no json", "[1]", '{"arguments": {}}'])
def test_a_text_that_calls_nothing_stays_one(text) -> None:
    told = called(ChatReply(text), request(OFFER, REFUSAL), "words")
    assert (told.text, told.tool_calls, told.form) == (text, (), "words")


def test_earlier_calls_and_results_become_texts() -> None:
    history = (
        Message("system", "Be brief."),
        Message("user", "hi"),
        Message("assistant", "", (ToolCall("c", "get", '{"x":1}'),)),
        Message("tool", "sunny", tool_call_id="c"),
    )
    plain, _ = shaped(request(OFFER, REFUSAL, history=history), "words")
    assert [message.role for message in plain.messages] == ["system", "user", "assistant", "user"]
    assert plain.messages[0].content.startswith("Be brief.\n\nAnswer with one JSON object")
    assert plain.messages[2].content == '{"tool": "get", "arguments": {"x":1}}'
    assert "sunny" in plain.messages[3].content


def objects(schema: object) -> list[dict[str, object]]:
    """Every object schema in a schema."""
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [each for value in inner for each in objects(value)]
    return [schema, *found] if isinstance(schema, dict) and schema.get("type") == "object" else found


def test_case_059_060_what_is_sent_is_closed_all_the_way_down_and_has_no_one_of() -> None:
    leaf = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
    }
    tool = ToolSpec(
        "answer",
        "",
        {
            "type": "object",
            "properties": {
                "u": {"anyOf": [leaf, {"$ref": "#/$defs/T"}]},
                "l": {"type": "array", "items": leaf},
                "n": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["u"],
            "$defs": {"T": leaf},
        },
    )
    for sent in (shaped(request(tool), "schema")[1], shaped(request(tool, OFFER), "schema")[1]):
        found = objects(sent)
        assert len(found) >= 4
        for each in found:
            assert each["additionalProperties"] is False
            assert each["required"] == list(each["properties"])
        assert "oneOf" not in str(sent)
        assert "discriminator" not in str(sent)
    schema = closed(leaf)
    assert schema["properties"] == {
        "a": {"type": "string"},
        "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    assert leaf["required"] == ["a"], "what was declared stays as it is"


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_case_059_a_null_that_stands_for_nothing_is_left_out_again(choice: str) -> None:
    tool = ToolSpec(
        "look",
        "",
        {
            "type": "object",
            "properties": {"id": {"type": "string"}, "most": {}, "must": {}},
            "required": ["id", "must"],
        },
    )
    arguments = '{"id": "7", "most": null, "must": null}'
    text = arguments if choice == "required" else f'{{"tool": "look", "arguments": {arguments}}}'
    reply = called(ChatReply(text), request(tool, choice=choice), "schema")
    assert reply.tool_calls[0].arguments == '{"id":"7","must":null}'
