"""What an answer cost, and what the attempts before it used."""

from __future__ import annotations

from decimal import Decimal

import pytest

from judgeflow.dsl.plan import ModelPlan
from judgeflow.dsl.prices import list_price, price_list
from judgeflow.runtime.agents.price import Price, cost, price_of
from judgeflow.runtime.judge.protocol import Usage
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


def test_the_price_list_has_a_date_and_every_price_in_it_is_a_number() -> None:
    listed = price_list()
    assert len(listed.date) == 10
    assert len(listed.models) > 50
    for slug in listed.models:
        price = price_of(ModelPlan("m", slug))
        assert price is not None
        assert Decimal(0) < price.input <= price.output
        assert price.long is None or price.long[1].input > price.input


def test_a_dated_snapshot_costs_what_its_model_costs_unless_it_is_listed_itself() -> None:
    assert list_price("openai/gpt-4o-mini-2024-07-18") == list_price("openai/gpt-4o-mini")
    assert list_price("anthropic/claude-haiku-4-5-20251001") == list_price("anthropic/claude-haiku-4-5")
    assert list_price("openai/gpt-4o-2024-05-13").input == "5"


def test_a_listed_model_is_priced_with_its_cache() -> None:
    price = price_of(ModelPlan("m", "openai/gpt-5-mini"))
    assert cost(Usage(1_000_000, 100_000, cached_tokens=400_000), price) == Decimal("0.36")


def test_a_long_input_costs_more_for_all_of_its_tokens() -> None:
    price = price_of(ModelPlan("m", "openai/gpt-5.4"))
    assert cost(Usage(272_000, 0), price) == Decimal("0.68")
    assert cost(Usage(272_001, 0), price) == Decimal("1.360005")


def test_the_files_own_price_wins_and_another_services_is_not_on_the_list() -> None:
    declared = ModelPlan("m", "openai/gpt-5-mini", price_in="1", price_out="2")
    assert price_of(declared) == Price(Decimal(1), Decimal(2))
    assert price_of(ModelPlan("m", "openai/gpt-5-mini", via="rack")) is None
    assert price_of(ModelPlan("m", "openai/nobody-knows")) is None
