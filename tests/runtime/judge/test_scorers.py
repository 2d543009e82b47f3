"""The six kinds of scorers, each by itself: what passes, what fails and with which words."""

from __future__ import annotations

import builtins
import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.runtime.judge.compilers import Compilers
from judgeflow.runtime.judge.scorers import MOST_NESTED, MOST_VIOLATIONS, ScorerResult, compile_scorer

API = {
    "type": "object",
    "required": ["status", "items"],
    "properties": {
        "status": {"enum": ["ok", "late"]},
        "items": {"type": "array", "items": {"type": "integer"}},
    },
}


def scored(target: str, kind: Any, **fields: Any) -> ScorerResult:
    return compile_scorer(ScorerSpec(kind, **fields), 0).run(target)


def passes(target: str, kind: Any, **fields: Any) -> bool:
    result = scored(target, kind, **fields)
    assert result.score == int(result.passed)
    assert (result.detail is None) is result.passed
    return result.passed


def test_d01_a_result_is_passed_or_not_with_a_detail_where_it_is_not() -> None:
    assert scored("an apple", "contains", value="apple") == ScorerResult("contains-0", True, 1, None)
    assert scored("a pear", "contains", value="apple") == ScorerResult(
        "contains-0", False, 0, 'does not contain "apple"'
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "regex", "pattern": "a("}, "invalid pattern: "),
        ({"kind": "schema", "schema": {"type": 7}}, "invalid schema: "),
        ({"kind": "length", "minimum": 9, "maximum": 2}, "invalid scorer: "),
        ({"kind": "length", "minimum": -1}, "invalid scorer: "),
        ({"kind": "length"}, "invalid scorer: "),
        ({"kind": "compiles", "language": "cobol"}, "invalid scorer: "),
    ],
)
@pytest.mark.parametrize("negated", [False, True])
def test_d02_a41_a42_a43_what_cannot_work_fails_with_its_reason_and_never_raises(
    fields, said, negated
) -> None:
    result = compile_scorer(ScorerSpec(**fields, negated=negated), 0).run("anything")
    assert (result.passed, result.score) == (False, 0)
    assert (result.detail or "").startswith(said)


@pytest.mark.parametrize(
    ("target", "passed"),
    [
        pytest.param("PASS", True, id="d03_identical"),
        pytest.param("pass", False, id="d04_another_case"),
        pytest.param(" PASS", False, id="d04_a_space_before"),
        pytest.param("PASS\n", False, id="d04_a_line_end_after"),
        pytest.param("PASS.", False, id="d03_more_than_it"),
        pytest.param("", False, id="d03_nothing"),
    ],
)
def test_d03_d04_equals_takes_the_very_text_alone(target, passed) -> None:
    assert passes(target, "equals", value="PASS") is passed


@pytest.mark.parametrize(
    ("target", "passed"),
    [
        ('{"status": 1}', True),
        ('"status"', True),
        ('{"Status": 1}', False),
        ("status", False),
        ("", False),
    ],
)
def test_d05_contains_looks_for_the_text_in_its_own_case(target, passed) -> None:
    assert passes(target, "contains", value='"status"') is passed


@pytest.mark.parametrize(
    ("pattern", "target", "passed"),
    [
        (r"\d{3}", "code 404, not found", True),
        (r"\d{3}", "code 40", False),
        (r"^b", "a\nb", False),
        (r"(?m)^b", "a\nb", True),
        (r"a.c", "a\nc", False),
        (r"(?s)a.c", "a\nc", True),
        (r"(?i)ÉTAT", "un état", True),
        (r"^.$", "😀", True),
        ("", "", True),
    ],
)
def test_d06_a_pattern_is_searched_for_anywhere(pattern, target, passed) -> None:
    assert passes(target, "regex", pattern=pattern) is passed


@pytest.mark.parametrize("target", ["an error", "no trouble", ""])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("regex", {"pattern": "err"}),
        ("contains", {"value": "error"}),
        ("equals", {"value": "an error"}),
        ("length", {"maximum": 8}),
        ("schema", {"schema": {"type": "object"}}),
        ("compiles", {"language": "json"}),
    ],
)
def test_d07_not_turns_the_outcome_round(kind, fields, target) -> None:
    assert passes(target, kind, **fields) is not passes(target, kind, **fields, negated=True)


@pytest.mark.parametrize(
    "target",
    [
        '{"status": "ok", "items": [1]}',
        '```json\n{"status": "ok", "items": [1]}\n```',
        'Here it is:\n\n```json\n{"status": "ok", "items": [1]}\n```\nAnything else?',
        'Sure: {"status": "ok", "items": [1]}. Done.',
    ],
)
def test_d09_a_value_is_found_in_its_fence_or_in_its_sentence(target) -> None:
    assert passes(target, "schema", schema=API)


@pytest.mark.parametrize(
    "target", ["", "no JSON at all", '{"status": "ok"', '{"a": 1} {"a": 2}', "{'status': 1}"]
)
def test_d10_what_is_no_json_fails(target) -> None:
    assert scored(target, "schema", schema=True).detail == "is not JSON"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param([], "$: ", id="d11_type"),
        pytest.param({"status": "ok"}, '"items" is a required property', id="d11_required"),
        pytest.param({"status": "ok", "items": "x"}, "$.items: ", id="d11_type_of_a_property"),
        pytest.param({"status": "ok", "items": [1, "x"]}, "$.items[1]: ", id="d11_items"),
        pytest.param({"status": "gone", "items": []}, "$.status: ", id="d11_enum"),
    ],
)
def test_d11_every_keyword_is_held_against_the_value_and_its_place_is_named(value, said) -> None:
    result = scored(json.dumps(value), "schema", schema=API)
    assert not result.passed
    assert said in (result.detail or "")


def test_u64_at_most_eight_violations_are_told() -> None:
    items = ["x"] * (MOST_VIOLATIONS + 5)
    detail = scored(json.dumps({"status": "ok", "items": items}), "schema", schema=API).detail or ""
    assert MOST_VIOLATIONS == 8
    assert len(detail.split("; ")) == 8


@pytest.mark.parametrize(
    ("low", "high", "sizes"),
    [
        pytest.param(3, 5, {2: False, 3: True, 4: True, 5: True, 6: False}, id="d13_both_ends_count"),
        pytest.param(3, 3, {2: False, 3: True, 4: False}, id="d13_one_size"),
        pytest.param(3, None, {2: False, 3: True, 100_000: True}, id="d14_no_upper_end"),
        pytest.param(None, 3, {0: True, 3: True, 4: False}, id="d14_no_lower_end"),
        pytest.param(0, 0, {0: True, 1: False}, id="d13_nothing_alone"),
    ],
)
@pytest.mark.parametrize("unit", ["x", "é", "😀"])
def test_d13_d14_length_counts_characters_with_both_ends_included(low, high, sizes, unit) -> None:
    found = {size: passes(unit * size, "length", minimum=low, maximum=high) for size in sizes}
    assert found == sizes


PURE: list[tuple[Any, dict[str, Any]]] = [
    ("equals", {"value": "x"}),
    ("contains", {"value": "x"}),
    ("regex", {"pattern": "x"}),
    ("schema", {"schema": {"type": "object"}}),
    ("length", {"maximum": 5}),
    ("compiles", {"language": "json"}),
]


@pytest.mark.parametrize(("kind", "fields"), PURE)
def test_d25_what_needs_no_compiler_touches_no_file_no_network_and_no_process(
    kind, fields, monkeypatch
) -> None:
    def refused(*args: object, **named: object) -> Any:
        raise AssertionError("a pure scorer stays in its process")

    scorer = compile_scorer(ScorerSpec(kind, **fields), 0)
    assert not scorer.needs_process
    for place, name in ((builtins, "open"), (os, "open"), (socket, "socket"), (subprocess, "Popen")):
        monkeypatch.setattr(place, name, refused)
    for target in ("x", '{"a": "file:///etc/passwd"}', "```json\n{}\n```"):
        assert scorer.run(target).name == f"{kind}-0"


async def run_with_compiler(place: Path, script: str | None, limit: float = 20.0) -> ScorerResult:
    tools, project = place / "tools", place / "project"
    for folder in (tools, project):
        folder.mkdir()
    if script is not None:
        (tools / "tsc").write_text(script)
        (tools / "tsc").chmod(0o755)
    made = Compilers(os.pathsep.join([str(tools), "/usr/bin", "/bin"]), project, limit)
    return await compile_scorer(ScorerSpec("compiles", language="typescript"), 0, made).run_async("let x = 1")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("#!/bin/sh\nsleep 60\n", "did not end within 0.2 s", id="d22_too_slow"),
        pytest.param("#!/nowhere/at/all\n", "could not be started", id="d24_cannot_be_started"),
        pytest.param("#!/bin/sh\necho no such name; exit 1\n", "no such name", id="d01_said_no"),
    ],
)
async def test_d17_d22_d24_a_compiler_in_trouble_is_a_failed_scorer_and_no_crash(
    tmp_path, script, said
) -> None:
    with trio.fail_after(10):
        result = await run_with_compiler(tmp_path, script, limit=0.2)
    assert (result.name, result.passed) == ("compiles-0", False)
    assert said in (result.detail or "")


def nested(depth: int) -> str:
    return '{"tree": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


TREE = {
    "properties": {"tree": {"$ref": "#/$defs/tree"}},
    "$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}},
}


@pytest.mark.parametrize("depth", [MOST_NESTED + 1, 100_000])
@pytest.mark.parametrize("negated", [False, True])
def test_d02_a_value_that_nests_too_deep_to_be_checked_fails_under_not_too(depth: int, negated: bool) -> None:
    result = scored(nested(depth), "schema", schema=TREE, negated=negated)
    assert (result.passed, result.detail) == (False, "cannot be checked: it nests deeper than 1000")
    assert scored(nested(MOST_NESTED), "schema", schema=TREE).passed


def test_d07_what_is_known_not_to_fit_passes_under_not_however_deep_it_nests() -> None:
    required = {"required": ["name"]}
    assert scored(nested(400), "schema", schema=required).detail == "does not fit the schema"
    assert scored(nested(400), "schema", schema=required, negated=True).passed


def test_d11_a_detail_says_the_same_each_time_it_is_read() -> None:
    broken = scored('{"status": ', "compiles", language="json")
    unfit = scored('{"status": "ok", "items": ["x"]}', "schema", schema=API)
    assert broken.detail == broken.detail == "is not JSON: Expecting value: line 1 column 11 (char 10)"
    assert unfit.detail == unfit.detail == '$.items[0]: "x" is not of type "integer"'


def test_d42_a_scorer_is_named_by_itself_or_by_its_kind_and_place() -> None:
    own, unnamed = ScorerSpec("contains", value="x", name="mine"), ScorerSpec("contains", value="x")
    names = [compile_scorer(spec, index).name for spec, index in ((unnamed, 0), (unnamed, 7), (own, 7))]
    assert names == ["contains-0", "contains-7", "mine"]
