"""Exact numbers out of texts and JSON, in linear time whatever their length."""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_PLAIN_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_PLACES = 4300
_FLOOR = Context(prec=_PLACES + 10, rounding=ROUND_FLOOR)
_LAST_PLACE = Decimal((0, (1,), -_PLACES))


def plain_decimal(text: str) -> Decimal | None:
    """The value of `0.5`, `.5` or `05`: ASCII digits, no sign, no exponent, no point at the end."""
    return Decimal(text) if _PLAIN_DECIMAL.fullmatch(text) else None


def score_of(number: Decimal | int | None) -> Fraction | None:
    """The number as a score, None where it is none or stands outside 0..1.

    Exact to 4,300 places; digits beyond are dropped. A literal of fewer places is never above what is left and below
    what was there, so no comparison with a threshold comes out differently.
    """
    if number is None or not 0 <= number <= 1:
        return None
    if isinstance(number, int):
        return Fraction(number)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_PLACES:
        number = number.quantize(_LAST_PLACE, context=_FLOOR)
    return Fraction(number)


def whole_number(digits: str) -> int | None:
    """ASCII digits as a number. Past a few hundred digits the value does not matter any more: it is just too large."""
    if not digits.isascii() or not digits.isdigit():
        return None
    return int(digits) if len(digits) <= 400 else 10**400
