"""Replies cut after any byte, parted at any byte, or with a byte changed: the whole answer, or a named error."""

from __future__ import annotations

import json

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import ChatReply
from judgeflow.runtime.providers.anthropic_reply import MessageReader
from judgeflow.runtime.providers.exchange import Head
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.openai_reply import CompletionReader

TEXT = "Terns eat fish — «small» ones. 😀"


def sse(*events: object, named: bool = False) -> bytes:
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        lines.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n")
    return "".join(lines).encode()


def openai_delta(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call_part(arguments: str, **more: object) -> dict[str, object]:
    return openai_delta(tool_calls=[{"index": 0, "function": {"arguments": arguments}, **more}])


USAGE = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 9}}
OPENAI_TEXT = (
    sse(
        openai_delta(role="assistant", content=""),
        *(openai_delta(content=part) for part in ("Terns eat fish", " — «small»", " ones. 😀")),
        openai_delta("stop"),
        USAGE,
    )
    + b"data: [DONE]\n\n"
)
OPENAI_CALL = (
    sse(
        openai_delta(tool_calls=[{"index": 0, "id": "c", "function": {"name": "look", "arguments": ""}}]),
        *(call_part(part) for part in ('{"ci', 'ty": "Ki', 'el"}')),
        openai_delta("tool_calls"),
        USAGE,
    )
    + b"data: [DONE]\n\n"
)
ANTHROPIC_TEXT = sse(
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    *(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}}
        for part in ("Terns eat fish", " — «small»", " ones. 😀")
    ),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
    named=True,
)
ANTHROPIC_CALL = sse(
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 5, "output_tokens": 1}}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "c", "name": "look", "input": {}},
    },
    *(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": part},
        }
        for part in ('{"ci', 'ty": "Ki', 'el"}')
    ),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
    named=True,
)
OPENAI_WHOLE = json.dumps(
    {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 9},
    }
).encode()
ANTHROPIC_WHOLE = json.dumps(
    {
        "type": "message",
        "content": [{"type": "text", "text": TEXT}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 9},
    }
).encode()
REPLIES = {
    "openai text": ("openai", "text/event-stream", OPENAI_TEXT),
    "openai call": ("openai", "text/event-stream", OPENAI_CALL),
    "openai whole": ("openai", "application/json", OPENAI_WHOLE),
    "anthropic text": ("anthropic", "text/event-stream", ANTHROPIC_TEXT),
    "anthropic call": ("anthropic", "text/event-stream", ANTHROPIC_CALL),
    "anthropic whole": ("anthropic", "application/json", ANTHROPIC_WHOLE),
}
EACH = pytest.mark.parametrize("name", REPLIES)


def is_the_answer(reply) -> bool:
    """The whole of it, and nothing else."""
    calls = [(call.name, json.loads(call.arguments)) for call in reply.tool_calls]
    return (reply.text, calls) in ((TEXT, []), ("", [("look", {"city": "Kiel"})]))


def reader(api: str, kind: str):
    head = Head(200, {"content-type": kind})
    made = CompletionReader if api == "openai" else MessageReader
    return made(head, Failures("p"))


@EACH
@pytest.mark.parametrize("whole", [True, False])
def test_a_reply_cut_after_any_byte_is_the_answer_or_an_error(name, whole) -> None:
    api, kind, body = REPLIES[name]
    answers, codes = 0, set()
    for at in range(len(body)):
        cut = reader(api, kind)
        try:
            cut.feed(body[:at])
            reply = cut.finish(whole)
        except ProviderError as error:
            codes.add(error.code)
        else:
            assert is_the_answer(reply), (at, body[:at])
            answers += 1
    assert codes <= {"provider.cut", "provider.not-json", "provider.no-choices"}
    assert is_the_answer(fed(api, kind, [body]))
    # Only what comes after the reason why it ended may be missing.
    assert (answers > 0) == ("whole" not in name)


@EACH
def test_where_the_bytes_of_a_reply_are_parted_changes_nothing(name) -> None:
    api, kind, body = REPLIES[name]
    for at in range(len(body)):
        assert is_the_answer(fed(api, kind, [body[:at], body[at:]]))
    assert is_the_answer(fed(api, kind, [body[i : i + 1] for i in range(len(body))]))


def fed(api: str, kind: str, chunks: list[bytes]):
    made = reader(api, kind)
    for chunk in chunks:
        made.feed(chunk)
    return made.finish(True)


@EACH
@pytest.mark.parametrize("change", ["drop", "flip"])
def test_whatever_byte_is_lost_or_changed_the_outcome_is_a_reply_or_a_named_error(name, change) -> None:
    api, kind, body = REPLIES[name]
    outcomes = set()
    for at in range(len(body)):
        bad = body[:at] + (b"" if change == "drop" else bytes([body[at] ^ 0x20])) + body[at + 1 :]
        try:
            outcomes.add(type(fed(api, kind, [bad])))
        except ProviderError as error:
            outcomes.add(type(error))
    assert outcomes <= {ChatReply, ProviderError}


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("ending", ["reset", "closed", "ended", "unframed"])
async def test_on_a_socket_too_a_cut_reply_is_the_answer_or_an_error(kit, name, ending) -> None:
    """Cut in the body by a reset, a close within a chunk, a proper end of the chunks, and an end of the connection
    where nothing says how long the body is."""
    api, kind, body = REPLIES[name]
    at = 0

    async def play(_, wire) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n".encode()
        part = body[:at]
        if ending == "unframed":
            await wire.send(head + b"connection: close\r\n\r\n" + part)
        else:
            end = b"0\r\n\r\n" if ending == "ended" else b""
            await wire.send(
                head + b"transfer-encoding: chunked\r\n\r\n" + (kit.chunk(part) if part else b"") + end
            )
        if ending == "reset":
            wire.reset()
        elif ending != "ended":
            wire.close()

    answers, codes = 0, set()
    async with kit.provider(play, api=api, retries=0) as (provider, server):
        for at in range(0, len(body), 3):  # noqa: B007  # read by the play
            provider._service._breaker.went_well()
            try:
                reply = await provider.chat(kit.asks())
            except ProviderError as error:
                codes.add(error.code)
            else:
                assert is_the_answer(reply)
                answers += 1
    assert len(server.requests) == len(range(0, len(body), 3))
    assert codes <= {"provider.cut", "provider.reset", "provider.not-json", "provider.no-choices"}
    assert (answers > 0) == ("whole" not in name) or ending == "reset"
