"""Characters that came in halves: joined where both came, marked where one is missing, never a lost answer."""

from __future__ import annotations

import json

import pytest

from judgeflow.runtime.providers.characters import join_halves, keep_halves

from ..helpers import program


def mended(text: str) -> str:
    return join_halves(json.loads(keep_halves(text.encode())))


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d"', "�"),
        (r'"\ude00 x"', "� x"),
        (r'"\ude00\ud83d"', "��"),
        (r'"\ud83d\ud83d\ude00"', "�😀"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\�"),
        (r'"a\nb\u00e9"', "a\nbé"),
        ('"😀é"', "😀é"),
    ],
)
def test_case_255_halves_that_stand_alone_are_told_from_all_else(text, whole) -> None:
    assert mended(text) == whole


def part(text: str, finish: str | None = None) -> bytes:
    """A part of a stream with an escape in it that is no JSON."""
    chunk = {"choices": [{"index": 0, "delta": {"content": "TEXT"}, "finish_reason": finish}]}
    return b"data: " + json.dumps(chunk).replace("TEXT", text).encode() + b"\n\n"


def block(text: str) -> bytes:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "TEXT"}}
    return b"data: " + json.dumps(event).replace("TEXT", text).encode() + b"\n\n"


STOP = (
    b'data: {"type": "message_start", "message": {"model": "m"}}\n\n',
    b'data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\ndata: {"type": "message_stop"}\n\n',
)


@pytest.mark.parametrize(
    ("halves", "text"),
    [((r"a \ud83d", r"\ude00 b"), "a 😀 b"), ((r"a \ud83d", " b"), "a � b"), (("a ", r"\ude00 b"), "a � b")],
)
async def test_an_emoji_that_comes_in_two_parts_of_a_stream_is_one(kit, halves, text) -> None:
    first, second = halves
    streams = {
        "openai": part(first) + part(second, "stop"),
        "anthropic": STOP[0] + block(first) + block(second) + STOP[1],
    }
    for api, body in streams.items():
        async with kit.provider(kit.answers(body, type="text/event-stream"), api=api) as (provider, server):
            assert (await provider.chat(kit.asks())).text == text
            assert len(server.requests) == 1


async def test_case_255_half_a_character_reaches_the_record_and_the_store_as_a_mark(
    kit, tmp_path, monkeypatch
) -> None:
    source = """
    provider own { api openai  url env OWN_URL }
    model small "m" via own
    agent writer(topic: text) { model small }
    flow main(topic: text) -> text { return writer(topic) }
    """
    async with kit.serving(kit.answers(part(r"cut \ud83d", "stop"), type="text/event-stream")) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        async with program(source).opened(store=tmp_path / "terns.sqlite") as session:
            result = await session.run("terns", capture=True)
    assert (result.status, result.answer) == ("answered", "cut �")
