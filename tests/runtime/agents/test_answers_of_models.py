"""Answers as models really give them: what is right is taken whole, what is wrong is told and never guessed at."""

from __future__ import annotations

from typing import Any

import pytest

from judgeflow.dsl import shapes
from judgeflow.dsl.shapes import FieldInfo, TypeInfo
from judgeflow.runtime.agents.answers import AnswerReader
from judgeflow.runtime.judge.protocol import ToolCall

from ..helpers import Model, Tools, run, step

TYPES = {
    "Read": TypeInfo("Read", (FieldInfo("path", shapes.Text()),)),
    "Write": TypeInfo("Write", (FieldInfo("path", shapes.Text()), FieldInfo("text", shapes.Text()))),
}
STEP = shapes.Union((shapes.Record("Read"), shapes.Record("Write")))


def test_case_058_items_of_the_same_variant_are_all_kept() -> None:
    items = '[{"variant":"Read","value":{"path":"a"}},{"variant":"Read","value":{"path":"b"}}]'
    reader = AnswerReader(shapes.ListOf(STEP), TYPES)
    answer, violations = reader.read(ToolCall("1", "answer", f'{{"items":{items}}}'))
    assert violations == []
    assert answer is not None
    assert [item["value"]["path"] for item in answer.value] == ["a", "b"]
    empty, _ = reader.read(ToolCall("1", "answer", '{"items":[]}'))
    assert empty is not None
    assert empty.value == []


def test_case_060_a_union_is_sent_as_any_of_with_a_constant_tag() -> None:
    [tool] = AnswerReader(shapes.ListOf(STEP), TYPES).tools
    items = tool.parameters["properties"]["items"]["items"]
    assert [option["properties"]["variant"] for option in items["anyOf"]] == [
        {"const": "Read"},
        {"const": "Write"},
    ]
    assert "oneOf" not in str(tool.parameters)
    assert "discriminator" not in str(tool.parameters)


def test_case_065_the_tag_decides_whatever_the_fields_look_like() -> None:
    reader = AnswerReader(STEP, TYPES)
    answer, violations = reader.read(ToolCall("1", "answer_read", '{"path":"a","text":"b"}'))
    assert (answer, violations) == (None, ["$.text: Read has no such field"])


LISTS = """
model writer_model "fake/writer"
type Order { items: text[]  level: "low" | "high" }
agent writer(topic: text) -> Order { model writer_model  judges [tried] }
code judge tried(reply: Order) { require attempt >= LEAST else "again" }
flow main(topic: text) -> json { return writer(topic) }
"""


async def answered(*replies: Any, least: int = 0) -> tuple[Any, Model]:
    writer = Model(*[Tools(("answer", reply)) for reply in replies])
    source = LISTS.replace("LEAST", str(least))
    return await run(source, {"topic": "x"}, models={"writer_model": writer}), writer


GOOD = {"items": ["a"], "level": "low"}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"items": '["a"]', "level": "low"}, "$.items: must be a list, is text"),
        ({"items": ["a"], "level": "low "}, '$.level: must be one of "low", "high", is text'),
        ({"items": ["a"], "level": "LOW"}, '$.level: must be one of "low", "high", is text'),
    ],
)
async def test_case_061_067_what_does_not_fit_goes_back_with_the_reason(reply: Any, told: str) -> None:
    result, writer = await answered(reply, GOOD)
    assert (result.status, result.answer["items"]) == ("answered", ["a"])
    assert told in str(writer.requests[1].messages)


async def test_case_061_what_never_fits_is_an_error_and_no_answer() -> None:
    result, writer = await answered({"items": "[]", "level": "low"})
    assert (result.status, result.answer, len(writer.requests)) == ("failed", None, 3)
    assert "must be a list, is text" in result.record.reason


async def test_case_068_what_does_not_fit_is_no_attempt_that_a_judge_could_count() -> None:
    result, writer = await answered({"items": "[]", "level": "low"}, GOOD, GOOD, least=1)
    record = step(result, "writer")
    assert result.status == "answered"
    assert len(writer.requests) == result.record.usage.calls == 3
    assert len(record.attempts) == 2
    assert [verdict.attempt for verdict in record.verdicts] == [0, 1]
