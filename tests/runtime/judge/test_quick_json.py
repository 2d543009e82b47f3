"""The quick ways of reading against the plain ones, on seeded texts: JSON, nearly JSON, and JSON in replies."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from judgeflow.dsl.scorer_check import compile_schema
from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.runtime.judge.compilers import check_json, code_of
from judgeflow.runtime.judge.reading.brackets import bracket_pairs, strings_in
from judgeflow.runtime.judge.reading.fences import find_fences, one_fence
from judgeflow.runtime.judge.reading.lenient_json import (
    _exact,
    _find,
    find_json,
)
from judgeflow.runtime.judge.reading.quick_json import CUT, NO_JSON, UNSURE, quick
from judgeflow.runtime.judge.reading.strict_json import NotJson, parse, plain
from judgeflow.runtime.judge.reading.text import one_line_end
from judgeflow.runtime.judge.scorers import compile_scorer

PIECES = (
    *'{}[]",:`~\\\n -+.eE019\r\t\u00e4\u20ac\U0001f600\u2028\ufeff\x00\x7f',
    "```",
    "~~~",
    "```json\n",
    "\n```",
    "\n```\n",
    "\\u003a",
    "\\ud83d",
    "\\ude00",
    "\ud800",
    '"a":',
    '"a": 1',
    '{"a": 1}',
    '{"a": 1.0}',
    "[1]",
    "[0.1]",
    "[0.10000000000000000001]",
    "true",
    "nu",
    "[f]",
    "[]",
    "NaN",
    "1e400",
    "1e-400",
    "-0",
    "9" * 308,
    "9" * 309,
    "[" * 40,
    "]" * 40,
    "the tern ",
)


def scalar(rng: random.Random) -> Any:
    return rng.choice(
        (
            None,
            True,
            0,
            -7,
            2**70,
            0.1,
            1e300,
            rng.random() * 10 ** rng.randint(-320, 300),
            rng.getrandbits(64),
            "",
            "a: b",
            'say "x"',
            "\u00e4\u20ac\U0001f600",
            "{[",
            "]}",
            "`x`",
            "\\\n",
        )
    )


def some(rng: random.Random, depth: int = 3) -> Any:
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return scalar(rng)
    if kind < 0.7:
        return [some(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    return {rng.choice("abc:{"): some(rng, depth - 1) for _ in range(rng.randint(0, 4))}


def document(rng: random.Random) -> str:
    return json.dumps(
        some(rng),
        ensure_ascii=rng.random() < 0.5,
        indent=rng.choice((None, 1)),
        separators=rng.choice(SEPARATORS),
    )


SEPARATORS = ((", ", ": "), (",", ":"), (" ,\n", "\t:\r\n"))


def spoiled(rng: random.Random, text: str) -> str:
    """The text with a few places changed, cut or doubled."""
    for _ in range(rng.randint(0, 3)):
        at, end = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        text = rng.choice(
            (
                text[:at] + rng.choice(PIECES) + text[at:],
                text[:at] + text[at + 1 :],
                text[:end],
                text[:at] + text[at:end] * 2 + text[end:],
                text.replace('"', "'", 1),
                text.replace("}", ",}", 1),
            )
        )
    return text


def texts(seed: int, count: int) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(count):
        kind = rng.random()
        if kind < 0.2:
            yield "".join(rng.choices(PIECES, k=rng.randint(0, 12)))
            continue
        inner = document(rng) if kind < 0.6 else spoiled(rng, document(rng))
        frame = rng.choice(
            (
                "{}",
                "{}",
                " \ufeff{}\u00a0\n",
                "```json\n{}\n```",
                "Look:\n```\n{}\n```\nThat is [1]?",
                "~~~\n{}\n~~~",
                "It is {}, I think.",
                "[see] {} ]",
                "{} {}",
                "```json {}```",
                "````json\n{}\n````",
                "```\n{}\n```\n```json\n[2]\n```",
            )
        )
        text = frame.replace("{}", inner)
        yield spoiled(rng, text) if rng.random() < 0.3 else text


def exactly(text: str) -> Any:
    try:
        return plain(parse(text))
    except NotJson:
        return NO_JSON


SEEDS = range(8)
COUNT = 400


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quick_reading_is_the_exact_one_or_is_not_sure(seed: int) -> None:
    sure = 0
    for text in texts(seed, COUNT):
        value = quick(text)
        if value is UNSURE:
            continue
        sure += 1
        exact = exactly(text)
        if value is CUT:
            assert exact is NO_JSON, text
            assert not next(bracket_pairs(text)).closed, text
        else:
            assert repr(value) == repr(exact), text
    assert sure > COUNT * 0.8, "else it is not quick"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quick_search_finds_what_the_exact_one_finds(seed: int) -> None:
    for text in map(one_line_end, texts(seed, COUNT)):
        assert repr(find_json(text)) == repr(plain(_find(text, objects_only=False))), text


@pytest.mark.parametrize("seed", SEEDS)
def test_one_fence_seen_at_a_glance_is_the_one_that_a_look_at_all_lines_finds(seed: int) -> None:
    seen = 0
    for text in map(one_line_end, texts(seed, COUNT)):
        body = one_fence(text)
        if body is not None:
            seen += 1
            assert [(fence.body(text), fence.closed) for fence in find_fences(text)] == [(body, True)], text
    assert seen > COUNT * 0.05


def pairs_by_character(text: str) -> list[tuple[int, int, bool, list[tuple[int, int]]]]:
    """Top-level bracket pairs and their strings, one character after the other."""
    pairs: list[tuple[int, int, bool, list[tuple[int, int]]]] = []
    closers: list[str] = []
    start, at = 0, 0
    strings: list[tuple[int, int]] = []
    while at < len(text):
        mark = text[at]
        if mark in "[{":
            if not closers:
                start, strings = at, []
            closers.append("]" if mark == "[" else "}")
        elif closers and mark == '"':
            opened = at
            at += 1
            while at < len(text) and text[at] != '"' and text[at:] != "\\":
                at += 2 if text[at] == "\\" else 1
            strings.append((opened, min(at + (text[at:] != "\\"), len(text))))
        elif closers and mark == closers[-1]:
            closers.pop()
            if not closers:
                pairs.append((start, at + 1, True, strings))
        at += 1
    if closers:
        pairs.append((start, len(text), False, strings))
    return pairs


@pytest.mark.parametrize("seed", SEEDS)
def test_bracket_pairs_are_those_that_a_walk_over_the_characters_meets(seed: int) -> None:
    for text in texts(seed, COUNT):
        found = [
            (pair.start, pair.end, pair.closed, list(strings_in(text, pair))) for pair in bracket_pairs(text)
        ]
        assert found == pairs_by_character(text), text


@pytest.mark.parametrize("seed", SEEDS)
def test_compiles_json_says_what_the_strict_reading_says(seed: int) -> None:
    run = compile_scorer(ScorerSpec("compiles", language="json"), 0).run
    for text in texts(seed, COUNT):
        said, result = check_json(text), run(text)
        assert (result.passed, result.detail) == (said.ok, said.detail), text


def test_a_fence_in_a_text_with_other_line_ends_is_code_too() -> None:
    assert code_of("```json\r\n[1]\r\n```\r\n") == "[1]"
    assert code_of("see `x`") == "see `x`"
    assert _exact(code_of("~~~\n[1]\n~~~")) == [1]


SHAPE = {
    "type": ["object", "array"],
    "required": ["a"],
    "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"enum": [1, "x"]}},
    "items": {"anyOf": [{"type": "integer"}, {"type": "object", "maxProperties": 1}]},
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_schema_scorer_says_what_a_validator_says_of_the_value_that_is_there(seed: int) -> None:
    validator = compile_schema(SHAPE)
    run, run_negated = (
        compile_scorer(ScorerSpec("schema", schema=SHAPE, negated=n), 0).run for n in (False, True)
    )
    for text in texts(seed, COUNT):
        value = plain(_find(one_line_end(text), objects_only=False))
        errors = [] if value is NO_JSON else list(validator.iter_errors(value))
        result = run(text)
        assert result.passed is (value is not NO_JSON and not errors), text
        assert run_negated(text).passed is not result.passed, text
        assert [error.message[:150] in (result.detail or "") for error in errors[:2]] == [True] * len(
            errors[:2]
        ), text
