"""A rating is the whole reply: one plain decimal between 0 and 1."""

from __future__ import annotations

from fractions import Fraction

import pytest

from judgeflow.runtime.judge.reading import RateReading, exact_number, read_rate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.85", "0.85"),
        (".85", "0.85"),
        ("00.85", "0.85"),
        ("1", "1"),
        ("00", "0"),
        ("\ufeff 0.85\u2003\r\n", "0.85"),
        ("(0.85)", "0.85"),
        ("{[(0.85)]}", "0.85"),
        ("**0.85**", "0.85"),
        ("_*`0.85`*_", "0.85"),
        ("```\n0.85\n```", "0.85"),
        ("'0.85'", "0.85"),
        ("\u201e0.85\u201c", "0.85"),
        ("\u00ab 0.85 \u00bb", "0.85"),
        ("Score: 0.85", "0.85"),
        ("sCoRe\uff1a0.85", "0.85"),
        ("score :\n\n.85", "0.85"),
        ("**Score:** 0.85", "0.85"),
        ("**Score**: `0.85`", "0.85"),
        ("**Score: 0.85**", "0.85"),
        ("**Score:** **0.85**", "0.85"),
        ("Score**:** 0.85", "0.85"),
        ("(score: [0.85])", "0.85"),
        ("<think>9 of 10?</think>0.85", "0.85"),
    ],
)
def test_a_plain_decimal_and_what_may_stand_around_it(text: str, expected: str) -> None:
    assert read_rate(text) == RateReading(True, Fraction(expected))


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "80%",
        "0.8%",
        "8/10",
        "0.8/1",
        "1.5",
        "-0.5",
        "\u22120.5",
        "+0.5",
        "- 1",
        "minus 1",
        "1 percent",
        "1 \u2030",
        "1 bps",
    ],
)
def test_g22_another_scale_is_unreadable(text: str) -> None:
    assert read_rate(text, Fraction(0)) == RateReading(False, None, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0.",
        ".",
        "0,5",
        "1e0",
        "5e-1",
        "0x1",
        "1_0",
        "0.5f",
        "NaN",
        "inf",
        "one",
        "true",
        "\u00bd",
        "\uff10.\uff15",
        "\u0660.\u0665",
        "0.5.",
        "0.5!",
        "0.5;",
        "0.5 0.5",
        "0.5\n0.5",
        "0.5, fine",
        "I say 0.5",
        "0.5 (of 1)",
        "\x000.5",
        "\x1c0.5",
        "\u180e0.5",
        "score = 0.5",
        "score 0.5",
        "final score: 0.5",
        "score: score: 0.5",
        "score:: 0.5",
        "rating: 0.5",
        "scores: 0.5",
        "\u017fcore: 0.5",
        "(0.5",
        "0.5)",
        "(0.5]",
        "*0.5",
        "0.5*",
        "**0.5*",
        "\"0.5'",
        '\u201c0.5"',
        "**Score: 0.5",
        "score: **0.5",
        "**Score:* 0.5",
        '"score": 0.5',
        "<0.5>",
        "~~0.5~~",
        "# 0.5",
        "> 0.5",
        "- 0.5",
        '{"score": 0.5}',
        "[0.5, 0.6]",
        "```json\n0.5\n```",
        "~~~\n0.5\n~~~",
        "****",
        "()",
        "<think>0.5",
    ],
)
def test_g14_anything_else_is_unreadable_and_never_passes(text: str) -> None:
    assert read_rate(text, Fraction(0)) == RateReading(False, None, False)


def test_at_most_64_characters() -> None:
    assert read_rate("0." + "3" * 62).score == Fraction("0." + "3" * 62)
    assert not read_rate("0." + "3" * 63).readable
    assert read_rate("(" * 400 + "0.25" + ")" * 400).score == Fraction(1, 4)


@pytest.mark.parametrize(
    ("text", "threshold", "passed"),
    [
        ("0.7", "0.7", True),
        ("0.70", "0.7", True),
        ("0.69999999999999999", "0.7", False),
        ("0.7", "0.7000000000000000000000001", False),
        ("0.30000000000000004", "0.3", True),
        ("1", "1", True),
        ("0.0", "0", True),
    ],
)
def test_g11_the_threshold_is_compared_exactly_and_equality_passes(
    text: str, threshold: str, passed: bool
) -> None:
    assert read_rate(text, Fraction(threshold)).passed is passed


def test_without_a_threshold_nothing_passes_or_fails() -> None:
    assert read_rate("0.9").passed is None
    assert read_rate("good").passed is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0.7", Fraction(7, 10)),
        (0.7, Fraction(7, 10)),
        (3, Fraction(3)),
        ("-1.5e-1", Fraction(-3, 20)),
        ("5e-324", Fraction("5e-324")),
        (Fraction(1, 3), Fraction(1, 3)),
        ("NaN", None),
        ("Infinity", None),
        (float("nan"), None),
        (float("-inf"), None),
        ("1e400", None),
        ("1e999999999", None),
        ("1e-999999999", None),
        ("1/2", None),
        ("1_0", None),
        ("\u0661", None),
        ("", None),
    ],
)
def test_an_exact_number_is_what_the_literal_names(
    given: str | float | Fraction, expected: Fraction | None
) -> None:
    assert exact_number(given) == expected
