"""`script/….jsonl`: replies that are written down in a file, one a line."""

from __future__ import annotations

from pathlib import Path

import pytest

import judgeflow as jf
from judgeflow.runtime.judge.protocol import Caller
from judgeflow.runtime.providers.script import script_of_file

from ..helpers import program

SOURCE = """
model small "script/replies.jsonl"
agent writer(topic: text) { model small }
flow main(text: text) -> json { return [writer(text), writer(text)] }
"""


async def test_a_file_answers_in_the_order_of_the_calls_and_every_run_starts_anew(tmp_path: Path) -> None:
    lines = '{"name": "writer", "reply": "one"}\n\n{"name": "writer", "reply": "two \\u2028 three"}\n'
    (tmp_path / "replies.jsonl").write_text(lines, encoding="utf-8")
    made = program(SOURCE, tmp_path / "test.judge")
    async with made.opened() as session:
        for _ in range(2):
            result = await session.run("x")
            assert (result.answer, result.cost.total) == (["one", "two \u2028 three"], "0")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"name": "a", "reply": 1}\nnonsense\n', "replies.jsonl:2: a line is an object such as"),
        ('{"name": "a"}', "replies.jsonl:1"),
        ('{"name": "a", "reply": 1, "more": 2}', "unknown field `more`"),
        ("[1]", "replies.jsonl:1"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(jf.ConfigurationError, match=told) as caught:
        script_of_file(path)
    assert caught.value.code == "script.broken"


def test_a_file_as_another_system_writes_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"name": "a", "reply": "one"}\r\n')
    assert script_of_file(path).answer(Caller("agent:a", "a")) == "one"


async def test_a_file_that_is_not_there_stops_the_run_before_it_starts(tmp_path: Path) -> None:
    async with program(SOURCE, tmp_path / "test.judge").opened() as session:
        with pytest.raises(jf.ConfigurationError, match=r"replies\.jsonl: the script cannot be read"):
            await session.run("x")


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'{"name": "a", "reply": "\xff"}')
    with pytest.raises(jf.ConfigurationError, match="not UTF-8"):
        script_of_file(path)


def test_u48_an_exhausted_script_says_how_many_there_were(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"name": "a", "reply": 1}', encoding="utf-8")
    script = script_of_file(path)
    assert script.answer(Caller("agent:a", "a", run="1")) == 1
    with pytest.raises(jf.JudgeflowError, match="a is asked for answer 2, but the script has 1") as caught:
        script.answer(Caller("agent:a", "a", run="1"))
    assert caught.value.code == "test.script-exhausted"
    assert script.answer(Caller("agent:a", "a", run="2")) == 1
