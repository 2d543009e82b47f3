from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from judgeflow.runtime.evaluate.statistics import (
    ENOUGH,
    Interval,
    Kappa,
    Mean,
    Paired,
    bootstrap,
    bootstrap_interval,
    cases_needed,
    cohens_kappa,
    fleiss_kappa,
    mean_of,
    paired,
    per_item,
    quantile,
    sign_test,
    student,
    wilson,
)

EXPERIMENTS, CASES = 2000, 100


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (0, 10), (10, 10), (7, 20), (93, 100), (1, 5000)])
def test_wilsons_interval_is_scipys(successes: int, n: int) -> None:
    found = wilson(successes, n)
    scipys = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((scipys.low, scipys.high), abs=1e-9)


@pytest.mark.parametrize(
    ("better", "worse"), [(0, 0), (2, 0), (0, 2), (5, 5), (9, 2), (70, 31), (600, 500), (3000, 2800)]
)
def test_the_sign_test_is_scipys_binomial_test(better: int, worse: int) -> None:
    n = better + worse
    expected = stats.binomtest(better, n).pvalue if n else 1.0
    assert sign_test(better, worse) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 19, 99, 1000])
def test_students_t_is_scipys(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=5e-4)


@pytest.mark.parametrize("share", [0, 0.025, 0.5, 0.95, 1])
def test_quantiles_are_numpys(share: float) -> None:
    values = sorted(random.Random(3).random() for _ in range(37))
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)))


def test_the_bootstrap_is_scipys_percentile_interval_a_little_widened() -> None:
    values = np.random.default_rng(5).beta(4, 2, 150)
    found = bootstrap(list(values), resamples=4000)
    scipys = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(1)
    ).confidence_interval
    width = scipys.high - scipys.low
    assert (found.low, found.high) == pytest.approx((scipys.low, scipys.high), abs=0.06 * width)
    assert found.high - found.low > 0.99 * width


def test_the_same_data_give_the_same_interval() -> None:
    values = [0.01 * at for at in range(30)]
    assert bootstrap(values) == bootstrap(values)
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


def test_means_of_yes_and_no_have_wilsons_interval_and_others_the_bootstraps() -> None:
    assert mean_of([1, 0, 1, 1]) == Mean(4, 0.75, wilson(3, 4))
    assert mean_of([0.5, 1, 1, 1]).interval == bootstrap([0.5, 1, 1, 1])


def test_nothing_and_one_value_have_no_interval() -> None:
    assert mean_of([]) == Mean(0, None, None)
    assert mean_of([0.4]) == Mean(1, 0.4, None)
    assert paired([], []) == Paired(0)
    assert paired([0], [1]).interval is None


def test_two_versions_on_the_same_items_are_compared_item_by_item() -> None:
    before = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    after = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]
    found = paired(before, after)
    assert (found.better, found.worse, found.same, found.p) == (2, 0, 8, 0.5)
    assert found.difference == pytest.approx(0.2)
    assert found.conclusion == "too few to tell"


def test_repeats_of_one_item_are_one_observation() -> None:
    scores = {"1": [1, 1, 1, 1], "2": [0, 0, 0, 0], "3": [1, 1, 0, 1]}
    found = per_item((item, score) for item, each in scores.items() for score in each)
    assert found == {"1": 1, "2": 0, "3": 0.75}
    assert mean_of(list(found.values())).n == 3


@pytest.mark.parametrize(
    ("n", "interval", "expected"),
    [
        (ENOUGH, Interval(0.01, 0.2), "better"),
        (ENOUGH, Interval(-0.2, -0.01), "worse"),
        (ENOUGH, Interval(-0.1, 0.1), "no difference shown"),
        (ENOUGH, Interval(0.0, 0.1), "no difference shown"),
        (ENOUGH - 1, Interval(0.01, 0.2), "too few to tell"),
    ],
)
def test_a_conclusion_is_drawn_from_the_interval_of_enough_cases(
    n: int, interval: Interval, expected: str
) -> None:
    assert Paired(n=n, interval=interval).conclusion == expected


def test_how_many_cases_would_be_needed() -> None:
    rng = random.Random(1)
    differences = [rng.gauss(0.1, 0.5) for _ in range(2000)]
    # (1.96 + 0.84)² · (0.5 / 0.1)², the textbook's number
    assert cases_needed(differences) == pytest.approx(196, rel=0.2)
    assert cases_needed([0, 0]) is None
    assert cases_needed([1]) is None


# --- agreement


def table(both: int, first_only: int, second_only: int, neither: int) -> dict[tuple[bool, bool], int]:
    return {
        (True, True): both,
        (True, False): first_only,
        (False, True): second_only,
        (False, False): neither,
    }


def test_cohens_kappa_and_its_interval() -> None:
    # 2 x 2 of Fleiss, Levin and Paik's form: po 0.70, pe 0.50, kappa 0.40
    # the standard error, from 20,000 simulations: 0.127
    found = cohens_kappa(table(20, 5, 10, 15))
    assert found.value == pytest.approx(0.4)
    assert found.interval is not None
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(1.959964 * 0.127, rel=0.005)


def test_kappa_is_that_of_the_formula_under_simulation() -> None:
    rng = np.random.default_rng(8)
    shares, n = [0.5, 0.1, 0.1, 0.3], 200
    truth = cohens_kappa(table(*(round(1000 * share) for share in shares))).value
    assert truth is not None
    hits = 0
    for counts in rng.multinomial(n, shares, size=1000):
        interval = cohens_kappa(table(*map(int, counts))).interval
        assert interval is not None
        hits += interval.low <= truth <= interval.high
    assert 930 <= hits <= 970


def test_kappa_without_variation_is_not_defined() -> None:
    found = cohens_kappa(table(3, 0, 0, 0))
    assert found.value is None
    assert found.reason == "no variation: both said the same of everything"


def test_kappa_has_no_interval_where_nothing_could_vary() -> None:
    assert cohens_kappa(table(2, 0, 0, 1)) == Kappa(1.0)
    assert cohens_kappa(table(90, 0, 10, 0)).interval is None


def test_kappa_of_a_judge_that_always_says_the_same_is_zero() -> None:
    assert cohens_kappa(table(90, 0, 10, 0)).value == pytest.approx(0)
    assert cohens_kappa({}).value is None


def test_fleiss_kappa_of_the_textbooks_kind() -> None:
    # 4 answers, 3 members: 3:0, 2:1, 0:3, 1:2. Mean agreement (1 + 1/3 + 1 + 1/3) / 4 = 2/3, chance 1/2
    ballots = [[True] * 3, [True, True, False], [False] * 3, [True, False, False]]
    assert fleiss_kappa(ballots).value == pytest.approx(1 / 3)


def test_fleiss_kappa_of_two_members_is_near_cohens_where_both_say_yes_as_often() -> None:
    ballots = [[True, True]] * 40 + [[True, False]] * 10 + [[False, True]] * 10 + [[False, False]] * 40
    assert fleiss_kappa(ballots).value == pytest.approx(cohens_kappa(table(40, 10, 10, 40)).value)


@pytest.mark.parametrize("ballots", [[], [[True]], [[True, True]], [[False, False, False]] * 4])
def test_fleiss_kappa_is_none_where_it_is_not_defined(ballots: list[list[bool]]) -> None:
    found = fleiss_kappa(ballots)
    assert found.value is None
    assert found.reason


def test_ballots_of_another_size_are_left_out() -> None:
    whole = [[True, True, False], [False, False, False], [True, True, True]]
    assert fleiss_kappa([*whole, [True, False]]) == fleiss_kappa(whole)


# --- 2,000 simulated experiments


WORLDS: dict[str, tuple[float, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]]] = {
    "helps: 15 % better, 5 % worse": (0.1, lambda r, s: r.choice([1.0, 0, -1], s, p=[0.15, 0.8, 0.05])),
    "does nothing, 10 % change": (0.0, lambda r, s: r.choice([1.0, 0, -1], s, p=[0.05, 0.9, 0.05])),
    "hurts: 2 % better, 8 % worse": (-0.06, lambda r, s: r.choice([1.0, 0, -1], s, p=[0.02, 0.9, 0.08])),
    "ratings move a little": (0.1, lambda r, s: r.uniform(-0.3, 0.5, s)),
    "probabilities, most of them high": (0.8, lambda r, s: r.beta(4, 1, s)),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_f30_the_95_percent_interval_covers_the_truth_95_times_of_100(world: str) -> None:
    truth, draw = WORLDS[world]
    rng = np.random.default_rng(11)
    experiments = draw(rng, (EXPERIMENTS, CASES))
    hits = 0
    for values in experiments:
        # numpy draws the resamples, which is all that differs from `bootstrap`
        means = values[rng.integers(0, CASES, (500, CASES))].mean(axis=1)
        interval = bootstrap_interval(means.tolist(), CASES)
        hits += interval.low - 1e-9 <= truth <= interval.high + 1e-9
    assert 0.93 <= hits / EXPERIMENTS <= 0.97


def test_wilsons_interval_covers_the_truth_as_often() -> None:
    rng = np.random.default_rng(12)
    for share in (0.5, 0.7, 0.8, 0.9):
        found = [wilson(int(k), CASES) for k in rng.binomial(CASES, share, EXPERIMENTS)]
        hits = sum(each.low <= share <= each.high for each in found)
        assert 0.93 <= hits / EXPERIMENTS <= 0.97


def test_nothing_is_ever_nan() -> None:
    for values in ([0.0, 0.0], [1, 1], [0.3] * ENOUGH):
        interval = mean_of(values).interval
        assert interval is not None
        assert math.isfinite(interval.low)
        assert math.isfinite(interval.high)


def test_a_few_values_that_are_all_the_same_have_no_interval() -> None:
    assert mean_of([0.9, 0.9, 0.9]).interval is None
    assert paired([0.5, 0.4], [0.7, 0.6]).interval is None
    assert paired([0.5] * ENOUGH, [0.75] * ENOUGH).conclusion == "better"
