"""Typed answers: one answer tool per variant, and every fault of an invalid one at once."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from judgeflow.dsl import shapes
from judgeflow.dsl.json_schema import schema_of
from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.dsl.shapes import FieldInfo, TypeInfo
from judgeflow.runtime.agents.answers import AnswerReader
from judgeflow.runtime.agents.decode import Decoder
from judgeflow.runtime.expr import Record
from judgeflow.runtime.judge.protocol import ToolCall
from judgeflow.runtime.judge.scorers import compile_scorer

TYPES = {
    "Offer": TypeInfo(
        "Offer",
        (FieldInfo("salary", shapes.Int("1", None)), FieldInfo("note", shapes.Text(None, 5), optional=True)),
    ),
    "JobRefusal": TypeInfo("JobRefusal", (FieldInfo("why", shapes.Text()),)),
}
OFFER, REFUSAL = shapes.Record("Offer"), shapes.Record("JobRefusal")
EITHER = shapes.Union((OFFER, REFUSAL))


def read(shape: shapes.Shape, tool: str, arguments: str) -> Any:
    return AnswerReader(shape, TYPES).read(ToolCall("1", tool, arguments))


def names(shape: shapes.Shape) -> list[str]:
    return [tool.name for tool in AnswerReader(shape, TYPES).tools]


def test_one_answer_tool_per_variant() -> None:
    assert names(shapes.Text()) == []
    assert names(OFFER) == ["answer"]
    assert names(EITHER) == ["answer_offer", "answer_job_refusal"]
    assert names(shapes.ListOf(OFFER)) == ["answer"]
    assert names(shapes.ListOf(EITHER)) == ["answer"]
    assert names(shapes.Int()) == ["answer"]


def test_b36_the_variant_is_the_tool_that_was_used() -> None:
    answer, violations = read(EITHER, "answer_job_refusal", '{"why": "no"}')
    assert (answer.value, answer.variant, violations) == ({"why": "no"}, "JobRefusal", [])
    assert isinstance(answer.value, Record)
    answer, violations = read(EITHER, "answer_job_refusal", '{"salary": 1}')
    assert answer is None
    assert violations == ["$.salary: JobRefusal has no such field", "$.why: is missing"]


def test_b39_b40_lists_keep_their_items_and_items_of_unions_are_tagged() -> None:
    answer, _ = read(shapes.ListOf(OFFER), "answer", '{"items": [{"salary": 1}]}')
    assert (answer.value, answer.variant) == ([{"salary": 1, "note": None}], "Offer")
    items = '{"items": [{"variant": "JobRefusal", "value": {"why": "x"}}]}'
    answer, _ = read(shapes.ListOf(EITHER), "answer", items)
    assert answer.variant is None
    assert answer.value == [{"variant": "JobRefusal", "value": {"why": "x"}}]
    assert answer.value[0]["value"].variant == "JobRefusal"


@pytest.mark.parametrize(
    ("shape", "arguments", "violations"),
    [
        (
            OFFER,
            '{"salary": 1',
            ["$: the arguments are not JSON (Expecting ',' delimiter: line 1 column 13 (char 12))"],
        ),
        (
            OFFER,
            '{"salary": 1, "salary": 2}',
            ["$: the arguments are not JSON (the key 'salary' has two values)"],
        ),
        (OFFER, '{"salary": NaN}', ["$: the arguments are not JSON (NaN is not JSON)"]),
        (shapes.Int(), "{}", ["$.value: is missing"]),
        (shapes.ListOf(OFFER), '{"items": {}}', ["$: must be a list, is object"]),
        (
            shapes.ListOf(EITHER, 2),
            '{"items": [{"variant": "Other"}]}',
            ["$: needs at least 2 items, has 1"],
        ),
        (
            shapes.ListOf(EITHER),
            '{"items": [{"variant": "Other"}, {"variant": "Offer", "value": {"salary": 0}}]}',
            ["$[0].variant: must be one of Offer, JobRefusal", "$[1].value.salary: must be at least 1, is 0"],
        ),
    ],
)
def test_faults_are_named_with_their_path(shape: shapes.Shape, arguments: str, violations: list[str]) -> None:
    assert read(shape, "answer", arguments) == (None, violations)


@pytest.mark.parametrize(
    ("shape", "data", "expected"),
    [
        (shapes.Text(2, 3), "añ😀", "añ😀"),
        (shapes.Int("0", "10"), 3.0, 3),
        (shapes.Float("0.1", "0.3"), 0.1, 0.1),
        (shapes.Bool(), False, False),
        (shapes.Literal("yes"), "yes", "yes"),
        (shapes.Nullable(shapes.Int()), None, None),
        (shapes.Json(), {"any": [1]}, {"any": [1]}),
        (OFFER, {"salary": 1, "note": None}, {"salary": 1, "note": None}),
        (shapes.Union((shapes.Int(), shapes.Text())), "x", "x"),
    ],
)
def test_what_fits_is_decoded(shape: shapes.Shape, data: Any, expected: Any) -> None:
    assert Decoder(TYPES).decode(shape, data) == (expected, [])


@pytest.mark.parametrize(
    ("shape", "data", "fault"),
    [
        (shapes.Text(), 1, "$: must be a text, is int"),
        (shapes.Text(2), "a", "$: needs at least 2 characters, has 1"),
        (shapes.Text(None, 2), "abc", "$: takes at most 2 characters, has 3"),
        (shapes.Int(), 1.5, "$: must be a whole number, is float"),
        (shapes.Int(), True, "$: must be a whole number, is bool"),
        (shapes.Float(None, "0.3"), 0.30000000000000004, "$: must be at most 0.3, is 0.30000000000000004"),
        (shapes.Bool(), 1, "$: must be true or false, is int"),
        (shapes.Literal("yes"), "no", '$: must be "yes", is text'),
        (
            shapes.Union((shapes.Literal("a"), shapes.Literal("b"))),
            "c",
            '$: must be one of "a", "b", is text',
        ),
        (OFFER, [], "$: must be an object (Offer), is list"),
        (OFFER, {"salary": None}, "$.salary: must be a whole number, is null"),
        (shapes.ListOf(shapes.Int(), None, 1), [1, 2], "$: takes at most 1 items, has 2"),
        (shapes.Record("Nobody"), {}, "$: the type Nobody is not declared"),
    ],
)
def test_what_does_not_fit_says_why(shape: shapes.Shape, data: Any, fault: str) -> None:
    assert Decoder(TYPES).decode(shape, data) == (None, [fault])


def test_at_most_eight_faults_are_told_at_once() -> None:
    _, faults = Decoder(TYPES).decode(shapes.ListOf(shapes.Int()), ["x"] * 20)
    assert len(faults) == 8


_INNER = (FieldInfo("a", shapes.Int(1, 3)), FieldInfo("b", shapes.Text(1, 2), optional=True))
WIDE = {
    "Inner": TypeInfo("Inner", _INNER),
    "Wide": TypeInfo(
        "Wide",
        (
            FieldInfo("status", shapes.Union((shapes.Literal("ok"), shapes.Literal("late")))),
            FieldInfo("n", shapes.Int()),
            FieldInfo("f", shapes.Float("0", "1"), optional=True),
            FieldInfo("xs", shapes.ListOf(shapes.Int(), 1, 2)),
            FieldInfo("inner", shapes.Record("Inner"), optional=True),
            FieldInfo("free", shapes.Json(), optional=True),
        ),
    ),
}
RIGHT = {"status": "ok", "n": 1, "xs": [1]}
CHANGES: dict[str, list[Any]] = {
    "status": ["late", "OK", 1, None],
    "n": [1.0, 1.5, True, "1", None, 2**70, -0.0, 1e300],
    "f": [0, 1, 0.5, 1.0000001, -1e-9, "0.5", None, True],
    "xs": [[], [1, 2], [1, 2, 3], ["1"], None, {}],
    "inner": [
        {"a": 1},
        {"a": 0},
        {"a": 4},
        {"a": 2, "b": ""},
        {"a": 2, "b": "é😀"},
        {"a": 2, "b": None},
        {},
        1,
    ],
    "free": [None, 1, [{"x": None}]],
    "more": [1],
}


def test_d12_a_scorer_of_a_type_and_an_agent_of_it_take_the_same_values() -> None:
    shape = shapes.Record("Wide")
    scorer = compile_scorer(ScorerSpec("schema", schema=schema_of(shape, WIDE)), 0)
    values: list[Any] = [{**RIGHT, key: value} for key, given in CHANGES.items() for value in given]
    values += [RIGHT, {"status": "ok", "n": 1}, None, [], "x", [RIGHT]]
    taken = []
    for value in values:
        _, faults = Decoder(WIDE).decode(shape, copy.deepcopy(value))
        assert scorer.run(json.dumps(value)).passed is not bool(faults), (value, faults)
        taken.append(not faults)
    assert 10 < sum(taken) < len(taken) - 10
