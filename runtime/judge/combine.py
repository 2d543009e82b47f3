"""How a gate's checks add up: exact arithmetic over the decimal literals, no tolerance, equality passes.

With a judge that has not been asked its weight is in the denominator, so the scorers alone give a lower and an upper
bound. Where the bounds settle it no score could change the result, and none is bought.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from ...dsl.scorer_spec import DEFAULT_BAR
from .reading.numbers import exact_number

Mode = Literal["all", "any", "weighted"]
Decided = Literal["pass", "block"]


class Combined(msgspec.Struct, frozen=True):
    """`passed` and `combined` (0..1) where everything is known; `lower`, `upper` and `decided` while a judge may still
    be asked (`decided` is None where it must be)."""

    passed: bool | None
    combined: Fraction | None
    lower: Fraction | None = None
    upper: Fraction | None = None
    decided: Decided | None = None
    readable: bool = True
    """False for a judge's score outside 0..1: it is never clamped, and the gate's policy decides."""


_ONE, _ZERO = Fraction(1), Fraction(0)
_PASS, _BLOCK = Combined(True, _ONE), Combined(False, _ZERO)
_UNREADABLE = Combined(None, None, readable=False)


class Combination(msgspec.Struct, frozen=True):
    """A gate's rule, prepared once and used for every visit. Weights are whole multiples of one common share."""

    mode: Mode
    weights: tuple[int, ...] = ()
    judge: int | None = None
    total: int = 0
    threshold: Fraction = _ONE

    def of(self, results: Sequence[bool], judge_score: Fraction | str | None = None) -> Combined:
        """What the scorers' results come to, with the judge's score where there is one. Nothing scored never passes."""
        if self.mode == "all":
            return _PASS if results and all(results) else _BLOCK
        if self.mode == "any":
            return _PASS if any(results) else _BLOCK
        if not self.total or len(results) != len(self.weights):
            return _BLOCK
        own = sum(weight for weight, passed in zip(self.weights, results, strict=True) if passed)
        if self.judge is None:
            return self._final(Fraction(own, self.total)) if results else _BLOCK
        if judge_score is None:
            return self._bounds(own, self.judge, scored=bool(results))
        score = exact_number(judge_score)
        if score is None or not 0 <= score <= 1:
            return _UNREADABLE
        return self._final((own + self.judge * score) / self.total)

    def _final(self, combined: Fraction) -> Combined:
        return Combined(combined >= self.threshold, combined)

    def _bounds(self, own: int, judge: int, *, scored: bool) -> Combined:
        lower, upper = Fraction(own, self.total), Fraction(own + judge, self.total)
        decided: Decided | None = None
        if lower >= self.threshold and scored:
            decided = "pass"
        elif upper < self.threshold:
            decided = "block"
        return Combined(None, None, lower, upper, decided)


def prepare(
    mode: Mode, weights: Sequence[str] | None, threshold: str | None, judge_weight: str | None
) -> Combination:
    """A checked gate's rule. Literals that `check_combine` refuses give a rule that always blocks."""
    if mode != "weighted":
        return Combination(mode)
    bar = exact_number(threshold if threshold is not None else DEFAULT_BAR)
    shares = [exact_number(weight) for weight in weights or ()]
    judge = exact_number(judge_weight) if judge_weight is not None else _ZERO
    known = [share for share in (*shares, judge) if share is not None and share >= 0]
    if bar is None or len(known) != len(shares) + 1:
        return Combination(mode)
    unit = math.lcm(*(share.denominator for share in known))
    *own, last = (int(share * unit) for share in known)
    return Combination(mode, tuple(own), None if judge_weight is None else last, sum(own) + last, bar)


def combine(
    mode: Mode,
    results: Sequence[bool],
    weights: Sequence[str] | None = None,
    threshold: str | None = None,
    judge_weight: str | None = None,
    judge_score: Fraction | str | None = None,
) -> Combined:
    """What the scorers' results come to. Weights, threshold and score are decimal literals, the weights in the order
    of the results. Never raises; nothing scored never passes."""
    if mode == "all":
        return _PASS if results and all(results) else _BLOCK
    if mode == "any":
        return _PASS if any(results) else _BLOCK
    return prepare(mode, weights, threshold, judge_weight).of(results, judge_score)


def check_combine(
    mode: str,
    results: int,
    weights: Sequence[str] | None,
    threshold: str | None,
    judge_weight: str | None = None,
    *,
    has_judge: bool = False,
) -> str | None:
    """The checker's code for weights or a threshold that cannot work, or None. `results` is the number of scorers;
    with a judge the judge has a weight too."""
    if mode != "weighted":
        if weights or judge_weight is not None:
            return "gate.weights"
        return None if threshold is None else "gate.threshold"
    given = [exact_number(weight) for weight in weights or ()]
    if len(given) != results or (has_judge and judge_weight is None):
        return "gate.weights"
    if judge_weight is not None:
        given.append(exact_number(judge_weight))
    known = [weight for weight in given if weight is not None and weight >= 0]
    if len(known) != len(given) or not sum(known):
        return "gate.weights"
    bar = exact_number(threshold if threshold is not None else DEFAULT_BAR)
    return "gate.threshold" if bar is None or not 0 < bar <= 1 else None
