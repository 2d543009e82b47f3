"""Which cases of a file are run."""

from __future__ import annotations

import pytest

from judgeflow.runtime.batch.selection import Selection
from judgeflow.runtime.evaluate.cases import Case

CASES = [Case(id=str(number), input=number) for number in range(20)]


def chosen(**options: object) -> list[int]:
    return [int(case.id) for case in Selection(**options).of(CASES)]  # type: ignore[arg-type]


def test_without_a_choice_all_are_run_in_order() -> None:
    assert chosen() == list(range(20))


def test_a_limit_takes_the_first_and_a_sample_keeps_the_order_of_the_file() -> None:
    assert chosen(limit=3) == [0, 1, 2]
    sample = chosen(sample=5)
    assert sample == sorted(sample)
    assert len(set(sample)) == 5


@pytest.mark.parametrize("options", [{"sample": 5}, {"shuffle": True}, {"shuffle": True, "limit": 4}])
def test_a_seed_gives_the_same_cases_again_and_another_seed_others(options: dict[str, object]) -> None:
    assert chosen(**options) == chosen(**options)
    assert chosen(**options) != chosen(**options, seed=1)


def test_all_are_there_in_a_shuffled_order_and_in_a_sample_of_more() -> None:
    assert sorted(chosen(shuffle=True)) == list(range(20))
    assert chosen(sample=99) == list(range(20))
