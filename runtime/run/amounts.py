"""What calls use up, and whether one more fits under a limit. Shared by the limits of a run and those of a day."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, TypeAlias

What: TypeAlias = Literal["cost", "calls", "time", "tokens"]
Amounts: TypeAlias = tuple[Decimal, Decimal, Decimal]
"""Calls, tokens, US dollars. 0 where nobody knows."""

COUNTED: tuple[What, ...] = ("calls", "tokens", "cost")
UNITS = ("calls", "tokens", "US dollars")
NOTHING: Amounts = (Decimal(0), Decimal(0), Decimal(0))

Refusal: TypeAlias = tuple[What, str, Decimal, Decimal]
"""What is limited, its unit, how much is allowed and how much is spent."""


def plus(left: Amounts, right: Amounts) -> Amounts:
    return left[0] + right[0], left[1] + right[1], left[2] + right[2]


def minus(left: Amounts, right: Amounts) -> Amounts:
    return left[0] - right[0], left[1] - right[1], left[2] - right[2]


def least_that_fits(
    allowed: Mapping[What, Decimal], spent: Amounts, held: Amounts, claim: Amounts
) -> bool | Refusal:
    """Whether a claim fits beside what others hold (False: it has to wait for them); the limit under which it would
    not fit without them either."""
    fits = True
    for what, unit, used, taken, more in zip(COUNTED, UNITS, spent, held, claim, strict=True):
        most = allowed.get(what)
        if most is None:
            continue
        if used >= most or used + more > most:
            return what, unit, most, used
        fits = fits and used + taken < most and used + taken + more <= most
    return fits
