"""JSON in a reply: the whole text, else a fenced block, else the one value that stands in the prose."""

from __future__ import annotations

from typing import Any

import pytest

from judgeflow.runtime.judge.reading import read_json
from judgeflow.runtime.judge.reading.lenient_json import find_object


def value(text: str) -> Any:
    reading = read_json(text)
    assert reading.ok, text
    return reading.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"tern": 3}', {"tern": 3}),
        ("\ufeff\u2060 [3]\u3000\r\n", [3]),
        ("null", None),
        ("4e1", 40),
        ('"a word"', "a word"),
    ],
)
def test_u65_the_whole_text_is_read_first(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Look:\n```\n[1]\n```\nand\n```json\n[2]\n```", [2]),
        ("Look:\n```\n[1]\n```\nand\n```yaml\n[2]\n```", [1]),
        ('```JSON title="x"\n[2]\n```\n[3]', [2]),
        ("```json\nnot yet\n```\n```json\n[4]\n```", [4]),
        ("~~~json\n[5]\n~~~\n[6]", [5]),
        ("   ````json\n[7]\n   ````", [7]),
    ],
)
def test_u65_json_fences_come_first_then_other_fences_and_then_the_search(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_a_fence_starts_its_line_and_only_a_bare_line_closes_it() -> None:
    assert not read_json("so ```\n8\n``` there").ok
    assert value("```json\n8\n````\n```") == 8
    assert not read_json("```json\n[8]\n```json\n[9]\n```").ok


def test_a_fence_that_is_never_closed_holds_no_block() -> None:
    assert not read_json("```json\n8").ok
    assert value("```json\n[8]") == [8], "the search still finds a whole value"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('The tally is {"terns": 12}, as asked.', {"terns": 12}),
        ('A lone " mark, then [1, 2]', [1, 2]),
        ('{see below} and [the note]: {"a": [1]}', {"a": [1]}),
        ('} ] {"a": "}"}', {"a": "}"}),
        ('{"a": "\\"}"} is it', {"a": '"}'}),
        ('{"a": 1} and once more {"a": 1.0}', {"a": 1}),
        ("[7] and then [cut", [7]),
    ],
)
def test_u65_the_one_value_in_the_prose_is_found(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[1] or [2]",
        "[1] or [true]",
        '{"a": 1}\n{"a": 2}',
        '{"list": [{"a": 1}], "rest": "cut',
        "[1, [2], NaN]",
        '[open {"a": 1}',
        '[{"a": 1}], "more": []',
    ],
)
def test_two_values_or_a_part_of_a_broken_one_are_no_value(text: str) -> None:
    assert not read_json(text).ok


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "-Infinity",
        "1e400",
        "-1e400",
        "9" * 400,
        "9" * 6000,
        ".5",
        "01",
        "1.",
        "0x1",
        "1_0",
        "'a'",
        "[1,]",
        '{"a": 1; "b": 2}',
        '{"a": 1, "a": 2}',
        '{"a": 1, "\\u0061": 2}',
        '{"a": {"b": 1, "b": "1"}}',
        '"a\nb"',
        "[1\u00a0]",
        "[\u0661]",
        "\x1c[1",
        '"\\u12"',
        "",
    ],
)
def test_json_is_strict(text: str) -> None:
    assert not read_json(text).ok


def test_whole_numbers_are_exact_and_others_are_doubles() -> None:
    assert value("[18446744073709551617, 9007199254740993]") == [18446744073709551617, 9007199254740993]
    assert value("0.1") == 0.1
    assert type(value("[1.5]")[0]) is float


def test_one_key_twice_with_one_value_is_one_key() -> None:
    assert value('{"a": 2, "a": 2.0}') == {"a": 2}


def test_lone_surrogates_become_replacement_characters() -> None:
    assert value('"\\ud83d\\ud83d\\ude00"') == "\ufffd\U0001f600"
    assert value('["\ud800", "\\udfff", "\\\\ud800"]') == ["\ufffd", "\ufffd", "\\ud800"]
    assert not read_json('{"\\ud800": 1, "\\udfff": 2}').ok, "two keys that become one have two values"


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_nesting_of_any_depth_is_read(depth: int) -> None:
    found = value("[" * depth + "]" * depth)
    for _ in range(depth - 1):
        (found,) = found
    assert found == []


def test_deep_objects_keep_the_rules_on_keys() -> None:
    deep = '{"a":' * 5_000
    assert read_json(deep + "1" + "}" * 5_000).ok
    assert not read_json(deep + '{"b":1,"b":2}' + "}" * 5_000).ok
    assert not read_json(deep + "1" + "}" * 4_999).ok


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('See [1]. {"a": 1}', {"a": 1}),
        ('```\n[1]\n```\n{"a": 1}', {"a": 1}),
        ('> {"a":\n> 1}', {"a": 1}),
        ('[{"a": 1}]', None),
        ("[1]", None),
        ('{"a": 1} {"a": 2}', None),
    ],
)
def test_judges_want_an_object_and_other_json_beside_it_is_ignored(text: str, expected: Any) -> None:
    assert find_object(text) == expected
