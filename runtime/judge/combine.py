"""How a gate's checks add up: exact arithmetic over the decimal literals, no tolerance, equality passes.

With a judge that has not been asked its weight is in the denominator, so the scorers alone give a lower and an upper
bound. Where the bounds settle it no score could change the result, and none is bought.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import msgspec

Mode = Literal["all", "any", "weighted"]
DEFAULT_THRESHOLD = "0.5"


class Combined(msgspec.Struct, frozen=True):
    """`passed` and `combined` where everything is known; `lower`, `upper` and `decided` while a judge may still be
    asked (`decided` is None where it must be)."""

    passed: bool | None
    combined: Fraction | None
    lower: Fraction | None = None
    upper: Fraction | None = None
    decided: Literal["pass", "block"] | None = None
    readable: bool = True
    """False for a judge's score outside 0..1: it is never clamped, and the gate's policy decides."""


_PASS = Combined(True, Fraction(1))
_BLOCK = Combined(False, Fraction(0))


def combine(
    mode: Mode,
    results: Sequence[bool],
    weights: Sequence[str] | None = None,
    threshold: str | None = None,
    judge_weight: str | None = None,
    judge_score: Fraction | str | None = None,
) -> Combined:
    """What the scorers' results come to. Weights, threshold and score are decimal literals. Nothing scored never
    passes."""
    if mode == "all":
        return _PASS if results and all(results) else _BLOCK
    if mode == "any":
        return _PASS if any(results) else _BLOCK
    shares = [Fraction(weight) for weight in weights or ()]
    own = sum((weight for weight, passed in zip(shares, results, strict=True) if passed), Fraction(0))
    judge = Fraction(judge_weight) if judge_weight is not None else Fraction(0)
    total = sum(shares, judge)
    bar = Fraction(threshold if threshold is not None else DEFAULT_THRESHOLD)
    if not total:
        return _BLOCK
    if judge_weight is not None and judge_score is None:
        lower, upper = own / total, (own + judge) / total
        decided: Literal["pass", "block"] | None = None
        if lower >= bar:
            decided = "pass"
        elif upper < bar:
            decided = "block"
        return Combined(None, None, lower, upper, decided)
    given = _number(str(judge_score)) if judge_score is not None else Fraction(0)
    if given is None or not 0 <= given <= 1:
        return Combined(None, None, readable=False)
    score = own + judge * given
    return Combined(score / total >= bar, score / total)


def check_combine(
    mode: str,
    results: int,
    weights: Sequence[str] | None,
    threshold: str | None,
    judge_weight: str | None = None,
    *,
    has_judge: bool = False,
) -> str | None:
    """The checker's code for weights or a threshold that cannot work, or None. `results` is the number of scorers."""
    if mode != "weighted":
        return "gate.weights" if weights or judge_weight is not None else None
    found = [
        _number(weight)
        for weight in [*(weights or ()), *([judge_weight] if judge_weight is not None else [])]
    ]
    if len(weights or ()) != results or (has_judge and judge_weight is None):
        return "gate.weights"
    if any(weight is None or weight < 0 for weight in found) or sum(w for w in found if w is not None) <= 0:
        return "gate.weights"
    bar = _number(threshold) if threshold is not None else Fraction(DEFAULT_THRESHOLD)
    return "gate.threshold" if bar is None or not 0 < bar <= 1 else None


def _number(literal: str) -> Fraction | None:
    try:
        return Fraction(literal)
    except (ValueError, ZeroDivisionError):
        return None
