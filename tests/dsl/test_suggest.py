"""Did-you-mean: near words are found, far ones are not."""

import pytest

from judgeflow.dsl.suggest import closest, distance

CLAUSES = ("model", "prompt", "tools", "judges", "retries", "timeout")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("modle", "model"),
        ("Model", "model"),
        ("promt", "prompt"),
        ("judge", "judges"),
        ("time_out", "timeout"),
        ("retry", "retries"),
        ("tool", "tools"),
        ("temperature", None),
        ("x", None),
        ("", None),
        ("m" * 500, None),
    ],
)
def test_a_slip_finds_its_word(word: str, meant: str | None) -> None:
    assert closest(word, CLAUSES) == meant


def test_the_word_itself_is_no_suggestion() -> None:
    assert closest("model", ["model"]) is None


def test_the_nearest_wins_and_ties_go_by_alphabet() -> None:
    assert closest("stat", ["state", "stats", "start"]) == "start"


def test_a_swap_of_neighbours_is_one_edit() -> None:
    assert (distance("agnet", "agent"), distance("abc", "abc"), distance("", "abc")) == (1, 0, 3)
