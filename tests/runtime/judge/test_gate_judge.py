"""A gate's judge: a verdict, a score, or both; never a number that nobody wrote."""

from __future__ import annotations

from fractions import Fraction

import pytest

from judgeflow.runtime.judge.reading import GateJudgeReading, read_gate_judge

UNREADABLE = GateJudgeReading(False)


def score(text: str) -> Fraction | None:
    return read_gate_judge(f"SCORE: {text}").score


def test_d34_json_gives_score_verdict_and_reason() -> None:
    text = '{"score": 0.4, "verdict": "pass", "reason": "close"}'
    assert read_gate_judge(text) == GateJudgeReading(True, "pass", Fraction(2, 5))
    assert read_gate_judge(f"So:\n```json\n{text}\n```\nSCORE: 1") == read_gate_judge(text)


def test_d35_a_bare_verdict_in_json_counts_one_or_zero() -> None:
    assert read_gate_judge('{"verdict": "ok"}') == GateJudgeReading(True, "pass", Fraction(1))
    assert read_gate_judge('{"verdict": "Rejected"}') == GateJudgeReading(True, "block", Fraction(0))


def test_d36_markers_in_any_case_and_the_last_one_wins() -> None:
    text = "score: 0.9\nVerdict = ok\n**SCORE:** `0.35`\nVERDICT: stop"
    assert read_gate_judge(text) == GateJudgeReading(True, "block", Fraction(7, 20))


@pytest.mark.parametrize(
    ("given", "verdict"), [("0.5", "pass"), ("0.4999999999999999999", "block"), ("1", "pass"), ("0", "block")]
)
def test_u56_a_score_alone_passes_from_one_half_exactly(given: str, verdict: str) -> None:
    assert read_gate_judge(f"SCORE: {given}") == GateJudgeReading(True, verdict, Fraction(given))  # type: ignore[arg-type]
    assert read_gate_judge(f'{{"score": {given}}}') == GateJudgeReading(True, verdict, Fraction(given))  # type: ignore[arg-type]


def test_a_verdict_with_a_score_that_cannot_be_read_has_no_score() -> None:
    assert read_gate_judge("VERDICT: PASS\nSCORE: 80%") == GateJudgeReading(True, "pass", None)
    assert read_gate_judge('{"verdict": "stop", "score": 7}') == GateJudgeReading(True, "block", None)
    assert read_gate_judge('{"verdict": "stop", "score": true}') == GateJudgeReading(True, "block", None)


def test_a_verdict_that_cannot_be_read_is_not_replaced_by_the_score() -> None:
    assert read_gate_judge("VERDICT: unsure\nSCORE: 0.9") == UNREADABLE
    assert read_gate_judge('{"verdict": "unsure", "score": 0.9}') == UNREADABLE


def test_d37_neither_is_unreadable() -> None:
    for text in ("", "Quite good.", "PASS", "{}", "[]", '{"pass": true}', '{"score": null}', '{"Score": 1}'):
        assert read_gate_judge(text) == UNREADABLE


def test_json_and_markers_are_never_mixed() -> None:
    assert read_gate_judge('{"score": 0.2}\nVERDICT: PASS').verdict == "block"
    assert read_gate_judge('{"verdict": "pass"}\nSCORE: 0.2').score == 1
    assert read_gate_judge('{"score": "good"}\nSCORE: 0.2') == UNREADABLE
    assert read_gate_judge('{"why": "good"}\nSCORE: 0.7').score == Fraction(7, 10)
    assert read_gate_judge('{"score": null, "verdict": 4}\nSCORE: 0.7').score == Fraction(7, 10)


@pytest.mark.parametrize(
    "given",
    [
        "85",
        "1.5",
        "-0.1",
        "+0.5",
        "05",
        "80%",
        "0.9 %",
        "0.9\uff05",
        "0.9 \u2030",
        "1 percent",
        "0.9 per cent",
        "100 bps",
        "8/10",
        "0.8/1",
        "0.9 / 1",
        "1 out of 10",
        "0.9 (out of 1)",
        "1 of 1",
        "1 in 10",
        "1:10",
        "0.8|0.2",
        "**0.9**/1",
        "0.7-0.9",
        "0.7 \u2013 0.9",
        "0.7..0.9",
        "0.7\u20260.9",
        "0.4 to 0.6",
        "0.9 \u00b1 0.1",
        "0.8 or 0.9",
        "0.9 and 1",
        "0.9, 0.8",
        "0.9 = 90%",
        "0.9 -> 1",
        "0,9",
        "0.8.5",
        "1'000",
        "1,000",
        "1_0",
        "9e-1",
        "1e0",
        "0x1",
        "0.9x",
        "0.9-ish",
        "\u00bd",
        "\uff10.\uff19",
        "0.9+",
        "~0.9",
        ">0.9",
        "<0.9>",
        "{0.9}",
        "$1",
        "#1",
        "about 0.9",
        "high",
        "nan",
        "",
        "(0.9",
        "~~0.9~~",
        "~~0.9~~ 0.2",
    ],
)
def test_a_score_is_a_plain_decimal_and_never_a_part_of_something_else(given: str) -> None:
    assert score(given) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0.9", "0.9"),
        (".9", "0.9"),
        ("0.90", "0.9"),
        ("1", "1"),
        ("1.", "1"),
        ("0.9!", "0.9"),
        ("0.5...", "0.5"),
        ("(0.9)", "0.9"),
        ("[0.9]", "0.9"),
        ('"0.9"', "0.9"),
        ("__0.9__", "0.9"),
        ("\n\n0.9", "0.9"),
        ("0.9 (90%)", "0.9"),
        ("0.9 - solid", "0.9"),
        ("0.9, 2 remarks", "0.9"),
        ("0.9 and 3 remarks", "0.9"),
        ("0.9 \u2013 3 remarks", "0.9"),
        ("0.8\n/10", "0.8"),
        ("0.50000000000000000000000001", "0.50000000000000000000000001"),
    ],
)
def test_u57_a_score_with_something_around_it_is_still_that_score(given: str, expected: str) -> None:
    assert score(given) == Fraction(expected)


@pytest.mark.parametrize("given", ["0.9", "9e-1", "0.90", '"0.9"', '" .9 "', "90E-2"])
def test_a_json_score_is_any_number_or_a_plain_decimal_as_text(given: str) -> None:
    assert read_gate_judge(f'{{"score": {given}}}').score == Fraction(9, 10)


@pytest.mark.parametrize(
    "given",
    [
        '"9e-1"',
        '"90%"',
        '"+0.9"',
        '"-0.0"',
        '"0.9."',
        '""',
        '"0,9"',
        "[0.9]",
        "{}",
        "false",
        "1e999",
        "1.0000000000000000000001",
        "-1e-30",
    ],
)
def test_u56_any_other_json_score_is_unreadable(given: str) -> None:
    # A number outside 0..1 was not meant as one within it, so it is never clamped.
    assert read_gate_judge(f'{{"score": {given}}}') == UNREADABLE


def test_the_last_score_label_decides_even_where_nothing_can_be_read() -> None:
    assert read_gate_judge("SCORE: 0.9\nSCORE: n/a") == UNREADABLE
    assert read_gate_judge("SCORE: 0.9\nSub-score: 0.1\nunderscore: 0.2").score == Fraction(9, 10)
