"""What an answer cost, and what the attempts before it used."""

from __future__ import annotations

from decimal import Decimal

import pytest

from judgeflow.runtime.judge.protocol import Usage
from judgeflow.runtime.providers.price import Price, cost
from judgeflow.runtime.providers.usage import UNKNOWN, token_counts, total

PRICE = Price(Decimal("3"), Decimal("15"), cache_read=Decimal("0.3"), cache_write=Decimal("3.75"))


def test_case_140_cached_tokens_are_part_of_the_input_and_paid_once() -> None:
    usage = Usage(19073, 0, cached_tokens=18971, cache_write_tokens=100)
    assert cost(usage, PRICE) == Decimal("0.0060723")


def test_case_142_every_turns_cache_reads_are_priced() -> None:
    turns = [Usage(read, 0, cached_tokens=read) for read in (1000, 5000, 5000)]
    assert sum(cost(turn, PRICE) for turn in turns) == Decimal(11000) * Decimal("0.3") / 1_000_000


def test_reasoning_is_part_of_the_output() -> None:
    assert cost(Usage(0, 1000, reasoning_tokens=900), PRICE) == Decimal("0.015")


def test_cached_input_without_a_price_of_its_own_costs_as_much_as_other_input() -> None:
    assert cost(Usage(10, 0, cached_tokens=4), Price(Decimal("0.25"), Decimal(2))) == Decimal("0.0000025")


def test_u15_the_services_own_figure_wins() -> None:
    assert cost(Usage(10, 10, cost="0.000120"), PRICE) == Decimal("0.000120")
    assert cost(Usage(None, None, cost="0.5"), None) == Decimal("0.5")


@pytest.mark.parametrize(
    ("usage", "price"),
    [(Usage(1, 1), None), (Usage(None, 1), PRICE), (Usage(1, None), PRICE), (Usage(), PRICE)],
)
def test_u14_what_is_unknown_is_never_free(usage, price) -> None:
    assert cost(usage, price) is None


def test_attempts_are_added_up() -> None:
    several = [Usage(3, 1, cost="0.1"), Usage(4, 2, reasoning_tokens=1, cost="0.02")]
    assert total(several) == Usage(7, 3, reasoning_tokens=1, cost="0.12")


def test_case_084_what_broke_off_leaves_the_sum_incomplete() -> None:
    assert total([UNKNOWN, Usage(3, 1, cost="0.1")]) == Usage(3, 1, cost="0.1", incomplete=True)
    assert total([UNKNOWN]) == UNKNOWN


def test_a_cost_that_covers_only_some_attempts_is_none() -> None:
    assert total([Usage(3, 1, cost="0.1"), Usage(4, 2)]) == Usage(7, 3)


def test_usage_that_is_no_count_is_unknown() -> None:
    assert token_counts({"input_tokens": "9", "output_tokens": True, "cost": -1}) == Usage()
    assert token_counts(None) == Usage()
    assert token_counts({"input_tokens": 9, "output_tokens": 0, "cost": 0.5}) == Usage(9, 0, cost="0.5")
