from __future__ import annotations

import pytest

from judgeflow.runtime.report.text import (
    columns,
    cost_of,
    cut,
    dollars,
    elapsed,
    mark,
    moment,
    one_line,
    padded,
    wrapped,
)
from judgeflow.runtime.store.money import Cost


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0", "$0.00"),
        ("0.0044", "$0.0044"),
        ("0.00445", "$0.0045"),
        ("12", "$12.00"),
        ("0.00004", "<$0.0001"),
        ("0.0001", "$0.0001"),
        ("unknown", "cost unknown"),
    ],
)
def test_money_never_looks_free_when_it_is_not(amount: str, shown: str) -> None:
    assert dollars(amount) == shown


def test_a_cost_that_is_known_in_part_says_so() -> None:
    assert cost_of(Cost().plus("a", "0.01").plus("b", "unknown")) == "$0.0100 + unknown"
    assert cost_of(Cost().plus("b", "unknown")) == "cost unknown"
    assert cost_of(Cost().plus("a", "0.01")) == "$0.0100"


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        ("2026-03-01T12:00:00.040Z", "0.0 s"),
        ("2026-03-01T12:00:03.140Z", "3.1 s"),
        ("2026-03-01T12:02:05.000Z", "2:05 min"),
        ("2026-03-01T12:00:59.990Z", "60.0 s"),
        (None, ""),
    ],
)
def test_a_time_is_short(ended: str | None, shown: str) -> None:
    assert elapsed("2026-03-01T12:00:00.000Z", ended) == shown


def test_a_moment_is_utc() -> None:
    assert moment("2026-03-01T12:00:00.000+02:00") == "2026-03-01 10:00"


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "\x9b31m", "a\rb", "\u202eabc", "x\x00y", "\x07", "half \ud800"]
)
def test_what_would_move_the_cursor_or_turn_the_text_is_spelled_out(text: str) -> None:
    for shown in (one_line(text, 40), *wrapped(text, 40)):
        assert shown.isprintable()
        assert shown != text


def test_one_line_is_one_line_and_marks_what_it_cut() -> None:
    assert one_line("two\nlines\tof  text", 40) == "two lines of text"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
    assert one_line({"a": [1, None]}, 40) == '{"a":[1,null]}'
    assert one_line("x" * 10, 10) == "x" * 10


def test_a_wide_character_takes_two_columns() -> None:
    assert (columns("日本"), columns("e\u0301"), columns("ab")) == (4, 1, 2)
    assert columns(one_line("日本" * 50, 11)) <= 11
    assert padded("日本", 6) == "日本  "


def test_a_cut_of_megabytes_is_quick_and_marked() -> None:
    assert one_line("日" * 5_000_000, 21) == "日" * 10 + "…"


def test_wrapped_text_loses_nothing() -> None:
    text = "one two three four five six seven\n\neight"
    assert " ".join(" ".join(wrapped(text, 20)).split()) == " ".join(text.split())
    assert "" in wrapped(text, 20)


def test_every_status_has_a_mark_of_its_kind() -> None:
    assert [mark(status) for status in ("answered", "guarded", "running", "paused", "abandoned")] == list(
        "✔✖▶‖⊘"
    )


def test_a_word_of_megabytes_is_wrapped_and_cut_in_a_moment() -> None:
    lines = wrapped(f"image {'a' * 2_000_000} end", 100)
    assert cut("é" * 200_000, 80) == "é" * 79 + "…"
    assert "".join(lines) == f"image{'a' * 2_000_000}end"
    assert max(map(len, lines)) == 100
