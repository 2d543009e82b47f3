"""Replies made to hurt: no reading raises, and none takes more than linear time."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.runtime.judge.reading import (
    read_gate_judge,
    read_json,
    read_rate,
    read_verdict,
    read_winner,
    strip_reasoning,
)
from judgeflow.runtime.judge.scorers import compile_scorer

SIZE = 60_000
MOST_SECONDS = 3.0
"""What takes quadratic time on SIZE characters takes minutes; what takes linear time a tenth of a second."""

SCHEMA = compile_scorer(ScorerSpec("schema", schema={"type": "object"}), 0)
READINGS: tuple[Callable[[str], object], ...] = (
    read_json,
    read_verdict,
    read_gate_judge,
    read_rate,
    lambda text: read_winner(text, 3),
    strip_reasoning,
    SCHEMA.run,
)


def filled(unit: str) -> str:
    return unit * (SIZE // len(unit))


def mirrored(left: str, right: str, middle: str = "0.5") -> str:
    half = SIZE // 2
    return left * (half // len(left)) + middle + right * (half // len(right))


HOSTILE = {
    "open brackets": filled("["),
    "open braces": filled("{"),
    "nested lists": mirrored("[", "]", ""),
    "nested objects": mirrored('{"a":', "}", "1"),
    "many objects": filled('{"a":1} '),
    "objects that differ": filled('{"a":1} [2] '),
    "broken objects": filled('{"VERDICT: PASS":1,} '),
    "objects with labels": filled('{"a":1} VERDICT: PASS '),
    "one key over and over": '{"a":1' + filled(',"a":1') + "}",
    "double quotes": filled('"'),
    "quote lines": filled('"""\n'),
    "words in quotes": filled('"a ') + "VERDICT: PASS",
    "markers in quotes": filled('"VERDICT: PASS" '),
    "escaped quotes": "VERDICT: PASS" + filled('\\"'),
    "typographic quotes": mirrored("\u201cVERDICT: PASS ", "\u201d"),
    "crossing quotes": filled("\u00ab\u201cVERDICT: \u00bb\u201e"),
    "backticks": filled("`"),
    "runs of backticks": "VERDICT: PASS " + " ".join("`" * (at % 300 + 1) for at in range(800)),
    "markers in code": filled("`VERDICT: PASS` "),
    "fences": filled("```\n"),
    "open fences": filled("```json\n"),
    "fences with markers": filled("```\nVERDICT: BLOCK x\n```\n"),
    "tilde fences": filled("~~~\n"),
    "struck out": filled("~~ "),
    "struck once": "VERDICT: PASS " + filled("a~ ~b"),
    "labels": filled("VERDICT: "),
    "labels that touch": filled("VERDICT:"),
    "labels without a separator": filled("verdict" + " " * 50),
    "all labels": filled("SCORE: WINNER: VERDICT: 1 "),
    "choices": "VERDICT: PASS" + filled(" or PASS"),
    "ties": "WINNER: 2" + filled(" and 2"),
    "emphasis before": filled("*") + "VERDICT: PASS",
    "emphasis between": "VERDICT: " + filled("*") + "PASS",
    "hyphens": filled("-") + "VERDICT: PASS",
    "combining marks": filled("\u0301") + "VERDICT: PASS",
    "quoted lines": filled("> x\n"),
    "quote marks": filled(">"),
    "blanks": "```json\n" + filled(" ") + "x",
    "blank lines": filled(" \n"),
    "carriage returns": filled("\r"),
    "pairs around a number": mirrored("(", ")"),
    "emphasis around a number": mirrored("*", "*"),
    "labels in pairs": mirrored("(", ")", "score: 0.5"),
    "long score": "SCORE: 0." + filled("5"),
    "long json score": '{"score": 0.' + filled("5") + "}",
    "long winner": "WINNER: " + filled("9"),
    "long exponent": '{"score": 1e-' + filled("9") + "}",
    "long whole number": '{"winner": ' + filled("9") + "}",
    "thinking": filled("<think>"),
    "thoughts ended": filled("</think>"),
    "thoughts": "a" + filled("<think></think>"),
    "thoughts in code": filled("`<think>`"),
    "surrogates": filled("\ud800"),
    "escaped surrogates": '"' + filled("\\ud800") + '"',
    "backslashes": filled("\\"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_d02_a_hostile_reply_is_read_in_linear_time_and_nothing_raises(name: str) -> None:
    text = HOSTILE[name]
    began = time.process_time()
    for read in READINGS:
        read(text)
    assert time.process_time() - began < MOST_SECONDS


PIECES = st.sampled_from(
    [
        "VERDICT",
        "SCORE",
        "WINNER",
        "score",
        ":",
        "=",
        " ",
        "\n",
        "\r",
        "PASS",
        "block",
        "0.5",
        "1",
        "2",
        "#",
        "%",
        "/",
        " or ",
        "`",
        "```",
        "\n```\n",
        "~~",
        "~",
        "~~~",
        "*",
        "_",
        '"',
        "'",
        "\u201c",
        "\u201d",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '{"verdict":',
        '"pass"',
        '{"score":',
        "}",
        ",",
        "\\",
        ">",
        "\n> ",
        "<think>",
        "</think>",
        "\ud800",
        "\udc00",
        "\\ud800",
        "\u200b",
        "\ufeff",
        "\x00",
        "9" * 400,
        "1e999",
        "1e-999",
        "-",
        ".",
        "null",
        "NaN",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
@settings(max_examples=60, derandomize=True, database=None, deadline=None)
def test_d02_no_reading_ever_raises_and_every_one_is_consistent(text: str) -> None:
    for read in READINGS:
        read(text)
    verdict, judged, rated = read_verdict(text), read_gate_judge(text), read_rate(text)
    assert verdict.readable is (verdict.verdict is not None)
    assert judged.readable is (judged.verdict is not None)
    assert judged.score is None or (judged.readable and 0 <= judged.score <= 1)
    assert rated.readable is (rated.score is not None)
    winner = read_winner(text, 3)
    assert 1 <= winner.winner <= 3
    assert winner.defaulted is not winner.readable
