"""Exact numbers out of texts and JSON, in linear time whatever their length."""

from __future__ import annotations

import re
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_PLAIN_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_LITERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_LARGEST = Decimal(repr(sys.float_info.max))
_PLACES = 4300
_FLOOR = Context(prec=_PLACES + 10, rounding=ROUND_FLOOR)
_LAST_PLACE = Decimal((0, (1,), -_PLACES))


def plain_decimal(text: str) -> Decimal | None:
    """The value of `0.5`, `.5` or `05`: ASCII digits, no sign, no exponent, no point at the end."""
    return Decimal(text) if _PLAIN_DECIMAL.fullmatch(text) else None


def score_of(number: Decimal | int | None) -> Fraction | None:
    """The number as a score, None where it is none or stands outside 0..1.

    Exact to 4,300 places; digits beyond are cut off, which keeps it on the same side of every threshold that is
    written with fewer.
    """
    if number is None or not 0 <= number <= 1:
        return None
    if isinstance(number, int):
        return Fraction(number)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_PLACES:
        number = number.quantize(_LAST_PLACE, context=_FLOOR)
    return Fraction(number)


def exact_number(number: str | int | float | Decimal | Fraction) -> Fraction | None:
    """The number that a literal names, None where it is none or past a double's range. Never raises.

    A float counts as the shortest decimal that names it: 0.7 is 7/10.
    """
    if isinstance(number, Fraction):
        return number
    if isinstance(number, float):
        number = repr(number)
    if isinstance(number, str):
        if len(number) > _PLACES or _LITERAL.fullmatch(number) is None:
            return None
        number = Decimal(number)
    if isinstance(number, int):
        return Fraction(number)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _PLACES or number.copy_abs() > _LARGEST:
        return None
    return Fraction(number)
