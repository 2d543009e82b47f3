"""The variant that a tournament's picker names, counted from 1."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.reading import WinnerReading, read_winner

DEFAULTED = WinnerReading(1, False, defaulted=True)


@pytest.mark.parametrize("field", ["winner", "best", "choice"])
def test_e01_e02_e03_three_fields_name_the_winner(field: str) -> None:
    assert read_winner(f'I took care. {{"{field}": 3, "why": "short"}}', 4) == WinnerReading(3, True)


@pytest.mark.parametrize(
    "text",
    [
        "WINNER: 2",
        "Winner: **2**",
        "WINNER: `#2`",
        "WINNER:\n2.",
        "WINNER\uff1a(2)",
        'WINNER: "#2"',
        "WINNER: 02",
    ],
)
def test_e04_e05_a_marker_names_the_winner(text: str) -> None:
    assert read_winner(text, 3) == WinnerReading(2, True)


def test_e06_an_equals_sign_separates_too() -> None:
    assert read_winner("WINNER=2", 3) == WinnerReading(2, True)


def test_e07_e09_numbers_start_at_one_and_stay_within_the_ends() -> None:
    assert read_winner("WINNER: 1", 3) == WinnerReading(1, True)
    assert read_winner("WINNER: 0", 3) == WinnerReading(1, True, clamped=True)
    assert read_winner('{"winner": -4}', 3) == WinnerReading(1, True, clamped=True)
    assert read_winner("WINNER: 4", 3) == WinnerReading(3, True, clamped=True)
    assert read_winner('{"winner": 1e300}', 3) == WinnerReading(3, True, clamped=True)
    assert read_winner("WINNER: " + "7" * 5_000, 3) == WinnerReading(3, True, clamped=True)


def test_e08_the_last_marker_wins() -> None:
    assert read_winner("WINNER: 1\nOn reflection, winner: 3", 3).winner == 3
    assert read_winner("WINNER: 1\nWINNER: a tie", 3) == DEFAULTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "#2",
        "the second",
        "The winner is 2",
        "WINNER:",
        "WINNER: two",
        "WINNER: # 2",
        "WINNER: ##2",
        "WINNER: -1",
        "WINNER: 2a",
        "WINNER: 2nd",
        "WINNER: 2.5",
        "WINNER: 2.0",
        "WINNER: 2%",
        "WINNER: 0x2",
        "WINNER: variant 2",
        "WINNER: \uff12",
        "CO-WINNER: 2",
        "WINNER: 1 and 2",
        "WINNER: 1 or 2",
        "WINNER: 1, 2",
        "WINNER: 1/2",
        "WINNER: #1 & #3",
        "WINNER: 1-3",
        "WINNER: 1..3",
        "WINNER: 2:1",
        "WINNER: 1 = 3",
    ],
)
def test_e10_what_names_no_one_variant_defaults_to_the_first(text: str) -> None:
    assert read_winner(text, 3) == DEFAULTED


@pytest.mark.parametrize(
    "text",
    [
        "2, since 1 is thin",
        "2 - the clearest",
        "2 (not 1)",
        "2: short",
        "2 of 3",
        "2 or #2",
        "2 and 2",
        "2, not 1",
        "2; 1 is close",
    ],
)
def test_words_behind_the_number_change_nothing(text: str) -> None:
    assert read_winner(f"WINNER: {text}", 3) == WinnerReading(2, True)


@pytest.mark.parametrize("given", ["2", "2.0", "2e0", '"2"', '"#2"', '" 2\u00a0"', '"02"'])
def test_a_json_winner_is_a_whole_number_or_its_text(given: str) -> None:
    assert read_winner(f'{{"winner": {given}}}', 3) == WinnerReading(2, True)


@pytest.mark.parametrize(
    "given",
    [
        "2.5",
        "2.0000000000000000000000001",
        "1e-400",
        '"2.0"',
        '"# 2"',
        '"+2"',
        '"-1"',
        '"two"',
        '"**2**"',
        '"1_0"',
        '"\uff12"',
        '""',
        "[2]",
        "{}",
        "true",
        "false",
    ],
)
def test_any_other_json_winner_is_unreadable(given: str) -> None:
    assert read_winner(f'{{"winner": {given}}}\nWINNER: 2', 3) == DEFAULTED


def test_the_first_field_that_is_not_null_decides() -> None:
    assert read_winner('{"winner": null, "best": 2, "choice": 3}', 3) == WinnerReading(2, True)
    assert read_winner('{"best": "none", "choice": 3}', 3) == DEFAULTED
    assert read_winner('{"winner": null}\nWINNER: 3', 3) == WinnerReading(3, True)
    assert read_winner('{"winner": 1} or {"winner": 2}', 3) == DEFAULTED


def test_a_single_variant_that_nobody_named_is_a_default() -> None:
    assert read_winner("anything", 1) == DEFAULTED
    assert read_winner("WINNER: 1", 0) == WinnerReading(1, True)
