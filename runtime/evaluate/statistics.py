"""Means with intervals and paired tests: exact formulas, and a seeded bootstrap where there is none.

All intervals are two-sided and of 95 %. Nothing here is ever NaN: what is not defined is None.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Literal

import msgspec

ENOUGH = 100
"""From so many independent cases on the intervals hold what they promise (benchmarks/coverage.py), and conclusions are
drawn; with fewer, a report shows the numbers and says that they are too few to tell."""
RESAMPLES = 2000
SEED = 20_260_301
"""The same data give the same interval, today and on another machine."""

_LEVEL = 0.95
_Z = NormalDist().inv_cdf(0.5 + _LEVEL / 2)
_POWER = 0.8

Conclusion = Literal["better", "worse", "no difference shown", "too few to tell"]


class Interval(msgspec.Struct, frozen=True):
    low: float
    high: float


class Mean(msgspec.Struct, frozen=True):
    """The mean of `n` independent values; None where there are none. The interval needs two."""

    n: int
    value: float | None = None
    interval: Interval | None = None

    @property
    def enough(self) -> bool:
        return self.n >= ENOUGH


class Paired(msgspec.Struct, frozen=True):
    """Two configurations over the same cases. `difference` is after minus before; `p` is of the exact sign test."""

    n: int
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    better: int = 0
    worse: int = 0
    same: int = 0
    p: float = 1.0
    needed: int | None = None
    """Cases that would show a difference of this size four times out of five; None where there is none."""

    @property
    def conclusion(self) -> Conclusion:
        if self.n < ENOUGH or self.interval is None:
            return "too few to tell"
        if self.interval.low > 0:
            return "better"
        return "worse" if self.interval.high < 0 else "no difference shown"


def mean_of(values: Sequence[float], *, seed: int = SEED) -> Mean:
    """The mean of independent values between 0 and 1. Yes and no alone: Wilson's interval, else the bootstrap's."""
    if not values:
        return Mean(0)
    value = math.fsum(values) / len(values)
    if len(values) < 2:
        return Mean(1, value)
    if all(each in (0, 1) for each in values):
        return Mean(len(values), value, wilson(round(math.fsum(values)), len(values)))
    return Mean(len(values), value, _of_varied(values, seed))


def paired(before: Sequence[float], after: Sequence[float], *, seed: int = SEED) -> Paired:
    """What a change did, from the values of the same cases before and after it."""
    differences = [b - a for a, b in zip(before, after, strict=True)]
    n = len(differences)
    if not n:
        return Paired(0)
    better = sum(difference > 0 for difference in differences)
    worse = sum(difference < 0 for difference in differences)
    return Paired(
        n=n,
        before=math.fsum(before) / n,
        after=math.fsum(after) / n,
        difference=math.fsum(differences) / n,
        interval=_of_varied(differences, seed) if n > 1 else None,
        better=better,
        worse=worse,
        same=n - better - worse,
        p=sign_test(better, worse),
        needed=cases_needed(differences),
    )


def _of_varied(values: Sequence[float], seed: int) -> Interval | None:
    """The bootstrap's interval. A few values that are all the same say nothing of how far others would lie."""
    if len(values) < ENOUGH and min(values) == max(values):
        return None
    return bootstrap(values, seed=seed)


def per_item(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Repeats of one item averaged: they are one observation, however often it was looked at."""
    found: dict[str, list[float]] = {}
    for item, value in values:
        found.setdefault(item, []).append(value)
    return {item: math.fsum(each) / len(each) for item, each in found.items()}


def wilson(successes: int, n: int) -> Interval:
    """Wilson's score interval for a share."""
    share, square = successes / n, _Z * _Z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = _Z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def bootstrap(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The bootstrap interval of a mean, from two values on."""
    choices, n, total = random.Random(seed).choices, len(values), math.fsum
    return bootstrap_interval([total(choices(values, k=n)) / n for _ in range(resamples)], n)


def bootstrap_interval(means: Sequence[float], n: int) -> Interval:
    """The interval that the means of resamples of `n` values give: the expanded percentile interval (Hesterberg 2015),
    which makes up for the bootstrap's being too narrow by √((n - 1) / n) and for z in place of t."""
    tail = NormalDist().cdf(-math.sqrt(n / (n - 1)) * student(n - 1))
    ordered = sorted(means)
    return Interval(quantile(ordered, tail), quantile(ordered, 1 - tail))


def student(freedom: int) -> float:
    """Student's t at 97.5 %: Cornish and Fisher's expansion in 1 / `freedom`, exact in three digits from 5 on."""
    if freedom < len(_SMALL_T):
        return _SMALL_T[freedom]
    z = _Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + math.fsum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


_SMALL_T = (math.inf, 12.706205, 4.302653, 3.182446, 2.776445)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Of sorted values, with what lies between two of them interpolated."""
    at = share * (len(ordered) - 1)
    low = min(max(math.floor(at), 0), len(ordered) - 1)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided sign test over the cases that changed (McNemar's, where values are yes and no)."""
    n = better + worse
    tail = term = 1
    for k in range(min(better, worse)):
        term = term * (n - k) // (k + 1)
        tail += term
    # Whole numbers to the last step: 2 ** n is past a double from 1024 cases on.
    shift = max(tail.bit_length() - 60, 0)
    return min(1.0, math.ldexp(float(tail >> shift), shift + 1 - n))


def cases_needed(differences: Sequence[float]) -> int | None:
    """How many cases show a mean difference like this one's with a power of 80 %."""
    n = len(differences)
    if n < 2:
        return None
    centre = math.fsum(differences) / n
    if centre == 0:
        return None
    variance = math.fsum((each - centre) ** 2 for each in differences) / (n - 1)
    z = _Z + NormalDist().inv_cdf(_POWER)
    return max(2, math.ceil(variance * (z / centre) ** 2))


class Kappa(msgspec.Struct, frozen=True):
    """Agreement beyond chance. `value` is None where it is not defined, and `reason` says why."""

    value: float | None = None
    interval: Interval | None = None
    reason: str | None = None


def cohens_kappa(table: Mapping[tuple[bool, bool], int]) -> Kappa:
    """Of two raters who said yes or no: how often which pair was said. Interval: Fleiss, Cohen and Everitt (1969)."""
    n = sum(table.values())
    if n == 0:
        return Kappa(reason="nothing was labelled")
    share = {pair: table.get(pair, 0) / n for pair in _PAIRS}
    first = {said: share[said, True] + share[said, False] for said in _SAYINGS}
    second = {said: share[True, said] + share[False, said] for said in _SAYINGS}
    agreed = share[True, True] + share[False, False]
    expected = sum(first[said] * second[said] for said in _SAYINGS)
    if 1 in first.values() and 1 in second.values():
        return Kappa(reason="no variation: both said the same of everything")
    value = (agreed - expected) / (1 - expected)
    variance = (
        sum(
            share[said, said] * ((1 - expected) - (first[said] + second[said]) * (1 - agreed)) ** 2
            for said in _SAYINGS
        )
        + (1 - agreed) ** 2
        * sum(share[a, b] * (second[a] + first[b]) ** 2 for a, b in ((True, False), (False, True)))
        - (agreed * expected - 2 * expected + agreed) ** 2
    ) / (n * (1 - expected) ** 4)
    half = _Z * math.sqrt(max(variance, 0.0))
    if half < _NO_SPREAD:
        # Perfect agreement, or a rater that always says the same: the formula knows of no other sample.
        return Kappa(value)
    return Kappa(value, Interval(max(-1.0, value - half), min(1.0, value + half)))


_NO_SPREAD = 1e-6
_SAYINGS = (True, False)
_PAIRS = [(a, b) for a in _SAYINGS for b in _SAYINGS]


def fleiss_kappa(ballots: Sequence[Sequence[bool]]) -> Kappa:
    """Of a jury: each ballot holds the votes on one answer. Ballots of another size than most are left out."""
    sizes = [len(ballot) for ballot in ballots]
    size = max(set(sizes), key=sizes.count, default=0)
    counted = [ballot for ballot in ballots if len(ballot) == size]
    if size < 2:
        return Kappa(reason="no two members have voted on one answer")
    n = len(counted)
    yes = [sum(ballot) for ballot in counted]
    agreed = math.fsum((k * (k - 1) + (size - k) * (size - k - 1)) for k in yes) / (n * size * (size - 1))
    share = sum(yes) / (n * size)
    expected = share**2 + (1 - share) ** 2
    if share in (0, 1):
        return Kappa(reason="no variation: all votes are the same")
    return Kappa((agreed - expected) / (1 - expected))
