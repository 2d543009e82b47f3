from __future__ import annotations

from decimal import Decimal

import pytest

from judgeflow.runtime.store.money import UNKNOWN, Cost, add, merge, money


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0.50", "0.5"),
        ("1E-7", "0.0000001"),
        (Decimal("100"), "100"),
        (Decimal("1E+2"), "100"),
        (0, "0"),
        ("0.000", "0"),
        ("-0", "0"),
        (UNKNOWN, UNKNOWN),
    ],
)
def test_an_amount_has_one_spelling(amount: str | int | Decimal, text: str) -> None:
    assert money(amount) == text


@pytest.mark.parametrize("amount", ["-1", "NaN", "Infinity", "free", ""])
def test_what_is_no_amount_is_refused(amount: str) -> None:
    with pytest.raises(ValueError, match="no amount of money"):
        money(amount)


def test_sums_are_exact_where_floats_are_not() -> None:
    assert add("0.1", "0.2") == "0.3"
    assert (
        add("1000000000000", "0.0000000000000000000000000001") == "1000000000000.0000000000000000000000000001"
    )
    assert add() == "0"


def test_one_unknown_part_makes_the_sum_unknown_and_the_certain_part_stays() -> None:
    cost = Cost().plus("agent:writer", "0.01").plus("agent:writer", UNKNOWN).plus("judge:useful", "0.002")
    assert (cost.total, cost.known) == (UNKNOWN, "0.012")
    assert cost.parties == {"agent:writer": UNKNOWN, "judge:useful": "0.002"}


def test_costs_of_steps_add_up_per_party() -> None:
    one = Cost().plus("agent:a", "0.1").plus("judge:b", "0.2")
    two = Cost().plus("agent:a", "0.3")
    assert merge([one, two]) == Cost(total="0.6", known="0.6", parties={"agent:a": "0.4", "judge:b": "0.2"})


def test_a_cost_is_not_changed_by_adding_to_it() -> None:
    cost = Cost().plus("memory", "1")
    cost.plus("memory", "1")
    assert cost.parties == {"memory": "1"}
